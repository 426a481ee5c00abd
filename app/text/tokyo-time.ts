/* Japan has one time zone and no summer time, so these functions need no `Intl`: to construct its formatters takes a slow phone
   a tenth of a second (docs/decisions/0050). */

const TOKYO_MS = 9 * 60 * 60 * 1000;

/** Converts a moment to Tokyo time for a date and time field: `2026-11-20T19:05`. */
export function tokyoTime(moment: string | Date): string {
  return new Date(new Date(moment).getTime() + TOKYO_MS).toISOString().slice(0, 16);
}

/** Converts the field's value back. Returns null for an invalid date, such as 30 February. */
export function ofTokyo(local: string | undefined): string | null {
  if (!local || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(local)) return null;
  const time = Date.parse(`${local}${local.length === 16 ? ":00" : ""}Z`) - TOKYO_MS;
  if (Number.isNaN(time)) return null;
  const iso = new Date(time).toISOString();
  return tokyoTime(iso) === local.slice(0, 16) ? iso : null;
}

/** Converts a moment to its day in Tokyo for a date field: `2026-11-20`. */
export const tokyoDay = (moment: string | Date): string => tokyoTime(moment).slice(0, 10);

/** Formats the date of a moment in Japanese time: `2026/11/20`. */
export const dayOf = (moment: string | Date): string => tokyoDay(moment).replaceAll("-", "/");

/** Formats the time of a moment in Japanese time: `19:05`. */
export const timeOf = (moment: string | Date): string => tokyoTime(moment).slice(11);

/** Formats a moment in Japanese time: `2026/11/20 19:05`. */
export const minuteOf = (moment: string | Date): string => `${dayOf(moment)} ${timeOf(moment)}`;
