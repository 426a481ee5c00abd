import { expect, test } from "vitest";
import { dayErrors, rangeOf } from "../../app/routes/my/stats/range.ts";
import { dayOf, tokyoDay } from "../../app/text/tokyo-time.ts";

test.each([
  ["2026-12-31T14:59:59.999Z", "2026-12-31", "2026-12-25"],
  ["2026-12-31T15:00:00.000Z", "2027-01-01", "2026-12-26"],
])("the moment %s is in Japan on %s", (moment, day, week_before) => {
  expect([tokyoDay(moment), dayOf(moment)]).toEqual([day, day.replaceAll("-", "/")]);
  const { query } = rangeOf(new URL("https://ofuse.example/my/stats?range=week"), Date.parse(moment));
  expect(query).toEqual({ start_date: week_before, end_date: day, agg_period: "day" });
});

test.each([
  ["start_date=&end_date=2026-11-01", { start_date: ["始まりの日を入力してください。"] }],
  ["start_date=2026-11-01", { end_date: ["終わりの日を入力してください。"] }],
  [
    "start_date=2026-02-30&end_date=x",
    {
      start_date: ["始まりの日を入力してください。"],
      end_date: ["終わりの日を入力してください。"],
    },
  ],
  ["start_date=2026-11-02&end_date=2026-11-01", null],
  ["range=week", null],
])("the days of the address %s are refused by the names of their fields", (search, errors) => {
  expect(dayErrors(rangeOf(new URL(`https://ofuse.example/my/stats?${search}`)))).toEqual(errors);
});
