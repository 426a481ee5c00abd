import type { Event } from "../../../workers/contract/events.ts";
import { EventCounts } from "../../ui/event-card.tsx";

/** What a reader does about a post. */
export function PostActions({ event }: { event: Event }) {
  return (
    <p className="event-card-meta">
      <EventCounts likes_count={event.likes_count} comments_count={event.comments_count} />
    </p>
  );
}
