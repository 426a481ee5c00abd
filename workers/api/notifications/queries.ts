import { type RawBuilder, sql } from "kysely";
import { LEFT_NAME } from "../../contract/bounds.ts";
import type { Notification } from "../../contract/notifications.ts";
import { isoTime } from "../../kernel/clock.ts";
import { isNotOfBlocked, isNotReported } from "../blocks/queries.ts";
import { eventWords, isReadable } from "../events/queries.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { isOfEnabled } from "../storage/disabled.ts";
import { loadUserSummaries } from "../users/queries.ts";
import { fillGaps, firstLineOf } from "./rules.ts";

/** How much of a letter or comment is read to find its first line, in characters. */
const EXCERPT_READ = 200;

/**
 * The beginning of the letter, reply or comment that a notification tells of, as SQL: null where its reader may not see that
 * any more.
 */
function excerptSql(context: RequestContext, user_id: string): RawBuilder<string | null> {
  return sql<string | null>`CASE
    WHEN type IN ('get_ofuse', 'get_free_ofuse') THEN (SELECT substr(message, 1, ${sql.lit(EXCERPT_READ)}) FROM ofuses
      WHERE ofuse_id = notifications.subject_id AND receiver_user_id = ${user_id} AND removed_at IS NULL
        AND ${isNotReported(context, "ofuse", "ofuses.ofuse_id")})
    WHEN type = 'get_ofuse_reply' THEN (SELECT substr(reply_message, 1, ${sql.lit(EXCERPT_READ)}) FROM ofuses
      WHERE ofuse_id = notifications.subject_id AND sender_user_id = ${user_id})
    WHEN type IN ('new_event_comment', 'get_reply_comment') THEN (
      SELECT substr(event_comments.message, 1, ${sql.lit(EXCERPT_READ)})
      FROM event_comments JOIN events ON events.event_id = event_comments.event_id
      WHERE event_comments.comment_id = notifications.subject_id
        AND event_comments.hidden_at IS NULL AND event_comments.deleted_at IS NULL
        AND ${isReadable(user_id, context.now_ms)}
        AND ${isNotOfBlocked(context, "event_comments.user_id")}
        AND ${isNotReported(context, "event_comment", "event_comments.comment_id")})
    END`;
}

/** The notifications of a person; none about what a disabled account did. */
function ownNotifications({ database }: RequestContext, user_id: string) {
  return database
    .selectFrom("notifications")
    .where("user_id", "=", user_id)
    .where(isOfEnabled("notifications.actor_user_id"));
}

/** The same with what the person may be told of the posts, letters and comments. */
function notificationQuery(context: RequestContext, user_id: string) {
  return ownNotifications(context, user_id)
    .selectAll()
    .select(eventWords("notifications.event_id", user_id).as("event_words"))
    .select(excerptSql(context, user_id).as("excerpt"));
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
    excerpt: row.excerpt === null ? null : firstLineOf(row.excerpt),
    path: row.path,
    actor: actors.get(row.actor_user_id ?? "") ?? null,
    created_at: row.created_at,
  }));
}

/** A page of a person's notifications, newest first, and whether any of theirs is unread, those of other pages too. */
export async function listNotifications(context: RequestContext, user_id: string, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const [fetched, unopened] = await Promise.all([
    notificationQuery(context, user_id).orderBy("notification_id", "desc").limit(limit).offset(offset).execute(),
    ownNotifications(context, user_id)
      .select("notification_id")
      .where("is_opened", "=", sql.lit(0))
      .limit(1)
      .executeTakeFirst(),
  ]);
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { notifications: await present(context, rows), has_unopened: unopened !== undefined, ...closing };
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
