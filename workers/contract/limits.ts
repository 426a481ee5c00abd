/**
 * What things cost and how often they may be done, as people are told and as the product holds them to. Imports nothing.
 * Source: decisions, "Money".
 */

export const PAID_OFUSE_MIN_YEN = 100;
export const PAID_OFUSE_MAX_YEN = 11_000;
/** Each character of a paid letter takes so much. */
export const YEN_PER_CHARACTER = 2;
/** Free letters one person may send to one creator in a Japanese calendar day. Source: decisions, "free ofuse". */
export const FREE_OFUSES_A_DAY = 3;
export const PLAN_MIN_YEN = 100;
export const PLAN_MAX_YEN = 10_000;
/** Payment processing included, floored. */
export const PLATFORM_FEE_PERCENT = 10;
export const PAYOUT_MIN_YEN = 1000;
export const PAYOUT_FEE_YEN = 250;
