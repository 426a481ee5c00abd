import * as z from "zod";
import { SEARCHED_LENGTH } from "./bounds.ts";

/**
 * Shapes that several groups of calls share. JSON is snake_case, times are ISO 8601 UTC, money is integer yen.
 *
 * The `meta` of a leaf holds its description and examples. The published reference is made from them (examples.ts).
 * Where a leaf has two examples, the first is the example creator's, the second the example fan's.
 */

export const ID_PATTERN = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/**
 * An identifier: a lower-case ULID. A malformed id in a path or query is answered like an unknown one: 404. In a body
 * it is answered like any other faulty field: 422 with a sentence.
 */
export const id = z
  .string()
  .regex(ID_PATTERN, "IDの形式が正しくありません。")
  .meta({
    id: "Id",
    description: "ID（小文字のULID、26文字）",
    examples: [
      "01kaf2m8q3v7x1n5r9t4w6y8ze",
      "01kaf3b5c7d9f1g3h5j7k9m1np",
      "01kag0w2x4y6z8a1b3c5d7e9fg",
      "01kag5h7j9k1m3n5p7q9r1s3tv",
      "01kah1a2b3c4d5e6f7g8h9j0km",
    ],
  });

/** The parts of a {@link pageToken}, as sources of patterns. */
export const ID_PART = ID_PATTERN.source.slice(1, -1);
export const TIME_PART = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";

/**
 * Where a list continues: the key of the row at which a page ended. It names nothing, so a malformed one is a faulty
 * field (422) and not an unknown id.
 */
export const pageToken = (pattern: string, max: number) =>
  z
    .string()
    .max(max)
    .regex(new RegExp(`^(?:${pattern})$`), "続きの位置の形式が正しくありません。");

/** Leads the owner of a removed post or letter to the reason and to the appeal. */
export const removalId = id.nullable().meta({
  id: "RemovalId",
  description: "運営が公開を止めた記録のID。本人のもので、止めているときだけ",
  examples: [null],
});

export const time = z.iso
  .datetime()
  .meta({ id: "Time", description: "日時（ISO 8601、UTC）", examples: ["2026-11-20T03:15:00.000Z"] });
/**
 * A time that a caller sends: RFC 3339, with any offset, and `t` and `z` in either case. It becomes the form of {@link time}, in
 * which times are stored and compared as text.
 */
export const givenTime = z
  .string()
  .toUpperCase()
  .pipe(z.iso.datetime({ offset: true }))
  .transform((text) => new Date(text).toISOString())
  // Refuses a moment of the years 0 or 9999 that lies outside of them in UTC.
  .pipe(z.iso.datetime())
  .meta({
    id: "GivenTime",
    format: "date-time",
    description: "日時（RFC 3339。時差の指定も可。ミリ秒までのUTCとして扱う）",
    examples: ["2026-11-20T03:15:00.000Z"],
  });
export const currency = z.enum(["jpy"]).meta({ id: "Currency", description: "通貨（日本円のみ）" });
/** Integer yen. */
export const amount = z
  .int()
  .min(0)
  .max(100_000_000)
  .meta({ id: "Amount", description: "金額（円、整数）", examples: [550] });
export const count = z
  .int()
  .min(0)
  .meta({ examples: [128] });

/** A flag in a query string. */
export const flag = z
  .union([z.boolean(), z.enum(["true", "false"]).transform((value) => value === "true")])
  .meta({ id: "Flag", description: "真偽値（文字列の true / false も可）", examples: [true] });

/** A calendar day, Japanese time. */
export const day = z.iso.date().meta({ id: "Day", description: "日付（日本時間）", examples: ["2026-11-20"] });

/** The id of an entry in a fixed list, for example of a genre: a short word. */
export const wordId = z.string().max(64).meta({ description: "固定リストの項目のID" });

/**
 * A page has 20 items by default and at most 100; callers without a token get at most 25. Source: product decisions,
 * "Bounds".
 */
export const PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;
export const MAX_ANONYMOUS_PAGE_SIZE = 25;
export const MAX_PAGE_NUMBER = 10_000;

/** A number in a query string, from 1 to `max`; `usual` is the default. */
export const countUpTo = (max: number, usual: number) => z.coerce.number().int().min(1).max(max).default(usual);

