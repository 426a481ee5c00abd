import { z } from "zod";
import { count, countUpTo, id, image, pageAnswer, pageQuery, time, userSummary } from "./fields.ts";
import { defineOperation, planOperation } from "./operation.ts";
import { followListFilter } from "./relationships.ts";

/** Source: spec section 3, enumerations. */
export const eventKind = z
  .enum(["image", "video", "text", "blog"])
  .meta({ id: "EventKind", description: "投稿の種類" });
export const eventVisibility = z
  .enum(["public", "fans", "memberships"])
  .meta({ id: "EventVisibility", description: "公開範囲（全員、フォロワー、メンバーシップ）" });
export const eventStatus = z
  .enum(["publish_pending", "published", "private"])
  .meta({ id: "EventStatus", description: "公開の状態", examples: ["published"] });
export const eventStatusFilter = z
  .enum(["is_publish_pending", "is_published", "is_private"])
  .meta({ id: "EventStatusFilter", description: "公開の状態で絞り込む", examples: ["is_published"] });

/**
 * A post in a list. A locked one (`is_locked`: the caller may not read it) has its title and nothing of its body:
 * `lead` and `image` are null.
 */
export const eventSummary = z
  .object({
    event_id: id,
    user: userSummary,
    event_category_id: id.nullable(),
    kind: eventKind,
    title: z.string().meta({ description: "題名", examples: ["夜明けの海を描きました"] }),
    lead: z
      .string()
      .nullable()
      .meta({ description: "書き出し。読めない投稿では null", examples: ["今朝は五時に起きて、海まで歩きました。"] }),
    image: image.nullable().meta({ description: "画像。読めない投稿では null" }),
    is_locked: z.boolean().meta({ description: "呼び出した人には読めないか" }),
    status: eventStatus,
    publish_target_type: eventVisibility,
    publish_target_membership_id: id.nullable().meta({ description: "読めるプランのID", examples: [null] }),
    publish_at: time.nullable().meta({ description: "公開の予定", examples: [null] }),
    published_at: time.nullable().meta({ description: "公開した日時" }),
  })
  .meta({ id: "EventSummary", description: "投稿（一覧）" });
export type EventSummary = z.output<typeof eventSummary>;

/** A post on its own page. `body` is plain text in paragraphs, null when locked. */
export const event = eventSummary
  .extend({
    body: z
      .string()
      .nullable()
      .meta({
        description: "本文（段落に分けた文章）。読めない投稿では null",
        examples: ["今朝は五時に起きて、海まで歩きました。\n\n空の色が変わるのを待って、下絵を三枚。"],
      }),
  })
  .meta({ id: "Event", description: "投稿" });
export type Event = z.output<typeof event>;

export const eventCategory = z
  .object({
    event_category_id: id,
    user_id: id,
    title: z.string().meta({ description: "カテゴリーの名前", examples: ["制作日記"] }),
    events_count: count
      .meta({ description: "公開済みの投稿の数。expand[]=events_count のとき", examples: [24] })
      .optional(),
  })
  .meta({ id: "EventCategory", description: "投稿のカテゴリー" });
export type EventCategory = z.output<typeof eventCategory>;

const eventParams = z.object({ event_id: id });
const categoryParams = z.object({ event_category_id: id });
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
  params: eventParams,
  query: z.object({
    context_event_category_id: id.meta({ description: "前後の投稿を、このカテゴリーの中から選ぶ" }).optional(),
  }),
  status: 200,
  /** `previous` and `next` are the neighbours by date, within the category given as context. */
  answer: z.object({
    event,
    previous: eventSummary.nullable().meta({ description: "ひとつ前の投稿", examples: [null] }),
    next: eventSummary.nullable().meta({ description: "ひとつ後の投稿", examples: [null] }),
  }),
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

/**
 * The newest posts that anybody may read, whoever wrote them. Ours beyond the spec: docs/decisions/0014. Not below
 * `/v4/events/`, where it would be the post called `newest`.
 */
export const listNewestEvents = defineOperation({
  id: "listNewestEvents",
  method: "GET",
  path: "/v4/newest_events",
  auth: "none",
  summary: "だれでも読める新しい投稿",
  query: z.object({ limit: countUpTo(25, 6).meta({ description: "件数" }) }),
  status: 200,
  answer: z.object({ events: z.array(eventSummary) }),
  errors: [],
});

const expand = {
  "expand[]": z
    .union([z.enum(["events_count"]), z.array(z.enum(["events_count"]))])
    .meta({ description: "あわせて返す項目" })
    .optional(),
};

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
  params: categoryParams,
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

export const updateEvents = planOperation({
  id: "updateEvents",
  method: "PUT",
  path: "/v4/events",
  auth: "required",
  summary: "投稿をまとめて変更する",
});

export const createEvent = planOperation({
  id: "createEvent",
  method: "POST",
  path: "/v4/events",
  auth: "required",
  summary: "投稿を作成する",
});

export const updateEvent = planOperation({
  id: "updateEvent",
  method: "PUT",
  path: "/v4/events/{event_id}",
  auth: "required",
  summary: "投稿を変更する",
  params: eventParams,
});

export const deleteEvent = planOperation({
  id: "deleteEvent",
  method: "DELETE",
  path: "/v4/events/{event_id}",
  auth: "required",
  summary: "投稿を削除する",
  params: eventParams,
});

export const visitEvent = planOperation({
  id: "visitEvent",
  method: "GET",
  path: "/v4/events/{event_id}/visit",
  auth: "optional",
  summary: "投稿を見たことを記録する",
  params: eventParams,
  query: z.object({
    visit_id: z
      .string()
      .min(1)
      .max(128)
      .meta({ description: "閲覧のID", examples: ["visit-0f9c2a"] })
      .optional(),
  }),
});

export const likeEvent = planOperation({
  id: "likeEvent",
  method: "POST",
  path: "/v4/events/{event_id}/like",
  auth: "optional",
  summary: "投稿に「いいね」を付ける",
  params: eventParams,
});

export const createEventCategory = planOperation({
  id: "createEventCategory",
  method: "POST",
  path: "/v4/event_categories",
  auth: "required",
  summary: "カテゴリーを作成する",
});

export const updateEventCategory = planOperation({
  id: "updateEventCategory",
  method: "PUT",
  path: "/v4/event_categories/{event_category_id}",
  auth: "required",
  summary: "カテゴリーを変更する",
  params: categoryParams,
});

export const deleteEventCategory = planOperation({
  id: "deleteEventCategory",
  method: "DELETE",
  path: "/v4/event_categories/{event_category_id}",
  auth: "required",
  summary: "カテゴリーを削除する",
  params: categoryParams,
});
