import * as z from "zod";
import { ALT_GRAPHEMES, BLOG_BYTES, BLOG_GRAPHEMES, DOCUMENT_BLOCKS } from "./bounds.ts";
import { id } from "./fields.ts";
import { text } from "./text.ts";

/**
 * The body of a post: a list of blocks, never HTML. Components render it, so nothing that a person types becomes
 * markup. Source: docs/decisions/0016.
 */

/** A run of characters. Checks only that it is text; {@link documentBody} bounds the length of the whole document. */
const run = text({ label: "本文", max: BLOG_GRAPHEMES, min: 0, max_bytes: BLOG_BYTES, lines: false, trim: false });

const inline = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("text").meta({ description: "文字" }),
      text: run.meta({ examples: ["今朝は五時に起きて、海まで歩きました。"] }),
      bold: z
        .boolean()
        .meta({ description: "太字", examples: [true] })
        .optional(),
      href: z
        .url({ protocol: /^https?$/, error: "リンクは http:// か https:// で始まるURLにしてください。" })
        .max(2000)
        .meta({ description: "リンク先", examples: ["https://natsume.example/"] })
        .optional(),
    }),
    z.object({
      type: z.literal("ruby").meta({ description: "ルビ" }),
      text: run.meta({ examples: ["漢字"] }),
      reading: run.meta({ description: "読み", examples: ["かんじ"] }),
    }),
    z.object({ type: z.literal("break").meta({ description: "改行" }) }),
  ])
  .meta({ id: "DocumentInline", description: "文中の要素" });
export type Inline = z.output<typeof inline>;

const content = z.array(inline).max(2000);

const block = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("paragraph").meta({ description: "段落" }), content }),
    z.object({
      type: z.literal("heading").meta({ description: "見出し" }),
      level: z
        .union([z.literal(2), z.literal(3)])
        .meta({ description: "見出しの大きさ（2が大、3が小）", examples: [2] }),
      content,
    }),
    z.object({
      type: z.literal("list").meta({ description: "箇条書き" }),
      is_ordered: z.boolean().meta({ description: "番号を付けるか", examples: [false] }),
      items: z.array(content).min(1).max(500),
    }),
    z.object({ type: z.literal("quote").meta({ description: "引用" }), content }),
    z.object({ type: z.literal("rule").meta({ description: "区切り線" }) }),
    /** The block's description becomes the description of the picture. */
    z.object({
      type: z.literal("image").meta({ description: "画像" }),
      image_id: id,
      alt: text({ label: "画像の説明", max: ALT_GRAPHEMES, min: 0 })
        .meta({ examples: ["夜明けの海"] })
        .optional(),
    }),
    z.object({ type: z.literal("audio").meta({ description: "音声" }), media_id: id }),
    z.object({
      type: z.literal("embed").meta({ description: "埋め込み（許可した配信元だけ）" }),
      url: z
        .url({ protocol: /^https$/ })
        .max(2000)
        .meta({
          description: "埋め込むページのURL",
          examples: ["https://www.youtube.com/watch?v=dQw4w9WgXcQ"],
        }),
    }),
    /** Readers without access read up to this block. */
    z.object({ type: z.literal("paywall").meta({ description: "ここから先は限定公開" }) }),
  ])
  .meta({ id: "DocumentBlock", description: "本文の一区切り" });
export type Block = z.output<typeof block>;

/** A whole document as the API stores and shows it. */
export const document = z
  .array(block)
  .max(DOCUMENT_BLOCKS)
  .meta({ id: "Document", description: "本文（構造化した文書）" });
export type Document = z.output<typeof document>;