export const pageQuery = {
  page_number: countUpTo(MAX_PAGE_NUMBER, 1).meta({ description: "ページ番号" }),
  page_size: countUpTo(MAX_PAGE_SIZE, PAGE_SIZE).meta({
    description: `1ページの件数（トークンがなければ${MAX_ANONYMOUS_PAGE_SIZE}件まで）`,
  }),
};

/** The closing fields of a numbered list. `has_next` avoids counting all rows. */
export const pageAnswer = {
  page_number: z.int().meta({ description: "ページ番号", examples: [1] }),
  page_size: z.int().meta({ description: "1ページの件数", examples: [PAGE_SIZE] }),
  has_next: z.boolean().meta({ description: "次のページがあるか" }),
};

/** The words of a search. */
export const searchedWords = z
  .string()
  .max(SEARCHED_LENGTH, `${SEARCHED_LENGTH}文字以内で入力してください。`)
  .meta({ description: "探す言葉。空白で区切るとすべてを含むもの", examples: ["水彩"] });

export const sortBy = z.enum(["newest", "oldest", "amount"]).meta({ id: "SortBy", description: "並び順" });

/** A client's name for a write. Sending the same write again with the same key does it only once. */
export const idempotencyKey = z
  .string()
  .regex(/^[\w-]{8,128}$/, "送信の識別子の形式が正しくありません。")
  .meta({ examples: ["letter-7f3c1b0a9d2e"] });

/**
 * The beginning of an idempotency key that is derived from the sent words. In operations with `has_keys_of_words` such a
 * key counts for {@link WORDS_KEY_MS} after its first use: later, the same words are sent on purpose.
 */
export const WORDS_KEY_PREFIX = "words-";
export const WORDS_KEY_MS = 60_000;

/** A stored picture. The URLs are paths on the product's own origin. */
export const image = z
  .object({
    image_id: id,
    alt: z.string().meta({ description: "代替テキスト", examples: ["夜明けの海のスケッチ"] }),
    width: z.int().meta({ description: "幅（px）", examples: [1280] }),
    height: z.int().meta({ description: "高さ（px）", examples: [720] }),
    medium_url: z.string().meta({
      description: "画像のパス",
      examples: ["/media/01kaf2m8q3v7x1n5r9t4w6y8ze/medium", "/media/01kaf3b5c7d9f1g3h5j7k9m1np/medium"],
    }),
    srcset: z
      .string()
      .nullable()
      .meta({
        description: "大きさごとのパス（img要素のsrcset）。ひとつの大きさしかなければ null",
        examples: ["/media/01kaf2m8q3v7x1n5r9t4w6y8ze/640 640w, /media/01kaf2m8q3v7x1n5r9t4w6y8ze/1280 1280w"],
      }),
    placeholder: z
      .string()
      .nullable()
      .meta({ description: "読み込むまでに見せる、ぼかした小さな画像（data: URI）", examples: [null] }),
  })
  .meta({ id: "Image", description: "画像" });
export type Image = z.output<typeof image>;

/** An audio or video file, stored as it was uploaded. The URL supports range requests. */
export const mediaFile = z
  .object({
    media_id: id,
    kind: z.enum(["audio", "video"]).meta({ description: "音声か動画か", examples: ["audio"] }),
    content_type: z.string().meta({ description: "ファイルの形式", examples: ["audio/mpeg"] }),
    url: z.string().meta({ description: "ファイルのパス", examples: ["/media/01kaf2m8q3v7x1n5r9t4w6y8ze/file"] }),
  })
  .meta({ id: "MediaFile", description: "音声・動画" });
export type MediaFile = z.output<typeof mediaFile>;

/** The fields that every mention of a person shows. */
export const userSummary = z
  .object({
    user_id: id,
    link_id: z.string().meta({
      description: "公開ページの名前（/{link_id}）。退会した人は left- で始まり、ページはない",
      examples: ["natsume", "fan_taro"],
    }),
    name: z.string().meta({ description: "表示名", examples: ["なつめ", "たろう"] }),
    is_creator: z.boolean().meta({ description: "クリエイターかどうか", examples: [true, false] }),
    icon_image: image.nullable().meta({ description: "アイコン" }),
  })
  .meta({ id: "UserSummary", description: "ユーザー（要約）" });
export type UserSummary = z.output<typeof userSummary>;
