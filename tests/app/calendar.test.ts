import { expect, test } from "vitest";
import { toCalendar } from "../../app/text/calendar.ts";

// RFC 5546 demands an organizer in a file with a method, and RFC 5545 the method in the Content-Type.
test("a calendar's file is a plain one, without a method", () => {
  const at = "2026-12-24T12:00:00.000Z";
  const text = toCalendar({ uid: "a@b", title: "x", description: "", url: "https://b/", starts_at: at, made_at: at });
  expect(text.split("\r\n").slice(0, 4)).toEqual([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//ofuse//radio//JA",
    "BEGIN:VEVENT",
  ]);
});
