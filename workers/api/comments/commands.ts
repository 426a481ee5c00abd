import { type CompiledQuery, sql } from "kysely";
import type { EventComment } from "../../contract/comments.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { requireNotBlocked } from "../blocks/queries.ts";
import { KEPT_COMMENTS } from "../events/rules.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Change, Precondition } from "../storage/commit.ts";
import { oneOf } from "../storage/database.ts";
import { forgetAnswers } from "../storage/kept-answers.ts";
import { countDailyAct, type Limit, withBounds } from "../storage/limits.ts";
import { continuationStatement } from "../storage/outbox.ts";
import { loadUserSummaries, summaryOf } from "../users/queries.ts";
import { findComment, findReadableEvent, requireReadableEvent, requireVisibleComment } from "./queries.ts";

/** At most 30 comments by one person in ten minutes. A lively conversation needs fewer. */
export const COMMENT_LIMIT: Limit = { act: "comment", times: 30, window_ms: 10 * 60 * 1000 };

/**
 * Creates a comment on a post, or a reply to a comment. A reply to a reply goes under the thread's first comment. The
 * post's owner may reply whatever the post's comment setting says, so that paid comments can be answered. Throws
 * `not_found` for a post that the caller may not read and for a comment that is not visible there, `blocked`,
 * `comments_not_accepted`, `paid_comments_only`, `too_many_requests`, `daily_comment_limit_reached`.
 */
export async function createEventComment(
  context: RequestContext,
  event_id: string,
  { message, parent_comment_id }: { message: string; parent_comment_id: string | null },
): Promise<{ comment: EventComment }> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const [event, answered, writers] = await Promise.all([
    findReadableEvent(context, event_id),
    parent_comment_id === null ? null : findComment(context, event_id, parent_comment_id),
    loadUserSummaries(context, [user_id]),
  ]);
  if (!event || (parent_comment_id !== null && !answered)) throw new Problem("not_found");
  const row = {
    comment_id: newId(now_ms),
    message,
    amount: 0,
    parent_comment_id: answered && (answered.parent_comment_id ?? answered.comment_id),
    created_at: isoTime(now_ms),
  };
  const settings: Precondition[] = [
    {
      code: "comments_not_accepted",
      holds: sql`SELECT comment_filter <> 'none' FROM events WHERE event_id = ${event_id}`,
    },
    {
      code: "paid_comments_only",
      holds: sql`SELECT comment_filter <> 'paid_only' FROM events WHERE event_id = ${event_id}`,
    },
  ];
  const is_owners_answer = event.user_id === user_id && answered !== null;
  const change: Change = {
    preconditions: [
      requireReadableEvent(context, event_id),
      requireNotBlocked(user_id, event.user_id),
      ...(answered ? [requireVisibleComment(answered.comment_id), requireNotBlocked(user_id, answered.user_id)] : []),
      ...(is_owners_answer ? [] : settings),
    ],
    announcements: [
      {
        event: {
          kind: "event_commented" as const,
          payload: {
            comment_id: row.comment_id,
            amount: 0,
            writer_user_id: user_id,
            event_id,
            event_user_id: event.user_id,
            event_link_id: event.link_id,
            answered_user_id: answered?.user_id ?? null,
          },
        },
        // Only the owner may see an unpublished post, so its title must not appear in anybody's notification.
        only_if: sql`EXISTS (SELECT 1 FROM events WHERE event_id = ${event_id} AND status = 'published')`,
      },
    ],
    statements: [
      database
        .insertInto("event_comments")
        .values({ ...row, event_id, user_id })
        .compile(),
    ],
  };
  const comment: EventComment = {
    ...row,
    user: summaryOf(writers, user_id),
    is_deleted: false,
    paid: false,
    currency: "jpy",
    likes_count: 0,
    is_liked: false,
    can_delete: true,
  };
  return commitLimited(
    context,
    COMMENT_LIMIT,
    user_id,
    withBounds(change, countDailyAct(context, "comment", user_id)),
    {
      comment,
    },
  );
}

