/**
 * The product stores times in UTC and computes calendar days in Asia/Tokyo. Source: decisions, "Time" and the "3 a day"
 * limit.
 */
export interface Clock {
  /** The present moment in milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Formats a moment as `2026-11-20T01:02:03.004Z`, the one form in which moments are stored and sent. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

const JST_OFFSET_MS = 9 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the moment at which the Japanese calendar day of `ms` began. */
export function startOfJapaneseDay(ms: number): number {
  return Math.floor((ms + JST_OFFSET_MS) / DAY_MS) * DAY_MS - JST_OFFSET_MS;
}

/** Returns the moment at which the Japanese calendar day after that of `ms` begins. */
export function endOfJapaneseDay(ms: number): number {
  return startOfJapaneseDay(ms) + DAY_MS;
}

/** Returns the moments at which the Japanese calendar month of `ms` began and at which the next month begins. */
export function japaneseMonthOf(ms: number): { start_ms: number; end_ms: number } {
  const in_japan = new Date(ms + JST_OFFSET_MS);
  const [year, month] = [in_japan.getUTCFullYear(), in_japan.getUTCMonth()];
  return { start_ms: Date.UTC(year, month) - JST_OFFSET_MS, end_ms: Date.UTC(year, month + 1) - JST_OFFSET_MS };
}

/** Returns the calendar month in Japan at the moment `ms`: `2026-11`. */
export function japaneseMonthText(ms: number): string {
  return japaneseDayText(ms).slice(0, 7);
}

/** Returns the calendar year in Japan at the moment `ms`. */
export function japaneseYearOf(ms: number): number {
  return new Date(ms + JST_OFFSET_MS).getUTCFullYear();
}

/** Returns the moment at which a calendar day in Japan begins: `2026-11-20`. */
export function japaneseDayOf(day: string): number {
  return Date.parse(`${day}T00:00:00+09:00`);
}

/** Returns the calendar day in Japan at the moment `ms`: `2026-11-20`. */
export function japaneseDayText(ms: number): string {
  return isoTime(ms + JST_OFFSET_MS).slice(0, 10);
}
