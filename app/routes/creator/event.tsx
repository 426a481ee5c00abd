import { data, Link, redirect } from "react-router";
import { listEventComments } from "../../../workers/contract/comments.ts";
import { getEvent } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { v4Context, viewerContext } from "../../middleware/context.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { sharePicture } from "../../shell/share-card.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { lockNotes } from "../../ui/event-card.tsx";
import { Paragraphs } from "../../ui/text.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/event.ts";
import { Comments } from "./comments.tsx";
import { useCreator } from "./creator.ts";
import { eventPath } from "./event-path.ts";
import { keptComment } from "./kept-comment.ts";
import { PostActions } from "./post-actions.tsx";
import { blogPosting, feedLinks, oembedLinks } from "./preview.ts";

export const meta: Route.MetaFunction = (args) => {
  const event = args.loaderData?.event;
  return pageMeta(
    args,
    event && {
      title: `${event.title} - ${event.user.name}`,
      description: event.lead ?? `${event.user.name}さんの${lockNotes[event.publish_target_type]}の投稿です。`,
      image: event.image,
      share_picture: args.loaderData?.share_picture,
      alternates: [...feedLinks(event.user), ...oembedLinks(`/${event.user.link_id}/events/${event.event_id}`)],
      type: "article",
      json_ld: blogPosting(event),
    },
  );
};

export async function loader({ url, params: { link_id: asked_link_id, event_id }, context }: Route.LoaderArgs) {
  if (!id.safeParse(event_id).success) throw data(null, { status: 404 });
  const page = pageNumber(url);
  const v4 = context.get(v4Context);
  const found = await v4.read(getEvent, { params: { event_id }, query: {} });
  // One post, one address: somebody else's name in front of it leads to the right one.
  const { link_id } = found.event.user;
  if (link_id !== asked_link_id) throw redirect(`/${link_id}/events/${event_id}${url.search}`, 301);
  const { comments, has_next } = found.event.is_locked
    ? { comments: [], has_next: false }
    : await v4.read(listEventComments, { params: { event_id }, query: { page_number: page } });
  // Whoever deletes the last comment of a page is led to the page before.
  const is_left = page > 1 && comments.length === 0 && context.get(viewerContext);
  if (is_left) throw redirect(eventPath({ link_id, event_id }, page - 1, "comments"));
  refuseEmptyPage(page, comments);
  const share_picture = await sharePicture(found);
  const kept = await keptComment(context, url.pathname);
  return { ...found, share_picture, comments, page, has_next, kept };
}

export default function EventPage({ loaderData }: Route.ComponentProps) {
  const { event, previous, next, comments, page, has_next, kept } = loaderData;
  const { creator } = useCreator();
  const path = `/${creator.link_id}`;
  return (
    <>
      <article className="card prose event">
        <h1 className="event-title">{event.title}</h1>
        <p className="event-card-meta">
          {event.published_at && <DateTime iso={event.published_at} />}
          {event.status !== "published" && <span className="badge">非公開</span>}
        </p>
        {event.image && (
          <img
            className="event-image"
            src={event.image.medium_url}
            alt={event.image.alt}
            width={event.image.width}
            height={event.image.height}
            fetchPriority="high"
          />
        )}
        {event.is_locked ? (
          <div className="locked">
            <p className="locked-title">
              {event.publish_target_type === "fans" ? "フォロワー限定の投稿です" : "メンバー限定の投稿です"}
            </p>
            {event.publish_target_type === "fans" ? (
              <p>{creator.name}さんをフォローすると読めます。</p>
            ) : (
              <p>
                <Link to={`${path}/plans`}>プランに参加</Link>すると読めます。
              </p>
            )}
          </div>
        ) : (
          <Paragraphs text={event.body ?? ""} />
        )}
        <PostActions event={event} />
        <nav className="neighbours" aria-label="前後の投稿">
          {previous && <Link to={`${path}/events/${previous.event_id}`}>前の投稿：{previous.title}</Link>}
          {next && <Link to={`${path}/events/${next.event_id}`}>次の投稿：{next.title}</Link>}
        </nav>
      </article>
      {!event.is_locked && <Comments event={event} comments={comments} page={page} has_next={has_next} kept={kept} />}
    </>
  );
}
