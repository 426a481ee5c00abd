/**
 * Time as the product keeps it: stored in UTC, reckoned in Asia/Tokyo where a person's day matters.
 * Source: decisions, "Time" and the "3 a day" limit.
 */
export interface Clock {
  /** The present moment in milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** `2026-11-20T01:02:03.004Z`: the one form in which a moment is stored and sent. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

const JST_OFFSET_MS = 9 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The moment, in UTC, at which the Japanese calendar day holding `ms` began. */
export function startOfJapaneseDay(ms: number): number {
  return Math.floor((ms + JST_OFFSET_MS) / DAY_MS) * DAY_MS - JST_OFFSET_MS;
}

/** The moment at which the next Japanese calendar day begins. */
export function endOfJapaneseDay(ms: number): number {
  return startOfJapaneseDay(ms) + DAY_MS;
}

/** The Japanese calendar month holding `ms`: the moments, in UTC, at which it began and at which the next one begins. */
export function japaneseMonthOf(ms: number): { start_ms: number; end_ms: number } {
  const in_japan = new Date(ms + JST_OFFSET_MS);
  const [year, month] = [in_japan.getUTCFullYear(), in_japan.getUTCMonth()];
  return { start_ms: Date.UTC(year, month) - JST_OFFSET_MS, end_ms: Date.UTC(year, month + 1) - JST_OFFSET_MS };
}

/** The calendar year that it is in Japan. */
export function japaneseYearOf(ms: number): number {
  return new Date(ms + JST_OFFSET_MS).getUTCFullYear();
}
