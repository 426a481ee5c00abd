import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import {
  type Departure,
  deleteByKey,
  type Erasure,
  isAfter,
  type Leaver,
  whereLeaver,
} from "../storage/personal-data.ts";

/** Hides all of the leaver's posts in one statement, however many there are. It also cancels scheduled posts. */
export function departWriter({ user_id }: Leaver): Departure {
  return { statements: [sql`UPDATE events SET status = 'private' WHERE user_id = ${user_id} AND status <> 'private'`] };
}

export const erasures: Erasure[] = [
  deleteByKey(
    "event_visits",
    ["event_id", "visit_id"],
    ({ user_id }) => sql`event_id IN (SELECT event_id FROM events WHERE user_id = ${user_id})`,
  ),
  deleteByKey(
    "events",
    ["event_id"],
    whereLeaver("user_id"),
    () => sql`NOT EXISTS (SELECT 1 FROM event_comments WHERE event_comments.event_id = events.event_id)
      AND NOT EXISTS (SELECT 1 FROM event_likes WHERE event_likes.event_id = events.event_id)
      AND NOT EXISTS (SELECT 1 FROM event_visits WHERE event_visits.event_id = events.event_id)`,
  ),
];

export const exports: Domain["exports"] = {
  posts: {
    select: (me, after, limit) => sql`SELECT created_at || ' ' || event_id AS key, json_object('event_id', event_id,
        'kind', kind, 'title', title, 'lead', lead, 'body', body, 'document', json(document), 'video_url', video_url,
        'status', status, 'publish_target_type', publish_target_type,
        'publish_target_membership_id', publish_target_membership_id, 'event_category_id', event_category_id,
        'comment_filter', comment_filter, 'publish_at', publish_at, 'published_at', published_at,
        'created_at', created_at, 'updated_at', updated_at) AS item
      FROM events WHERE user_id = ${me} AND ${isAfter("created_at", "event_id", after)}
      ORDER BY created_at, event_id ${limit}`,
    page_size: 20,
  },
  post_pictures: {
    select: (me, after, limit) => sql`SELECT created_at || ' ' || event_id AS key, json_object('event_id', event_id,
        'image_id', image_id, 'image_ids', (SELECT json_group_array(image_id ORDER BY position) FROM event_images
          WHERE event_images.event_id = events.event_id),
        'media_ids', (SELECT json_group_array(media_id ORDER BY position) FROM event_media
          WHERE event_media.event_id = events.event_id)) AS item
      FROM events WHERE user_id = ${me} AND ${isAfter("created_at", "event_id", after)}
      ORDER BY created_at, event_id ${limit}`,
  },
};
