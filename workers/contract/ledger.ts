import * as z from "zod";
import { LAST_TRANSACTION_PAGE, REPORT_DAYS } from "./bounds.ts";
import { countUpTo, currency, day, id, pageAnswer, time } from "./fields.ts";
import { defineOperation } from "./operation.ts";

/** A creator's money, read from the ledger. Source of the fields: docs/decisions/0031. */

/** The kinds of a creator's transactions. Source: spec section 3, with `{product}` read as `ofuse`. */
export const transactionKind = z
  .enum(["ofuse_v3", "fan_letter_support", "membership", "comment_support", "payout"])
  .meta({
    id: "TransactionKind",
    description: "明細の種類（ofuse、ファンレター、メンバーシップ、コメント、振込）",
  });
export type TransactionKind = z.output<typeof transactionKind>;

/** What happened to the letter, comment, month of a plan or payout that the transaction is about. */
export const transactionEvent = z
  .enum([
    "paid",
    "refunded",
    "refund_failed",
    "disputed",
    "dispute_won",
    "payout_requested",
    "payout_failed",
    "payout_canceled",
    "payout_returned",
  ])
  .meta({ id: "TransactionEvent", description: "その売上や振込に起きたこと", examples: ["paid"] });
export type TransactionEvent = z.output<typeof transactionEvent>;

/** Integer yen, negative when money leaves. */
export const signedYen = (description: string, example: number) => z.int().meta({ description, examples: [example] });

export const transaction = z
  .object({
    transaction_id: id,
    kind: transactionKind,
    event: transactionEvent,
    amount: signedYen("支払われた額。振込では口座に届く額（負の数）。返金などでは負の数（円）", 1000),
    fee: signedYen("手数料。振込では振込手数料。返金などでは戻る手数料（負の数、円）", 100),
    donation: signedYen("寄付に回した額（円）", 0),
    net: signedYen("残高の増減。amount − fee − donation（円）", 900),
    subject_id: id.meta({
      description: "明細のもとになったもののID（ofuse、コメント、メンバーシップの請求、振込）",
    }),
    can_open_letter: z.boolean().meta({
      description: "subject_id の ofuse を開けるか。通報した ofuse と削除された ofuse、ほかの明細では false",
      examples: [true],
    }),
    title: z
      .string()
      .nullable()
      .meta({ description: "メンバーシップなら、支払われたときのプランの名前", examples: [null] }),
    sender_name: z
      .string()
      .nullable()
      .meta({ description: "支払った人の名前。名前を伏せた人は「匿名」。振込では null", examples: ["ナギ"] }),
    receipt_number: z
      .string()
      .nullable()
      .meta({
        description: "支払った人の領収書（メンバーシップでは請求書兼領収書）の番号。振込では null",
        examples: [null],
      }),
    seller_number: z
      .string()
      .nullable()
      .meta({ description: "支払われたときの自分の登録番号（適格請求書発行事業者）。なければ null", examples: [null] }),
    available_at: time.nullable().meta({
      description:
        "確定待ちなら、振込できるようになる日時。運営が確認している売上と、受け取り分のない売上、ほかの明細では null",
    }),
    dispute_status: z
      .enum(["open", "won", "lost"])
      .nullable()
      .meta({
        description:
          "支払いへの異議の明細なら、その結果。結果待ちは open、退けられた異議は won、認められた異議は lost。ほかは null",
        examples: [null],
      }),
    created_at: time,
  })
  .meta({ id: "Transaction", description: "売上の明細の1件" });
export type Transaction = z.output<typeof transaction>;

/** A Japanese calendar month. */
export const month = z
  .string()
  .regex(/^20\d\d-(0[1-9]|1[0-2])$/, "年と月は 2026-11 のように入力してください。")
  .meta({ id: "Month", description: "年と月（日本時間）", examples: ["2026-11"] });

