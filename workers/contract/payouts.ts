import * as z from "zod";
import { bankAccountInput, maskedBankAccount } from "./banks.ts";
import { pageQuery } from "./fields.ts";
import { defineOperation, planOperation } from "./operation.ts";

/** A creator's payout account and the transfers to it. Source of the enumerations: spec section 3. */

export const accountType = z.enum(["individual", "company"]);
export const identityVerification = z.enum(["none", "pending", "unverified", "verified"]);
export const verification = z.enum(["none", "pending", "verified"]);
/** The two steps that open a payout account. */
export const accountLinkStep = z.enum(["tos_accepted", "payouts_enabled"]);
export const payoutStatus = z.enum(["paid", "pending", "in_transit", "canceled", "failed"]);
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

export const linkCreatorAccount = planOperation({
  id: "linkCreatorAccount",
  method: "POST",
  path: "/v4/creator",
  auth: "required",
  summary: "収益化の登録を始める",
});

/**
 * The account that receives the caller's payouts, with its number masked; null when there is none. Refused with
 * `bank_account_unreadable` when the stored account cannot be decrypted: the person must register it again.
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

export const listPayouts = planOperation({
  id: "listPayouts",
  method: "GET",
  path: "/v4/payouts",
  auth: "required",
  summary: "振込の一覧",
  query: z.object(pageQuery),
});

export const createPayout = planOperation({
  id: "createPayout",
  method: "POST",
  path: "/v4/payouts",
  auth: "required",
  summary: "振込を申請する",
});
