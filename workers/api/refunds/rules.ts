/** What the gateway says of refunds and disputes, in our words. Pure functions. */

/** The state of a refund. `requires_action` waits for the payer's bank account. Source: Stripe, "The Refund object", status. */
export function stateOfRefund({ status }: { status: string | null }): "pending" | "paid" | "failed" {
  if (status === "succeeded") return "paid";
  return status === "failed" || status === "canceled" ? "failed" : "pending";
}

/**
 * The state of a dispute; null for an inquiry (`warning_*`) and for one that was prevented, because neither moves money.
 * Source: Stripe, "The Dispute object", status.
 */
export function stateOfDispute({ status }: { status: string }): "open" | "won" | "lost" | null {
  if (status === "needs_response" || status === "under_review") return "open";
  return status === "won" || status === "lost" ? status : null;
}

/** Whether a refund or a dispute is about the whole payment. */
export function isWhole(payment: { amount: number }, withdrawal: { amount: number }): boolean {
  return payment.amount === withdrawal.amount;
}

/** The account that has the creator's share of a payment. */
export function shareAccountOf({ released_at }: { released_at: string | null }): "creator_pending" | "creator_payable" {
  return released_at === null ? "creator_pending" : "creator_payable";
}

const MINUTE_MS = 60 * 1000;
export const LONGEST_WAIT_MS = 6 * 60 * MINUTE_MS;

/** When the clock asks again: after a quarter of the time that it has taken so far, a minute at least and six hours at most. */
export function nextCheck(began_at: string, now_ms: number): number {
  const taken_ms = now_ms - Date.parse(began_at);
  return now_ms + Math.min(Math.max(taken_ms / 4, MINUTE_MS), LONGEST_WAIT_MS);
}
