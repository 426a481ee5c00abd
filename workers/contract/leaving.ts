import * as z from "zod";
import { count, ID_PART, pageToken, TIME_PART, time } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/**
 * Leaving the product, and exporting one's own data. Source: spec section 7 (`unsubscribe`); docs/decisions/0018 and
 * 0019.
 */

/**
 * Ends the caller's account in the product. Letters, reports and paid comments stay with their receivers, under the
 * name 「退会したユーザー」. All other data of the caller is deleted. From then on the API refuses the account's tokens with
 * `account_left`. Requires a sign-in of the last five minutes. `unsubscribeIdentity` deletes the account of the
 * identity provider.
 */
export const unsubscribe = defineOperation({
  id: "unsubscribe",
  method: "POST",
  path: "/v4/unsubscribe",
  auth: "required",
  is_sensitive: true,
  summary: "退会する",
  status: 204,
  answer: null,
  errors: [
    "registration_required",
    "recent_sign_in_required",
    "account_has_subscribers",
    "account_has_balance",
    "idempotency_key_reused",
  ],
});

/** The parts of an export, in their order in the file. */
export const EXPORT_PARTS = [
  "profile",
  "posts",
  "post_pictures",
  "comments",
  "letters_sent",
  "letters_received",
  "followings",
  "followers",
  "blocks",
  "liked_posts",
  "liked_comments",
  "radios",
  "radio_comments",
  "radio_chat_messages",
  "radio_chat_restrictions",
  "radio_captions",
  "liked_recordings",
  "liked_radio_comments",
  "newsletters",
  "notifications",
  "reports",
  "transactions",
  "figures",
  "payouts",
  "payments",
  "checkouts",
  "invoices",
  "images",
  "media_files",
  "bank_account",
] as const;
export type ExportPart = (typeof EXPORT_PARTS)[number];

/** The keys at which a page of a part can end. Those of reports, transactions and figures begin with a word. */
const EXPORT_KEYS = [
  ID_PART,
  `${TIME_PART} ${ID_PART}`,
  `[a-z_]+ ${ID_PART}`,
  `[a-z_]+:${ID_PART} \\d{1,15}`,
  "[a-z_]+ \\d{4}-\\d\\d-\\d\\d \\S*",
];
/** More than the figures of the longest host take. */
const EXPORT_KEY_LENGTH = 300;

/**
 * Exports the caller's data, one part and one page at a time. `next` is the `after` of the following page, null at the
 * end.
 */
export const exportAccount = defineOperation({
  id: "exportAccount",
  method: "GET",
  path: "/v4/export",
  auth: "required",
  is_sensitive: true,
  summary: "自分のデータの控え",
  query: z.object({
    part: z.enum(EXPORT_PARTS).meta({ description: "控えのどの部分か" }),
    after: pageToken(EXPORT_KEYS.join("|"), EXPORT_KEY_LENGTH)
      .meta({ description: "前のページの next", examples: ["01kaf2m8q3v7x1n5r9t4w6y8ze"] })
      .optional(),
  }),
  status: 200,
  answer: z.object({
    items: z.array(
      z.record(z.string(), z.unknown()).meta({
        description: "1件分。項目は部分ごとに違う",
        examples: [{ title: "夜明けの海", status: "published" }],
      }),
    ),
    next: z
      .string()
      .nullable()
      .meta({ description: "次のページの after。なければ null", examples: ["01kaf2m8q3v7x1n5r9t4w6y8ze"] }),
  }),
  errors: ["registration_required", "too_many_requests"],
});

/**
 * Answers with everything of the caller as one ZIP: posts as Markdown, HTML and JSON with their pictures, sound and films,
 * letters, members, money as CSV, and a page to read it offline. The file is made while it is sent. With `part`, answers
 * with one of the parts that {@link listArchiveParts} lists: a ZIP of the same format, which an import takes by itself.
 * Source: docs/decisions/0048.
 */
export const getArchive = defineOperation({
  id: "getArchive",
  method: "GET",
  path: "/v4/archive",
  auth: "required",
  is_sensitive: true,
  summary: "自分のデータのアーカイブ（ZIP）",
  query: z.object({
    part: z.coerce
      .number()
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .meta({
        description: "分けて受け取るときの番号（1から）。省略すると、すべてをひとつで",
        examples: [1],
      }),
  }),
  status: 200,
  answer: null,
  file_answer: "application/zip",
  errors: ["registration_required", "too_many_requests"],
});

const archivePart = z
  .object({
    number: z.int().meta({ description: "番号（1から）", examples: [1] }),
    bytes: count.meta({ description: "大きさの目安（バイト）", examples: [178_257_920] }),
    posts_count: count.meta({ description: "入っている投稿の数", examples: [120] }),
    newsletters_count: count.meta({ description: "入っているニュースレターの数", examples: [4] }),
    radios_count: count.meta({ description: "入っているラジオの数", examples: [2] }),
    posts_from: time.nullable().meta({ description: "いちばん古い投稿の日時。投稿がなければ null" }),
    posts_to: time.nullable().meta({ description: "いちばん新しい投稿の日時。投稿がなければ null" }),
    is_importable: z.boolean().meta({ description: "取り込める大きさか", examples: [true] }),
  })
  .meta({ id: "ArchivePart", description: "アーカイブを分けたひとつ" });

/** Lists the parts of the caller's archive. Sizes are sums of stored sizes, a little more than the file will have. */
export const listArchiveParts = defineOperation({
  id: "listArchiveParts",
  method: "GET",
  path: "/v4/archive/parts",
  auth: "required",
  summary: "自分のアーカイブを分けて受け取るときの一覧",
  status: 200,
  answer: z.object({ parts: z.array(archivePart) }),
  errors: ["registration_required"],
});
