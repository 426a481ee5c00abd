import { z } from "zod";
import { flag, id, pageQuery, sortBy } from "./fields.ts";
import { planOperation } from "./operation.ts";

/** A post's comment setting: who may comment on it. Source: spec section 3, enumerations. */
export const commentFilter = z.enum(["all", "paid_only", "none"]);

const eventParams = z.object({ event_id: id });
const commentParams = z.object({ event_id: id, comment_id: id });

export const listEventComments = planOperation({
  id: "listEventComments",
  method: "GET",
  path: "/v4/events/{event_id}/comments",
  auth: "optional",
  summary: "投稿のコメントの一覧",
  params: eventParams,
  query: z.object(pageQuery),
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
