import * as z from "zod";
import { REACTION_GRAPHEMES } from "./bounds.ts";
import { defineOperation } from "./operation.ts";
import { text } from "./text.ts";

/**
 * A creator's automatic answers, for example to a letter. The sender reads the answer on the page after sending.
 * Source: spec section 7, Reactions; the spec does not show the fields (docs/decisions/0016).
 */
const message = (label: string) =>
  text({ label, max: REACTION_GRAPHEMES, min: 0, lines: true })
    .nullable()
    .meta({
      description: `${label}（${REACTION_GRAPHEMES}文字まで）。なければ null`,
      examples: ["読みました。ありがとう！"],
    });

const reactions = z
  .object({
    free_ofuse_message: message("無料のofuseへのお礼"),
    paid_ofuse_message: message("有料のofuseへのお礼"),
    subscription_message: message("メンバーになった人へのお礼"),
  })
  .meta({ id: "Reactions", description: "届いたときに自動で返すお礼の言葉" });
export type Reactions = z.output<typeof reactions>;

export const getReactions = defineOperation({
  id: "getReactions",
  method: "GET",
  path: "/v4/reactions",
  auth: "required",
  summary: "自分のリアクションの設定",
  status: 200,
  answer: z.object({ reactions }),
  errors: ["registration_required"],
});

export const updateReactions = defineOperation({
  id: "updateReactions",
  method: "PUT",
  path: "/v4/reactions",
  auth: "required",
  summary: "リアクションの設定を変更する",
  body: reactions,
  status: 200,
  answer: z.object({ reactions }),
  errors: ["registration_required", "idempotency_key_reused"],
});
