import type { Transaction, TransactionEvent, TransactionKind } from "./ledger.ts";

/**
 * A report of transactions as CSV that Excel and freee open: UTF-8 with a byte order mark, CRLF, one header line, amounts as
 * plain integers, times of Japan. Text that a person typed cannot be a formula: see {@link cellOf}.
 */

/** The names of the kinds on pages and in reports. */
export const KIND_NAMES: Record<TransactionKind, string> = {
  ofuse_v3: "ofuse",
  fan_letter_support: "ファンレターの応援",
  membership: "メンバーシップ",
  comment_support: "コメント",
  payout: "振込",
};

/** What happened, as pages and reports say it. */
export const EVENT_NAMES: Record<TransactionEvent, string> = {
  paid: "売上",
  refunded: "返金",
  refund_failed: "返金の取り消し",
  disputed: "支払いへの異議",
  dispute_won: "異議の取り下げ",
  payout_requested: "振込の申請",
  payout_failed: "振込の失敗（残高に戻りました）",
  payout_canceled: "振込の取り消し（残高に戻りました）",
  payout_returned: "振込の差し戻し（残高に戻りました）",
};

const COLUMNS = ["日時", "種類", "内容", "金額", "手数料", "寄付", "差引", "明細番号", "プラン", "支払った人"];

const JAPAN_MS = 9 * 60 * 60 * 1000;

/** Formats a moment in Japanese time as spreadsheets read it: `2026/11/20 12:15:00`. */
function toJapaneseTime(iso: string): string {
  return new Date(Date.parse(iso) + JAPAN_MS).toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " ");
}

/**
 * Returns a cell with text that a person typed. A spreadsheet would take some beginnings for a formula: those get an apostrophe.
 * Source: https://owasp.org/www-community/attacks/CSV_Injection
 */
function cellOf(text: string | null): string {
  const harmless = /^[=+\-@\t\r＝＋－＠]/.test(text ?? "") ? `'${text}` : (text ?? "");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Returns the whole text of a report. */
export function writeReportCsv(transactions: readonly Transaction[]): string {
  const rows = transactions.map(
    ({ created_at, kind, event, amount, fee, donation, net, transaction_id, title, sender_name }) => [
      ...[toJapaneseTime(created_at), KIND_NAMES[kind], EVENT_NAMES[event]],
      ...[amount, fee, donation, net, transaction_id],
      ...[cellOf(title), cellOf(sender_name)],
    ],
  );
  return `\ufeff${[COLUMNS, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("")}`;
}

/** The name of a report's file: ASCII, so that every browser and spreadsheet keeps it. */
export const reportFileName = ({ from, to }: { from: string; to: string }): string => `ofuse-${from}-${to}.csv`;
