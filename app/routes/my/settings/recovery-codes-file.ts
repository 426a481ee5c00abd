import { data } from "react-router";
import { newRecoveryCodes, readStarted } from "../../../sign-in/started-flows.ts";
import type { Route } from "./+types/recovery-codes-file.ts";

/** Downloads the recovery codes of the page as a text file. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const begun = await readStarted(context, newRecoveryCodes);
  if (!begun) throw data(null, { status: 404 });
  const lines = [`ofuse（${url.host}）のリカバリーコード`, "1つのコードは1回だけ使えます。", "", ...begun.codes, ""];
  return new Response(lines.join("\r\n"), {
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": 'attachment; filename="ofuse-recovery-codes.txt"',
    },
  });
}
