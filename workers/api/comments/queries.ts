import { type RawBuilder, sql } from "kysely";
import type { EventComment, ReceivedComment } from "../../contract/comments.ts";
import { MAX_PAGE_NUMBER } from "../../contract/fields.ts";
import { isNotByBlockedGuest, isNotByBlockedUser, isNotReported } from "../blocks/queries.ts";
import { isReadable, isReported } from "../events/queries.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { type RequestContext, viewerId } from "../http/request-context.ts";
import type { Precondition } from "../storage/commit.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { beginningOf } from "../storage/excerpts.ts";
import { readUser, userJson } from "../users/queries.ts";

const columns = [
  "event_comments.comment_id",
  "event_comments.user_id",
  "event_comments.message",
  "event_comments.amount",
  "event_comments.parent_comment_id",
  "event_comments.likes_count",
  "event_comments.created_at",
  "event_comments.deleted_at",
] as const;

/** Selects comments with every column that readers see. */
function commentQuery(context: RequestContext) {
  const viewer = viewerId(context);
  return context.database
    .selectFrom("event_comments")
    .select(columns)
    .select([
      userJson("event_comments.user_id").as("writer"),
      sql<string>`(SELECT events.user_id FROM events WHERE events.event_id = event_comments.event_id)`.as(
        "owner_user_id",
      ),
      sql<number>`EXISTS (SELECT 1 FROM event_comment_likes l
        WHERE l.comment_id = event_comments.comment_id AND l.liker = ${viewer})`.as("is_liked"),
    ]);
}
type CommentRow = Awaited<ReturnType<ReturnType<typeof commentQuery>["executeTakeFirstOrThrow"]>>;

function presentComment(context: RequestContext, row: CommentRow): EventComment {
  const viewer = viewerId(context);
  const { user_id, owner_user_id, writer, deleted_at, is_liked, ...shown } = row;
  const is_deleted = deleted_at !== null;
  const paid = row.amount > 0;
  const can_delete = viewer !== null && !is_deleted && (viewer === owner_user_id || (viewer === user_id && !paid));
  return {
    ...shown,
    message: is_deleted ? "" : row.message,
    is_deleted,
    user: readUser(writer),
    paid,
    currency: "jpy",
    is_liked: is_liked === 1,
    can_delete,
  };
}

/**
 * Lists a post's visible comments: newest thread first, and each comment before its replies. Leaves out comments of
 * disabled accounts, those that the caller reported, and for everybody but the post's owner those of people whom the
 * caller has blocked, each together with its replies. Leaves out a deleted comment that has no visible replies. With
 * `comment_id`, lists the page that has this comment. Does not check access to the post: call {@link findReadableEvent}
 * first.
 */
export async function listEventComments(
  context: RequestContext,
  event_id: string,
  { comment_id, ...page }: Page & { comment_id?: string },
) {
  const { page_size } = rowsOf(page, context.caller === null);
  const page_number = comment_id ? await findPageOf(context, { event_id, comment_id, page_size }) : page.page_number;
  const { limit, offset } = rowsOf({ page_number, page_size }, false);
  const fetched = await commentQuery(context)
    .where(isListed(context, event_id))
    .orderBy(sql`coalesce(parent_comment_id, event_comments.comment_id)`, "desc")
    .orderBy("event_comments.comment_id")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(fetched, page_number, page_size);
  return { comments: rows.map((row) => presentComment(context, row)), ...closing };
}

