import * as z from "zod";
import { flag, id, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/**
 * The direction of a follow: `active` are those whom the caller follows, `passive` those who follow the caller. Source:
 * product decisions, "Words of the spec made exact".
 */
export const relationshipFilter = z
  .enum(["all", "active", "passive"])
  .meta({ id: "RelationshipFilter", description: "active は自分がフォロー、passive は相手がフォロー" });
/**
 * Everybody whom a person follows, or only the creators whose plan the person has joined. Source: spec section 3,
 * enumerations.
 */
export const followListFilter = z
  .enum(["all", "subscribing"])
  .meta({ id: "FollowListFilter", description: "フォロー全員か、メンバーシップに入っている相手だけか" });

export const relationship = z
  .object({
    following_id: id.meta({ description: "フォローされている人のID" }),
    user: userSummary.meta({ description: "ふたりのうち、呼び出した人でないほう" }),
    direction: z.enum(["active", "passive"]).meta({ description: "active は自分がフォロー、passive は相手がフォロー" }),
    receives_notifications: z.boolean().meta({ description: "お知らせを受け取るか", examples: [true] }),
    created_at: time,
  })
  .meta({ id: "Relationship", description: "フォロー関係" });

export const follower = z
  .object({
    user: userSummary.meta({ description: "フォローしている人" }),
    created_at: time,
  })
  .meta({ id: "Follower", description: "フォロワー" });

const following_id = id.meta({ description: "フォローする、またはフォロー中の相手のID" });

export const follow = defineOperation({
  id: "follow",
  method: "POST",
  path: "/v4/relationships",
  auth: "required",
  summary: "フォローする（くり返しても結果は同じ）",
  body: z.object({ following_id }),
  status: 200,
  answer: z.object({ is_followed: z.literal(true) }),
  errors: [
    "registration_required",
    "blocked",
    "cannot_follow_yourself",
    "daily_follow_limit_reached",
    "idempotency_key_reused",
  ],
});

export const unfollow = defineOperation({
  id: "unfollow",
  method: "DELETE",
  path: "/v4/relationships",
  auth: "required",
  summary: "フォローを外す（くり返しても結果は同じ）",
  query: z.object({ following_id }),
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
  body: z.object({ following_id, receives_notifications: flag.meta({ description: "お知らせを受け取るか" }) }),
  status: 200,
  answer: z.object({ receives_notifications: relationship.shape.receives_notifications }),
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

/** Everybody who follows the caller, or only those who have joined one of the caller's plans. */
export const listFollowers = defineOperation({
  id: "listFollowers",
  method: "GET",
  path: "/v4/relationships/followers",
  auth: "required",
  summary: "自分のフォロワーの一覧",
  query: z.object({ ...pageQuery, filter: followListFilter.default("all") }),
  status: 200,
  answer: z.object({ followers: z.array(follower), ...pageAnswer }),
  errors: ["registration_required"],
});
