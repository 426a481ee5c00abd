import { z } from "zod";
import { amount, currency, id, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/**
 * A comment on a post, or a reply to one: then `parent_comment_id` names it, and never another reply.
 * `amount` is integer yen, 0 for a free one.
 */
export const eventComment = z.object({
  comment_id: id,
  user: userSummary,
  message: z.string(),
  paid: z.boolean(),
  amount,
  currency,
  parent_comment_id: id.nullable(),
  created_at: time,
});
export type EventComment = z.output<typeof eventComment>;

export const listEventComments = defineOperation({
  id: "listEventComments",
  method: "GET",
  path: "/v4/events/{event_id}/comments",
  auth: "optional",
  summary: "投稿へのコメントの一覧（投稿を読める人だけ）",
  params: z.object({ event_id: id }),
  query: z.object(pageQuery),
  status: 200,
  /** The newest thread first; in a thread the comment, then the replies to it, oldest first. */
  answer: z.object({ comments: z.array(eventComment), ...pageAnswer }),
  errors: [],
});