export const getBalance = defineOperation({
  id: "getBalance",
  method: "GET",
  path: "/v4/balance",
  auth: "required",
  summary: "売上の残高",
  status: 200,
  answer: z.object({
    balance: z
      .object({
        currency,
        available: signedYen("振込できる額。支払い済みの売上が返金されると、負の数になることがある（円）", 12_000),
        pending: signedYen("決済サービスでの確定を待っている額（円）", 3000),
        in_transit: signedYen("口座へ向かっている額。振込手数料を除く（円）", 0),
        held: signedYen("運営が確認している額。ほかの残高には含まない（円）", 0),
        held_pending: signedYen("held のうち、決済サービスでの確定を待っている額（円）", 0),
        contested: signedYen(
          "支払いへの異議や返金の結果を待っている額。残高に戻ることがある。ほかの残高には含まない（円）",
          0,
        ),
        earned_this_month: signedYen("今月の売上。手数料を除き、返金などを差し引いた額（円）", 4500),
      })
      .meta({ id: "Balance", description: "売上の残高" }),
  }),
  errors: ["registration_required"],
});

/** The caller's transactions, newest first, 20 on a page. */
export const listTransactions = defineOperation({
  id: "listTransactions",
  method: "GET",
  path: "/v4/transactions",
  auth: "required",
  summary: "売上の明細",
  query: z.object({
    page_number: countUpTo(LAST_TRANSACTION_PAGE, 1).meta({ description: "ページ番号" }),
    kind: transactionKind.optional(),
    month: month.optional(),
  }),
  status: 200,
  answer: z.object({ transactions: z.array(transaction), ...pageAnswer }),
  errors: ["registration_required"],
});

/** A day of a year that reports and statistics can have. */
export const reportDay = day.refine(
  (text) => text >= "2000-01-01" && text < "2100-01-01",
  "2000年から2099年までの日付を入力してください。",
);
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The caller's transactions of some Japanese calendar days, both included, oldest first. `format=csv` answers them as a text
 * that spreadsheets open (contract/report-csv.ts).
 */
export const getTransactionReport = defineOperation({
  id: "getTransactionReport",
  method: "GET",
  path: "/v4/reports/transactions",
  auth: "required",
  summary: "売上レポート（JSONまたはCSV）",
  query: z
    .object({
      from: reportDay,
      to: reportDay,
      format: z.enum(["json", "csv"]).default("json").meta({ description: "形式" }),
    })
    .refine(({ from, to }) => from <= to, { path: ["to"], error: "終わりの日は、始まりの日以後にしてください。" })
    .refine(({ from, to }) => Date.parse(to) - Date.parse(from) < REPORT_DAYS * DAY_MS, {
      path: ["to"],
      error: `期間は${REPORT_DAYS}日以内にしてください。`,
    }),
  status: 200,
  text: "text/csv",
  answer: z.object({
    from: day,
    to: day,
    transactions: z.array(transaction),
    issuer_number: z
      .string()
      .nullable()
      .meta({
        description: "運営（媒介者）の登録番号（適格請求書発行事業者）。なければ null",
        examples: ["T7000012050002"],
      }),
    totals: z
      .object({
        amount: signedYen("支払われた額と振込額の合計（円）", 1000),
        fee: signedYen("手数料の合計（円）", 100),
        donation: signedYen("寄付の合計（円）", 0),
        net: signedYen("残高の増減の合計（円）", 900),
      })
      .meta({ description: "合計" }),
  }),
  errors: ["registration_required", "report_too_long"],
});

/**
 * What the caller earned in each month of a Japanese calendar year, after fees. Months without transactions are 0. The spec has
 * no such call: docs/decisions/0031.
 */
export const listMonthlyEarnings = defineOperation({
  id: "listMonthlyEarnings",
  method: "GET",
  path: "/v4/my/earnings",
  auth: "required",
  summary: "1年の月ごとの売上",
  query: z.object({
    year: z.coerce
      .number()
      .int()
      .min(2000)
      .max(2099)
      .meta({ description: "年（日本時間）", examples: [2026] }),
  }),
  status: 200,
  answer: z.object({
    months: z.array(
      z
        .object({
          month,
          ofuse_v3: signedYen("ofuseの売上（円）", 3000),
          fan_letter_support: signedYen("ファンレターの売上（円）", 0),
          membership: signedYen("メンバーシップの売上（円）", 1500),
          comment_support: signedYen("コメントの売上（円）", 0),
          corrections: signedYen("返金と、支払いへの異議による増減（円）", 0),
          earned: signedYen("売上の合計（円）", 4500),
        })
        .meta({ id: "MonthlyEarnings", description: "ひと月の売上。手数料と寄付を除いた額" }),
    ),
  }),
  errors: ["registration_required"],
});
export type MonthlyEarnings = z.output<typeof listMonthlyEarnings.answer>["months"][number];
