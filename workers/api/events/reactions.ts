import { type RawBuilder, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import type { Broadcast, Reader } from "../domain.ts";
import type { Database } from "../storage/database.ts";
import type { OutboxEvents } from "../storage/outbox.ts";
import { noticeOfPost } from "./rules.ts";

/** Notifies the people who may read a published post. Returns null when its writer has unpublished it meanwhile. */
export async function broadcastPost(
  { event_id }: OutboxEvents["event_published"],
  database: Database,
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
    findReaders: (after, limit) => findReaders(database, post, { after, limit, now_ms: Date.now() }),
  };
}

/**
 * Returns the next people to notify of a post, in the order of an index. For a post of a plan they are its subscribers
 * who have not turned off the creator's notifications, and otherwise the followers who want notifications. Leaves out
 * people who have blocked the writer or whom the writer has blocked.
 */
export async function findReaders(
  database: Database,
  post: {
    user_id: string;
    publish_target_type: "public" | "fans" | "memberships";
    publish_target_membership_id: string | null;
  },
  { after, limit, now_ms }: { after: Reader | null; limit: number; now_ms: number },
): Promise<Reader[]> {
  const { user_id: writer } = post;
  const isNotBlocked = (reader: string) => sql`
    NOT EXISTS (SELECT 1 FROM blocks WHERE blocker_id = ${writer} AND blocking_id = ${sql.ref(reader)})
    AND NOT EXISTS (SELECT 1 FROM blocks WHERE blocker_id = ${sql.ref(reader)} AND blocking_id = ${writer})`;
  const read: RawBuilder<Reader> =
    post.publish_target_type === "memberships"
      ? sql<Reader>`
        SELECT user_id, paid_until AS at FROM subscriptions
        WHERE membership_id = ${post.publish_target_membership_id}
          AND (paid_until, user_id) > (${after?.at ?? isoTime(now_ms)}, ${after?.user_id ?? "~"})
          AND NOT EXISTS (SELECT 1 FROM relationships
            WHERE follower_id = subscriptions.user_id AND following_id = ${writer} AND receives_notifications = 0)
          AND ${isNotBlocked("subscriptions.user_id")}
        ORDER BY paid_until, user_id LIMIT ${limit}`
      : sql<Reader>`
        SELECT follower_id AS user_id, created_at AS at FROM relationships
        WHERE following_id = ${writer} AND receives_notifications = 1
          AND ${after ? sql`created_at <= ${after.at} AND (created_at < ${after.at} OR follower_id > ${after.user_id})` : sql`TRUE`}
          AND ${isNotBlocked("relationships.follower_id")}
        ORDER BY created_at DESC, follower_id LIMIT ${limit}`;
  return (await read.execute(database)).rows;
}
