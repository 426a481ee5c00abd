const formats = {
  full: new Intl.DateTimeFormat("ja-JP", {
    timeZone: "Asia/Tokyo",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }),
  date: new Intl.DateTimeFormat("ja-JP", { timeZone: "Asia/Tokyo", year: "numeric", month: "2-digit", day: "2-digit" }),
  time: new Intl.DateTimeFormat("ja-JP", {
    timeZone: "Asia/Tokyo",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }),
};

/** Formats the date of a moment in Japanese time: `2026/11/20`. */
export const dayOf = (moment: Date): string => formats.date.format(moment);

/** Formats a moment in Japanese time: `2026/11/20 19:05`. */
export const minuteOf = (moment: Date): string => formats.full.format(moment);

/** A moment in Japanese time: `2026/11/20 19:05`, or only the date or the time. Source: decisions, "Time". */
export function DateTime({ iso, format = "full" }: { iso: string; format?: keyof typeof formats }) {
  return (
    <time dateTime={iso} className="date-time">
      {formats[format].format(new Date(iso))}
    </time>
  );
}
