import { z } from "zod";
import { id, time } from "./fields.ts";
import { LETTER_BYTES } from "./graphemes.ts";
import { defineOperation } from "./operation.ts";

/**
 * What a visitor was about to do when we asked her to sign in. Kept on the server, single-use, 30 minutes, and usable
 * only with the secret her browser holds: a crafted URL alone does nothing. Ours beyond the spec: docs/decisions.
 * A letter's text is kept as typed, even when it is too long to send.
 */
const KEPT_TEXT_BYTES = LETTER_BYTES * 32;

export const intentBody = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("follow"), following_id: id }),
  z.object({
    kind: z.literal("free_ofuse"),
    receiver_user_id: id,
    message: z.string().max(KEPT_TEXT_BYTES),
    is_public: z.boolean(),
  }),
]);
export type Intent = z.output<typeof intentBody>;

export const createIntent = defineOperation({
  id: "createIntent",
  method: "POST",
  path: "/v4/intents",
  auth: "none",
  summary: "ログイン前の操作を預かる",
  body: intentBody,
  status: 201,
  answer: z.object({ intent_id: id, secret: z.string(), expires_at: time }),
  errors: [],
});

/** A follow is done in the same batch that uses the intent up; a letter's text is handed back to its writer. */
export const redeemIntent = defineOperation({
  id: "redeemIntent",
  method: "POST",
  path: "/v4/intents/{intent_id}/redeem",
  auth: "required",
  summary: "預かった操作をログイン後に行う（1回だけ）",
  params: z.object({ intent_id: id }),
  body: z.object({ secret: z.string().min(1).max(64) }),
  status: 200,
  answer: z.object({ intent: intentBody }),
  errors: ["registration_required", "intent_unusable", "cannot_follow_yourself"],
});
