/**
 * Prices and daily limits. Pages show these numbers, and the API enforces them. This file imports nothing. Source:
 * product decisions, "Money".
 */

export const PAID_OFUSE_MIN_YEN = 100;
export const PAID_OFUSE_MAX_YEN = 11_000;
/** The minimum price per character of a paid letter. */
export const YEN_PER_CHARACTER = 2;
/** The amount that a form suggests. */
export const PAID_OFUSE_USUAL_YEN = 550;
/** Payments that all visitors at one IP address may begin in a day. A school or a company shares one address. */
export const GUEST_PAYMENTS_OF_AN_ADDRESS = 60;
/**
 * The number of free letters that one person may send to one creator in a Japanese calendar day. Source: product
 * decisions, "free ofuse".
 */
export const FREE_OFUSES_A_DAY = 3;
/** How many newsletters a creator may send in a Japanese calendar month. Source: product decisions, "States". */
export const NEWSLETTERS_A_MONTH = 4;
/** An account younger than this has the first bound of {@link DAILY_ACTS}, an older one the second. */
export const YOUNG_ACCOUNT_DAYS = 7;
/**
 * How many acts of each kind one person may do in a Japanese calendar day. Source: docs/decisions/0021, product
 * decisions, "A day of one person".
 */
export const DAILY_ACTS = {
  ofuse: { young: 20, older: 200 },
  public_ofuse: { young: 5, older: 50 },
  follow: { young: 50, older: 300 },
  comment: { young: 50, older: 300 },
  like: { young: 300, older: 1000 },
  report: { young: 10, older: 50 },
} as const;
/** Likes of all visitors at one IP address in a Japanese calendar day. A school or a company shares one address. */
export const GUEST_LIKES_OF_AN_ADDRESS = 3000;
/**
 * How many payments a young account may begin in any seven days. Source: product decisions, "Limits".
 */
export const PAYMENTS_OF_A_YOUNG_ACCOUNT = 15;
/** How many payments an older account may begin in any day. The clock asks the gateway about each that stays open. */
export const PAYMENTS_OF_AN_OLDER_ACCOUNT = 100;
/** How often a member may open the gateway's pages for cards in any day. Stolen cards are tried there too. */
export const CARD_PAGES_A_DAY = 20;
/**
 * How long an open checkout can be paid. It holds a part of the payer's monthly limit, and a place in its plan, so it is
 * short. The gateway demands at least 30 minutes from the call, and an attempt may repeat the call for 25 minutes.
 */
export const SESSION_MINUTES = 60;
export const PLAN_MIN_YEN = 100;
export const PLAN_MAX_YEN = 10_000;
/**
 * What a young person may pay in a Japanese calendar month, in yen, until the age. The age is the lowest that the year of
 * birth allows. Source: docs/decisions/0034.
 */
export const MINOR_LIMITS = [
  { until_age: 16, yen: 5_000 },
  { until_age: 18, yen: 20_000 },
] as const;
/** The largest limit that people can choose for themselves. */
export const SPENDING_LIMIT_MAX_YEN = 1_000_000;
/** Our part of every payment, rounded down to a yen; it includes what the gateway charges. Source: product decisions, "Money". */
export const PLATFORM_FEE_PERCENT = 10;
/** The smallest payout. Source: product decisions, "Money". */
export const PAYOUT_MIN_YEN = 1000;
export const PAYOUT_FEE_YEN = 250;

/**
 * The limits that operators may change while the site runs, with their standard values. They count acts, and no page shows
 * them. Prices, fees, limits of the law and numbers that our texts promise are not among them. Source:
 * docs/decisions/0056.
 */
export const ADJUSTABLE_LIMITS = {
  ofuse_young: DAILY_ACTS.ofuse.young,
  ofuse_older: DAILY_ACTS.ofuse.older,
  public_ofuse_young: DAILY_ACTS.public_ofuse.young,
  public_ofuse_older: DAILY_ACTS.public_ofuse.older,
  follow_young: DAILY_ACTS.follow.young,
  follow_older: DAILY_ACTS.follow.older,
  comment_young: DAILY_ACTS.comment.young,
  comment_older: DAILY_ACTS.comment.older,
  like_young: DAILY_ACTS.like.young,
  like_older: DAILY_ACTS.like.older,
  report_young: DAILY_ACTS.report.young,
  report_older: DAILY_ACTS.report.older,
  guest_likes_of_an_address: GUEST_LIKES_OF_AN_ADDRESS,
  guest_payments_of_an_address: GUEST_PAYMENTS_OF_AN_ADDRESS,
  payments_young: PAYMENTS_OF_A_YOUNG_ACCOUNT,
  payments_older: PAYMENTS_OF_AN_OLDER_ACCOUNT,
  card_pages: CARD_PAGES_A_DAY,
  /** Uploads that a person begins in an hour: enough for twelve posts full of pictures. Failed uploads count too. */
  uploads: 240,
} as const satisfies Record<string, number>;
export type AdjustableLimit = keyof typeof ADJUSTABLE_LIMITS;
/** An operator may set a limit from 1 to this many times its standard value. To stop an act altogether, pause its feature. */
export const LIMIT_FACTOR = 10;

/** How long a member keeps reading when the clock cannot ask the gateway about a renewal. Source: docs/decisions/0032. */
export const UNSEEN_RENEWAL_MS = 24 * 60 * 60 * 1000;
