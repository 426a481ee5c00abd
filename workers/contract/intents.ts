import * as z from "zod";
import { id, time } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** Enough for all fields of the post form, with a description for each of its pictures. */
const MAX_FIELDS = 150;
/**
 * As long as a field of a draft. The API keeps a text as typed, even when it is too long to send, so that its writer
 * can shorten it.
 */
const MAX_FIELD_LENGTH = 262_144;

/**
 * The act that a visitor was about to do when we asked them to sign in. The API keeps it for 30 minutes. Only the
 * browser that holds the secret can use it, so a crafted URL alone does nothing. The spec has no such call:
 * docs/decisions/0002.
 */
export const intentBody = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("follow").meta({ description: "フォローする" }),
      following_id: id.meta({ description: "フォローする相手のID" }),
    }),
    /** A form whose words the page gives back after the sign-in. */
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
 * A follow and the use of its intent are one batch, and need a member. A form's words can be read repeatedly until the
 * intent expires, because reading them changes nothing. A visitor with the secret reads them too.
 */
export const redeemIntent = defineOperation({
  id: "redeemIntent",
  method: "POST",
  path: "/v4/intents/{intent_id}/redeem",
  auth: "optional",
  summary: "預かった操作をログイン後に行う、または預けた言葉を受け取る",
  params: z.object({ intent_id: id }),
  body: z.object({ secret }),
  status: 200,
  answer: z.object({ intent: intentBody }),
  errors: [
    "registration_required",
    "blocked",
    "cannot_follow_yourself",
    "intent_unusable",
    "daily_follow_limit_reached",
    "idempotency_key_reused",
  ],
});
