import { BYTE_ORDER_MARK, cellOf, csvLine, toJapaneseTime } from "./csv.ts";
import type { Transaction, TransactionEvent, TransactionKind } from "./ledger.ts";

/** A report of transactions as CSV, with one header line. */

/** The names of the kinds on pages and in reports. */
export const KIND_NAMES: Record<TransactionKind, string> = {
  ofuse_v3: "ofuse",
  fan_letter_support: "ファンレター",
  membership: "メンバーシップ",
  comment_support: "コメント",
  payout: "振込",
};

const EVENT_NAMES: Record<TransactionEvent, string> = {
  paid: "売上",
  refunded: "返金",
  refund_failed: "返金の取り消し",
  disputed: "支払いへの異議",
  dispute_won: "異議が退けられました（残高に戻りました）",
  payout_requested: "振込の申請",
  payout_failed: "振込の失敗（残高に戻りました）",
  payout_canceled: "振込の取り消し（残高に戻りました）",
  payout_returned: "振込の差し戻し（残高に戻りました）",
};

const DISPUTE_RESULTS = { open: "結果待ち", won: "退けられました", lost: "認められました" };

/** Returns what happened, as pages and reports say it. */
export function describeEvent({ event, dispute_status }: Pick<Transaction, "event" | "dispute_status">): string {
  return EVENT_NAMES[event] + (dispute_status ? `（${DISPUTE_RESULTS[dispute_status]}）` : "");
}

const COLUMNS = ["日時", "種類", "内容", "金額", "手数料", "寄付", "差引", "明細番号", "プラン", "支払った人"];

/** The beginning of a report: the header line. */
export const REPORT_HEAD = BYTE_ORDER_MARK + csvLine(COLUMNS);

/** Returns the lines of transactions. */
export const reportLines = (transactions: readonly Transaction[]): string =>
  transactions
    .map((transaction) => {
      const { created_at, kind, amount, fee, donation, net, transaction_id, title, sender_name } = transaction;
      return csvLine([
        ...[toJapaneseTime(created_at), KIND_NAMES[kind], describeEvent(transaction)],
        ...[amount, fee, donation, net, transaction_id],
        ...[cellOf(title), cellOf(sender_name)],
      ]);
    })
    .join("");

/** Returns the whole text of a report. */
export const writeReportCsv = (transactions: readonly Transaction[]): string => REPORT_HEAD + reportLines(transactions);

/** The name of a report's file: ASCII, so that every browser and spreadsheet keeps it. */
export const reportFileName = ({ from, to }: { from: string; to: string }): string => `ofuse-${from}-${to}.csv`;
