import * as z from "zod";
import { id, time } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** As many as the form of a post has, with a description for each of its pictures. */
const MAX_FIELDS = 150;
/**
 * A text is kept as typed, even when it is too long to send: its writer gets it back to shorten it. As long as a draft
 * keeps it.
 */
const MAX_FIELD_LENGTH = 262_144;

/**
 * What a visitor was about to do when we asked her to sign in. Kept on the server for 30 minutes, and usable only with
 * the secret her browser holds: a crafted URL alone does nothing. Ours beyond the spec: docs/decisions/0002.
 */
export const intentBody = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("follow").meta({ description: "フォローする" }),
      following_id: id.meta({ description: "フォローする相手のID" }),
    }),
    /** A form whose words wait for their writer on the page they were typed on. */
    z.object({
      kind: z.literal("form").meta({ description: "書きかけのフォーム" }),
      path: z
        .string()
        .startsWith("/")
        .max(512)
        .meta({ description: "フォームのあるページ（/ で始まるパス）", examples: ["/natsume/ofuse"] }),
      fields: z
        .record(z.string().max(64), z.string().max(MAX_FIELD_LENGTH))
        .refine((fields) => Object.keys(fields).length <= MAX_FIELDS)
        .meta({ description: "書かれた言葉（項目の名前ごと）", examples: [{ message: "いつも見ています。" }] }),
    }),
  ])
  .meta({ id: "Intent", description: "ログイン前にしようとしていたこと" });
export type Intent = z.output<typeof intentBody>;

const secret = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: "このブラウザーだけが持つ秘密", examples: ["p4Xr1bQ0sVn7uKd2mT8e"] });

export const createIntent = defineOperation({
  id: "createIntent",
  method: "POST",
  path: "/v4/intents",
  auth: "none",
  summary: "ログイン前の操作を預かる",
  body: intentBody,
  status: 201,
  answer: z.object({ intent_id: id, secret, expires_at: time }),
  errors: ["too_many_requests"],
});

/**
 * A follow is done in the same batch that uses the intent up. A form's words are handed back, again if need be until
 * they run out of time: reading them changes nothing.
 */
export const redeemIntent = defineOperation({
  id: "redeemIntent",
  method: "POST",
  path: "/v4/intents/{intent_id}/redeem",
  auth: "required",
  summary: "預かった操作をログイン後に行う",
  params: z.object({ intent_id: id }),
  body: z.object({ secret }),
  status: 200,
  answer: z.object({ intent: intentBody }),
  errors: [
    "registration_required",
    "blocked",
    "intent_unusable",
    "daily_follow_limit_reached",
    "idempotency_key_reused",
  ],
});
