import { PAID_OFUSE_MAX_YEN, PAID_OFUSE_MIN_YEN } from "../../../workers/contract/limits.ts";

/** The prices that the form for a paid letter lists, and the option to type another. */
export const LETTER_PRICES = [
  String(PAID_OFUSE_MIN_YEN),
  "550",
  "1100",
  "3300",
  "5500",
  String(PAID_OFUSE_MAX_YEN),
] as const;
export const OWN_PRICE = "own";

/** Returns the fields of a form for an amount. */
export function pricesOf(amount: number): { price: string; own_amount?: string } {
  const listed = LETTER_PRICES.find((price) => price === String(amount));
  return listed ? { price: listed } : { price: OWN_PRICE, own_amount: String(amount) };
}
