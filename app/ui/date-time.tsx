import { dayOf, minuteOf, timeOf } from "../text/tokyo-time.ts";

const formats = { full: minuteOf, date: dayOf, time: timeOf };

/** A moment in Japanese time: `2026/11/20 19:05`, or only the date or the time. Source: decisions, "Time". */
export function DateTime({ iso, format = "full" }: { iso: string; format?: keyof typeof formats }) {
  return (
    <time dateTime={iso} className="date-time">
      {formats[format](iso)}
    </time>
  );
}
