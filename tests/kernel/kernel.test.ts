import { expect, test } from "vitest";
import { networkOf } from "../../workers/kernel/client-network.ts";
import { japaneseMonthOf } from "../../workers/kernel/clock.ts";
import { signText, verifySignature } from "../../workers/kernel/digest.ts";
import { creationOf, isId, newId } from "../../workers/kernel/ids.ts";

test("ids sort by time and never repeat", () => {
  const ids = Array.from({ length: 1000 }, (_, index) => newId(1_700_000_000_000 + index));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(Array.from({ length: 10_000 }, () => newId(0))).size).toBe(10_000);
  expect(ids.every(isId)).toBe(true);
  expect(creationOf(ids[999] ?? "")).toBe(1_700_000_000_999);
});

test.each([
  "",
  "01m7w8x4djb0f2bjzhah5xzvz",
  "01m7w8x4djb0f2bjzhah5xzvz66",
  "01M7W8X4DJB0F2BJZHAH5XZVZ6",
  "8".repeat(26),
])("%j is not an id", (text) => {
  expect(isId(text)).toBe(false);
});

test("a signature is valid only for its text and its key", async () => {
  const signature = await signText("/media/x 123", "key");
  expect(await verifySignature("/media/x 123", signature, "key")).toBe(true);
  expect(await verifySignature("/media/y 123", signature, "key")).toBe(false);
  expect(await verifySignature("/media/x 123", signature, "other")).toBe(false);
  expect(await verifySignature("/media/x 123", "%%%", "key")).toBe(false);
});

test.each([
  ["the last millisecond of the year", "2026-12-31T23:59:59.999+09:00", "2026-12-01", "2027-01-01"],
  ["the first of the year", "2027-01-01T00:00:00.000+09:00", "2027-01-01", "2027-02-01"],
  ["the first of March in Japan, the last of February elsewhere", "2028-02-29T15:00:00Z", "2028-03-01", "2028-04-01"],
  ["a leap day", "2028-02-29T14:59:59.999Z", "2028-02-01", "2028-03-01"],
])("finds the month in Japan of %s", (_name, moment, start, end) => {
  const inJapan = (day: string) => Date.parse(`${day}T00:00:00+09:00`);
  expect(japaneseMonthOf(Date.parse(moment))).toEqual({ start_ms: inJapan(start), end_ms: inJapan(end) });
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:db8::9", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("limits count %s as a client of %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
