import { redirect } from "react-router";
import { getTransactionReport } from "../../../../workers/contract/ledger.ts";
import { reportFileName, writeReportCsv } from "../../../../workers/contract/report-csv.ts";
import { v4Context } from "../../../request/context.ts";
import type { Route } from "./+types/report.ts";
import { EARNINGS_PATH } from "./paths.ts";

/** Answers the transactions of some days as a CSV file. Leads back to the form when the days are not right. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const [from = "", to = ""] = ["from", "to"].map((name) => url.searchParams.get(name) ?? "");
  const sent = from && to ? await v4.send(getTransactionReport, { query: { from, to } }) : null;
  if (!sent?.ok) {
    if (sent && sent.refusal.status !== 422) throw v4.failure(sent.refusal);
    const report = sent?.refusal.code === "report_too_long" ? "long" : "days";
    return redirect(`${EARNINGS_PATH}?${new URLSearchParams({ report, from, to })}#report-title`, 303);
  }
  return new Response(writeReportCsv(sent.answer), {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${reportFileName(sent.answer)}"`,
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
    },
  });
}
