import { type RawBuilder, sql } from "kysely";
import { MAILED_TOPICS, type NotificationTopic } from "../../contract/notifications.ts";

/** SQL: whether a person wants a topic on the page or by mail. Everybody gets notifications without a topic. */
export function wantsTopic(
  user_id: string | RawBuilder<string>,
  topic: NotificationTopic | null,
  channel: "page" | "mail",
): RawBuilder<boolean> {
  if (topic === null) return sql<boolean>`TRUE`;
  const is_on = channel === "page" || MAILED_TOPICS[topic] === true;
  return sql<boolean>`coalesce((SELECT chosen.is_on FROM notification_settings chosen
    WHERE chosen.user_id = ${user_id} AND chosen.topic = ${topic} AND chosen.channel = ${channel}), ${sql.lit(is_on ? 1 : 0)})`;
}
