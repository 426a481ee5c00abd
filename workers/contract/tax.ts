/** The consumption tax of payments. Imports nothing: pages show it too. */

/** The rate of the consumption tax that prices include. */
export const TAX_PERCENT = 10;

/** Returns the tax that an amount includes, floored to the yen, once for an invoice. Source: 消費税法施行令 第70条の10. */
export function includedTax(amount_yen: number): number {
  const share = amount_yen * TAX_PERCENT;
  return (share - (share % (100 + TAX_PERCENT))) / (100 + TAX_PERCENT);
}
