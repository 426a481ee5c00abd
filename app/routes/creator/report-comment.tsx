import { data, Link } from "react-router";
import { listEventComments } from "../../../workers/contract/comments.ts";
import { getEvent } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { reportEventComment } from "../../../workers/contract/reports.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { ReportForm } from "../report/report-form.tsx";
import { handleReport, loadReport } from "../report/send-report.ts";
import type { Route } from "./+types/report-comment.ts";
import { eventPath } from "./event-path.ts";
import { requireComment } from "./require-comment.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "コメントを通報する", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const { event_id, comment_id } = params;
  if (![event_id, comment_id].every((each) => id.safeParse(each).success)) throw data(null, { status: 404 });
  const report = await loadReport(context, url);
  const v4 = context.get(v4Context);
  const [{ event }, listed] = await Promise.all([
    v4.read(getEvent, { params: { event_id }, query: {} }),
    v4.read(listEventComments, { params: { event_id }, query: { comment_id } }),
  ]);
  requireComment({ ...listed, has_next: false }, comment_id);
  return { ...report, title: event.title };
}

export function action({ request, params, context }: Route.ActionArgs) {
  const { event_id, comment_id } = params;
  const v4 = context.get(v4Context);
  return handleReport(request, context, eventPath(params, 1, "comments"), (body, idempotency_key) =>
    v4.send(reportEventComment, { params: { event_id, comment_id }, body, idempotency_key }),
  );
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function ReportComment({ loaderData, actionData, params }: Route.ComponentProps) {
  const { title, idempotency_key, ...report } = loaderData;
  const back = `${eventPath(params)}/comments/${params.comment_id}`;
  return (
    <ReportForm
      {...report}
      title="コメントを通報する"
      back={back}
      idempotency_key={actionData?.idempotency_key || idempotency_key}
      result={actionData?.result}
    >
      <p>
        <Link to={back}>「{title}」</Link>へのコメントを通報します。
      </p>
    </ReportForm>
  );
}
