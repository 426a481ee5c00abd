import * as z from "zod";
import { amount, id, wordId } from "./fields.ts";
import { groupDigits } from "./group-digits.ts";
import { PAID_OFUSE_MAX_YEN, PAID_OFUSE_MIN_YEN } from "./limits.ts";

/** What paid letters and paid comments have in common. */

const YEN_OUT_OF_BOUNDS = `金額は、${PAID_OFUSE_MIN_YEN}円から${groupDigits(PAID_OFUSE_MAX_YEN)}円までの整数で入力してください。`;

/** The amount of a paid letter or comment, in yen. Source: product decisions, "Money". */
export const supportAmount = z
  .int({ error: ({ input }) => (input === undefined ? "金額を入力してください。" : YEN_OUT_OF_BOUNDS) })
  .min(PAID_OFUSE_MIN_YEN, YEN_OUT_OF_BOUNDS)
  .max(PAID_OFUSE_MAX_YEN, YEN_OUT_OF_BOUNDS)
  .meta({ description: "金額（円、整数）", examples: [550] });

/** A letter's donation to a campaign. */
export const donation = z
  .object({
    donation_campaign_id: wordId.meta({ examples: ["noto_2026"] }),
    name: z.string().meta({ description: "キャンペーンの名前", examples: ["能登の復興支援"] }),
    amount: amount.meta({ description: "寄付の額（円、整数）", examples: [49] }),
  })
  .meta({ id: "Donation", description: "ofuseからの寄付" });

/** The payment whose words are corrected: the new payment takes its place. */
export const replacedSession = id
  .nullable()
  .default(null)
  .meta({
    description: "内容を直すときは、直す前の決済のID。その決済は、支払われていなければ取り消される",
    examples: [null],
  });

/** Where the payer continues: the gateway's page, or after the payment our own. */
export const openedCheckout = z
  .object({
    session_id: id.meta({ description: "決済のID" }),
    url: z.string().meta({
      description: "決済ページのURL",
      examples: ["https://checkout.stripe.com/c/pay/cs_test_a1b2c3"],
    }),
  })
  .meta({ id: "OpenedCheckout", description: "はじめた決済" });
export type OpenedCheckout = z.output<typeof openedCheckout>;
