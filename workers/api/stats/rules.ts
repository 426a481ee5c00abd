import type { AggPeriod } from "../../contract/stats.ts";

/** Calendar days of Japan are texts here: `2026-11-25`. Both ends of a range belong to it. */
export interface Days {
  start_date: string;
  end_date: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** Returns the first day of the month that is `months` after that of a day. */
function firstOfMonth(day: string, months = 0): string {
  const [year = 0, month = 1] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 + months)).toISOString().slice(0, 10);
}

const lastOfMonth = (day: string) => dayAfter(firstOfMonth(day, 1), -1);

/** Returns the Monday of a day's week. 1970-01-05 was a Monday. */
const mondayOf = (day: string) => dayAfter(day, -((((Date.parse(day) / DAY_MS - 4) % 7) + 7) % 7));

/** Moves a day by months. The last day of a month becomes the last day of the other. */
function moveByMonths(day: string, months: number): string {
  const last = lastOfMonth(firstOfMonth(day, months));
  if (day === lastOfMonth(day)) return last;
  const moved = `${last.slice(0, 8)}${day.slice(8)}`;
  return moved < last ? moved : last;
}

/** Returns the days that are meant when none are given: 28 days, 12 weeks or 12 months, up to today. */
export function defaultDays(agg_period: AggPeriod, today: string): Days {
  const start_date = {
    day: dayAfter(today, -27),
    week: dayAfter(mondayOf(today), -77),
    month: firstOfMonth(today, -11),
  }[agg_period];
  return { start_date, end_date: today };
}

/** Splits a range into days, weeks from Monday, or months. The first and the last may be shorter. */
export function periodsOf({ start_date, end_date }: Days, agg_period: AggPeriod): Days[] {
  const lastOf = {
    day: (day: string) => day,
    week: (day: string) => dayAfter(mondayOf(day), 6),
    month: lastOfMonth,
  }[agg_period];
  const periods: Days[] = [];
  for (let start = start_date; start <= end_date; ) {
    const last = lastOf(start);
    const end = last < end_date ? last : end_date;
    periods.push({ start_date: start, end_date: end });
    start = dayAfter(end, 1);
  }
  return periods;
}

/**
 * Returns the period with which each period is compared: as many months earlier as the range has months, or as many days as
 * the range is long.
 */
export function previousOf(periods: readonly Days[], agg_period: AggPeriod): Days[] {
  const [first, last] = [periods[0]?.start_date ?? "", periods.at(-1)?.end_date ?? ""];
  const length = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  const move =
    agg_period === "month"
      ? (day: string) => moveByMonths(day, -periods.length)
      : (day: string) => dayAfter(day, -length);
  return periods.map(({ start_date, end_date }) => ({ start_date: move(start_date), end_date: move(end_date) }));
}

/** Rows of `creator_figures` of one grain, from `first` to `last`, which are added or taken away. */
export interface Span {
  grain: "day" | "month";
  first: string;
  last: string;
  sign: 1 | -1;
}

/** The number of days that are at most half of every month. */
const HALF_A_MONTH = 14;

/** Returns the fewest rows that add up to a range. A month is one row, and most of a month is that row without the other days. */
export function spansOf(range: Days): Span[] {
  // Weeks, of which a year has many, need no calendar.
  const is_in_a_month = range.start_date.slice(0, 7) === range.end_date.slice(0, 7);
  if (is_in_a_month && daysIn(range) <= HALF_A_MONTH) return [daySpan(range, 1)];
  const added: Span[] = [];
  const taken: Span[] = [];
  for (const part of periodsOf(range, "month")) {
    const others = [
      { start_date: firstOfMonth(part.start_date), end_date: dayAfter(part.start_date, -1) },
      { start_date: dayAfter(part.end_date, 1), end_date: lastOfMonth(part.end_date) },
    ].filter(({ start_date, end_date }) => start_date <= end_date);
    const rows_with_month = others.reduce((sum, days) => sum + daysIn(days), 1);
    if (daysIn(part) < rows_with_month) {
      added.push(daySpan(part, 1));
      continue;
    }
    taken.push(...others.map((days) => daySpan(days, -1)));
    const month = part.start_date.slice(0, 7);
    const former = added.at(-1);
    if (former?.grain === "month") former.last = month;
    else added.push({ grain: "month", first: month, last: month, sign: 1 });
  }
  return [...added, ...taken];
}

const daysIn = ({ start_date, end_date }: Days) => (Date.parse(end_date) - Date.parse(start_date)) / DAY_MS + 1;

const daySpan = ({ start_date, end_date }: Days, sign: 1 | -1): Span => ({
  grain: "day",
  first: start_date,
  last: end_date,
  sign,
});

/** The most hosts that are counted of a creator and day. A script can invent any number of them. */
export const HOSTS_OF_A_DAY = 50;
/** Stands for the hosts beyond them. No host has this name. */
export const OTHER_HOSTS = "*";
/** Statistics count a host that led to fewer reads together with other such hosts. Alone it could reveal a single reader. */
const FEWEST_READS_OF_A_HOST = 3;
const MOST_HOSTS = 10;

export interface Referrer {
  kind: "host" | "direct" | "others";
  host: string | null;
  reads_count: number;
}

/** Returns where readers came from, most first, the rare hosts together at the end. */
export function foldReferrers(rows: readonly { subject: string; count: number }[]): Referrer[] {
  const counted = rows.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  const hosts = counted.filter(({ subject }) => subject !== "" && subject !== OTHER_HOSTS);
  const told = hosts.filter(({ count }) => count >= FEWEST_READS_OF_A_HOST).slice(0, MOST_HOSTS);
  const named = counted.flatMap(({ subject, count }): Referrer[] => {
    if (subject === "") return [{ kind: "direct", host: null, reads_count: count }];
    return told.some((host) => host.subject === subject) ? [{ kind: "host", host: subject, reads_count: count }] : [];
  });
  const all = counted.reduce((sum, { count }) => sum + count, 0);
  const others = all - named.reduce((sum, { reads_count }) => sum + reads_count, 0);
  return others > 0 ? [...named, { kind: "others", host: null, reads_count: others }] : named;
}

/** Rounds a count down to its first two digits. */
export function roundDown(count: number): number {
  const unit = 10 ** Math.max(0, String(count).length - 2);
  return Math.floor(count / unit) * unit;
}
