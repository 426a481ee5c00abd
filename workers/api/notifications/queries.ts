import { type Selectable, sql } from "kysely";
import type { Notification } from "../../contract/notifications.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Database, Tables } from "../storage/database.ts";
import { isOfEnabled } from "../storage/disabled.ts";
import { loadUserSummaries } from "../users/queries.ts";

const NOTIFICATIONS_SHOWN = 100;

async function present(context: RequestContext, rows: Selectable<Tables["notifications"]>[]): Promise<Notification[]> {
  const actors = await loadUserSummaries(
    context,
    rows.map((row) => row.actor_user_id).filter((id) => id !== null),
  );
  return rows.map((row) => ({
    notification_id: row.notification_id,
    type: row.type as Notification["type"],
    is_opened: row.is_opened === 1,
    message: row.message,
    path: row.path,
    actor: actors.get(row.actor_user_id ?? "") ?? null,
    created_at: row.created_at,
  }));
}

/** A person's latest notifications, newest first; none about what a disabled account did. */
export async function listNotifications(context: RequestContext, user_id: string): Promise<Notification[]> {
  const rows = await context.database
    .selectFrom("notifications")
    .selectAll()
    .where("user_id", "=", user_id)
    .where((where) => where.or([where("actor_user_id", "is", null), isOfEnabled("notifications.actor_user_id")]))
    .orderBy("notification_id", "desc")
    .limit(NOTIFICATIONS_SHOWN)
    .execute();
  return present(context, rows);
}

/** One of the person's own notifications, or null. */
export async function findNotification(
  context: RequestContext,
  user_id: string,
  notification_id: string,
): Promise<Notification | null> {
  const row = await context.database
    .selectFrom("notifications")
    .selectAll()
    .where("notification_id", "=", notification_id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  return row ? ((await present(context, [row]))[0] ?? null) : null;
}

/** Somebody to be told of a post, and where the walk stood that met them. */
interface Reader {
  user_id: string;
  at: string;
}

/**
 * Those to be told of a post, in the order of an index and after the one given: for a plan, who pays for it and has not
 * turned the news of its creator off; otherwise who follows and wants news. Nobody between whom and the writer there is
 * a block.
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
  const read =
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
