import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { deleteByKey, type Erasure, isAfterNewestFirst, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [
  deleteByKey("event_likes", ["event_id", "liker"], whereLeaver("liker")),
  deleteByKey("event_comment_likes", ["comment_id", "liker"], whereLeaver("liker")),
  deleteByKey(
    "event_likes",
    ["event_id", "liker"],
    ({ user_id }) => sql`event_id IN (SELECT event_id FROM events WHERE user_id = ${user_id})`,
  ),
  deleteByKey("radio_recording_likes", ["radio_id", "liker"], whereLeaver("liker")),
  deleteByKey("radio_comment_likes", ["comment_id", "liker"], whereLeaver("liker")),
  deleteByKey(
    "radio_recording_likes",
    ["radio_id", "liker"],
    ({ user_id }) => sql`radio_id IN (SELECT radio_id FROM radios WHERE user_id = ${user_id})`,
  ),
];

export const exports: Domain["exports"] = {
  liked_posts: {
    select: (me, after, limit) => sql`SELECT created_at || ' ' || event_id AS key,
        json_object('event_id', event_id, 'created_at', created_at) AS item
      FROM event_likes WHERE liker = ${me} AND ${isAfterNewestFirst("created_at", "event_id", after)}
      ORDER BY created_at DESC, event_id ${limit}`,
  },
  liked_comments: {
    select: (me, after, limit) => sql`SELECT created_at || ' ' || comment_id AS key,
        json_object('comment_id', comment_id, 'created_at', created_at) AS item
      FROM event_comment_likes WHERE liker = ${me} AND ${isAfterNewestFirst("created_at", "comment_id", after)}
      ORDER BY created_at DESC, comment_id ${limit}`,
  },
  liked_recordings: {
    select: (me, after, limit) => sql`SELECT created_at || ' ' || radio_id AS key,
        json_object('radio_id', radio_id, 'created_at', created_at) AS item
      FROM radio_recording_likes WHERE liker = ${me} AND ${isAfterNewestFirst("created_at", "radio_id", after)}
      ORDER BY created_at DESC, radio_id ${limit}`,
  },
  liked_radio_comments: {
    select: (me, after, limit) => sql`SELECT created_at || ' ' || comment_id AS key,
        json_object('comment_id', comment_id, 'created_at', created_at) AS item
      FROM radio_comment_likes WHERE liker = ${me} AND ${isAfterNewestFirst("created_at", "comment_id", after)}
      ORDER BY created_at DESC, comment_id ${limit}`,
  },
};
