import { sql } from "kysely";
import type { Broadcast } from "../domain.ts";
import type { Database } from "../storage/database.ts";
import type { OutboxEvents } from "../storage/outbox.ts";
import { findReaders } from "./queries.ts";
import { noticeOfPost } from "./rules.ts";

/** Notifies the people who may read a published post. Returns null when its writer has unpublished it meanwhile. */
export async function broadcastPost(
  { event_id }: OutboxEvents["event_published"],
  database: Database,
  now_ms: number,
): Promise<Broadcast | null> {
  const post = await database
    .selectFrom("events")
    .innerJoin("users", "users.user_id", "events.user_id")
    .select(["event_id", "events.user_id", "users.link_id"])
    .select(["publish_target_type", "publish_target_membership_id"])
    .where("event_id", "=", event_id)
    .where("status", "=", sql.lit("published"))
    .executeTakeFirst();
  if (!post) return null;
  return {
    ...noticeOfPost(post),
    type: "event_created",
    actor_user_id: post.user_id,
    event_id,
    findReaders: (after, limit) => findReaders(database, post, { after, limit, now_ms }),
  };
}
