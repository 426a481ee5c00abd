import type Stripe from "stripe";
import {
  type AccountType,
  accountType,
  type IdentityVerification,
  type PayoutFailureReason,
  type PayoutStatus,
  payoutFailureReason,
} from "../../contract/payouts.ts";
import { japaneseDayOf, japaneseMonthText } from "../../kernel/clock.ts";

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The longest and the shortest time between two questions to the gateway. A lost webhook delays a change by as much. */
export const SELDOM_MS = DAY_MS;
const OFTEN_MS = 10 * MINUTE_MS;
/** When to ask again about a payout that is under way, or that the gateway refused for the moment. */
export const WAIT_MS = OFTEN_MS;
/** For how long the gateway may still report that a payout came back which was reported as paid. */
const RETURN_MS = 10 * DAY_MS;

/** What the gateway knows of a creator's account. */
export interface AccountState {
  /** Null until the person has finished the gateway's pages, which can change our choice. What it was before is ours to say. */
  account_type: AccountType | null;
  tos_accepted: boolean;
  payouts_enabled: boolean;
  identity_verification: IdentityVerification;
}

/**
 * Reads an account of the gateway. Only the gateway's list of requirements says the same for a person and a company: an error,
 * or a due requirement of the verification, means that the proof was refused.
 */
export function readAccount(account: Stripe.Account): AccountState {
  const { business_type, details_submitted, tos_acceptance, payouts_enabled, requirements, capabilities } = account;
  const due = [...(requirements?.currently_due ?? []), ...(requirements?.past_due ?? [])];
  const is_refused = (requirements?.errors ?? []).length > 0 || due.some((each) => each.includes("verification"));
  const is_verified = capabilities?.transfers === "active" && (requirements?.pending_verification ?? []).length === 0;
  return {
    account_type: details_submitted ? (accountType.safeParse(business_type).data ?? null) : null,
    tos_accepted: details_submitted && typeof tos_acceptance?.date === "number",
    payouts_enabled,
    identity_verification: !details_submitted
      ? "none"
      : is_refused
        ? "unverified"
        : is_verified
          ? "verified"
          : "pending",
  };
}

/** Returns when to ask about an account again: the longer it exists, the less often. */
export function nextAccountCheck(created_at: string, now_ms: number): number {
  const age_ms = now_ms - Date.parse(created_at);
  return now_ms + Math.min(SELDOM_MS, Math.max(OFTEN_MS, Math.floor(age_ms / 10)));
}

/** Returns the status of a payout at the gateway. A status that we do not know is still under way. */
export function statusOf({ status }: Pick<Stripe.Payout, "status">): PayoutStatus {
  return status === "pending" || status === "paid" || status === "failed" || status === "canceled"
    ? status
    : "in_transit";
}

/** Returns why a payout failed. A reason that the spec does not name becomes `could_not_process`. */
export function failureOf({ failure_code }: Pick<Stripe.Payout, "failure_code">): PayoutFailureReason {
  return payoutFailureReason.safeParse(failure_code).data ?? "could_not_process";
}

/** The failures that say nothing about the bank account. A later payout to the same account may succeed. */
export const FAILURES_THAT_PASS: readonly PayoutFailureReason[] = ["could_not_process", "insufficient_funds"];

/**
 * Returns when the clock looks at a payout again; null for never. A failed or canceled one is looked at until its transfer
 * is taken back, a paid one for some days, because the bank may send it back.
 */
export function nextPayoutCheck(
  {
    status,
    transfer_id,
    reversal_id,
    ended_at,
  }: {
    status: PayoutStatus;
    transfer_id: string | null;
    reversal_id: string | null;
    ended_at: string | null;
  },
  now_ms: number,
): number | null {
  if (status === "failed" || status === "canceled") {
    return transfer_id !== null && reversal_id === null ? now_ms : null;
  }
  if (status !== "paid") return now_ms + WAIT_MS;
  const next_ms = now_ms + SELDOM_MS;
  return next_ms > Date.parse(ended_at ?? "") + RETURN_MS ? null : next_ms;
}

/** The day of the month on which automatic payouts are requested. Source: product decisions; docs/decisions/0031. */
const AUTOMATIC_DAY = "20";

/**
 * Returns the month whose automatic payouts are due, and the moment since which they are; null before the 20th, Japanese
 * time.
 */
export function automaticMonthAt(now_ms: number): { month: string; since_ms: number } | null {
  const month = japaneseMonthText(now_ms);
  const since_ms = japaneseDayOf(`${month}-${AUTOMATIC_DAY}`);
  return now_ms < since_ms ? null : { month, since_ms };
}
