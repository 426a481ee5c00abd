import * as z from "zod";
import { bankAccountInput, maskedBankAccount } from "./banks.ts";
import { currency, flag, givenTime, id, pageAnswer, pageQuery, time } from "./fields.ts";
import { groupDigits } from "./group-digits.ts";
import { isInvoiceNumber } from "./invoice-number.ts";
import { PAYOUT_MIN_YEN } from "./limits.ts";
import { defineOperation } from "./operation.ts";

/** A creator's payout account and the payouts to it. Source of the enumerations: spec section 3; docs/decisions/0031. */

export const accountType = z
  .enum(["individual", "company"], "個人か法人かを選んでください。")
  .meta({ id: "AccountType", description: "個人か法人か", examples: ["individual"] });
export type AccountType = z.output<typeof accountType>;
export const identityVerification = z
  .enum(["none", "pending", "unverified", "verified"])
  .meta({ id: "IdentityVerification", description: "本人確認の状態", examples: ["verified"] });
export type IdentityVerification = z.output<typeof identityVerification>;
export const verification = z.enum(["none", "pending", "verified"]);
/** The two steps that open a payout account. */
export const accountLinkStep = z.enum(["tos_accepted", "payouts_enabled"]);
export const payoutStatus = z
  .enum(["paid", "pending", "in_transit", "canceled", "failed"])
  .meta({ id: "PayoutStatus", description: "振込の状態", examples: ["pending"] });
export type PayoutStatus = z.output<typeof payoutStatus>;
export const payoutFailureReason = z.enum([
  "account_closed",
  "account_frozen",
  "bank_account_restricted",
  "bank_ownership_changed",
  "could_not_process",
  "debit_not_authorized",
  "declined",
  "insufficient_funds",
  "invalid_account_number",
  "incorrect_account_holder_name",
  "invalid_currency",
  "no_account",
  "unsupported_card",
]);

export type PayoutFailureReason = z.output<typeof payoutFailureReason>;

/** A creator's account at the payment gateway, which is needed to be paid out. */
export const creatorAccount = z
  .object({
    account_type: accountType,
    steps: z
      .array(accountLinkStep)
      .meta({ description: "済んだ手続き（規約への同意、振込の有効化）", examples: [["tos_accepted"]] }),
    identity_verification: identityVerification,
    is_bank_refused: z
      .boolean()
      .meta({ description: "登録した口座を決済サービスが受け付けなかったか", examples: [false] }),
    is_bank_failing: z.boolean().meta({
      description: "登録した口座に振り込めないとわかっているか。そのあいだ、毎月の自動振込を休む",
      examples: [false],
    }),
    is_automatic: z.boolean().meta({ description: "毎月20日に、残高をすべて振り込むか", examples: [false] }),
    invoice_number: z
      .string()
      .nullable()
      .meta({ description: "適格請求書発行事業者の登録番号。なければ null", examples: ["T7000012050002"] }),
  })
  .meta({ id: "CreatorAccount", description: "収益化登録の状態" });
export type CreatorAccount = z.output<typeof creatorAccount>;

/**
 * Begins or continues the registration for monetization. Answers the address of the gateway's own page, where the person
 * accepts the terms and proves their identity. The address works once, for some minutes.
 */
export const linkCreatorAccount = defineOperation({
  id: "linkCreatorAccount",
  method: "POST",
  path: "/v4/creator",
  auth: "required",
  summary: "収益化登録を始める、または続ける",
  body: z.object({ account_type: accountType }),
  status: 200,
  answer: z.object({
    url: z.string().meta({
      description: "手続きのページのURL",
      examples: ["https://connect.stripe.com/setup/s/abcdefghij"],
    }),
  }),
  errors: [
    "registration_required",
    "payments_unavailable",
    "gateway_unreachable",
    "idempotency_key_reused",
    "too_many_requests",
  ],
});

/** How far the caller's registration for monetization is; null before it has begun. The spec has no such call: docs/decisions/0031. */
export const getCreatorAccount = defineOperation({
  id: "getCreatorAccount",
  method: "GET",
  path: "/v4/creator",
  auth: "required",
  summary: "収益化登録の状態",
  status: 200,
  answer: z.object({ creator_account: creatorAccount.nullable() }),
  errors: ["registration_required"],
});

/**
 * Asks the gateway how far the registration is, and chooses the automatic payout of each month. The spec has no such call:
 * docs/decisions/0031.
 */
export const updateCreatorAccount = defineOperation({
  id: "updateCreatorAccount",
  method: "PUT",
  path: "/v4/creator",
  auth: "required",
  summary: "収益化登録の状態を確かめ、毎月の自動振込を選ぶ",
  missing_fields: "kept",
  body: z.object({
    is_automatic: flag.meta({ description: "毎月20日に、残高をすべて振り込むか" }).optional(),
    invoice_number: z
      .string()
      .refine(isInvoiceNumber, "登録番号は、Tと13桁の数字で、通知書のとおりに入力してください。")
      .nullable()
      .meta({ description: "適格請求書発行事業者の登録番号。なくすには null", examples: ["T7000012050002"] })
      .optional(),
  }),
  status: 200,
  answer: z.object({ creator_account: creatorAccount }),
  errors: [
    "registration_required",
    "payout_account_required",
    "payments_unavailable",
    "gateway_unreachable",
    "idempotency_key_reused",
  ],
});

