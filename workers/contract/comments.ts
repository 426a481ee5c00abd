import * as z from "zod";
import { COMMENT_BYTES, COMMENT_GRAPHEMES } from "./bounds.ts";
import { amount, count, currency, flag, id, pageAnswer, pageQuery, sortBy, time, userSummary } from "./fields.ts";
import { defineOperation } from "./operation.ts";
import { openedCheckout, replacedSession, supportAmount } from "./support.ts";
import { text } from "./text.ts";

const eventParams = z.object({ event_id: id });
const commentParams = z.object({ event_id: id, comment_id: id });

/**
 * A comment on a post, or a reply to a comment. A reply has `parent_comment_id`, which never names another reply.
 * `amount` is integer yen, 0 for a free comment.
 */
export const eventComment = z
  .object({
    comment_id: id,
    user: userSummary,
    message: z.string().meta({
      description: "本文。削除されたものは空",
      examples: ["線のやわらかさが好きです。次も楽しみにしています。"],
    }),
    is_deleted: z.boolean().meta({ description: "削除されたか。返信が残っているあいだだけ、場所が残る" }),
    paid: z.boolean().meta({ description: "有料コメントか" }),
    amount: amount.meta({ description: "金額（円、無料なら0）", examples: [0] }),
    currency,
    parent_comment_id: id.nullable().meta({ description: "返信なら、もとのコメント" }),
    likes_count: count.meta({ description: "「いいね」の数", examples: [2] }),
    is_liked: z.boolean().meta({ description: "呼び出した人が「いいね」を付けたか" }),
    can_delete: z.boolean().meta({ description: "呼び出した人が削除できるか" }),
    created_at: time,
  })
  .meta({ id: "EventComment", description: "投稿へのコメント、またはそれへの返信" });
export type EventComment = z.output<typeof eventComment>;

export const listEventComments = defineOperation({
  id: "listEventComments",
  method: "GET",
  path: "/v4/events/{event_id}/comments",
  auth: "optional",
  summary: "投稿へのコメントの一覧（投稿を読める人だけ）",
  params: eventParams,
  query: z.object({
    ...pageQuery,
    comment_id: id.optional().meta({ description: "このコメントのあるページを返す（page_number は使わない）" }),
  }),
  status: 200,
  /** Lists the newest thread first. In a thread, the comment comes first, then its replies, oldest first. */
  answer: z.object({ comments: z.array(eventComment), ...pageAnswer }),
  errors: [],
});

/** To reply, name the comment in `parent_comment_id`. A reply to a reply names the comment at the top of the thread. */
export const createEventComment = defineOperation({
  id: "createEventComment",
  method: "POST",
  path: "/v4/events/{event_id}/comments",
  auth: "required",
  has_keys_of_words: true,
  summary: "投稿にコメントする",
  params: eventParams,
  body: z.object({
    message: text({ label: "コメント", max: COMMENT_GRAPHEMES, max_bytes: COMMENT_BYTES, lines: true }).meta({
      examples: ["線のやわらかさが好きです。"],
    }),
    parent_comment_id: id
      .nullable()
      .default(null)
      .meta({ description: "返信なら、もとのコメント", examples: [null] }),
  }),
  status: 201,
  answer: z.object({ comment: eventComment }),
  errors: [
    "registration_required",
    "idempotency_key_reused",
    "comments_not_accepted",
    "paid_comments_only",
    "blocked",
    "too_many_requests",
    "daily_comment_limit_reached",
  ],
});

/** Begins the payment for a comment. The comment appears when it is paid. */
export const createPaidEventComment = defineOperation({
  id: "createPaidEventComment",
  method: "POST",
  path: "/v4/events/{event_id}/paid_comments",
  auth: "required",
  summary: "投稿に有料コメントを送る",
  params: eventParams,
  body: z.object({
    message: createEventComment.body.shape.message,
    amount: supportAmount,
    replaces_session_id: replacedSession,
  }),
  status: 201,
  answer: z.object({ checkout_session: openedCheckout }),
  errors: [
    "payments_paused",
    "registration_required",
    "comments_not_accepted",
    "support_not_accepted",
    "cannot_pay_yourself",
    "checkout_not_replaceable",
    "blocked",
    "spending_limit_reached",
    "minor_limit_reached",
    "payment_limit_reached",
    "too_many_requests",
    "idempotency_key_reused",
    "payments_unavailable",
    "gateway_unreachable",
  ],
});

/**
 * Deletes the words at once. The row stays as an empty place while the comment has replies. A paid comment is only hidden, by the
 * writer of the post.
 */
export const deleteEventComment = defineOperation({
  id: "deleteEventComment",
  method: "DELETE",
  path: "/v4/events/{event_id}/comments/{comment_id}",
  auth: "required",
  summary: "コメントを削除する（書いた人と投稿した人だけ）。有料コメントは、投稿した人が非表示にする",
  params: commentParams,
  status: 204,
  answer: null,
  errors: ["registration_required", "paid_comment_not_deletable"],
});

/** A comment as the owner of the post lists it, together with its post. */
const receivedComment = eventComment
  .extend({
    event: z
      .object({
        event_id: id,
        title: z.string().meta({ description: "投稿のタイトル", examples: ["夜明けの海を描きました"] }),
      })
      .meta({ id: "CommentedEvent", description: "コメントの付いた投稿" }),
    is_replied: z.boolean().meta({ description: "投稿した人が返信したか" }),
  })
  .meta({ id: "ReceivedComment", description: "届いたコメント" });
export type ReceivedComment = z.output<typeof receivedComment>;

/**
 * Lists comments that others wrote on the caller's posts. Leaves out the caller's own comments, and replies to other
 * people's comments.
 */
export const listReceivedComments = defineOperation({
  id: "listReceivedComments",
  method: "GET",
  path: "/v4/comments",
  auth: "required",
  summary: "自分の投稿に届いたコメントの一覧",
  query: z.object({
    ...pageQuery,
    paid: flag.optional(),
    is_not_replied: flag.optional(),
    sort_by: sortBy.default("newest"),
  }),
  status: 200,
  answer: z.object({ comments: z.array(receivedComment), ...pageAnswer }),
  errors: ["registration_required"],
});
