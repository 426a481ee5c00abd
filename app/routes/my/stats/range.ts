import type { AggPeriod } from "../../../../workers/contract/stats.ts";
import { tokyoDay } from "../../../text/tokyo-time.ts";

export const STATS_PATH = "/my/stats";
/** Where the figures are downloaded. */
export const STATS_CSV_PATH = `${STATS_PATH}/figures.csv`;

export const PRESETS = [
  { range: "week", label: "過去7日" },
  { range: "month", label: "過去28日" },
  { range: "year", label: "12か月" },
] as const;
export type Preset = (typeof PRESETS)[number]["range"];

/** The range in the address: a preset, or days as they were typed. */
export interface Range {
  preset: Preset | null;
  query: { start_date?: string; end_date?: string; agg_period: AggPeriod };
}

const DAY_MS = 24 * 60 * 60 * 1000;

const aggPeriodOf = (text: string | null): AggPeriod => (text === "week" || text === "month" ? text : "day");

/** The fields of the form for other days. */
export const RANGE_FIELDS = { start_date: "始まりの日", end_date: "終わりの日", agg_period: "集計" };
export type RangeErrors = Partial<Record<keyof typeof RANGE_FIELDS, string[]>>;

/** Returns the errors of days that are missing or in no calendar, or null. The API checks everything else. */
export function dayErrors({ query }: Range): RangeErrors | null {
  const errors = (["start_date", "end_date"] as const).flatMap((name) => {
    const typed = query[name];
    return typed === undefined || isDay(typed) ? [] : [[name, [`${RANGE_FIELDS[name]}を入力してください。`]]];
  });
  return errors.length > 0 ? Object.fromEntries(errors) : null;
}

function isDay(typed: string): boolean {
  const moment = `${typed}T00:00:00.000Z`;
  return !Number.isNaN(Date.parse(moment)) && new Date(moment).toISOString() === moment;
}

/** Reads the range from the address. Everything unknown is the last 28 days. */
export function rangeOf({ searchParams }: URL, now_ms = Date.now()): Range {
  const [start_date, end_date] = ["start_date", "end_date"].map((name) => searchParams.get(name)?.trim().slice(0, 20));
  if (start_date || end_date) {
    const agg_period = aggPeriodOf(searchParams.get("agg_period"));
    return { preset: null, query: { start_date: start_date ?? "", end_date: end_date ?? "", agg_period } };
  }
  const range = searchParams.get("range");
  if (range === "year") return { preset: "year", query: { agg_period: "month" } };
  if (range !== "week") return { preset: "month", query: { agg_period: "day" } };
  const week = { start_date: tokyoDay(new Date(now_ms - 6 * DAY_MS)), end_date: tokyoDay(new Date(now_ms)) };
  return { preset: "week", query: { ...week, agg_period: "day" } };
}

/** Returns the part of an address that leads to the same range again. */
export const searchOf = ({ preset, query }: Range): Record<string, string> =>
  preset ? { range: preset } : { ...query };
