import { data } from "react-router";
import { id, MAX_PAGE_SIZE } from "../../../workers/contract/fields.ts";
import { listUserOfuses } from "../../../workers/contract/ofuses.ts";
import { reportOfuse } from "../../../workers/contract/reports.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { calledOf, senderOf } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { ReportForm } from "../report/report-form.tsx";
import { handleReport, loadReport } from "../report/send-report.ts";
import type { Route } from "./+types/report-public-letter.ts";
import { useCreator } from "./creator.ts";
import { LETTERS_ANCHOR } from "./letters-anchor.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ofuseを通報する", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const { link_id, ofuse_id } = params;
  if (!id.safeParse(ofuse_id).success) throw data(null, { status: 404 });
  const report = await loadReport(context, url);
  const v4 = context.get(v4Context);
  const { user } = await v4.read(getUser, { query: { link_id } });
  const listed = await v4.read(listUserOfuses, { params: { user_id: user.user_id }, query: { first: MAX_PAGE_SIZE } });
  const ofuse = listed.ofuses.find((each) => each.ofuse_id === ofuse_id);
  // The API reads no single public letter, so among more letters than one call returns only the sent form learns it.
  if (!ofuse && !listed.has_next) throw data(null, { status: 404 });
  return { ...report, letter: ofuse ? { sender: calledOf(senderOf(ofuse)), message: ofuse.message } : null };
}

const lettersPath = (link_id: string) => `/${link_id}/ofuse#${LETTERS_ANCHOR}`;

export function action({ request, params, context }: Route.ActionArgs) {
  const { link_id, ofuse_id } = params;
  const v4 = context.get(v4Context);
  return handleReport(request, context, lettersPath(link_id), (body, idempotency_key) =>
    v4.send(reportOfuse, { params: { ofuse_id }, body, idempotency_key }),
  );
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function ReportPublicLetter({ loaderData, actionData, params }: Route.ComponentProps) {
  const { letter, idempotency_key, ...report } = loaderData;
  const { creator } = useCreator();
  return (
    <ReportForm
      {...report}
      title="ofuseを通報する"
      back={lettersPath(params.link_id)}
      idempotency_key={actionData?.idempotency_key || idempotency_key}
      result={actionData?.result}
    >
      <p>
        {letter && (
          <>
            <bdi>{letter.sender}</bdi>から
          </>
        )}
        <bdi>{creator.name}</bdi>さんへのofuseを通報します。
      </p>
      {letter && <p className="notice letter-message letter-message-short">{letter.message}</p>}
    </ReportForm>
  );
}
