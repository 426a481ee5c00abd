import { z } from "zod";
import { flag, id, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** Who follows whom, seen from the caller: `active` I follow, `passive` follow me. Source: decisions. */
export const relationshipFilter = z.enum(["all", "active", "passive"]);

export const relationship = z.object({
  /** The person followed. */
  following_id: id,
  /** The other person of the two. */
  user: userSummary,
  direction: z.enum(["active", "passive"]),
  receives_notifications: z.boolean(),
  created_at: time,
});

export const follow = defineOperation({
  id: "follow",
  method: "POST",
  path: "/v4/relationships",
  auth: "required",
  summary: "フォローする（くり返しても結果は同じ）",
  body: z.object({ following_id: id }),
  status: 200,
  answer: z.object({ is_followed: z.literal(true) }),
  errors: ["registration_required", "cannot_follow_yourself", "idempotency_key_reused"],
});

export const unfollow = defineOperation({
  id: "unfollow",
  method: "DELETE",
  path: "/v4/relationships",
  auth: "required",
  summary: "フォローを外す（くり返しても結果は同じ）",
  query: z.object({ following_id: id }),
  status: 200,
  answer: z.object({ is_followed: z.literal(false) }),
  errors: ["registration_required", "idempotency_key_reused"],
});

export const updateRelationship = defineOperation({
  id: "updateRelationship",
  method: "PUT",
  path: "/v4/relationships",
  auth: "required",
  summary: "フォロー中の相手からのお知らせの切り替え",
  body: z.object({ following_id: id, receives_notifications: flag }),
  status: 200,
  answer: z.object({ receives_notifications: z.boolean() }),
  errors: ["registration_required", "idempotency_key_reused"],
});

export const listRelationships = defineOperation({
  id: "listRelationships",
  method: "GET",
  path: "/v4/relationships",
  auth: "required",
  summary: "フォロー関係の一覧",
  query: z.object({ ...pageQuery, filter: relationshipFilter.default("all") }),
  status: 200,
  answer: z.object({ relationships: z.array(relationship), ...pageAnswer }),
  errors: ["registration_required"],
});
