import * as z from "zod";
import {
  ALT_GRAPHEMES,
  CATEGORY_GRAPHEMES,
  IMAGES_IN_A_POST,
  TITLE_GRAPHEMES,
  VISIT_REFERRER_LENGTH,
} from "./bounds.ts";
import { commentFilter } from "./comment-filter.ts";
import { document } from "./document.ts";
import { documentBody } from "./document-body.ts";
import { errorCatalogue } from "./errors.ts";
import { type Fault, faultsOf, faultsOfTarget } from "./event-faults.ts";
import {
  count,
  countUpTo,
  givenTime,
  id,
  image,
  mediaFile,
  pageAnswer,
  pageQuery,
  removalId,
  time,
  userSummary,
} from "./fields.ts";
import { defineOperation } from "./operation.ts";
import { followListFilter } from "./relationships.ts";
import { text } from "./text.ts";

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
 * A post in a list. When the caller may not read it (`is_locked`), it has its title and only the part of its body
 * before the paywall line. `image` is then null unless it is in that part, and `placeholder` is the blurred cover.
 */
export const eventSummary = z
  .object({
    event_id: id,
    user: userSummary,
    event_category_id: id.nullable(),
    kind: eventKind,
    title: z.string().meta({ description: "タイトル", examples: ["夜明けの海を描きました"] }),
    lead: z
      .string()
      .nullable()
      .meta({ description: "書き出し。読めない投稿では null", examples: ["今朝は五時に起きて、海まで歩きました。"] }),
    image: image.nullable().meta({ description: "表紙の画像。読めない投稿では null" }),
    placeholder: z
      .string()
      .nullable()
      .meta({ description: "表紙をぼかした小さな画像（data: URI）。読めない投稿でも見せてよい", examples: [null] }),
    images_count: count.meta({ description: "画像の枚数", examples: [1] }),
    likes_count: count.meta({ description: "「いいね」の数", examples: [12] }),
    comments_count: count.meta({ description: "コメントの数", examples: [3] }),
    is_liked: z.boolean().meta({ description: "呼び出した人が「いいね」を付けたか" }),
    comment_filter: commentFilter,
    is_locked: z.boolean().meta({ description: "呼び出した人には読めないか" }),
    status: eventStatus,
    publish_target_type: eventVisibility,
    publish_target_membership_id: id.nullable().meta({ description: "読めるプランのID", examples: [null] }),
    publish_at: time.nullable().meta({ description: "公開の予定", examples: [null] }),
    published_at: time.nullable().meta({ description: "公開した日時" }),
  })
  .meta({ id: "EventSummary", description: "投稿（一覧）" });
export type EventSummary = z.output<typeof eventSummary>;

/**
 * A post on its own page. When it is locked, `document` and `body` end at the paywall line, or are null when there is
 * no line; `images` and `media` are those of that part.
 */
export const event = eventSummary
  .extend({
    body: z
      .string()
      .nullable()
      .meta({
        description: "本文を文章だけにしたもの。読めない投稿では null",
        examples: ["今朝は五時に起きて、海まで歩きました。\n\n空の色が変わるのを待って、下絵を三枚。"],
      }),
    document: document.nullable().meta({ description: "本文。読めない投稿では、限定公開の線まで（なければ null）" }),
    images: z.array(image).meta({ description: "画像（並び順のまま。本文の中の画像も含む）" }),
    media: z.array(mediaFile).meta({ description: "音声・動画" }),
    video_url: z
      .string()
      .nullable()
      .meta({ description: "外部の動画のURL。読めない投稿では null", examples: [null] }),
    visits_count: count.nullable().meta({ description: "見た人の数。投稿した本人にだけ", examples: [null] }),
    is_removed: z.boolean().meta({ description: "運営が公開を止めたか。投稿した本人にだけ true になる" }),
    removal_id: removalId,
    updated_at: time.nullable().meta({ description: "最後に変更した日時", examples: [null] }),
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
    draft_id: id.meta({ description: "この下書きから作った投稿" }).optional(),
  }),
  status: 200,
  /** `counts` covers all of the caller's posts, whatever filter the list has. */
  answer: eventList.extend({
    events: z.array(
      eventSummary
        .extend({ visits_count: count.meta({ description: "見た人の数", examples: [40] }), removal_id: removalId })
        .meta({ id: "OwnEventSummary", description: "自分の投稿（一覧）" }),
    ),
    counts: z
      .object({ all: count, is_published: count, is_publish_pending: count, is_private: count })
      .meta({ id: "OwnEventCounts", description: "自分の投稿の数（状態ごと）" }),
  }),
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
  /** `previous` and `next` are the neighbours by date, within the given category. */
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
  query: z.object({
    ...pageQuery,
    event_category_id: id.optional(),
    publish_target_type: eventVisibility.optional(),
  }),
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
 * Lists the newest posts that anybody may read, of all creators. The spec has no such call: docs/decisions/0014. Its
 * path is not below `/v4/events/`, where `newest` would be read as a post id.
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

