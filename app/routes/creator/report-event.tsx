import { data, Link } from "react-router";
import { getEvent } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { reportEvent } from "../../../workers/contract/reports.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { ReportForm } from "../report/report-form.tsx";
import { handleReport, loadReport } from "../report/send-report.ts";
import type { Route } from "./+types/report-event.ts";
import { eventPath } from "./event-path.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "投稿を通報する", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const { event_id } = params;
  if (!id.safeParse(event_id).success) throw data(null, { status: 404 });
  const report = await loadReport(context, url);
  const { event } = await context.get(v4Context).read(getEvent, { params: { event_id }, query: {} });
  return { ...report, title: event.title };
}

export function action({ request, params, context }: Route.ActionArgs) {
  const { link_id, event_id } = params;
  const v4 = context.get(v4Context);
  return handleReport(request, context, `/${link_id}`, (body, idempotency_key) =>
    v4.send(reportEvent, { params: { event_id }, body, idempotency_key }),
  );
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function ReportEvent({ loaderData, actionData, params }: Route.ComponentProps) {
  const { title, idempotency_key, ...report } = loaderData;
  const path = eventPath(params);
  return (
    <ReportForm
      {...report}
      title="投稿を通報する"
      back={path}
      idempotency_key={actionData?.idempotency_key || idempotency_key}
      result={actionData?.result}
    >
      <p>
        <Link to={path}>「{title}」</Link>を通報します。
      </p>
    </ReportForm>
  );
}
