import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { shortNumber } from "../../app/text/short-number.ts";
import { Counter } from "../../app/ui/counter.tsx";
import { groupDigits } from "../../workers/contract/group-digits.ts";

/** Half of the numbers have few digits, and the others lie around the limit of a unit. */
const numbers = fc.oneof(
  fc.integer({ min: -20_000, max: 20_000 }),
  fc.tuple(fc.nat({ max: 15 }), fc.integer({ min: -6000, max: 6000 })).map(([digits, more]) => 10 ** digits + more),
  fc.maxSafeInteger(),
);

test("numbers are written as the browser's own formatter writes them", () => {
  const short = new Intl.NumberFormat("ja-JP", {
    notation: "compact",
    maximumFractionDigits: 1,
    useGrouping: "always",
  });
  fc.assert(
    fc.property(numbers, (number) => {
      expect(groupDigits(number)).toBe(number.toLocaleString("ja-JP"));
      expect(shortNumber(number)).toBe(short.format(number));
    }),
    { numRuns: 300, examples: [[115_000_000], [12_500], [99_995_000], [99_999_999]] },
  );
});

test.each([
  [5499, "残り5,499文字"],
  [-1200, "1,200文字オーバー"],
])("the counter groups the digits of %d characters", (left, words) => {
  expect(renderToStaticMarkup(createElement(Counter, { left }))).toContain(words);
});
