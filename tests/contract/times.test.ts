import { describe, expect, test } from "vitest";
import * as z from "zod";
import { givenTime } from "../../workers/contract/fields.ts";
import { identityOperations, operatorOperations, productOperations } from "../../workers/contract/index.ts";
import type { Operation } from "../../workers/contract/operation.ts";

describe("a time that a caller sends", () => {
  test.each([
    ["in the product's own form", "2026-11-20T03:15:55.510Z", "2026-11-20T03:15:55.510Z"],
    ["without its last zero", "2026-11-20T03:15:55.51Z", "2026-11-20T03:15:55.510Z"],
    ["without a fraction", "2026-11-20T03:15:55Z", "2026-11-20T03:15:55.000Z"],
    ["with microseconds", "2026-11-20T03:15:55.510000Z", "2026-11-20T03:15:55.510Z"],
    ["with more digits than a number holds", `2026-11-20T03:15:55.51${"0".repeat(400)}Z`, "2026-11-20T03:15:55.510Z"],
    ["with Japan's offset", "2026-11-20T12:15:55.510+09:00", "2026-11-20T03:15:55.510Z"],
    ["with an offset of zero", "2026-11-20T03:15:55.510+00:00", "2026-11-20T03:15:55.510Z"],
    ["with an unknown offset", "2026-11-20T03:15:55.510-00:00", "2026-11-20T03:15:55.510Z"],
    ["with small letters", "2026-11-20t03:15:55.510z", "2026-11-20T03:15:55.510Z"],
    ["of another day in UTC", "2026-03-01T08:59:59+09:00", "2026-02-28T23:59:59.000Z"],
  ])("is read %s", (_name, sent, read) => {
    expect(givenTime.parse(sent)).toBe(read);
  });

  test.each([
    "",
    "2026-11-20",
    "2026-11-20T03:15:55",
    "2026-02-30T00:00:00Z",
    "2026-11-20T25:00:00Z",
    "0000-01-01T00:00:00+09:00",
    "9999-12-31T23:59:59-09:00",
    1_795_144_555_510,
  ])("is refused as %s", (sent) => {
    expect(givenTime.safeParse(sent).success).toBe(false);
  });

  test("is read so by every call, and answered in the product's form alone", () => {
    const operations: readonly Operation[] = [...productOperations, ...operatorOperations, ...identityOperations];
    const of = (schema: z.ZodType | null | undefined, io: "input" | "output") =>
      schema ? JSON.stringify(z.toJSONSchema(schema, { io })) : "";
    const sent = operations.map(({ id, query, body }) => ({ id, text: of(query, "input") + of(body, "input") }));
    const answered = operations.map(({ id, answer }) => ({ id, text: of(answer, "output") }));
    const naming = (described: typeof sent, words: string) =>
      described.filter(({ text }) => text.includes(words)).map(({ id }) => id);
    expect(naming(sent, '"#/$defs/GivenTime"')).toEqual(
      expect.arrayContaining(["updateEvent", "listChatMessages", "updateNews"]),
    );
    // The pattern is that of a schema which takes UTC alone.
    expect(naming(sent, "T(?:(?:[01]\\\\d")).toEqual([]);
    expect(naming(answered, "GivenTime")).toEqual([]);
  });
});
