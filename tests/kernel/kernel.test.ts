import { expect, test } from "vitest";
import { sign, verify } from "../../workers/kernel/digest.ts";
import { isId, newId } from "../../workers/kernel/ids.ts";

test("identifiers sort by their time and are never the same", () => {
  const ids = Array.from({ length: 1000 }, (_, index) => newId(1_700_000_000_000 + index));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(Array.from({ length: 10_000 }, () => newId(0))).size).toBe(10_000);
  expect(ids.every(isId)).toBe(true);
});

test.each([
  "",
  "01m7w8x4djb0f2bjzhah5xzvz",
  "01m7w8x4djb0f2bjzhah5xzvz66",
  "01M7W8X4DJB0F2BJZHAH5XZVZ6",
  "8".repeat(26),
])("%j is no identifier", (text) => {
  expect(isId(text)).toBe(false);
});

test("a signature holds for its text and its key alone", async () => {
  const signature = await sign("/media/x 123", "key");
  expect(await verify("/media/x 123", signature, "key")).toBe(true);
  expect(await verify("/media/y 123", signature, "key")).toBe(false);
  expect(await verify("/media/x 123", signature, "other")).toBe(false);
  expect(await verify("/media/x 123", "%%%", "key")).toBe(false);
});
