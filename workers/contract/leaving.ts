import * as z from "zod";
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
  "payouts",
  "payments",
  "checkouts",
  "invoices",
  "images",
  "media_files",
  "bank_account",
] as const;
export type ExportPart = (typeof EXPORT_PARTS)[number];

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
    after: z
      .string()
      .max(200)
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
