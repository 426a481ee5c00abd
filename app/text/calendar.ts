/** An appointment in a calendar, at a moment. */
export interface Appointment {
  /** A name that stays the same when the appointment changes. */
  uid: string;
  title: string;
  description: string;
  url: string;
  starts_at: string;
  /** When this version was made. */
  made_at: string;
}

/** Writes an appointment as a calendar's file, which reminds of it ten minutes before. Source: RFC 5545. */
export function toCalendar({ uid, title, description, url, starts_at, made_at }: Appointment): string {
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//ofuse//radio//JA",
    "BEGIN:VEVENT",
    `UID:${uid}`,
    `DTSTAMP:${toUtc(made_at)}`,
    `DTSTART:${toUtc(starts_at)}`,
    `SUMMARY:${escapeText(title)}`,
    `DESCRIPTION:${escapeText(description)}`,
    `URL:${url}`,
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    `DESCRIPTION:${escapeText(title)}`,
    "TRIGGER:-PT10M",
    "END:VALARM",
    "END:VEVENT",
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${foldLine(line)}\r\n`).join("");
}

/** `2026-12-24T12:00:00.000Z` as `20261224T120000Z`. */
const toUtc = (iso: string) => iso.replace(/[-:]|\.\d+/g, "");

/** Source: RFC 5545, section 3.3.11. */
const escapeText = (text: string) =>
  text
    .replace(/[\\;,]/g, "\\$&")
    .replace(/\r\n?|\n/g, "\\n")
    .replace(/\p{Cc}/gu, "");

/** A line has at most 75 bytes, and a continued one begins with a blank. Source: RFC 5545, section 3.1. */
const MAX_LINE_BYTES = 75;

function foldLine(line: string): string {
  const encoder = new TextEncoder();
  let folded = "";
  let bytes = 0;
  for (const letter of line) {
    const size = encoder.encode(letter).length;
    if (bytes + size > MAX_LINE_BYTES) {
      folded += "\r\n ";
      bytes = 1;
    }
    folded += letter;
    bytes += size;
  }
  return folded;
}
