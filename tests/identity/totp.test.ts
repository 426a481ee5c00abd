import { expect, test } from "vitest";
import { newTotpSecret, stepOfCode } from "../../workers/identity/provider/totp.ts";
import { codeAt } from "../support/totp.ts";

/** The secret of RFC 4226, appendix D, and RFC 6238, appendix B ("12345678901234567890"), in base32. */
const RFC_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const STEP_MS = 30_000;

test.each(
  ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"].map(
    (code, step) => [step, code] as const,
  ),
)("step %i has the code %s (RFC 4226)", (step, code) => {
  expect(stepOfCode(RFC_SECRET, code, step * STEP_MS)).toBe(step);
  expect(codeAt(RFC_SECRET, step)).toBe(code);
});

test.each([
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
])("at %i seconds the code is %s (RFC 6238, its last six digits)", (seconds, code) => {
  expect(stepOfCode(RFC_SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
});

test("a code is accepted one step early and one step late, and no further", () => {
  const now_ms = 1_700_000_000_000;
  const step = Math.floor(now_ms / STEP_MS);
  const found = [-2, -1, 0, 1, 2].map((away) => stepOfCode(RFC_SECRET, codeAt(RFC_SECRET, step + away), now_ms));
  expect(found).toEqual([null, step - 1, step, step + 1, null]);
});

test.each(["", "12345", "1234567", "abcdef", "００００００", "😀😀😀"])("%j is refused as a code", (code) => {
  expect(stepOfCode(RFC_SECRET, code, 1_700_000_000_000)).toBeNull();
});

test("a new secret has 160 bits, differs each time, and gives the codes of another implementation", () => {
  const secret = newTotpSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(secret);
  for (let step = 56_666_666; step < 56_666_766; step++) {
    expect(stepOfCode(secret, codeAt(secret, step), step * STEP_MS)).toBe(step);
  }
});