/**
 * The account that receives the caller's payouts, with its number masked; null when there is none. Refused with
 * `bank_account_unreadable` when the stored account was changed and cannot be decrypted: the person must register it again.
 */
export const getBank = defineOperation({
  id: "getBank",
  method: "GET",
  path: "/v4/bank",
  auth: "required",
  summary: "振込先の口座",
  status: 200,
  answer: z.object({ bank_account: maskedBankAccount.nullable() }),
  errors: ["registration_required", "bank_account_unreadable"],
});

/**
 * Registers the account that receives the caller's payouts, in place of an earlier one. Requires a creator and a sign-in
 * of the last five minutes. It answers nothing, because an answer kept for retries would store the holder's name readably.
 */
export const updateBank = defineOperation({
  id: "updateBank",
  method: "PUT",
  path: "/v4/bank",
  auth: "required",
  is_sensitive: true,
  summary: "振込先の口座を登録・変更する",
  body: bankAccountInput,
  status: 204,
  answer: null,
  errors: [
    "registration_required",
    "recent_sign_in_required",
    "creator_required",
    "bank_not_found",
    "branch_not_found",
    "idempotency_key_reused",
    "too_many_requests",
  ],
});

const yen = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [example] });

export const payout = z
  .object({
    payout_id: id,
    currency,
    amount: yen("残高から引かれる額（円）", 10_000),
    bank_fee: yen("振込手数料（円）", 250),
    transferred: yen("口座に届く額（円）", 9750),
    status: payoutStatus,
    failure_reason: payoutFailureReason
      .nullable()
      .meta({ description: "失敗した理由。失敗していなければ null", examples: [null] }),
    bank: z
      .object({
        bank_name: z.string().meta({ description: "銀行などの名前", examples: ["みずほ銀行"] }),
        branch_name: z.string().meta({ description: "支店の名前", examples: ["丸の内中央"] }),
        account_number_last3: z.string().meta({ description: "口座番号の下3桁", examples: ["567"] }),
      })
      .meta({ description: "振込先の口座" }),
    is_automatic: z.boolean().meta({ description: "毎月の自動振込か", examples: [false] }),
    created_at: time.meta({ description: "申請した日時" }),
    arrives_at: time.nullable().meta({ description: "届く見込みの日時。まだわからなければ null" }),
    ended_at: time.nullable().meta({ description: "届いた、または失敗した日時" }),
  })
  .meta({ id: "Payout", description: "振込" });
export type Payout = z.output<typeof payout>;

/** The caller's payouts, newest first. */
export const listPayouts = defineOperation({
  id: "listPayouts",
  method: "GET",
  path: "/v4/payouts",
  auth: "required",
  summary: "振込の一覧",
  query: z.object(pageQuery),
  status: 200,
  answer: z.object({ payouts: z.array(payout), ...pageAnswer }),
  errors: ["registration_required"],
});

/** More than any balance. */
const MAX_PAYOUT_YEN = 100_000_000;

const AMOUNT_SENTENCE = `残高から引く額は、${groupDigits(PAYOUT_MIN_YEN)}円以上、残高までの整数で入力してください。`;

/** The amount of a payout in integer yen. */
export const payoutYen = z
  .int({ error: AMOUNT_SENTENCE, abort: true })
  .min(PAYOUT_MIN_YEN, AMOUNT_SENTENCE)
  .max(MAX_PAYOUT_YEN, AMOUNT_SENTENCE);

/** The amount of a payout in integer yen, or all that is available. */
export const payoutAmount = z.union([z.literal("all"), payoutYen], AMOUNT_SENTENCE).meta({
  id: "PayoutAmount",
  description: "残高から引く額（円、整数。振込手数料を含む）。all なら残高のすべて",
  examples: [10_000],
});

/**
 * Asks for a payout to the registered bank account. The amount leaves the balance at once; the fee of the bank transfer is
 * part of it. A payout that fails comes back to the balance as a whole.
 */
export const createPayout = defineOperation({
  id: "createPayout",
  method: "POST",
  path: "/v4/payouts",
  auth: "required",
  summary: "振込を申請する",
  body: z.object({
    amount: payoutAmount,
    seen_bank_updated_at: givenTime
      .meta({
        description: "申請する人が確認した振込先の口座の `updated_at`。変わっていれば、申請を受け付けない",
        examples: ["2026-11-20T03:15:00.000Z"],
      })
      .optional(),
  }),
  status: 201,
  answer: z.object({ payout }),
  errors: [
    "registration_required",
    "payouts_paused",
    "creator_required",
    "payout_account_required",
    "payouts_not_enabled",
    "bank_account_required",
    "bank_account_conflict",
    "balance_insufficient",
    "payout_below_minimum",
    "idempotency_key_reused",
    "too_many_requests",
  ],
});

/** Cancels a payout that is still pending. The whole amount comes back to the balance. Our own: docs/decisions/0031. */
export const cancelPayout = defineOperation({
  id: "cancelPayout",
  method: "DELETE",
  path: "/v4/payouts/{payout_id}",
  auth: "required",
  summary: "手続き中の振込を取り消す",
  params: z.object({ payout_id: id }),
  status: 200,
  answer: z.object({ payout }),
  errors: [
    "registration_required",
    "payouts_paused",
    "payout_transition_refused",
    "payments_unavailable",
    "gateway_unreachable",
  ],
});
