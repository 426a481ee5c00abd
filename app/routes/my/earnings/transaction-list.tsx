import { Form, Link } from "react-router";
import { LAST_TRANSACTION_PAGE } from "../../../../workers/contract/bounds.ts";
import type { Transaction, TransactionKind } from "../../../../workers/contract/ledger.ts";
import { describeEvent, KIND_NAMES } from "../../../../workers/contract/report-csv.ts";
import { Button } from "../../../ui/button.tsx";
import { DateTime } from "../../../ui/date-time.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Pager } from "../../../ui/pager.tsx";
import { YenChange, yenText } from "../../../ui/yen.tsx";
import { EARNINGS_PATH } from "./paths.ts";

export interface Filter {
  kind: TransactionKind | null;
  month: string | null;
  /** What was typed for the month and cannot be read. */
  wrong_month: string | null;
}

/** A page of the transactions that match a filter. */
export function TransactionList(props: {
  transactions: readonly Transaction[];
  filter: Filter;
  page: number;
  has_next: boolean;
}) {
  const { transactions, filter, page, has_next } = props;
  const is_filtered = filter.kind !== null || filter.month !== null;
  return (
    <section className="section" aria-labelledby="transactions-title">
      <h2 id="transactions-title" className="section-title">
        明細
      </h2>
      <FilterForm {...filter} />
      {transactions.length > 0 ? (
        <ul className="rows transactions">
          {transactions.map((each) => (
            <TransactionRow key={each.transaction_id} transaction={each} />
          ))}
        </ul>
      ) : is_filtered ? (
        <EmptyState title="この条件の明細はありません">
          <p>
            <Link to={EARNINGS_PATH}>すべての明細を見る</Link>
          </p>
        </EmptyState>
      ) : (
        <EmptyState title="まだ明細はありません">
          <p>有料のofuseやメンバーシップの売上があると、ここに1件ずつ並びます。</p>
        </EmptyState>
      )}
      {page === LAST_TRANSACTION_PAGE && (
        <p className="field-hint">
          一覧はここまでです。これより古い明細は、月で絞り込むか、CSVで保存してご覧ください。
        </p>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(number) => addressOf(filter, number)} />
    </section>
  );
}

/** Returns the address of a page of the list. */
function addressOf({ kind, month }: Filter, page: number): string {
  const search = new URLSearchParams({
    ...(kind && { kind }),
    ...(month && { month }),
    ...(page > 1 && { page: String(page) }),
  });
  return `${EARNINGS_PATH}${search.size > 0 ? `?${search}` : ""}#transactions-title`;
}

function FilterForm({ kind, month, wrong_month }: Filter) {
  return (
    <Form action={EARNINGS_PATH} className="filter-form" key={`${kind} ${month}`}>
      <label className="field">
        <span>種類</span>
        <select name="kind" className="control" defaultValue={kind ?? ""}>
          <option value="">すべて</option>
          {Object.entries(KIND_NAMES).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>月</span>
        <input
          type="month"
          name="month"
          className="control"
          defaultValue={month ?? wrong_month ?? ""}
          placeholder="2026-11"
          aria-invalid={wrong_month ? true : undefined}
          aria-describedby={wrong_month ? "month-error" : undefined}
          // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
          autoFocus={Boolean(wrong_month)}
        />
        {wrong_month && (
          <span className="field-error" id="month-error">
            「{wrong_month}」は読み取れませんでした。2026-11 のように入力してください。
          </span>
        )}
      </label>
      <Button variant="gray-outline">絞り込む</Button>
    </Form>
  );
}

function TransactionRow({ transaction }: { transaction: Transaction }) {
  const { kind, event, amount, fee, donation, net, subject_id, can_open_letter, created_at } = transaction;
  const { title, sender_name, available_at } = transaction;
  const is_payout = kind === "payout";
  const parts = [
    `${is_payout ? "振込額" : "金額"} ${yenText(Math.abs(amount))}`,
    ...(fee === 0 ? [] : [`${is_payout ? "振込手数料" : "手数料"} ${yenText(Math.abs(fee))}`]),
    ...(donation === 0 ? [] : [`寄付 ${yenText(Math.abs(donation))}`]),
  ];
  const name = KIND_NAMES[kind];
  return (
    <li className="card transaction">
      <div className="row-text">
        <b>{can_open_letter ? <Link to={`/my/box/${subject_id}`}>{name}</Link> : name}</b>
        {event !== "paid" && <span>{describeEvent(transaction)}</span>}
        {(title || sender_name) && (
          <span>
            {title && `「${title}」`}
            {title && sender_name && "　"}
            {sender_name && <bdi>{sender_name}</bdi>}
          </span>
        )}
        <span className="row-note">
          <DateTime iso={created_at} />
        </span>
        {available_at && (
          <span className="row-note">
            確定待ち（
            <DateTime iso={available_at} format="date" />
            ごろから振り込めます）
          </span>
        )}
        <span className="row-note">{parts.join("、")}</span>
      </div>
      <YenChange yen={net} />
    </li>
  );
}