const title = text({ label: "タイトル", max: TITLE_GRAPHEMES, is_label: true }).meta({
  examples: ["夜明けの海を描きました"],
});

/** The audience of a post and its time of publication. `publish_pending` requires a `publish_at` in the future. */
const publication = {
  status: eventStatus,
  publish_at: givenTime
    .nullable()
    .default(null)
    .meta({ description: "公開の予定（公開予約のとき）", examples: [null] }),
  publish_target_type: eventVisibility,
  publish_target_membership_id: id
    .nullable()
    .default(null)
    .meta({ description: "読めるプランのID（メンバー限定のとき）", examples: [null] }),
};

/** The same sentence for a text that is no URL and for a URL of another site: the writer must do the same. */
const VIDEO_URL_SENTENCE = errorCatalogue.video_url_not_allowed.detail;

/**
 * A complete post as its writer sends it. Sending it again changes nothing. The kind `image` requires a picture.
 * `video` requires a film: an allow-listed address or an upload. `blog` and `text` require a document with content.
 */
export const eventBody = z
  .object({
    kind: eventKind.meta({ description: "投稿の種類", examples: ["blog"] }),
    title,
    document: documentBody.default([]).meta({
      description: "本文",
      examples: [[{ type: "paragraph", content: [{ type: "text", text: "今朝は五時に起きて、海まで歩きました。" }] }]],
    }),
    images: z
      .array(
        z.object({
          image_id: id,
          alt: text({ label: "画像の説明", max: ALT_GRAPHEMES, min: 0 })
            .default("")
            .meta({ examples: ["夜明けの海"] }),
        }),
      )
      .max(IMAGES_IN_A_POST, `画像は${IMAGES_IN_A_POST}枚までです。`)
      .default([])
      .meta({ description: "並べて見せる画像（並び順のまま。最初の1枚が表紙）" }),
    cover_image_id: id
      .nullable()
      .default(null)
      .meta({ description: "表紙の画像（ブログ・文章と動画）", examples: [null] }),
    video_url: z
      .url(VIDEO_URL_SENTENCE)
      .max(2000, VIDEO_URL_SENTENCE)
      .nullable()
      .default(null)
      .meta({
        description: "外部の動画のURL（許可した配信元だけ。例：https://www.youtube.com/watch?v=dQw4w9WgXcQ）",
        examples: [null],
      }),
    video_media_id: id
      .nullable()
      .default(null)
      .meta({ description: "アップロードした動画のID", examples: [null] }),
    event_category_id: id
      .nullable()
      .default(null)
      .meta({ description: "カテゴリーのID", examples: [null] }),
    comment_filter: commentFilter.default("all"),
    ...publication,
  })
  .meta({ id: "EventBody", description: "投稿の内容" });
export type EventBody = z.output<typeof eventBody>;

const addIssues = (context: z.RefinementCtx, faults: readonly Fault[]) => {
  for (const { field, sentence } of faults) context.addIssue({ code: "custom", path: [field], message: sentence });
};

const sentBody = eventBody.extend({
  draft_id: id.meta({ description: "もとになった下書き" }).optional(),
  draft_revision: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .meta({
      description: "その下書きを最後に読んだときの回数。あとから保存されていれば、公開されない",
      examples: [3],
    })
    .optional(),
});
const judged = <S extends typeof sentBody>(body: S) =>
  body.superRefine((post, context) => addIssues(context, faultsOf(post)));

/** Refusals about the content of a post, besides the errors of its fields. */
const contentErrors = [
  "registration_required",
  "idempotency_key_reused",
  "image_not_usable",
  "media_not_usable",
  "video_url_not_allowed",
  "category_not_found",
  "membership_not_found",
  "paywall_needs_audience",
  "publish_at_passed",
  "event_transition_refused",
  "event_removed",
  "draft_conflict",
  "draft_published",
  "too_many_requests",
] as const;

/**
 * Any member may post. With `draft_id`, the same batch deletes the draft. With `draft_revision` as well, the call fails
 * when another page has saved the draft since.
 */
export const createEvent = defineOperation({
  id: "createEvent",
  method: "POST",
  path: "/v4/events",
  auth: "required",
  summary: "投稿を作成する",
  body: judged(sentBody),
  status: 201,
  answer: z.object({ event }),
  errors: contentErrors,
});

/**
 * With `seen_updated_at` (the post's `updated_at` as the client read it), the call fails when somebody has changed the
 * post since.
 */
export const updateEvent = defineOperation({
  id: "updateEvent",
  method: "PUT",
  path: "/v4/events/{event_id}",
  auth: "required",
  summary: "投稿を変更する",
  params: eventParams,
  missing_fields: "reset",
  body: judged(
    sentBody.extend({
      seen_updated_at: givenTime
        .nullable()
        .meta({ description: "読んだときの updated_at。あとから変更されていれば、変更されない", examples: [null] })
        .optional(),
    }),
  ),
  status: 200,
  answer: z.object({ event }),
  errors: [...contentErrors, "event_conflict"],
});

