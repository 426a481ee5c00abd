import * as z from "zod";
import { defineOperation } from "./operation.ts";

/**
 * Leaving, and taking along what is one's own. Source: spec section 7 (`unsubscribe`); docs/decisions/0018 and 0019.
 */

/**
 * Ends the caller's account in the product. Letters, reports and paid comments stay with those they were sent to, from
 * 「退会したユーザー」; all else of the caller's goes. The account of the identity provider is another call's: `unsubscribeIdentity`.
 * From then on this account's tokens are refused: `account_left`. Only for a sign-in of the last five minutes.
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
  errors: ["registration_required", "recent_sign_in_required", "account_has_subscribers", "idempotency_key_reused"],
});

/** In the order in which a copy of everything has them. */
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
  "newsletters",
  "notifications",
  "reports",
  "images",
  "media_files",
] as const;
export type ExportPart = (typeof EXPORT_PARTS)[number];

/** Everything of the caller's, a part and a page at a time; `next` is the `after` of the page behind, null at the end. */
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
