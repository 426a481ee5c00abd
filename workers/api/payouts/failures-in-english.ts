import type { PayoutFailureReason } from "../../contract/payouts.ts";

const ASK_BANK = "Please ask your bank, or register another account.";

/** What contract/payout-words.ts says in Japanese, for mails. */
export const FAILURES_IN_ENGLISH: Readonly<Record<PayoutFailureReason, string>> = {
  account_closed: "The bank account is closed. Please register another account and ask for the payout again.",
  account_frozen: `The bank account is frozen. ${ASK_BANK}`,
  bank_account_restricted: `The bank account cannot receive money at the moment. ${ASK_BANK}`,
  bank_ownership_changed: "The bank account has another owner now. Please register an account of your own.",
  could_not_process: "The bank could not process it. Please check the account and ask again later.",
  debit_not_authorized: `The bank account does not allow it. ${ASK_BANK}`,
  declined: `The bank declined it. ${ASK_BANK}`,
  insufficient_funds: "The payment service did not have the funds. You need not do anything. Please ask again later.",
  invalid_account_number: "The account number is wrong. Please check it and register the account again.",
  incorrect_account_holder_name:
    "The name of the account holder differs from the bank's. Please register it again in katakana, as the bank has it.",
  invalid_currency: "The bank account does not take yen. Please register an account that does.",
  no_account: "There is no such bank account. Please check bank, branch and number, and register it again.",
  unsupported_card: "Payouts to this card or account are not possible. Please register an ordinary bank account.",
};
