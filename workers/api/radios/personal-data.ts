import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import {
  type Departure,
  deleteByKey,
  type Erasure,
  type ExportProfile,
  type Leaver,
  ownList,
  whereLeaver,
} from "../storage/personal-data.ts";

/**
 * Ends and hides all radios of the leaver in one statement, however many there are: nobody holds a key with this hash.
 */
export function departBroadcaster({ user_id }: Leaver): Departure {
  const hide = sql`UPDATE radios SET publish_target_type = 'url', recording_publish_target_type = 'none',
      publish_target_membership_id = NULL, url_key_hash = '-', status = iif(status = 'on_air', 'finished', status),
      finished_at = iif(status = 'on_air', max(started_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), finished_at)
    WHERE user_id = ${user_id}`;
  return { statements: [hide] };
}

const isOnOwnRadio = ({ user_id }: Leaver) => sql`radio_id IN (SELECT radio_id FROM radios WHERE user_id = ${user_id})`;

export const erasures: Erasure[] = [
  deleteByKey("radio_reminders", ["radio_id", "user_id"], whereLeaver("user_id")),
  deleteByKey("podcast_feeds", ["feed_id"], whereLeaver("user_id")),
  deleteByKey("podcast_feeds", ["feed_id"], whereLeaver("creator_user_id")),
  deleteByKey("radio_listens", ["radio_id", "visit_id"], isOnOwnRadio),
  deleteByKey("radio_comments", ["comment_id"], whereLeaver("user_id")),
  deleteByKey("radio_comments", ["comment_id"], isOnOwnRadio),
  deleteByKey(
    "radios",
    ["radio_id"],
    whereLeaver("user_id"),
    () => sql`NOT EXISTS (SELECT 1 FROM radio_comments WHERE radio_comments.radio_id = radios.radio_id)
      AND NOT EXISTS (SELECT 1 FROM radio_recording_likes WHERE radio_recording_likes.radio_id = radios.radio_id)
      AND NOT EXISTS (SELECT 1 FROM radio_listens WHERE radio_listens.radio_id = radios.radio_id)
      AND NOT EXISTS (SELECT 1 FROM radio_chat_messages WHERE radio_chat_messages.radio_id = radios.radio_id)
      AND NOT EXISTS (SELECT 1 FROM radio_captions WHERE radio_captions.radio_id = radios.radio_id)`,
  ),
];

export const exports: Domain["exports"] = {
  radios: {
    // A transcript may have hundreds of kilobytes.
    page_size: 20,
    select: (
      me,
      after,
      limit,
    ) => sql`SELECT radio_id AS key, json_insert(json_object('radio_id', radio_id, 'title', title,
        'description', description, 'image_id', image_id, 'publish_target_type', publish_target_type,
        'recording_publish_target_type', recording_publish_target_type,
        'publish_target_membership_id', publish_target_membership_id, 'status', status, 'starts_at', starts_at,
        'started_at', started_at, 'finished_at', finished_at, 'is_chat_on', is_chat_on,
        'recording_state', recording_state, 'duration_ms', duration_ms, 'created_at', created_at,
        'updated_at', updated_at), '$.transcript', transcript,
        '$.recording_media_id', recording_media_id) AS item
      FROM radios WHERE user_id = ${me} AND radio_id > ${after ?? ""} ORDER BY radio_id ${limit}`,
  },
  radio_comments: {
    select: (me, after, limit) => sql`SELECT comment_id AS key, json_object('comment_id', comment_id,
        'radio_id', radio_id, 'message', message, 'created_at', created_at) AS item
      FROM radio_comments WHERE user_id = ${me} AND comment_id > ${after ?? ""} ORDER BY comment_id ${limit}`,
  },
};

/** The radios of whose start the member wants to be told, and the creators whose podcast they have an address of. */
export const exportProfile: ExportProfile = (me) => {
  const reminder = sql`json_object('radio_id', radio_id, 'created_at', created_at)`;
  const feed = sql`json_object('creator_user_id', creator_user_id, 'created_at', created_at)`;
  return sql`SELECT json_object('radio_reminders', ${ownList("radio_reminders", me, reminder)},
    'podcast_feeds', ${ownList("podcast_feeds", me, feed)}) AS item`;
};
