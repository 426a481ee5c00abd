import { type RawBuilder, sql } from "kysely";
import { isOnByDefault, type NotificationChannel, type NotificationTopic } from "../../contract/notifications.ts";

/** SQL: whether a person wants a topic by a channel. Everybody gets notifications without a topic. */
export function wantsTopic(
  user_id: string | RawBuilder<string>,
  topic: NotificationTopic | null,
  channel: NotificationChannel,
): RawBuilder<boolean> {
  if (topic === null) return sql<boolean>`TRUE`;
  return sql<boolean>`coalesce((SELECT chosen.is_on FROM notification_settings chosen
    WHERE chosen.user_id = ${user_id} AND chosen.topic = ${topic} AND chosen.channel = ${channel}), ${sql.lit(isOnByDefault(topic, channel) ? 1 : 0)})`;
}
