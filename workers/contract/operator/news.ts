import * as z from "zod";
import { document } from "../document.ts";
import { givenTime, id, pageAnswer, pageQuery, time } from "../fields.ts";
import { newsBody, newsSummary } from "../news.ts";
import { defineOperation } from "../operation.ts";
import { ACT_ERRORS } from "./parts.ts";

/** News of the site, drafts included. */

const operatedNewsSummary = newsSummary
  .extend({
    is_published: z.boolean().meta({ description: "公開しているか", examples: [true] }),
    updated_at: time.meta({ description: "最後に変更した日時" }),
  })
  .meta({ id: "OperatedNewsSummary", description: "お知らせ（運営から見た一覧）" });

const operatedNews = operatedNewsSummary
  .extend({ document })
  .meta({ id: "OperatedNews", description: "お知らせ（運営から見たもの）" });

export type OperatedNews = z.output<typeof operatedNews>;

const newsParams = z.object({ news_id: id });

/** Everything, drafts too, the newest day first. */
export const listAllNews = defineOperation({
  id: "listAllNews",
  method: "GET",
  path: "/v4/operator/news",
  auth: "operator",
  summary: "お知らせと下書きの一覧",
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({ news: z.array(operatedNewsSummary), ...pageAnswer }),
  errors: [],
});

export const getAnyNews = defineOperation({
  id: "getAnyNews",
  method: "GET",
  path: "/v4/operator/news/{news_id}",
  auth: "operator",
  summary: "お知らせ、または下書きを見る",
  params: newsParams,
  status: 200,
  answer: z.object({ news: operatedNews }),
  errors: [],
});

/** The only act whose answer is kept: without the key, a repeated call would write a second piece of news. */
export const createNews = defineOperation({
  id: "createNews",
  method: "POST",
  path: "/v4/operator/news",
  auth: "operator",
  summary: "お知らせを書く",
  body: newsBody,
  status: 201,
  answer: newsParams,
  errors: [...ACT_ERRORS, "idempotency_key_reused"],
});

/** Replaces a piece of news; publishes it, or withdraws it. Throws `news_conflict` when somebody changed it in the meantime. */
export const updateNews = defineOperation({
  id: "updateNews",
  method: "PUT",
  path: "/v4/operator/news/{news_id}",
  auth: "operator",
  summary: "お知らせを書き直す、公開する、取り下げる",
  params: newsParams,
  body: newsBody.safeExtend({ seen_updated_at: givenTime.meta({ description: "読んだときの updated_at" }) }),
  status: 200,
  answer: newsParams,
  errors: [...ACT_ERRORS, "idempotency_key_reused", "news_conflict"],
});

export const deleteNews = defineOperation({
  id: "deleteNews",
  method: "DELETE",
  path: "/v4/operator/news/{news_id}",
  auth: "operator",
  summary: "お知らせを削除する",
  params: newsParams,
  status: 204,
  answer: null,
  errors: ACT_ERRORS,
});
