import type { CardOutcome } from "../storage/documents.ts";

/**
 * The cards that a demo knows, with Stripe's numbers and the ids that stand for them in API calls. The last three digits
 * behave as at Stripe. Source: https://docs.stripe.com/testing
 */
export interface TestCard {
  number: string;
  /** The id of a payment method that makes such a card, so that a test sends no number. */
  token: string;
  brand: "visa" | "mastercard" | "jcb";
  outcome: CardOutcome;
  /** What the hosted page says of the card. */
  meaning: string;
}

export const testCards: readonly TestCard[] = [
  {
    number: "4242424242424242",
    token: "pm_card_visa",
    brand: "visa",
    outcome: "succeeds",
    meaning: "支払いが成功します",
  },
  {
    number: "3566002020360505",
    token: "pm_card_jcb",
    brand: "jcb",
    outcome: "succeeds",
    meaning: "支払いが成功します（JCB）",
  },
  {
    number: "4000000000000002",
    token: "pm_card_visa_chargeDeclined",
    brand: "visa",
    outcome: "declined",
    meaning: "カード会社に断られます",
  },
  {
    number: "4000000000009995",
    token: "pm_card_visa_chargeDeclinedInsufficientFunds",
    brand: "visa",
    outcome: "insufficient_funds",
    meaning: "残高不足で断られます",
  },
  {
    number: "4000002500003155",
    token: "pm_card_authenticationRequiredOnSetup",
    brand: "visa",
    outcome: "requires_authentication",
    meaning: "3Dセキュアの確認画面が出ます",
  },
  {
    number: "4000000000000341",
    token: "pm_card_chargeCustomerFail",
    brand: "visa",
    outcome: "declined_later",
    meaning: "登録はできますが、あとの支払いで断られます",
  },
  {
    number: "4000000000000259",
    token: "pm_card_createDispute",
    brand: "visa",
    outcome: "disputed",
    meaning: "支払いのあと、不審請求として申し立てられます",
  },
];

/** Whether the digits have a valid check digit. Source: ISO/IEC 7812-1, annex B (Luhn). */
export function isLuhnValid(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
