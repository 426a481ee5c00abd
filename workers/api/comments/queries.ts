import { type RawBuilder, sql } from "kysely";
import type { EventComment, ReceivedComment } from "../../contract/comments.ts";
import { isNotOfBlocked, isNotReported } from "../blocks/queries.ts";
import { isReadable, isReported } from "../events/queries.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { type RequestContext, viewerId } from "../http/request-context.ts";
import type { Precondition } from "../storage/commit.ts";
import { isOfEnabled } from "../storage/disabled.ts";
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

/** Comments with all they show. */
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

function present(context: RequestContext, row: CommentRow): EventComment {
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
 * The comments of a post that are in view: newest thread first, a comment before the replies to it. Those of disabled
 * accounts, of people the caller has blocked and those she reported are left out with the replies to them, and what was deleted once nothing is
 * left below it. Whether the caller may read the post is asked before ({@link findReadableEvent}).
 */
export async function listEventComments(context: RequestContext, event_id: string, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, context.caller === null);
  const fetched = await commentQuery(context)
    .where("event_id", "=", event_id)
    .where("hidden_at", "is", null)
    .where(isOfEnabled("event_comments.user_id"))
    .where(isNotOfBlocked(context, "event_comments.user_id"))
    .where(isNotReported(context, "event_comment", "event_comments.comment_id"))
    .where(
      sql<boolean>`(parent_comment_id IS NULL OR EXISTS (SELECT 1 FROM event_comments parent
        WHERE parent.comment_id = event_comments.parent_comment_id AND parent.hidden_at IS NULL
          AND ${isOfEnabled("parent.user_id")}
          AND ${isNotOfBlocked(context, "parent.user_id")}
          AND ${isNotReported(context, "event_comment", "parent.comment_id")}))`,
    )
    .where(
      sql<boolean>`(deleted_at IS NULL OR EXISTS (SELECT 1 FROM event_comments reply
        WHERE reply.parent_comment_id = event_comments.comment_id AND reply.hidden_at IS NULL
          AND ${isOfEnabled("reply.user_id")}))`,
    )
    .orderBy(sql`coalesce(parent_comment_id, event_comments.comment_id)`, "desc")
    .orderBy("event_comments.comment_id")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { comments: rows.map((row) => present(context, row)), ...closing };
}

export interface ReceivedFilter {
  paid?: boolean;
  is_not_replied?: boolean;
  sort_by: "newest" | "oldest" | "amount";
}

/** What others said under a person's posts; no replies. Each order and each choice has an index of its own. */
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
    .where(isOfEnabled("event_comments.user_id"))
    .where(isNotOfBlocked(context, "event_comments.user_id"))
    .where(isNotReported(context, "event_comment", "event_comments.comment_id"))
    .limit(limit)
    .offset(offset);
  // Not "more than": that would be a range of the index by amount, to be sorted.
  if (input.paid !== undefined) query = query.where("amount", input.paid ? "<>" : "=", sql.lit(0));
  if (input.is_not_replied !== undefined) query = query.where("is_replied", "=", sql.lit(input.is_not_replied ? 0 : 1));
  if (input.sort_by === "amount") query = query.orderBy("amount", "desc");
  const fetched = await query
    .orderBy("event_comments.comment_id", input.sort_by === "oldest" ? "asc" : "desc")
    .execute();
  const { rows, closing } = pageOf(fetched, input.page_number, page_size);
  const comments = rows.map(
    ({ event, is_replied, ...row }): ReceivedComment => ({
      ...present(context, row),
      event: JSON.parse(event) as ReceivedComment["event"],
      is_replied: is_replied === 1,
    }),
  );
  return { comments, ...closing };
}

export interface ReadableEvent {
  event_id: string;
  user_id: string;
  /** The owner's. */
  link_id: string;
  likes_count: number;
  is_liked: boolean;
}

/** The post, as far as what is said and liked below it goes; null where the caller may not read it. */
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

/** The same, said in the batch of what is written below the post. */
export function stillReadable(context: RequestContext, event_id: string): Precondition {
  return {
    code: "not_found",
    holds: sql`SELECT ${isReadable(viewerId(context), context.now_ms)} FROM events WHERE event_id = ${event_id}`,
  };
}

/** Whether a row of `event_comments` can be answered, liked and reported, as SQL. */
const isInView: RawBuilder<boolean> = sql<boolean>`(event_comments.hidden_at IS NULL AND event_comments.deleted_at IS NULL
  AND ${isOfEnabled("event_comments.user_id")}
  AND NOT EXISTS (SELECT 1 FROM event_comments parent
    WHERE parent.comment_id = event_comments.parent_comment_id
      AND (parent.hidden_at IS NOT NULL OR NOT (${isOfEnabled("parent.user_id")}))))`;

/** A comment of the post that is in view and not one the caller reported; null otherwise. */
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

/** That the comment is in view, said in the batch of what answers or likes it. */
export function stillInView(comment_id: string): Precondition {
  return {
    code: "not_found",
    holds: sql`EXISTS (SELECT 1 FROM event_comments WHERE comment_id = ${comment_id} AND ${isInView})`,
  };
}

/** SQL: how the comment begins that a notification tells of; null where its reader may not see it any more. */
export function commentExcerpt(context: RequestContext, user_id: string): RawBuilder<string | null> {
  return sql`(SELECT ${beginningOf("event_comments.message")}
    FROM event_comments JOIN events ON events.event_id = event_comments.event_id
    WHERE event_comments.comment_id = notifications.subject_id
      AND event_comments.hidden_at IS NULL AND event_comments.deleted_at IS NULL
      AND ${isReadable(user_id, context.now_ms)}
      AND ${isNotOfBlocked(context, "event_comments.user_id")}
      AND ${isNotReported(context, "event_comment", "event_comments.comment_id")})`;
}
