import { sql } from "kysely";
import { LEFT_NAME } from "../../contract/bounds.ts";
import type { Domain } from "../domain.ts";
import { eventLabel } from "../events/queries.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { deleteByKey, type Erasure, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [
  deleteByKey("notifications", ["notification_id"], whereLeaver("user_id")),
  deleteByKey("notifications", ["notification_id"], whereLeaver("actor_user_id")),
];

/** SQL for a notification's sentence, with its gaps filled as queries.ts fills them. */
const fillMessage = (me: string) => sql`replace(
  replace(message, '{actor}', coalesce((SELECT name FROM users WHERE users.user_id = actor_user_id), ${LEFT_NAME})),
  '{event}', ${eventLabel("notifications.event_id", me)})`;

export const exports: Domain["exports"] = {
  notifications: {
    select: (me, after, limit) => sql`SELECT notification_id AS key, json_object('notification_id', notification_id,
        'type', type, 'message', ${fillMessage(me)}, 'path', path, 'created_at', created_at) AS item
      FROM notifications WHERE user_id = ${me} AND ${isUserEnabled("notifications.actor_user_id")}
        AND notification_id > ${after ?? ""} ORDER BY notification_id ${limit}`,
  },
};
