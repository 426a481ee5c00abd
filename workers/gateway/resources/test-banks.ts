/**
 * The account numbers of a demo's banks. A payout to a listed number fails for its reason; to any other it arrives. The
 * first five are Stripe's own for seven-digit accounts, the rest are ours. Source: https://docs.stripe.com/connect/testing
 */
export const failingAccounts: Readonly<Record<string, string>> = {
  "1111116": "no_account",
  "1111113": "account_closed",
  "2222227": "insufficient_funds",
  "3333335": "debit_not_authorized",
  "4444440": "invalid_currency",
  "9000001": "account_frozen",
  "9000002": "bank_account_restricted",
  "9000003": "bank_ownership_changed",
  "9000004": "could_not_process",
  "9000005": "declined",
  "9000006": "invalid_account_number",
  "9000007": "incorrect_account_holder_name",
  "9000008": "unsupported_card",
};

/** Returns why a payout to this account number fails; null when it arrives. */
export function payoutFailureOf(account_number: string): string | null {
  return failingAccounts[account_number] ?? null;
}
