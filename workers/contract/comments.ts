import { z } from "zod";
import { amount, currency, flag, id, pageAnswer, pageQuery, sortBy, time, userSummary } from "./fields.ts";
import { defineOperation, planOperation } from "./operation.ts";

/** A post's comment setting: who may comment on it. Source: spec section 3, enumerations. */
export const commentFilter = z.enum(["all", "paid_only", "none"]);

const eventParams = z.object({ event_id: id });
const commentParams = z.object({ event_id: id, comment_id: id });

/**
 * A comment on a post, or a reply to one: then `parent_comment_id` names it, and never another reply.
 * `amount` is integer yen, 0 for a free one.
 */
export const eventComment = z
  .object({
    comment_id: id,
    user: userSummary,
    message: z.string().meta({ description: "本文", examples: ["線のやわらかさが好きです。次も楽しみにしています。"] }),
    paid: z.boolean().meta({ description: "有料コメントか" }),
    amount: amount.meta({ description: "金額（円、無料なら0）", examples: [0] }),
    currency,
    parent_comment_id: id.nullable().meta({ description: "返信なら、もとのコメント" }),
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
  query: z.object(pageQuery),
  status: 200,
  /** The newest thread first; in a thread the comment, then the replies to it, oldest first. */
  answer: z.object({ comments: z.array(eventComment), ...pageAnswer }),
  errors: [],
});

export const createEventComment = planOperation({
  id: "createEventComment",
  method: "POST",
  path: "/v4/events/{event_id}/comments",
  auth: "required",
  summary: "投稿にコメントする",
  params: eventParams,
});

export const createPaidEventComment = planOperation({
  id: "createPaidEventComment",
  method: "POST",
  path: "/v4/events/{event_id}/paid_comments",
  auth: "required",
  summary: "投稿に有料コメントを送る",
  params: eventParams,
});

export const deleteEventComment = planOperation({
  id: "deleteEventComment",
  method: "DELETE",
  path: "/v4/events/{event_id}/comments/{comment_id}",
  auth: "required",
  summary: "コメントを削除する（書いた人と投稿した人だけ）",
  params: commentParams,
});

export const likeEventComment = planOperation({
  id: "likeEventComment",
  method: "POST",
  path: "/v4/events/{event_id}/comments/{comment_id}/like",
  auth: "optional",
  summary: "コメントに「いいね」を付ける",
  params: commentParams,
});

export const listReceivedComments = planOperation({
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
});
