/**
 * CSV that Excel and freee open: UTF-8 with a byte order mark, CRLF, amounts as plain integers, times of Japan. Text that a
 * person typed cannot be a formula: see {@link cellOf}.
 */

/** The beginning of a file. Without it Excel takes UTF-8 for Shift_JIS. */
export const BYTE_ORDER_MARK = "\ufeff";

/** Returns a line from cells that are numbers, fixed words or made by {@link cellOf}. */
export const csvLine = (cells: readonly (string | number)[]): string => `${cells.join(",")}\r\n`;

const JAPAN_MS = 9 * 60 * 60 * 1000;

/** Formats a moment in Japanese time as spreadsheets read it: `2026/11/20 12:15:00`. */
export function toJapaneseTime(iso: string): string {
  return new Date(Date.parse(iso) + JAPAN_MS).toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " ");
}

/**
 * Returns a cell with text that a person typed. A spreadsheet would take some beginnings for a formula: those get an apostrophe.
 * Source: https://owasp.org/www-community/attacks/CSV_Injection
 */
export function cellOf(text: string | null): string {
  const harmless = /^[=+\-@\t\r＝＋－＠]/.test(text ?? "") ? `'${text}` : (text ?? "");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
