import fc from "fast-check";
import { expect, test } from "vitest";
import { toNormalForm } from "../../workers/contract/normal-form.ts";
import { text } from "../../workers/contract/text.ts";

const MARKS = 250_000;

// A quadratic function needs minutes for these, more than a test has.
test.each([
  ["of two kinds, the later first", `a${"\u0300".repeat(MARKS)}${"\u0316".repeat(MARKS)}`],
  ["in turns", `a${"\u0300\u0316".repeat(MARKS)}`],
  ["that only NFKC makes marks", `a${"\uff9e\u0300".repeat(MARKS)}`],
])("half a million marks %s are normalised in linear time", (_, marks) => {
  for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const) toNormalForm(marks, form);
  expect(text({ label: "名前", max: 50 }).safeParse(marks).success).toBe(false);
});

test("a text whose letters have at most 30 marks is normalised as ever", () => {
  const letter = fc.constantFrom(..."aがカｶﾞé한😀", "\u3099", "\u0300", "\u0316", "\uff9e", "\u200d");
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 30 }), (letters) => {
      const typed = letters.join("");
      for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const) {
        expect(toNormalForm(typed, form)).toBe(typed.normalize(form));
      }
    }),
    { seed: 7 },
  );
});
