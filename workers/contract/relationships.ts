import * as z from "zod";
import { SEARCHED_FOLLOWS } from "./bounds.ts";
import {
  flag,
  ID_PART,
  id,
  pageAnswer,
  pageQuery,
  pageToken,
  searchedWords,
  TIME_PART,
  time,
  userSummary,
} from "./fields.ts";
import { groupDigits } from "./group-digits.ts";
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

/** A list of people: a page of it, or the people after one of them, for callers that read the whole list. */
const listQuery = {
  ...pageQuery,
  keyword: searchedWords
    .meta({
      description: `名前にある言葉、またはユーザーIDの始まり。新しい順に${groupDigits(SEARCHED_FOLLOWS)}人までの中から探す`,
      examples: ["たろう"],
    })
    .optional(),
  after: pageToken(`${TIME_PART} ${ID_PART}`, 100)
    .meta({
      description: "この人のあとから。created_at と user_id を空白でつないだもの",
      examples: ["2026-11-20T03:15:00.000Z 01kaf2m8q3v7x1n5r9t4w6y8ze"],
    })
    .optional(),
};

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
  query: z.object({
    ...listQuery,
    filter: relationshipFilter.default("all"),
    is_subscribing: flag
      .meta({ description: "呼び出した人がプランに加入している相手だけか", examples: [false] })
      .default(false),
  }),
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
  query: z.object({ ...listQuery, filter: followListFilter.default("all") }),
  status: 200,
  answer: z.object({ followers: z.array(follower), ...pageAnswer }),
  errors: ["registration_required"],
});

/** Ends the follow of a follower, who gets no notice and may follow again. A block prevents that. */
export const removeFollower = defineOperation({
  id: "removeFollower",
  method: "DELETE",
  path: "/v4/relationships/followers",
  auth: "required",
  summary: "フォロワーから外す（くり返しても結果は同じ。相手には知らせない）",
  query: z.object({ follower_id: id.meta({ description: "フォロワーのID" }) }),
  status: 200,
  answer: z.object({ is_follower: z.literal(false).meta({ description: "フォロワーか" }) }),
  errors: ["registration_required", "idempotency_key_reused"],
});