const event_ids = z
  .array(id)
  .min(1, "投稿を選んでください。")
  .max(100, "一度に変更できるのは100件までです。")
  .meta({ description: "投稿のID" });

/** Updates all named posts or none. Source: spec section 7, "batch update". */
export const updateEvents = defineOperation({
  id: "updateEvents",
  method: "PUT",
  path: "/v4/events",
  auth: "required",
  summary: "投稿をまとめて変更する",
  // Strict: a body with the fields of two changes must not make one of them and lose the other.
  body: z.discriminatedUnion("change", [
    z.strictObject({
      change: z.literal("status").meta({ description: "公開する、または非公開にする" }),
      event_ids,
      status: z.enum(["published", "private"]).meta({ description: "新しい状態", examples: ["private"] }),
    }),
    z
      .strictObject({
        change: z.literal("publish_target").meta({ description: "公開範囲を変える" }),
        event_ids,
        publish_target_type: publication.publish_target_type,
        publish_target_membership_id: publication.publish_target_membership_id,
      })
      .superRefine((target, context) => addIssues(context, faultsOfTarget(target))),
    z.strictObject({
      change: z.literal("event_category").meta({ description: "カテゴリーを変える" }),
      event_ids,
      event_category_id: id.nullable().meta({ description: "カテゴリーのID", examples: [null] }),
    }),
    z.strictObject({ change: z.literal("delete").meta({ description: "削除する" }), event_ids }),
  ]),
  status: 200,
  answer: z.object({ changed_count: count }),
  errors: [
    "registration_required",
    "idempotency_key_reused",
    "category_not_found",
    "membership_not_found",
    "paywall_needs_audience",
    "event_transition_refused",
    "event_removed",
    "too_many_requests",
  ],
});

export const deleteEvent = defineOperation({
  id: "deleteEvent",
  method: "DELETE",
  path: "/v4/events/{event_id}",
  auth: "required",
  summary: "投稿を削除する",
  params: eventParams,
  status: 204,
  answer: null,
  errors: ["registration_required"],
});

/** Counts one visit per `visit_id`. Counts nothing when the caller cannot read the post. */
export const visitEvent = defineOperation({
  id: "visitEvent",
  method: "GET",
  path: "/v4/events/{event_id}/visit",
  auth: "optional",
  summary: "投稿を見たことを記録する",
  params: eventParams,
  query: z.object({
    visit_id: z
      .string()
      .regex(/^[\w-]{1,128}$/, "閲覧のIDの形式が正しくありません。")
      .meta({ description: "閲覧のID", examples: ["visit-0f9c2a"] }),
    referrer: z
      .string()
      .max(VISIT_REFERRER_LENGTH)
      .default("")
      .meta({
        description: "来る前に見ていたサイトのホスト名。ofuseの中や、わからないときは空。ホスト名でなければ数えない",
        examples: ["search.example"],
      }),
  }),
  status: 200,
  answer: z.object({ is_counted: z.boolean().meta({ description: "新しく数えたか", examples: [true] }) }),
  errors: ["too_many_requests"],
});

const categoryTitle = text({ label: "カテゴリー名", max: CATEGORY_GRAPHEMES, is_label: true }).meta({
  examples: ["制作日記"],
});

export const createEventCategory = defineOperation({
  id: "createEventCategory",
  method: "POST",
  path: "/v4/event_categories",
  auth: "required",
  summary: "カテゴリーを作成する",
  body: z.object({ title: categoryTitle }),
  status: 201,
  answer: z.object({ event_category: eventCategory }),
  errors: ["registration_required", "idempotency_key_reused", "category_title_taken", "category_limit_reached"],
});

/** `position` counts from 0 among the caller's categories. The others move to make room. */
export const updateEventCategory = defineOperation({
  id: "updateEventCategory",
  method: "PUT",
  path: "/v4/event_categories/{event_category_id}",
  auth: "required",
  summary: "カテゴリーの名前や並び順を変更する",
  params: categoryParams,
  missing_fields: "kept",
  body: z.object({
    title: categoryTitle.optional(),
    position: z
      .int()
      .min(0)
      .max(99)
      .meta({ description: "並び順（0から）", examples: [0] })
      .optional(),
  }),
  status: 200,
  answer: z.object({ event_category: eventCategory }),
  errors: ["registration_required", "idempotency_key_reused", "category_title_taken"],
});

/** Posts of a deleted category stay, without a category. */
export const deleteEventCategory = defineOperation({
  id: "deleteEventCategory",
  method: "DELETE",
  path: "/v4/event_categories/{event_category_id}",
  auth: "required",
  summary: "カテゴリーを削除する",
  params: categoryParams,
  status: 204,
  answer: null,
  errors: ["registration_required"],
});
