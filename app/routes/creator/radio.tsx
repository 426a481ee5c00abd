import { Link } from "react-router";
import { listUserRadios, type RadioSummary } from "../../../workers/contract/radios.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import { noteOfRadio, RADIO_STATES } from "../radio-words.ts";
import type { Route } from "./+types/radio.ts";
import { useCreator } from "./creator.ts";
import { podcastLinks } from "./preview.ts";
import { podcastPagePath, radioPath } from "./radio-path.ts";

export const meta: Route.MetaFunction = (args) => {
  const { creator, share_picture } = args.matches[1]?.loaderData ?? {};
  return pageMeta(
    args,
    creator && {
      title: `${creator.name}さんのラジオ`,
      description: `${creator.name}（@${creator.link_id}）さんの声の生放送と録音です。`,
      share_picture,
      alternates: podcastLinks(creator),
      kept_query: ["page"],
      // Keep the page out of search results while it has no content.
      is_unlisted: args.loaderData?.radios.length === 0,
    },
  );
};

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const v4 = context.get(v4Context);
  const { user } = await v4.read(getUser, { query: { link_id: params.link_id } });
  const query = { page_number: page };
  const { radios, has_next } = await v4.read(listUserRadios, { params: { user_id: user.user_id }, query });
  refuseEmptyPage(page, radios);
  return { radios, has_next, page };
}

export default function CreatorRadio({ loaderData }: Route.ComponentProps) {
  const { radios, has_next, page } = loaderData;
  const { creator, is_own } = useCreator();
  const path = `/${creator.link_id}/radio`;
  return (
    <section>
      <h1 className="section-title">
        <bdi>{creator.name}</bdi>さんのラジオ
      </h1>
      {radios.length === 0 ? (
        <EmptyState title="まだラジオがありません">
          <p>
            {is_own
              ? "放送の予定と録音が、ここに並びます。"
              : "放送の予定と録音が、ここに並びます。フォローしておくと、放送が始まったときお知らせが届きます。"}
          </p>
          <p>
            <ButtonLink to={is_own ? "/my/radio" : `/${creator.link_id}`} variant="gray-outline" size="sm">
              {is_own ? "ラジオを用意する" : "投稿を見る"}
            </ButtonLink>
          </p>
        </EmptyState>
      ) : (
        <ul className="letter-list">
          {radios.map((radio) => (
            <Row key={radio.radio_id} radio={radio} />
          ))}
        </ul>
      )}
      {radios.some(isPodcast) && (
        <p className="field-hint">
          <Link to={podcastPagePath(creator.link_id)}>ポッドキャストアプリで聴く</Link>
        </p>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(n) => (n > 1 ? `${path}?page=${n}` : path)} />
    </section>
  );
}

/** Whether a podcast has the recording of a radio: that for everybody, or one of a member. */
const isPodcast = (radio: RadioSummary) =>
  radio.status === "finished" &&
  radio.recording_state === "completed" &&
  radio.recording_publish_target_type !== "none";

function Row({ radio }: { radio: RadioSummary }) {
  const { user, radio_id, title, status, starts_at, started_at } = radio;
  const at = started_at ?? starts_at;
  const note = noteOfRadio(radio);
  return (
    <li className="card letter">
      <Link to={radioPath({ link_id: user.link_id, radio_id })} className="card-link">
        <b>{title}</b>
      </Link>
      <p className="row">
        <span className={status === "on_air" ? "badge badge-new" : "badge"}>{RADIO_STATES[status]}</span>
        {at && <DateTime iso={at} />}
        {note && <span className="row-note">{note}</span>}
      </p>
    </li>
  );
}
