import { type RawBuilder, sql } from "kysely";
import { BLOCKED_NAME, LEFT_NAME } from "../../contract/bounds.ts";
import type { Domain } from "../domain.ts";
import { eventLabel } from "../events/queries.ts";
import {
  deleteByKey,
  type Erasure,
  type ExportProfile,
  isAfter,
  type Leaver,
  ownList,
  whereLeaver,
} from "../storage/personal-data.ts";
import {
  closedLetterSentence,
  countedActors,
  isActorBlocked,
  isShown,
  sentenceWithGaps,
  visibleActors,
} from "./queries.ts";
import { NAMED_ACTORS } from "./rules.ts";

const hasNoActors = () => sql`NOT EXISTS (SELECT 1 FROM notification_actors acting
  WHERE acting.notification_id = notifications.notification_id)`;

/** SQL: whether the leaver alone is in the bundle of a notification, whose path may name the leaver. */
const isBundleOf = ({ user_id }: Leaver) => sql`notification_id IN (
    SELECT notification_id FROM notification_actors WHERE actor_user_id = ${user_id})
  AND NOT EXISTS (SELECT 1 FROM notification_actors other
    WHERE other.notification_id = notifications.notification_id AND other.actor_user_id <> ${user_id})`;

export const erasures: Erasure[] = [
  deleteByKey("notifications", ["notification_id"], isBundleOf),
  deleteByKey("push_subscriptions", ["push_subscription_id"], whereLeaver("user_id")),
  deleteByKey("open_pages", ["user_id"], whereLeaver("user_id")),
  deleteByKey("notification_settings", ["user_id", "topic", "channel"], whereLeaver("user_id")),
  deleteByKey("notification_actors", ["occasion"], whereLeaver("actor_user_id")),
  deleteByKey(
    "notification_actors",
    ["occasion"],
    ({ user_id }) => sql`notification_id IN (SELECT notification_id FROM notifications WHERE user_id = ${user_id})`,
  ),
  deleteByKey("notifications", ["notification_id"], whereLeaver("user_id"), hasNoActors),
  deleteByKey("notifications", ["notification_id"], whereLeaver("actor_user_id")),
];

/** SQL for words that fill a gap. A gap in the words themselves stays, because `fillMessage` fills one after the other. */
const shielded = (words: RawBuilder<unknown>) => sql`replace(${words}, '{', char(1))`;

/** SQL for a notification's sentence, with its gaps filled as queries.ts fills them. */
const fillMessage = (me: string) => {
  const newest = sql`SELECT acting.acted_at,
      (SELECT name FROM users WHERE users.user_id = acting.actor_user_id) || 'さん' AS name ${visibleActors}
    ORDER BY acting.acted_at DESC LIMIT ${sql.lit(NAMED_ACTORS)}`;
  const named = sql.lit(NAMED_ACTORS);
  const actors = sql`(SELECT group_concat(name, '、' ORDER BY acted_at DESC) FROM (${newest}))
    || iif(${countedActors} > ${named}, '、ほか' || (${countedActors} - ${named}) || '人', '')`;
  const actor = sql`CASE WHEN ${isActorBlocked("notifications.actor_user_id")} THEN ${BLOCKED_NAME}
    ELSE coalesce((SELECT name || 'さん' FROM users WHERE users.user_id = actor_user_id AND left_at IS NULL),
      ${LEFT_NAME}) END`;
  const event = eventLabel("notifications.event_id", me);
  const sentence = sentenceWithGaps(event);
  return sql`coalesce(${closedLetterSentence(me)}, replace(replace(replace(
    CASE WHEN bundle IS NULL THEN ${sentence} ELSE replace(${sentence}, '{actors}', ${shielded(actors)}) END,
    '{actor}さん', ${shielded(actor)}), '{event}', ${shielded(event)}), char(1), '{'))`;
};

export const exports: Domain["exports"] = {
  notifications: {
    select: (me, after, limit) => sql`SELECT created_at || ' ' || notification_id AS key,
        json_object('notification_id', notification_id, 'type', type, 'message', ${fillMessage(me)}, 'path', path,
          'created_at', created_at) AS item
      FROM notifications WHERE user_id = ${me} AND ${isShown} AND ${isAfter("created_at", "notification_id", after)}
      ORDER BY created_at, notification_id ${limit}`,
  },
};

/** The person's choices of notifications, and the push services of the browsers that get push notifications. */
export const exportProfile: ExportProfile = (me) => {
  const choice = sql`json_object('topic', topic, 'channel', channel, 'is_on', json(iif(is_on, 'true', 'false')))`;
  const service = sql`substr(endpoint, 9, instr(substr(endpoint, 9), '/') - 1)`;
  const browser = sql`json_object('push_service', ${service}, 'created_at', created_at)`;
  return sql`SELECT json_object('notification_settings', ${ownList("notification_settings", me, choice)},
    'push_subscriptions', ${ownList("push_subscriptions", me, browser)},
    'mail_language', (SELECT mail_language FROM users WHERE user_id = ${me})) AS item`;
};