/** SQL: whether {@link listEventComments} lists a row of `event_comments`. */
function isListed(context: RequestContext, event_id: string): RawBuilder<boolean> {
  const owner = sql`(SELECT events.user_id FROM events WHERE events.event_id = ${event_id})`;
  return sql<boolean>`(event_comments.event_id = ${event_id} AND event_comments.hidden_at IS NULL
    AND ${isUserEnabled("event_comments.user_id")}
    AND ${isNotByBlockedGuest(context, "event_comments.user_id", owner)}
    AND ${isNotReported(context, "event_comment", "event_comments.comment_id")}
    AND (event_comments.parent_comment_id IS NULL OR EXISTS (SELECT 1 FROM event_comments parent
      WHERE parent.comment_id = event_comments.parent_comment_id AND parent.hidden_at IS NULL
        AND ${isUserEnabled("parent.user_id")}
        AND ${isNotByBlockedGuest(context, "parent.user_id", owner)}
        AND ${isNotReported(context, "event_comment", "parent.comment_id")}))
    AND (event_comments.deleted_at IS NULL OR EXISTS (SELECT 1 FROM event_comments reply
      WHERE reply.parent_comment_id = event_comments.comment_id AND reply.hidden_at IS NULL
        AND ${isUserEnabled("reply.user_id")})))`;
}

/** Returns the page that has a comment of the post; 1 for an unknown comment. */
async function findPageOf(
  context: RequestContext,
  { event_id, comment_id, page_size }: { event_id: string; comment_id: string; page_size: number },
): Promise<number> {
  const thread = sql`(SELECT coalesce(parent_comment_id, comment_id) FROM event_comments
    WHERE comment_id = ${comment_id} AND event_id = ${event_id})`;
  const { before } = await context.database
    .selectFrom("event_comments")
    .select(({ fn }) => fn.countAll<number>().as("before"))
    .where(isListed(context, event_id))
    .where(sql`coalesce(parent_comment_id, comment_id)`, ">=", thread)
    .where(sql<boolean>`(coalesce(parent_comment_id, comment_id) > ${thread} OR comment_id < ${comment_id})`)
    .executeTakeFirstOrThrow();
  return Math.min(1 + Math.floor(before / page_size), MAX_PAGE_NUMBER);
}

export interface ReceivedFilter {
  paid?: boolean;
  is_not_replied?: boolean;
  sort_by: "newest" | "oldest" | "amount";
}

/**
 * Lists the comments that other people wrote under a person's posts, also people whom the person has blocked, without
 * replies. Every sort order and every filter
 * has its own index.
 */
export async function listReceivedComments(
  context: RequestContext,
  owner_user_id: string,
  input: Page & ReceivedFilter,
) {
  const { limit, offset, page_size } = rowsOf(input, false);
  let query = commentQuery(context)
    .select([
      "is_replied",
      sql<string>`(SELECT json_object('event_id', events.event_id, 'title', events.title)
        FROM events WHERE events.event_id = event_comments.event_id)`.as("event"),
    ])
    .where("received_by", "=", owner_user_id)
    .where("hidden_at", "is", null)
    .where("deleted_at", "is", null)
    .where(isUserEnabled("event_comments.user_id"))
    .where(isNotReported(context, "event_comment", "event_comments.comment_id"))
    .limit(limit)
    .offset(offset);
  // Filters by `amount <> 0` and not by `amount > 0`. For `>` SQLite would scan a range of the index by amount and then
  // have to sort.
  if (input.paid !== undefined) query = query.where("amount", input.paid ? "<>" : "=", sql.lit(0));
  if (input.is_not_replied !== undefined) query = query.where("is_replied", "=", sql.lit(input.is_not_replied ? 0 : 1));
  if (input.sort_by === "amount") query = query.orderBy("amount", "desc");
  const fetched = await query
    .orderBy("event_comments.comment_id", input.sort_by === "oldest" ? "asc" : "desc")
    .execute();
  const { rows, closing } = pageOf(fetched, input.page_number, page_size);
  const comments = rows.map(
    ({ event, is_replied, ...row }): ReceivedComment => ({
      ...presentComment(context, row),
      event: JSON.parse(event) as ReceivedComment["event"],
      is_replied: is_replied === 1,
    }),
  );
  return { comments, ...closing };
}

export interface ReadableEvent {
  event_id: string;
  user_id: string;
  /** The link_id of the post's owner. */
  link_id: string;
  likes_count: number;
  is_liked: boolean;
}

