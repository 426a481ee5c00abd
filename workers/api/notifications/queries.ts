import { sql } from "kysely";
import { LEFT_NAME } from "../../contract/bounds.ts";
import type { Notification } from "../../contract/notifications.ts";
import { isoTime } from "../../kernel/clock.ts";
import { eventWords } from "../events/queries.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { loadUserSummaries } from "../users/queries.ts";
import { fillGaps } from "./rules.ts";

const NOTIFICATIONS_SHOWN = 100;

/** Notifications of a person, with what they may be told of the posts. */
function notificationQuery({ database }: RequestContext, user_id: string) {
  return database
    .selectFrom("notifications")
    .selectAll()
    .select(eventWords("notifications.event_id", user_id).as("event_words"))
    .where("user_id", "=", user_id);
}
type NotificationRow = Awaited<ReturnType<ReturnType<typeof notificationQuery>["executeTakeFirstOrThrow"]>>;

async function present(context: RequestContext, rows: NotificationRow[]): Promise<Notification[]> {
  const actors = await loadUserSummaries(
    context,
    rows.map((row) => row.actor_user_id).filter((id) => id !== null),
  );
  return rows.map((row) => ({
    notification_id: row.notification_id,
    type: row.type as Notification["type"],
    is_opened: row.is_opened === 1,
    message: fillGaps(row.message, {
      actor: actors.get(row.actor_user_id ?? "")?.name ?? LEFT_NAME,
      event: row.event_words,
    }),
    path: row.path,
    actor: actors.get(row.actor_user_id ?? "") ?? null,
    created_at: row.created_at,
  }));
}

/** A person's latest notifications, newest first, and whether any of theirs is unread, older ones too. */
export async function listNotifications(
  context: RequestContext,
  user_id: string,
): Promise<{ notifications: Notification[]; has_unopened: boolean }> {
  const [rows, unopened] = await Promise.all([
    notificationQuery(context, user_id).orderBy("notification_id", "desc").limit(NOTIFICATIONS_SHOWN).execute(),
    context.database
      .selectFrom("notifications")
      .select("notification_id")
      .where("user_id", "=", user_id)
      .where("is_opened", "=", sql.lit(0))
      .limit(1)
      .executeTakeFirst(),
  ]);
  return { notifications: await present(context, rows), has_unopened: unopened !== undefined };
}

/** One of the person's own notifications, or null. */
export async function findNotification(
  context: RequestContext,
  user_id: string,
  notification_id: string,
): Promise<Notification | null> {
  const row = await notificationQuery(context, user_id)
    .where("notification_id", "=", notification_id)
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
