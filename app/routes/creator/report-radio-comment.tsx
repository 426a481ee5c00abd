import { data, Link } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { getRadio, listRadioComments } from "../../../workers/contract/radios.ts";
import { reportRadioComment } from "../../../workers/contract/reports.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4OfRadio } from "../../session/radio-keys.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { ReportForm } from "../report/report-form.tsx";
import { handleReport, loadReport } from "../report/send-report.ts";
import type { Route } from "./+types/report-radio-comment.ts";
import { commentAnchor } from "./event-path.ts";
import { radioPath } from "./radio-path.ts";
import { COMMENTS_OF_ONE_CALL, requireComment } from "./require-comment.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "コメントを通報する", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const { radio_id, comment_id } = params;
  if (![radio_id, comment_id].every((each) => id.safeParse(each).success)) throw data(null, { status: 404 });
  const report = await loadReport(context, url);
  const v4 = v4OfRadio(context, radio_id);
  const [{ radio }, listed] = await Promise.all([
    v4.read(getRadio, { params: { radio_id } }),
    v4.read(listRadioComments, { params: { radio_id }, query: COMMENTS_OF_ONE_CALL }),
  ]);
  requireComment(listed, comment_id);
  return { ...report, title: radio.title };
}

export function action({ request, params, context }: Route.ActionArgs) {
  const { radio_id, comment_id } = params;
  const v4 = v4OfRadio(context, radio_id);
  return handleReport(request, context, radioPath(params, 1, "comments"), (body, idempotency_key) =>
    v4.send(reportRadioComment, { params: { radio_id, comment_id }, body, idempotency_key }),
  );
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function ReportRadioComment({ loaderData, actionData, params }: Route.ComponentProps) {
  const { title, idempotency_key, ...report } = loaderData;
  const back = radioPath(params, 1, commentAnchor(params.comment_id));
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
