import { LAST_TRANSACTION_PAGE, REPORT_TRANSACTIONS } from "../../contract/bounds.ts";
import { PAGE_SIZE } from "../../contract/fields.ts";
import * as contract from "../../contract/ledger.ts";
import { checkLedger } from "../../contract/operator.ts";
import { reportFileName, writeReportCsv } from "../../contract/report-csv.ts";
import { endOfJapaneseDay, japaneseDayOf, japaneseMonthOf } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { bindEndpoint, textEndpoint } from "../http/endpoint.ts";
import { pageOf, rowsOf } from "../http/pagination.ts";
import { memberId } from "../http/request-context.ts";
import { checkNextPart } from "./check.ts";
import { findCreatorBalances, findTransactionsOf, listTransactions, sumMonthlyEarnings } from "./queries.ts";

/** Every moment that an id can have. */
const ALL_TIME = { from_ms: 0, to_ms: Date.UTC(2100) };

function rangeOfMonth(month: string) {
  const { start_ms, end_ms } = japaneseMonthOf(japaneseDayOf(`${month}-01`));
  return { from_ms: start_ms, to_ms: end_ms };
}

/** Returns a page of transactions. The last page that may be asked for has no next one, however many transactions there are. */
export function pageOfTransactions(found: contract.Transaction[], page_number: number, page_size: number) {
  const { rows, closing } = pageOf(found, page_number, page_size);
  const has_next = closing.has_next && page_number < LAST_TRANSACTION_PAGE;
  return { transactions: rows, ...closing, has_next };
}

export const ledgerRoutes = [
  bindEndpoint(checkLedger, ({ query }, { database }) => checkNextPart(database, query.after)),
  bindEndpoint(contract.getBalance, async (_input, context) => {
    const { database, now_ms } = context;
    const user_id = memberId(context);
    const { start_ms, end_ms } = japaneseMonthOf(now_ms);
    const [balances, [month]] = await Promise.all([
      findCreatorBalances(database, user_id),
      sumMonthlyEarnings(database, user_id, { from_ms: start_ms, to_ms: end_ms }),
    ]);
    return {
      balance: {
        currency: "jpy" as const,
        available: balances.available_yen,
        pending: balances.pending_yen,
        in_transit: balances.in_transit_yen,
        held: balances.held_yen,
        held_pending: balances.held_pending_yen,
        contested: balances.contested_yen,
        earned_this_month: month?.earned ?? 0,
      },
    };
  }),
  bindEndpoint(contract.listTransactions, async ({ query }, context) => {
    const { page_number, kind, month } = query;
    const { limit, offset, page_size } = rowsOf({ page_number, page_size: PAGE_SIZE }, false);
    const range = month === undefined ? ALL_TIME : rangeOfMonth(month);
    const found = await listTransactions(context.database, memberId(context), { ...range, kind, offset, limit });
    return pageOfTransactions(found, page_number, page_size);
  }),
  textEndpoint(
    contract.getTransactionReport,
    async ({ query: { from, to } }, context) => {
      const range = { from_ms: japaneseDayOf(from), to_ms: endOfJapaneseDay(japaneseDayOf(to)) };
      const limit = REPORT_TRANSACTIONS;
      const transactions = await findTransactionsOf(context.database, memberId(context), { ...range, limit });
      if (!transactions) throw new Problem("report_too_long");
      const totals = { amount: 0, fee: 0, donation: 0, net: 0 };
      for (const each of transactions) {
        for (const name of ["amount", "fee", "donation", "net"] as const) totals[name] += each[name];
      }
      return { from, to, transactions, issuer_number: context.issuer_number, totals };
    },
    (report) => ({ text: writeReportCsv(report), file_name: reportFileName(report) }),
  ),
  bindEndpoint(contract.listMonthlyEarnings, async ({ query: { year } }, context) => {
    const range = { from_ms: japaneseDayOf(`${year}-01-01`), to_ms: japaneseDayOf(`${year + 1}-01-01`) };
    return { months: await sumMonthlyEarnings(context.database, memberId(context), range) };
  }),
];
