import * as z from "zod";
import { count, flag, id, pageAnswer, pageQuery, time } from "./fields.ts";
import { defineOperation, planOperation } from "./operation.ts";

/** Source: spec section 3, enumerations. */
export const newsletterListing = z.enum(["all", "published", "scheduled", "draft"]);
/** An audience: all followers, or only those who joined a plan. */
export const fanScope = z
  .enum(["fans", "memberships"])
  .meta({ id: "FanScope", description: "届ける相手（フォロワー全員、プランに入っている人）" });
export const newsletterStatus = z
  .enum(["draft", "scheduled", "published"])
  .meta({ id: "NewsletterStatus", description: "状態（下書き、配信予約、配信ずみ）", examples: ["scheduled"] });

/** A newsletter in its creator's list, without the body. Source: spec section 3, Newsletter. */
export const newsletterSummary = z
  .object({
    id,
    title: z.string().meta({ description: "題名。下書きでは空のこともある", examples: ["十一月の窓辺から"] }),
    is_draft: z.boolean().meta({ description: "下書きか" }),
    status: newsletterStatus,
    fan_scope: fanScope,
    membership_id: id.nullable().meta({ description: "届ける相手のプランのID", examples: [null] }),
    publish_at: time.nullable().meta({ description: "配信の予定", examples: ["2026-11-25T11:00:00.000Z"] }),
    published_at: time.nullable().meta({ description: "配信した日時", examples: [null] }),
    created_at: time,
    updated_at: time.meta({ description: "最後に変更した日時" }),
  })
  .meta({ id: "NewsletterSummary", description: "ニュースレター（一覧）" });
export type NewsletterSummary = z.output<typeof newsletterSummary>;

const params = z.object({ id });

export const createNewsletter = planOperation({
  id: "createNewsletter",
  method: "POST",
  path: "/v4/news_letters",
  auth: "required",
  summary: "ニュースレターを作成する",
});

export const listNewsletters = planOperation({
  id: "listNewsletters",
  method: "GET",
  path: "/v4/news_letters",
  auth: "required",
  summary: "届いたニュースレターの一覧",
  query: z.object(pageQuery),
});

export const getNewsletter = planOperation({
  id: "getNewsletter",
  method: "GET",
  path: "/v4/news_letters/{id}",
  auth: "required",
  summary: "ニュースレターを1通取得",
  params,
});

export const updateNewsletter = planOperation({
  id: "updateNewsletter",
  method: "PUT",
  path: "/v4/news_letters/{id}",
  auth: "required",
  summary: "ニュースレターを変更する",
  params,
});

export const deleteNewsletter = planOperation({
  id: "deleteNewsletter",
  method: "DELETE",
  path: "/v4/news_letters/{id}",
  auth: "required",
  summary: "ニュースレターを削除する",
  params,
});

export const listOwnNewsletters = defineOperation({
  id: "listOwnNewsletters",
  method: "GET",
  path: "/v4/my/news_letters",
  auth: "required",
  summary: "自分のニュースレターの一覧（新しい順）と今月の残り回数（クリエイターでなければ空の一覧と0）",
  query: z.object({
    ...pageQuery,
    is_draft: flag
      .meta({ description: "true なら下書きだけ、false なら配信予約と配信ずみだけ。なければすべて" })
      .optional(),
  }),
  status: 200,
  answer: z.object({
    news_letters: z.array(newsletterSummary),
    ...pageAnswer,
    remaining_count: count.meta({
      description: "今月（日本時間）あと何回配信できるか。配信予約も数える。クリエイターでなければ 0",
      examples: [3],
    }),
  }),
  errors: ["registration_required"],
});
