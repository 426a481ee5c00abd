import * as z from "zod";
import { count, flag, id } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/**
 * A visitor likes with a token that the API signs and the browser keeps; nothing else identifies the visitor. At
 * sign-in the visitor's likes become the member's. Source: product decisions, "Likes".
 */
const guestToken = z
  .string()
  .max(256)
  .meta({ description: "ログインしていない人の識別子（署名付き）", examples: ["01kah1a2b3c4d5e6f7g8h9j0km.c2lnbmVk"] });

/** The body of every like. An empty one likes. */
export const likeBody = z.object({
  is_liked: flag.meta({ description: "付けるなら true、外すなら false", examples: [true] }).default(true),
  guest_token: guestToken.optional(),
});

/**
 * The state after the call. Sending the call twice has the same effect as once. `guest_token` is for the visitor's next
 * call.
 */
export const likeAnswer = z.object({
  is_liked: z.boolean().meta({ description: "「いいね」が付いているか", examples: [true] }),
  likes_count: count.meta({ description: "「いいね」の数", examples: [13] }),
  guest_token: guestToken.nullable(),
});

export const likeErrors = [
  "registration_required",
  "idempotency_key_reused",
  "blocked",
  "too_many_requests",
  "daily_like_limit_reached",
] as const;

export const likeEvent = defineOperation({
  id: "likeEvent",
  method: "POST",
  path: "/v4/events/{event_id}/like",
  auth: "optional",
  summary: "投稿に「いいね」を付ける",
  params: z.object({ event_id: id }),
  body: likeBody,
  status: 200,
  answer: likeAnswer,
  errors: likeErrors,
});

export const likeEventComment = defineOperation({
  id: "likeEventComment",
  method: "POST",
  path: "/v4/events/{event_id}/comments/{comment_id}/like",
  auth: "optional",
  summary: "コメントに「いいね」を付ける",
  params: z.object({ event_id: id, comment_id: id }),
  body: likeBody,
  status: 200,
  answer: likeAnswer,
  errors: likeErrors,
});

/** Turns a visitor's likes into the caller's. The spec has no such call: docs/decisions/0016. */
export const claimGuestLikes = defineOperation({
  id: "claimGuestLikes",
  method: "POST",
  path: "/v4/guest_likes/claim",
  auth: "required",
  summary: "ログイン前の「いいね」を自分のものにする",
  body: z.object({ guest_token: guestToken }),
  status: 200,
  answer: z.object({ claimed_count: count }),
  errors: ["registration_required", "idempotency_key_reused"],
});
