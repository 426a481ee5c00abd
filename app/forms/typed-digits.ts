/** Numbers as people type them, for pages and schemas alike: no zod here. */

/** Digits of half or full width, alone or in groups of three between commas. */
const DIGITS = "[0-9０-９]{1,16}|[0-9０-９]{1,3}(?:[,，][0-9０-９]{3}){1,4}";
export const TYPED_NUMBER = new RegExp(`^(?:${DIGITS})$`);
export const TYPED_YEN = new RegExp(`^(?:${DIGITS})円?$`);

/** Not NFKC, which makes digits of other characters too: it reads `1²` as 12. */
export const readDigits = (typed: string): number =>
  Number(typed.replace(/[,，円]/g, "").replace(/[０-９]/g, (digit) => String("０１２３４５６７８９".indexOf(digit))));

/** Returns the amount in a field that is still being typed. NaN while it is none. */
export const yenOf = (typed: string): number => (TYPED_YEN.test(typed.trim()) ? readDigits(typed.trim()) : Number.NaN);
