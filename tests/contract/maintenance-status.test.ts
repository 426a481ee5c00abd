import { describe, expect, test } from "vitest";
import { statedMaintenance } from "../../workers/contract/maintenance.ts";
import {
  type MaintenanceRecord,
  mergeRecords,
  NO_MAINTENANCE,
  readingAt,
  recordOf,
  retryAfterSeconds,
  statusAt,
} from "../../workers/contract/maintenance-status.ts";

const isoTime = (ms: number) => new Date(ms).toISOString();
const recordFrom = (from: number | null, to: number | null): MaintenanceRecord => ({
  started_at: from === null ? null : isoTime(from),
  finished_at: to === null ? null : isoTime(to),
});
const NONE = "NO_MAINTENANCE_SCHEDULED";
const SOON = "MAINTENANCE_SCHEDULED";
const NOW = "UNDER_MAINTENANCE";

describe("the maintenance status", () => {
  test.each([
    ["nothing planned", null, null, 0, NONE],
    ["an end without a start", null, 100, 50, NONE],
    ["a millisecond before the start", 100, 200, 99, SOON],
    ["the start itself", 100, 200, 100, NOW],
    ["the end itself", 100, 200, 200, NOW],
    ["a millisecond after the end", 100, 200, 201, NONE],
    ["no end, long after the start", 100, null, 1e12, NOW],
    ["no end, before the start", 100, null, 99, SOON],
    ["a start that is the end, then", 100, 100, 100, NOW],
    ["an end before the start, before both", 200, 100, 50, SOON],
    ["an end before the start, between them", 200, 100, 150, SOON],
    ["an end before the start, at the start", 200, 100, 200, NONE],
  ])("is derived from %s", (_, from, to, now, status) => {
    expect(statusAt(recordFrom(from, to), now)).toBe(status);
  });

  test("includes its record, unless the maintenance is over", () => {
    expect(readingAt(recordFrom(100, 200), 100)).toEqual({
      status: NOW,
      started_at: isoTime(100),
      finished_at: isoTime(200),
    });
    expect(readingAt(recordFrom(100, 200), 201)).toEqual({ status: NONE, started_at: null, finished_at: null });
  });
});

describe("two merged maintenance records", () => {
  const mergeBoth = (one: MaintenanceRecord, other: MaintenanceRecord, now: number) => {
    const result = mergeRecords(one, other, now);
    // The order of the records does not matter.
    expect(readingAt(mergeRecords(other, one, now), now)).toEqual(readingAt(result, now));
    return readingAt(result, now);
  };
  test.each([
    ["one of which says nothing", NO_MAINTENANCE, recordFrom(100, 200), 50, [SOON, 100, 200]],
    ["one of which is over", recordFrom(10, 20), recordFrom(100, 200), 50, [SOON, 100, 200]],
    ["that overlap, before both", recordFrom(100, 200), recordFrom(150, 300), 50, [SOON, 100, 300]],
    ["that overlap, in the first", recordFrom(100, 200), recordFrom(150, 300), 120, [NOW, 100, 300]],
    ["that overlap, in both", recordFrom(100, 200), recordFrom(150, 300), 160, [NOW, 100, 300]],
    ["that overlap, in the second", recordFrom(100, 200), recordFrom(150, 300), 250, [NOW, 150, 300]],
    ["that touch", recordFrom(100, 200), recordFrom(200, 300), 150, [NOW, 100, 300]],
    ["one within the other", recordFrom(100, 400), recordFrom(200, 300), 350, [NOW, 100, 400]],
    ["one without an end", recordFrom(100, null), recordFrom(150, 200), 160, [NOW, 100, null]],
    ["the later one without an end", recordFrom(100, 200), recordFrom(150, null), 120, [NOW, 100, null]],
    ["apart, before both", recordFrom(100, 200), recordFrom(300, 400), 50, [SOON, 100, 200]],
    ["apart, in the first", recordFrom(100, 200), recordFrom(300, 400), 150, [NOW, 100, 200]],
    ["apart, between them", recordFrom(100, 200), recordFrom(300, 400), 250, [SOON, 300, 400]],
    ["both over", recordFrom(100, 200), recordFrom(300, 400), 500, [NONE, null, null]],
  ] as [string, MaintenanceRecord, MaintenanceRecord, number, [string, number | null, number | null]][])(
    "%s become one",
    (_, one, other, now, [status, from, to]) => {
      expect(mergeBoth(one, other, now)).toEqual({ status, ...recordFrom(from, to) });
    },
  );

  test("are at least as severe as either of them", () => {
    const severityOf = (status: string) => [NONE, SOON, NOW].indexOf(status);
    const moments = [null, 1, 2, 3, 4];
    const records = moments.flatMap((from) => moments.map((to) => recordFrom(from, to)));
    for (const one of records) {
      for (const other of records) {
        for (const now of [0, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5]) {
          const worse = Math.max(...[one, other].map((each) => severityOf(statusAt(each, now))));
          const together = severityOf(statusAt(mergeRecords(one, other, now), now));
          expect({ one, other, now, together }).toEqual({ one, other, now, together: worse });
        }
      }
    }
  });
});

describe("a stated status", () => {
  const at = 1000;
  const readStated = (status: string, from: number | null, to: number | null) =>
    readingAt(recordOf({ status, ...recordFrom(from, to) }, at, at), at);

  test("UNDER_MAINTENANCE is always believed, whatever the time", () => {
    expect(readStated(NOW, null, null)).toMatchObject({ status: NOW, finished_at: null });
    expect(readStated(NOW, 500, 2000)).toEqual({ status: NOW, ...recordFrom(500, 2000) });
    expect(readStated(NOW, 1500, 2000)).toMatchObject({ status: NOW, finished_at: isoTime(2000) });
    expect(readStated(NOW, 500, 900), "an end that has passed is no end").toMatchObject({
      status: NOW,
      finished_at: null,
    });
  });

  test("MAINTENANCE_SCHEDULED is checked against the time, and other statuses are ignored", () => {
    expect(readStated(SOON, 1500, 2000).status).toBe(SOON);
    expect(readStated(SOON, 500, 2000).status).toBe(NOW);
    expect(readStated(SOON, 500, 900).status).toBe(NONE);
    expect(readStated(SOON, null, 2000).status).toBe(NONE);
    expect(readStated(NONE, 500, 2000).status).toBe(NONE);
  });

  test("accepts times with any offset, and returns them in UTC", () => {
    const written = { status: NOW, finished_at: "2026-12-01T20:00:00+09:00" };
    expect(statedMaintenance.parse(written)).toEqual({
      status: NOW,
      started_at: null,
      finished_at: "2026-12-01T11:00:00.000Z",
    });
    for (const wrong of [
      {},
      { status: "CLOSED" },
      { ...written, finished_at: "tomorrow" },
      { ...written, end: null },
    ]) {
      expect(statedMaintenance.safeParse(wrong).success).toBe(false);
    }
  });
});

test("Retry-After is the maintenance's end, between a minute and a day", () => {
  const retryAfter = (to: number | null) => retryAfterSeconds(recordFrom(0, to), 1_000_000);
  expect([1_000_000, 1_000_001, 1_090_500, 5_000_000, 1e12, null].map(retryAfter)).toEqual([
    60, 60, 91, 4000, 86_400, 600,
  ]);
});