/** A comment that was paid for. */
export interface PaidComment {
  comment_id: string;
  event: { event_id: string; user_id: string; link_id: string };
  user_id: string;
  amount: number;
  message: string;
}

/** Returns the statements that publish a paid comment. `outbox_id` is the row that notifies the post's owner. */
export function publishStatements(
  { database, now_ms }: Pick<RequestContext, "database" | "now_ms">,
  { comment_id, event, user_id, amount, message }: PaidComment,
  outbox_id: string,
): CompiledQuery[] {
  const { event_id } = event;
  const payload = {
    comment_id,
    amount,
    writer_user_id: user_id,
    event_id,
    event_user_id: event.user_id,
    event_link_id: event.link_id,
    answered_user_id: null,
  };
  return [
    database
      .insertInto("event_comments")
      .values({
        comment_id,
        event_id,
        user_id,
        amount,
        message,
        parent_comment_id: null,
        created_at: isoTime(now_ms),
        hidden_at: null,
        deleted_at: null,
        received_by: null,
      })
      .compile(),
    continuationStatement(database, outbox_id, { kind: "event_commented", payload }, now_ms),
  ];
}

/**
 * Deletes the caller's comment, or any comment under the caller's post. Deletes its words and likes at once, also from
 * the answer stored for idempotent retries. The row stays, without words, while it has replies. A paid comment is only
 * hidden, and only by the post's owner; its sender gets `paid_comment_not_deletable`. Throws `not_found` for everybody
 * else.
 */
export async function deleteEventComment(context: RequestContext, event_id: string, comment_id: string): Promise<null> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const comment = await database
    .selectFrom("event_comments")
    .innerJoin("events", "events.event_id", "event_comments.event_id")
    .select(["event_comments.user_id", "events.user_id as owner_user_id", "amount", "parent_comment_id"])
    .where("comment_id", "=", comment_id)
    .where("event_comments.event_id", "=", event_id)
    .where("hidden_at", "is", null)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  const is_owner = comment?.owner_user_id === user_id;
  if (!comment || !(is_owner || comment.user_id === user_id)) throw new Problem("not_found");
  const now = isoTime(now_ms);
  if (comment.amount > 0) {
    if (!is_owner) throw new Problem("paid_comment_not_deletable");
    const hidden = database
      .updateTable("event_comments")
      .set({ hidden_at: now })
      .where((where) => where.or([where("comment_id", "=", comment_id), where("parent_comment_id", "=", comment_id)]))
      .where("hidden_at", "is", null)
      .compile();
    return commitAnswer(context, { statements: [hidden] }, null);
  }
  const hasReplies = sql<boolean>`EXISTS (
    SELECT 1 FROM event_comments reply WHERE reply.parent_comment_id = event_comments.comment_id)`;
  const statements = [
    ...forgetAnswers(database, KEPT_COMMENTS, { writers: oneOf([comment.user_id]), ids: oneOf([comment_id]) }),
    database
      .updateTable("event_comments")
      .set({ deleted_at: now, message: "-" })
      .where("comment_id", "=", comment_id)
      .where("deleted_at", "is", null)
      .where(hasReplies)
      .compile(),
    database.deleteFrom("event_comment_likes").where("comment_id", "=", comment_id).compile(),
    database
      .deleteFrom("event_comments")
      .where("comment_id", "=", comment_id)
      .where(sql<boolean>`NOT ${hasReplies}`)
      .compile(),
  ];
  if (comment.parent_comment_id !== null) {
    // A deleted parent comment stays only while it has replies: delete it together with its last reply.
    statements.push(
      database
        .deleteFrom("event_comments")
        .where("comment_id", "=", comment.parent_comment_id)
        .where("deleted_at", "is not", null)
        .where(sql<boolean>`NOT ${hasReplies}`)
        .compile(),
    );
  }
  return commitAnswer(context, { statements }, null);
}
