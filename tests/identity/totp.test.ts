import { expect, test } from "vitest";
import { fromBase32, hotp, newTotpSecret, stepAt, stepOfCode, toBase32 } from "../../workers/identity/provider/totp.ts";

const bytes = (text: string) => Uint8Array.from(new TextEncoder().encode(text));
/** RFC 4226, appendix D, and RFC 6238, appendix B. */
const secret = bytes("12345678901234567890");

test.each(
  ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"].map(
    (code, counter) => [counter, code] as const,
  ),
)("the counter %i gives %s (RFC 4226)", async (counter, code) => {
  expect(await hotp(secret, counter, 6)).toBe(code);
});

test.each([
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
])("at %i seconds the code is %s (RFC 6238)", async (seconds, code) => {
  expect(await hotp(secret, stepAt(seconds * 1000), 8)).toBe(code);
});

test("a code is known a step early and a step late, and no further", async () => {
  const now_ms = 1_700_000_000_000;
  const found = [-2, -1, 0, 1, 2].map(async (away) =>
    stepOfCode(secret, await hotp(secret, stepAt(now_ms) + away, 6), now_ms),
  );
  const step = stepAt(now_ms);
  expect(await Promise.all(found)).toEqual([null, step - 1, step, step + 1, null]);
  for (const code of ["", "12345", "1234567", "abcdef"]) expect(await stepOfCode(secret, code, now_ms)).toBeNull();
});

test.each([
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("%s is %s in base32 (RFC 4648), and back", (text, base32) => {
  expect(toBase32(bytes(text))).toBe(base32);
  expect(fromBase32(base32)).toEqual(bytes(text));
});

test("a new secret has 160 bits, and is another each time", () => {
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(newTotpSecret());
});
