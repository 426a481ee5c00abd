import { data, Link, redirect } from "react-router";
import * as z from "zod";
import { LAST_TRANSACTION_PAGE, REPORT_DAYS } from "../../../workers/contract/bounds.ts";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import {
  getBalance,
  listMonthlyEarnings,
  listTransactions,
  month as monthSchema,
  transactionKind,
} from "../../../workers/contract/ledger.ts";
import { toNormalForm } from "../../../workers/contract/normal-form.ts";
import { getCreatorAccount, listPayouts, updateCreatorAccount } from "../../../workers/contract/payouts.ts";
import { getProfile } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { NoMoney, useTakesMoney } from "../../site/money.tsx";
import { siteContext } from "../../site/site-context.ts";
import { tokyoDay } from "../../text/tokyo-time.ts";
import { FormErrors } from "../../ui/form-errors.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/transactions.ts";
import { Balance } from "./earnings/balance.tsx";
import { EARNINGS_PATH } from "./earnings/paths.ts";
import { PayoutSection } from "./earnings/payout-section.tsx";
import { readBank } from "./earnings/read-bank.ts";
import { ReportForm } from "./earnings/report-form.tsx";
import { type Filter, TransactionList } from "./earnings/transaction-list.tsx";
import { YearChart } from "./earnings/year-chart.tsx";
import { MonetizePrompt } from "./monetize-prompt.tsx";
import { STATS_PATH } from "./stats/range.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "売上", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const page = pageNumber(url);
  if (page > LAST_TRANSACTION_PAGE) throw data(null, { status: 404 });
  const filter = filterOf(url);
  const today = tokyoDay(new Date());
  const this_year = Number(today.slice(0, 4));
  const year = yearOf(url) ?? this_year;
  const { kind, month } = filter;
  const [{ user }, { balance }, list, { months }, { creator_account }, bank, { payouts, has_next: has_more }] =
    await Promise.all([
      v4.read(getProfile, {}),
      v4.read(getBalance, {}),
      v4.read(listTransactions, {
        query: { page_number: page, kind: kind ?? undefined, month: month ?? undefined },
      }),
      v4.read(listMonthlyEarnings, { query: { year } }),
      v4.read(getCreatorAccount, {}),
      readBank(v4),
      v4.read(listPayouts, { query: { page_size: LAST_PAYOUTS } }),
    ]);
  if (!user.is_creator) return null;
  refuseEmptyPage(page, list.transactions);
  const site = context.get(siteContext);
  return {
    balance,
    account: creator_account,
    // An account that cannot be read must be registered again.
    bank_updated_at: bank.account?.updated_at ?? null,
    payouts,
    has_more,
    transactions: list.transactions,
    has_next: list.has_next,
    filter,
    page,
    months,
    year,
    this_year,
    report: reportOf(url),
    is_issuer_registered: site.invoice_number !== undefined,
    email: site.notice.email,
    from: `${today.slice(0, 7)}-01`,
    today,
  };
}

/** How many payouts the page shows. All of them are on their own page. */
const LAST_PAYOUTS = 3;

const switchForm = z.enum(["automatic_on", "automatic_off"]);

/** Switches the automatic payout of each month. */
export async function action({ request, context }: Route.ActionArgs) {
  const operation = switchForm.safeParse((await request.formData()).get("operation"));
  if (!operation.success) throw data(null, { status: 400 });
  const v4 = context.get(v4Context);
  const sent = await v4.send(updateCreatorAccount, { body: { is_automatic: operation.data === "automatic_on" } });
  if (!sent.ok) return data({ error: sent.refusal.detail }, sent.refusal.status);
  setFlash(context, operation.data);
  return redirect(EARNINGS_PATH, 303);
}

/**
 * Reads the filter. A kind that no form sends is an address without a page: 404. A month may be typed in the usual ways, where
 * the browser has no field for months; one that cannot be read is returned as it was typed.
 */
function filterOf({ searchParams }: URL): Filter {
  const [kind, typed] = [searchParams.get("kind") || null, searchParams.get("month")?.trim() || null];
  const known = transactionKind.nullable().safeParse(kind);
  if (!known.success) throw data(null, { status: 404 });
  const [, year, month = ""] =
    /^(\d{4})\s*(?:[-/.年]\s*)?(\d{1,2})\s*月?$/.exec(toNormalForm(typed ?? "", "NFKC")) ?? [];
  const read = monthSchema.safeParse(`${year}-${month.padStart(2, "0")}`);
  return { kind: known.data, month: read.success ? read.data : null, wrong_month: read.success ? null : typed };
}

/** Reads what the report said of its days, and the days that were typed. */
function reportOf({ searchParams }: URL): { refused: string | null; from: string | null; to: string | null } {
  const [refused, from, to] = ["report", "from", "to"].map((name) => searchParams.get(name));
  return {
    refused: REPORT_REFUSALS.get(String(refused)) ?? null,
    from: from?.slice(0, 20) || null,
    to: to?.slice(0, 20) || null,
  };
}
const REPORT_REFUSALS: ReadonlyMap<string, string> = new Map([
  ["days", `期間は、始まりの日から終わりの日まで、${REPORT_DAYS}日以内で選んでください。`],
  ["long", errorCatalogue.report_too_long.detail],
]);

function yearOf({ searchParams }: URL): number | null {
  const year = searchParams.get("year");
  if (year === null) return null;
  if (!/^20\d\d$/.test(year)) throw data(null, { status: 404 });
  return Number(year);
}

export default function Transactions({ loaderData, actionData }: Route.ComponentProps) {
  const takes_money = useTakesMoney();
  if (!loaderData) {
    return (
      <>
        <h1 className="page-title">売上</h1>
        <MonetizePrompt title="売上を受け取るには、収益化登録が必要です">
          <p>登録すると、応援やメンバーシップの売上を口座で受け取れるようになります。</p>
        </MonetizePrompt>
      </>
    );
  }
  const { account, bank_updated_at, payouts, has_more, is_issuer_registered, email } = loaderData;
  const { balance, transactions, filter, page, has_next, year, this_year, months, from, today, report } = loaderData;
  return (
    <>
      <h1 className="page-title">売上</h1>
      <FormErrors errors={actionData && [actionData.error]} answer={actionData} />
      {!takes_money && <NoMoney />}
      <Balance balance={balance} />
      <PayoutSection
        account={account}
        bank_updated_at={bank_updated_at}
        available={balance.available}
        payouts={payouts}
        has_more={has_more}
      />
      <p>
        <Link to={`${STATS_PATH}?range=year&of=revenue`}>種類ごとの売上と、前の期間との比較を統計で見る</Link>
      </p>
      <YearChart year={year} this_year={this_year} months={months} />
      <TransactionList transactions={transactions} filter={filter} page={page} has_next={has_next} />
      <ReportForm
        from={report.from ?? from}
        to={report.to ?? today}
        refused={report.refused}
        is_issuer_registered={is_issuer_registered}
        email={email}
      />
    </>
  );
}
