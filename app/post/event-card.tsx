import type { ReactNode } from "react";
import { Link } from "react-router";
import type { EventSummary } from "../../workers/contract/events.ts";
import { groupDigits } from "../../workers/contract/group-digits.ts";
import { excerptOf } from "../text/excerpt.ts";
import { DateTime } from "../ui/date-time.tsx";
import { CommentIcon, HeartIcon, ImageIcon, LockIcon, VideoIcon } from "../ui/icons.tsx";
import { Blur, Picture } from "./picture.tsx";

/** The labels that say who may read a post. A public post has none. */
export const lockNotes = { public: "", fans: "フォロワー限定", memberships: "メンバー限定" } as const;

/** The fields of a post that its card shows. */
type ShownEvent = Pick<
  EventSummary,
  | "event_id"
  | "kind"
  | "title"
  | "lead"
  | "image"
  | "placeholder"
  | "images_count"
  | "likes_count"
  | "comments_count"
  | "is_locked"
  | "published_at"
  | "publish_target_type"
> & { user: Pick<EventSummary["user"], "link_id" | "name" | "icon_image"> };

interface CardProps {
  event: ShownEvent;
  /** The line with the author, on pages with posts of several people. */
  byline?: ReactNode;
  /** True for the first picture of the page, which is loaded first. */
  is_first?: boolean;
  /** The category of the list that contains the card. The post's page then links to its neighbours in that category. */
  category?: string | null;
}

/** The length of a card's text: a little more than three lines on a phone. CSS cuts the rest. */
const LEAD_GRAPHEMES = 72;

const COLUMN = "(min-width: 1200px) 690px, (min-width: 900px) calc(100vw - 412px), calc(100vw - 34px)";

/** A post in a list. A locked post shows its title, who may read it, and its blurred cover. */
export function EventCard({ event, byline, is_first = false, category }: CardProps) {
  const { image, placeholder, lead, is_locked, likes_count, comments_count, published_at } = event;
  const path = `/${event.user.link_id}/events/${event.event_id}`;
  const note = lockNotes[event.publish_target_type];
  return (
    <li className="card event-card">
      {(image || placeholder) && (
        <div className="event-card-image">
          {image ? (
            <Picture image={image} sizes={COLUMN} is_eager={is_first} />
          ) : (
            <span className="picture">
              <Blur src={`${path}/likeness`} />
            </span>
          )}
          {is_locked && !image && <LockIcon />}
          <Kind event={event} />
        </div>
      )}
      <div className="event-card-text">
        {byline}
        <h3>
          <Link to={category ? `${path}?category=${category}` : path} className="card-link">
            {event.title}
          </Link>
        </h3>
        {lead && <p className="event-card-lead">{excerptOf(lead, LEAD_GRAPHEMES)}</p>}
        <p className="event-card-meta">
          {published_at && <DateTime iso={published_at} format="date" />}
          <EventCounts likes_count={likes_count} comments_count={comments_count} />
          {note && (
            <span className="badge">
              {is_locked && <LockIcon />}
              {note}
            </span>
          )}
        </p>
      </div>
    </li>
  );
}

/** Marks the cover of a video, and of a post with several pictures. */
function Kind({ event: { kind, images_count } }: { event: ShownEvent }) {
  if (kind === "video") {
    return (
      <span className="event-kind">
        <VideoIcon />
        動画
      </span>
    );
  }
  if (kind !== "image" || images_count < 2) return null;
  return (
    <span className="event-kind">
      <ImageIcon />
      {images_count}
      <span className="visually-hidden">枚の画像</span>
    </span>
  );
}

/** The numbers of likes and comments. Zero is not shown. */
function EventCounts(counts: Pick<EventSummary, "likes_count" | "comments_count">) {
  return (
    <>
      {counts.likes_count > 0 && (
        <span className="event-count">
          <HeartIcon />
          <span className="visually-hidden">いいね</span>
          {groupDigits(counts.likes_count)}
        </span>
      )}
      {counts.comments_count > 0 && (
        <span className="event-count">
          <CommentIcon />
          <span className="visually-hidden">コメント</span>
          {groupDigits(counts.comments_count)}
        </span>
      )}
    </>
  );
}
