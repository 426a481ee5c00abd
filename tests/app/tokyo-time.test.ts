import { expect, test } from "vitest";
import { rangeOf } from "../../app/routes/my/stats/range.ts";
import { dayOf, tokyoDay } from "../../app/text/tokyo-time.ts";

test.each([
  ["2026-12-31T14:59:59.999Z", "2026-12-31", "2026-12-25"],
  ["2026-12-31T15:00:00.000Z", "2027-01-01", "2026-12-26"],
])("the moment %s is in Japan on %s", (moment, day, week_before) => {
  expect([tokyoDay(moment), dayOf(moment)]).toEqual([day, day.replaceAll("-", "/")]);
  const { query } = rangeOf(new URL("https://ofuse.example/my/stats?range=week"), Date.parse(moment));
  expect(query).toEqual({ start_date: week_before, end_date: day, agg_period: "day" });
});
