import { data } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { getOfuse } from "../../../workers/contract/ofuses.ts";
import { reportOfuse } from "../../../workers/contract/reports.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { calledOf, senderOf } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { ReportForm } from "../report/report-form.tsx";
import { handleReport, loadReport } from "../report/send-report.ts";
import type { Route } from "./+types/report-letter.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ofuseを通報する", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const { ofuse_id } = params;
  if (!id.safeParse(ofuse_id).success) throw data(null, { status: 404 });
  const report = await loadReport(context, url);
  const { ofuse } = await context.get(v4Context).read(getOfuse, { params: { ofuse_id }, query: {} });
  // A member cannot report a letter that they wrote themselves.
  if (ofuse.type !== "received") throw data(null, { status: 404 });
  return { ...report, sender: calledOf(senderOf(ofuse)), message: ofuse.message };
}

export function action({ request, params, context }: Route.ActionArgs) {
  const { ofuse_id } = params;
  const v4 = context.get(v4Context);
  return handleReport(request, context, "/my/box", (body, idempotency_key) =>
    v4.send(reportOfuse, { params: { ofuse_id }, body, idempotency_key }),
  );
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function ReportLetter({ loaderData, actionData, params }: Route.ComponentProps) {
  const { sender, message, idempotency_key, ...report } = loaderData;
  return (
    <ReportForm
      {...report}
      title="ofuseを通報する"
      back={`/my/box/${params.ofuse_id}`}
      idempotency_key={actionData?.idempotency_key || idempotency_key}
      result={actionData?.result}
    >
      <p>
        <bdi>{sender}</bdi>からのofuseを通報します。
      </p>
      <p className="notice letter-message letter-message-short">{message}</p>
    </ReportForm>
  );
}