/** Returns the post's owner and like state; null when the caller may not read the post. */
export async function findReadableEvent(
  context: RequestContext,
  event_id: string,
  liker = viewerId(context),
): Promise<ReadableEvent | null> {
  const row = await context.database
    .selectFrom("events")
    .innerJoin("users", "users.user_id", "events.user_id")
    .leftJoin("event_counts", "event_counts.event_id", "events.event_id")
    .select(["events.event_id", "events.user_id", "users.link_id"])
    .select([
      sql<number>`COALESCE(event_counts.likes_count, 0)`.as("likes_count"),
      sql<number>`EXISTS (SELECT 1 FROM event_likes l
        WHERE l.event_id = events.event_id AND l.liker = ${liker})`.as("is_liked"),
    ])
    .where("events.event_id", "=", event_id)
    .where(sql<boolean>`${isReadable(viewerId(context), context.now_ms)}`)
    .where(sql<boolean>`NOT ${isReported("events.event_id", viewerId(context))}`)
    .executeTakeFirst();
  return row ? { ...row, is_liked: row.is_liked === 1 } : null;
}

/** The precondition that the caller may still read the post. The batch that writes a comment or like checks it. */
export function requireReadableEvent(context: RequestContext, event_id: string): Precondition {
  return {
    code: "not_found",
    holds: sql`SELECT ${isReadable(viewerId(context), context.now_ms)} FROM events WHERE event_id = ${event_id}`,
  };
}

/** SQL: whether a row of `event_comments` is visible. Only visible comments can be answered, liked and reported. */
const isInView: RawBuilder<boolean> = sql<boolean>`(event_comments.hidden_at IS NULL AND event_comments.deleted_at IS NULL
  AND ${isUserEnabled("event_comments.user_id")}
  AND NOT EXISTS (SELECT 1 FROM event_comments parent
    WHERE parent.comment_id = event_comments.parent_comment_id
      AND (parent.hidden_at IS NOT NULL OR NOT (${isUserEnabled("parent.user_id")}))))`;

/** Returns a visible comment of the post; null when there is none or when the caller reported it. */
export async function findComment(
  context: RequestContext,
  event_id: string,
  comment_id: string,
  liker = viewerId(context),
) {
  const row = await context.database
    .selectFrom("event_comments")
    .select(["comment_id", "user_id", "message", "amount", "parent_comment_id", "likes_count"])
    .select(
      sql<number>`EXISTS (SELECT 1 FROM event_comment_likes l
        WHERE l.comment_id = event_comments.comment_id AND l.liker = ${liker})`.as("is_liked"),
    )
    .where("comment_id", "=", comment_id)
    .where("event_id", "=", event_id)
    .where(isInView)
    .where(isNotReported(context, "event_comment", "event_comments.comment_id"))
    .executeTakeFirst();
  return row ? { ...row, is_liked: row.is_liked === 1 } : null;
}

/** SQL: whether a comment is still visible. */
export const isVisibleComment = (comment_id: string): RawBuilder<boolean> =>
  sql<boolean>`EXISTS (SELECT 1 FROM event_comments WHERE comment_id = ${comment_id} AND ${isInView})`;

/** The precondition that the comment is still visible. The batch that writes a reply or like checks it. */
export function requireVisibleComment(comment_id: string): Precondition {
  return { code: "not_found", holds: isVisibleComment(comment_id) };
}

/**
 * SQL for the beginning of the comment that a notification is about; null when the notified person may no longer see
 * it.
 */
export function commentExcerpt(context: RequestContext, user_id: string): RawBuilder<string | null> {
  return sql`(SELECT ${beginningOf("event_comments.message")}
    FROM event_comments JOIN events ON events.event_id = event_comments.event_id
    WHERE event_comments.comment_id = notifications.subject_id
      AND event_comments.hidden_at IS NULL AND event_comments.deleted_at IS NULL
      AND ${isReadable(user_id, context.now_ms)}
      AND ${isNotByBlockedUser(context, "event_comments.user_id")}
      AND ${isNotReported(context, "event_comment", "event_comments.comment_id")})`;
}
