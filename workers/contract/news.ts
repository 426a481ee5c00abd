import * as z from "zod";
import { TITLE_GRAPHEMES } from "./bounds.ts";
import type { Block } from "./document.ts";
import { document } from "./document.ts";
import { documentBody } from "./document-body.ts";
import { plainText } from "./document-text.ts";
import { day, id, pageAnswer, pageQuery } from "./fields.ts";
import { defineOperation } from "./operation.ts";
import { text } from "./text.ts";

/** News of the site, written by operators. The spec has no such calls: docs/decisions/0053. */

export const newsCategory = z
  .enum(["お知らせ", "新しい機能", "安全", "メンテナンス"])
  .meta({ id: "NewsCategory", description: "お知らせの種類", examples: ["お知らせ"] });

/** The first day of operators' news. The news of days until then are files of the app (app/news) and follow them in the list. */
export const FIRST_NEWS_DAY = "2026-11-29";

export const newsSummary = z
  .object({
    news_id: id,
    title: z.string().meta({ description: "タイトル", examples: ["メンテナンスのお知らせ"] }),
    category: newsCategory,
    day: day.meta({ description: "お知らせの日付（日本時間）", examples: ["2026-11-29"] }),
  })
  .meta({ id: "NewsSummary", description: "お知らせ（一覧）" });

export const news = newsSummary.extend({ document }).meta({ id: "News", description: "お知らせ" });

/** Blocks that news cannot hold: they have no uploads, and nothing in them is locked. */
const NOT_IN_NEWS: ReadonlySet<Block["type"]> = new Set(["image", "audio", "embed", "paywall"]);

/** A complete piece of news as an operator writes it. A draft may be unfinished. */
export const newsBody = z
  .object({
    title: text({ label: "タイトル", max: TITLE_GRAPHEMES, min: 0, is_label: true })
      .default("")
      .meta({ examples: ["メンテナンスのお知らせ"] }),
    category: newsCategory.default("お知らせ"),
    day: day
      .refine((given) => given >= FIRST_NEWS_DAY, "2026年11月29日か、それより後の日付にしてください。")
      .meta({ examples: ["2026-11-29"] }),
    document: documentBody.default([]).meta({
      description: "本文（文章、見出し、箇条書き、引用、区切り線だけ）",
      examples: [[{ type: "paragraph", content: [{ type: "text", text: "12月1日の午前2時から、停止します。" }] }]],
    }),
    is_published: z.boolean().meta({ description: "公開するか", examples: [false] }),
  })
  .superRefine(({ title, document: blocks, is_published }, context) => {
    const addFault = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (blocks.some(({ type }) => NOT_IN_NEWS.has(type)))
      addFault("document", "お知らせには、画像、音声、埋め込み、限定公開の線を入れられません。");
    if (!is_published) return;
    if (title === "") addFault("title", "タイトルを入力してください。");
    if (plainText(blocks).trim() === "") addFault("document", "本文を入力してください。");
  });
export type NewsBody = z.output<typeof newsBody>;

/** The newest day first. */
export const listNews = defineOperation({
  id: "listNews",
  method: "GET",
  path: "/v4/news",
  auth: "none",
  summary: "お知らせの一覧",
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({ news: z.array(newsSummary), ...pageAnswer }),
  errors: [],
});

/** Throws `not_found` for a draft. */
export const getNews = defineOperation({
  id: "getNews",
  method: "GET",
  path: "/v4/news/{news_id}",
  auth: "none",
  summary: "お知らせを読む",
  params: z.object({ news_id: id }),
  status: 200,
  answer: z.object({ news }),
  errors: [],
});
