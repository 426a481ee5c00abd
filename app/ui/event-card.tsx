import { Link } from "react-router";
import type { EventSummary } from "../../workers/contract/events.ts";
import { Avatar } from "./avatar.tsx";
import { DateTime } from "./date-time.tsx";

/** Who may read a post that not everybody may. */
export const lockNotes = { public: "", fans: "フォロワー限定", memberships: "メンバー限定" } as const;

/** Of a post, what its card shows. */
type ShownEvent = Pick<
  EventSummary,
  "event_id" | "title" | "lead" | "image" | "published_at" | "publish_target_type"
> & { user: Pick<EventSummary["user"], "link_id" | "name" | "icon_image"> };

/** A post in a list. A locked one shows its title and who may read it, and nothing of its body. */
export function EventCard(props: { event: ShownEvent; with_author?: boolean; is_first?: boolean }) {
  const { event, with_author = false, is_first = false } = props;
  const path = `/${event.user.link_id}/events/${event.event_id}`;
  const note = lockNotes[event.publish_target_type];
  return (
    <li className="card event-card">
      {event.image && (
        <img
          className="event-card-image"
          src={event.image.medium_url}
          alt={event.image.alt}
          width={event.image.width}
          height={event.image.height}
          loading={is_first ? "eager" : "lazy"}
          decoding="async"
        />
      )}
      <div className="event-card-text">
        {with_author && (
          <p className="byline">
            <Avatar image={event.user.icon_image} size={32} />
            <span>{event.user.name}</span>
          </p>
        )}
        <h3>
          <Link to={path} className="card-link">
            {event.title}
          </Link>
        </h3>
        {event.lead && <p className="event-card-lead">{event.lead}</p>}
        <p className="event-card-meta">
          {event.published_at && <DateTime iso={event.published_at} format="date" />}
          {note && <span className="badge">{note}</span>}
        </p>
      </div>
    </li>
  );
}
