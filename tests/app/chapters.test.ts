import { expect, test } from "vitest";
import { chaptersOf } from "../../app/text/chapters.ts";

const pin = (message_id: string, pinned_at: string | null) => ({ message_id, message: `話${message_id}`, pinned_at });

test("chapters are in the order of the recording, with clocks, and none is outside of it", () => {
  const pinned = [
    pin("c", "2026-11-20T13:02:03.900Z"),
    pin("a", "2026-11-20T11:59:59.000Z"),
    pin("b", "2026-11-20T12:05:07.000Z"),
    pin("late", "2026-11-20T14:00:00.000Z"),
  ];
  const found = chaptersOf(pinned, "2026-11-20T12:00:00.000Z", 2 * 60 * 60 * 1000);
  expect(found).toEqual([
    { id: "a", at_s: 0, clock: "0:00", title: "話a" },
    { id: "b", at_s: 307, clock: "5:07", title: "話b" },
    { id: "c", at_s: 3723, clock: "1:02:03", title: "話c" },
  ]);
  expect(chaptersOf(pinned, null, 1000)).toEqual([]);
});
