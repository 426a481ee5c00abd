import * as z from "zod";
import { pageQuery } from "./fields.ts";
import { planOperation } from "./operation.ts";

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

export const getBank = planOperation({
  id: "getBank",
  method: "GET",
  path: "/v4/bank",
  auth: "required",
  summary: "振込先の口座",
});

export const updateBank = planOperation({
  id: "updateBank",
  method: "PUT",
  path: "/v4/bank",
  auth: "required",
  summary: "振込先の口座を変更する",
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
