import type { RouterContextProvider } from "react-router";
import * as z from "zod";
import { JSON_BYTES } from "../../../workers/contract/bounds.ts";
import type { Block } from "../../../workers/contract/document.ts";
import { newsBody } from "../../../workers/contract/news.ts";
import { createNews, updateNews } from "../../../workers/contract/operator.ts";
import { readForm } from "../../forms/read-form.ts";
import { parseMarkup } from "../../post/markup.ts";
import { NEWS_PATH } from "./news-form.tsx";
import { finishAct, refuseAct, sendAct } from "./operator-page.ts";

const { title, category, day } = newsBody.shape;
const newsForm = z.object({
  title,
  category,
  day: z.string("日付を入力してください。").pipe(day),
  body: z.string().max(JSON_BYTES, "本文が長すぎます。").default(""),
});

/** Parses the text. An address that a post would embed is a link. */
const documentOf = (body: string) =>
  parseMarkup(body).map(
    (block): Block =>
      block.type === "embed"
        ? { type: "paragraph", content: [{ type: "text", text: block.url, href: block.url }] }
        : block,
  );

/** Handles the form of a new piece of news, or of `news_id`: the button pressed saves, publishes, or withdraws. */
export async function answerNews(
  context: Readonly<RouterContextProvider>,
  url: URL,
  form: FormData,
  news_id: string | null,
) {
  const read = readForm(form, newsForm);
  if (!read.value) return refuseAct(form, read);
  const { body: written, ...about } = read.value;
  const button = String(form.get("do") ?? "save");
  const body = { ...about, document: documentOf(written), is_published: button === "publish" };
  const judged = newsBody.safeParse(body);
  if (!judged.success) {
    const issues = judged.error.issues.map(({ path: [name], message }) => [
      name === "document" ? "body" : String(name ?? ""),
      [message],
    ]);
    return refuseAct(form, { toResult: () => ({ error: Object.fromEntries(issues) }) });
  }
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  const seen_updated_at = String(form.get("seen_updated_at") ?? "");
  const sent = news_id
    ? await sendAct(context, url, form, updateNews, { params: { news_id }, body: { ...body, seen_updated_at } })
    : await sendAct(context, url, form, createNews, { body, idempotency_key });
  if (!sent.ok) {
    // The page shows the operator the other version. The form takes it on, and its next press replaces it.
    if (sent.refusal.code === "news_conflict") form.delete("seen_updated_at");
    return refuseAct(form, read, sent.refusal);
  }
  const path = `${NEWS_PATH}/${sent.answer.news_id}`;
  if (button === "preview") return finishAct(context, `${path}/preview`, "news_saved");
  return finishAct(context, path, body.is_published ? "news_published" : "news_saved");
}
