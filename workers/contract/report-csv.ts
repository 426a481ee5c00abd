import { BYTE_ORDER_MARK, cellOf, csvLine, toJapaneseTime } from "./csv.ts";
import type { Transaction, TransactionEvent, TransactionKind } from "./ledger.ts";
import { includedTax, TAX_PERCENT } from "./tax.ts";

/**
 * A report of transactions as CSV, with one header line. New columns come last: people have sheets that read the others by place.
 */

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

const COLUMNS = [
  ...["日時", "種類", "内容", "金額", "手数料", "寄付", "差引", "明細番号", "プラン", "支払った人"],
  ...["領収番号", "税率", "消費税額", "手数料の消費税額", "売り手の登録番号", "発行者の登録番号"],
];

/** The beginning of a report: the header line. */
export const REPORT_HEAD = BYTE_ORDER_MARK + csvLine(COLUMNS);

/** What a report needs of its answer. `issuer_number`: the operator's registration number. */
interface Report {
  transactions: readonly Transaction[];
  issuer_number: string | null;
}

/**
 * Returns the facts of an invoice: number, rate and tax of the sale as the payer's document has them, the tax of the fee, and
 * both registration numbers. A payout is no sale. Only a registered operator states the tax of its fees.
 */
function invoiceCells(transaction: Transaction, issuer_number: string | null): (string | number)[] {
  const { kind, amount, fee, receipt_number, seller_number } = transaction;
  return [
    ...(kind === "payout" ? ["", "", ""] : [cellOf(receipt_number), `${TAX_PERCENT}%`, includedTax(amount)]),
    ...[issuer_number === null ? "" : includedTax(fee), cellOf(seller_number), cellOf(issuer_number)],
  ];
}

/** Returns the lines of transactions. */
export const reportLines = ({ transactions, issuer_number }: Report): string =>
  transactions
    .map((transaction) => {
      const { created_at, kind, amount, fee, donation, net, transaction_id, title, sender_name } = transaction;
      return csvLine([
        ...[toJapaneseTime(created_at), KIND_NAMES[kind], describeEvent(transaction)],
        ...[amount, fee, donation, net, transaction_id],
        ...[cellOf(title), cellOf(sender_name)],
        ...invoiceCells(transaction, issuer_number),
      ]);
    })
    .join("");

/** Returns the whole text of a report. */
export const writeReportCsv = (report: Report): string => REPORT_HEAD + reportLines(report);

/** The name of a report's file: ASCII, so that every browser and spreadsheet keeps it. */
export const reportFileName = ({ from, to }: { from: string; to: string }): string => `ofuse-${from}-${to}.csv`;
