import { Link } from "react-router";
import type { Event } from "../../../workers/contract/events.ts";
import { useCreator } from "./creator.ts";
import { ACTIONS_ANCHOR, eventPath } from "./event-path.ts";
import { EventLikeForm } from "./like-form.tsx";

/** The buttons below a post: like, share, and so on. */
export function PostActions({ event }: { event: Event }) {
  const { viewer_id, is_own } = useCreator();
  const path = eventPath({ link_id: event.user.link_id, event_id: event.event_id });
  return (
    <div className="post-actions" id={ACTIONS_ANCHOR}>
      {!event.is_locked && (
        <EventLikeForm
          path={path}
          id={event.event_id}
          is_liked={event.is_liked}
          likes_count={event.likes_count}
          viewer_id={viewer_id}
        />
      )}
      {!is_own && (
        <Link to={`${path}/report`} className="post-report" aria-label="この投稿を通報">
          通報
        </Link>
      )}
    </div>
  );
}
