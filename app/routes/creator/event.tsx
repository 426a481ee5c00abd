import { data, Link, redirect } from "react-router";
import { getEvent } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { v4Context } from "../../middleware/context.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { lockNotes } from "../../ui/event-card.tsx";
import { Paragraphs } from "../../ui/text.tsx";
import type { Route } from "./+types/event.ts";
import { useCreator } from "./creator.ts";
import { blogPosting } from "./preview.ts";

export const meta: Route.MetaFunction = (args) => {
  const event = args.loaderData?.event;
  return pageMeta(
    args,
    event
      ? {
          title: `${event.title} - ${event.user.name}`,
          description: event.lead ?? `${event.user.name}さんの${lockNotes[event.publish_target_type]}の投稿です。`,
          image: event.image,
          type: "article",
          json_ld: blogPosting(event),
        }
      : null,
  );
};

export async function loader({ params, context }: Route.LoaderArgs) {
  if (!id.safeParse(params.event_id).success) throw data(null, { status: 404 });
  const found = await context.get(v4Context).read(getEvent, { params: { event_id: params.event_id }, query: {} });
  // One post, one address: somebody else's name in front of it leads to the right one.
  const { link_id } = found.event.user;
  if (link_id !== params.link_id) throw redirect(`/${link_id}/events/${params.event_id}`, 301);
  return found;
}

export default function EventPage({ loaderData }: Route.ComponentProps) {
  const { event, previous, next } = loaderData;
  const { creator } = useCreator();
  const path = `/${creator.link_id}`;
  return (
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
          <p className="locked-title">{lockNotes[event.publish_target_type]}の投稿です</p>
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
      <nav className="neighbours" aria-label="前後の投稿">
        {previous && <Link to={`${path}/events/${previous.event_id}`}>前の投稿：{previous.title}</Link>}
        {next && <Link to={`${path}/events/${next.event_id}`}>次の投稿：{next.title}</Link>}
      </nav>
    </article>
  );
}
