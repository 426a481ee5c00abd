import { z } from "zod";
import { id, image, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** Source: spec section 3, enumerations. */
export const eventKind = z.enum(["image", "video", "text", "blog"]);
export const eventVisibility = z.enum(["public", "fans", "memberships"]);
export const eventStatus = z.enum(["publish_pending", "published", "private"]);
export const eventStatusFilter = z.enum(["is_publish_pending", "is_published", "is_private"]);
export const followListFilter = z.enum(["all", "subscribing"]);

/**
 * A post in a list. A locked one (`is_locked`: the caller may not read it) has its title and nothing of its body:
 * `lead` and `image` are null.
 */
export const eventSummary = z.object({
  event_id: id,
  user: userSummary,
  event_category_id: id.nullable(),
  kind: eventKind,
  title: z.string(),
  lead: z.string().nullable(),
  image: image.nullable(),
  is_locked: z.boolean(),
  status: eventStatus,
  publish_target_type: eventVisibility,
  publish_target_membership_id: id.nullable(),
  publish_at: time.nullable(),
  published_at: time.nullable(),
});
export type EventSummary = z.output<typeof eventSummary>;

/** A post on its own page. `body` is plain text in paragraphs, null when locked. */
export const event = eventSummary.extend({ body: z.string().nullable() });
export type Event = z.output<typeof event>;

export const eventCategory = z.object({
  event_category_id: id,
  user_id: id,
  title: z.string(),
  /** Published posts in it; present with `expand[]=events_count`. */
  events_count: z.int().optional(),
});
export type EventCategory = z.output<typeof eventCategory>;

const eventList = z.object({ events: z.array(eventSummary), ...pageAnswer });

export const listOwnEvents = defineOperation({
  id: "listOwnEvents",
  method: "GET",
  path: "/v4/events",
  auth: "required",
  summary: "自分の投稿の一覧",
  query: z.object({
    ...pageQuery,
    status: eventStatusFilter.optional(),
    event_category_id: id.optional(),
    publish_target_type: eventVisibility.optional(),
    publish_target_membership_id: id.optional(),
  }),
  status: 200,
  answer: eventList,
  errors: ["registration_required"],
});

export const getEvent = defineOperation({
  id: "getEvent",
  method: "GET",
  path: "/v4/events/{event_id}",
  auth: "optional",
  summary: "投稿を1件取得",
  params: z.object({ event_id: id }),
  query: z.object({ context_event_category_id: id.optional() }),
  status: 200,
  /** `previous` and `next` are the neighbours by date, within the category given as context. */
  answer: z.object({ event, previous: eventSummary.nullable(), next: eventSummary.nullable() }),
  errors: [],
});

export const listUserEvents = defineOperation({
  id: "listUserEvents",
  method: "GET",
  path: "/v4/users/{user_id}/events",
  auth: "optional",
  summary: "ユーザーの公開済み投稿の一覧",
  params: z.object({ user_id: id }),
  query: z.object({ ...pageQuery, event_category_id: id.optional() }),
  status: 200,
  answer: eventList,
  errors: [],
});

export const listMembershipEvents = defineOperation({
  id: "listMembershipEvents",
  method: "GET",
  path: "/v4/memberships/{membership_id}/events",
  auth: "optional",
  summary: "プラン限定の投稿の一覧",
  params: z.object({ membership_id: id }),
  query: z.object(pageQuery),
  status: 200,
  answer: eventList,
  errors: [],
});

export const listFollowedEvents = defineOperation({
  id: "listFollowedEvents",
  method: "GET",
  path: "/v4/relationships/events",
  auth: "required",
  summary: "フォロー中のクリエイターの投稿（タイムライン）",
  query: z.object({ ...pageQuery, filter: followListFilter.default("all") }),
  status: 200,
  answer: eventList,
  errors: ["registration_required"],
});

const expand = { "expand[]": z.union([z.enum(["events_count"]), z.array(z.enum(["events_count"]))]).optional() };

export const listOwnEventCategories = defineOperation({
  id: "listOwnEventCategories",
  method: "GET",
  path: "/v4/event_categories",
  auth: "required",
  summary: "自分のカテゴリーの一覧",
  query: z.object(expand),
  status: 200,
  answer: z.object({ event_categories: z.array(eventCategory) }),
  errors: ["registration_required"],
});

export const getEventCategory = defineOperation({
  id: "getEventCategory",
  method: "GET",
  path: "/v4/event_categories/{event_category_id}",
  auth: "required",
  summary: "自分のカテゴリーを1件取得",
  params: z.object({ event_category_id: id }),
  status: 200,
  answer: z.object({ event_category: eventCategory }),
  errors: ["registration_required"],
});

export const listUserEventCategories = defineOperation({
  id: "listUserEventCategories",
  method: "GET",
  path: "/v4/users/{user_id}/event_categories",
  auth: "none",
  summary: "ユーザーのカテゴリーの一覧",
  params: z.object({ user_id: id }),
  query: z.object(expand),
  status: 200,
  answer: z.object({ event_categories: z.array(eventCategory) }),
  errors: [],
});
