import type { ReactNode } from "react";
import { Link } from "react-router";
import { MOST_MAILS_COUNTED, type OperatedMails } from "../../../workers/contract/mails.ts";
import {
  checkLedger,
  getMaintenanceRecord,
  getSearchState,
  listAppeals,
  listFeatures,
  listMails,
  listOutbox,
  listPayoutsUnderWay,
  listReports,
} from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { DateTime } from "../../ui/date-time.tsx";
import type { Route } from "./+types/overview.ts";
import { admitOperator, refuseForm } from "./operator-page.ts";
import { FEATURES } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "運営の概要", is_unlisted: true });

/** Every part may be missing: an operator needs the others most while something is down. */
export async function loader({ context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  await admitOperator(context);
  const [reports, appeals, outbox, failed, queued, payouts, ledger, maintenance, search, features] = await Promise.all([
    v4.part(listReports, { query: {} }),
    v4.part(listAppeals, { query: {} }),
    v4.part(listOutbox, { query: { limit: 1 } }),
    v4.part(listMails, { query: { state: "failed", limit: 1 } }),
    v4.part(listMails, { query: { state: "queued", limit: 1 } }),
    v4.part(listPayoutsUnderWay, { query: {} }),
    v4.part(checkLedger, { query: {} }),
    v4.part(getMaintenanceRecord, {}),
    v4.part(getSearchState, {}),
    v4.part(listFeatures, {}),
  ]);
  const sum = (counts: number[] | undefined) => counts?.reduce((total, count) => total + count, 0);
  return {
    reports: reports && { ...atLeast(reports.reports, reports.has_next), oldest: reports.reports[0]?.created_at },
    appeals: appeals && {
      ...atLeast(appeals.appeals, appeals.has_next),
      // The list is in the order of the removals, so an older appeal may be on the next page.
      oldest: appeals.has_next ? undefined : appeals.appeals.map(({ appeal }) => appeal.sent_at).toSorted()[0],
    },
    outbox: outbox && {
      waiting: sum(outbox.kinds.map(({ waiting_count }) => waiting_count)) ?? 0,
      given_up: sum(outbox.kinds.map(({ given_up_count }) => given_up_count)) ?? 0,
      oldest: outbox.kinds.map(({ oldest_at }) => oldest_at).toSorted()[0],
    },
    failed_mails: failed && countedMails(failed),
    queued_mails: queued && countedMails(queued),
    payouts: payouts && {
      ...atLeast(payouts.payouts, payouts.has_next),
      held: {
        count: payouts.payouts.filter(({ is_held }) => is_held).length,
        has_more: payouts.has_next,
      },
      oldest: payouts.payouts[0]?.created_at,
    },
    ledger: ledger && { breaches: ledger.breaches.length, is_whole: ledger.next === null },
    maintenance,
    paused: features?.features.flatMap(({ feature, pause }) => (pause ? [FEATURES[feature].name] : [])) ?? null,
    search: search && search.creators.given_up_count + search.rebuilds.given_up_count,
  };
}

export const action = refuseForm;

const atLeast = (rows: readonly unknown[], has_more: boolean) => ({ count: rows.length, has_more });
const countedMails = ({ count, oldest_at }: Pick<OperatedMails, "count" | "oldest_at">) => ({
  count,
  has_more: count === MOST_MAILS_COUNTED,
  oldest: oldest_at ?? undefined,
});

/** One thing that may wait for an operator. `value` is null when it cannot be read now. */
function Waiting(props: { label: string; to: string; value: ReactNode; is_bad?: boolean; children?: ReactNode }) {
  const { label, to, value, is_bad = false, children } = props;
  return (
    <li className={is_bad ? "card operator-wait operator-bad" : "card operator-wait"}>
      <Link to={to} className="card-link">
        {label}
      </Link>
      {value === null ? <p className="row-note">いまは確認できません</p> : <b>{value}</b>}
      {children && <p className="row-note">{children}</p>}
    </li>
  );
}

const countText = ({ count, has_more }: { count: number; has_more: boolean }) =>
  has_more ? `${count}件以上` : `${count}件`;

const since = (iso: string | undefined) =>
  iso && (
    <>
      いちばん古いもの <DateTime iso={iso} />
    </>
  );

export default function Overview({ loaderData }: Route.ComponentProps) {
  const { reports, appeals, outbox, failed_mails, queued_mails, payouts, ledger, maintenance, paused, search } =
    loaderData;
  return (
    <>
      <h1 className="page-title">運営の概要</h1>
      <ul className="operator-waits">
        <Waiting label="判断を待つ通報" to="/operator/reports" value={reports && countText(reports)}>
          {since(reports?.oldest)}
        </Waiting>
        <Waiting label="答えを待つ異議" to="/operator/appeals" value={appeals && countText(appeals)}>
          {since(appeals?.oldest)}
        </Waiting>
        <Waiting
          label="止まった出来事"
          to="/operator/outbox"
          value={outbox && `${outbox.given_up}件`}
          is_bad={Boolean(outbox?.given_up)}
        >
          {outbox && (
            <>
              処理を待つもの {outbox.waiting}件 {since(outbox.oldest)}
            </>
          )}
        </Waiting>
        <Waiting
          label="送れなかったメール"
          to="/operator/mails?state=failed"
          value={failed_mails && countText(failed_mails)}
          is_bad={Boolean(failed_mails?.count)}
        >
          {since(failed_mails?.oldest)}
        </Waiting>
        <Waiting
          label="送信を待つメール"
          to="/operator/mails?state=queued"
          value={queued_mails && countText(queued_mails)}
        >
          {since(queued_mails?.oldest)}
        </Waiting>
        <Waiting label="進行中の振込" to="/operator/payouts" value={payouts && countText(payouts)}>
          {payouts && (
            <>
              {payouts.held.count > 0 && `止めているもの ${countText(payouts.held)} `}
              {since(payouts.oldest)}
            </>
          )}
        </Waiting>
        <Waiting
          label="帳簿の誤り"
          to="/operator/ledger"
          value={ledger && (ledger.breaches === 0 ? "なし" : `${ledger.breaches}種類`)}
          is_bad={Boolean(ledger?.breaches)}
        >
          {ledger && !ledger.is_whole && "はじめの部分だけを調べました"}
        </Waiting>
        <Waiting
          label="検索の索引に登録できなかったもの"
          to="/operator/search"
          value={search === null ? null : `${search}件`}
          is_bad={Boolean(search)}
        />
        <Waiting
          label="休止中の機能"
          to="/operator/features"
          value={paused && (paused.length > 0 ? `${paused.length}件` : "なし")}
        >
          {paused?.join("、")}
        </Waiting>
        <Waiting label="メンテナンス" to="/operator/maintenance" value={maintenance && maintenanceText(maintenance)}>
          {maintenance?.started_at && (
            <>
              <DateTime iso={maintenance.started_at} /> から{" "}
              {maintenance.finished_at ? <DateTime iso={maintenance.finished_at} /> : "終えるまで"}
            </>
          )}
        </Waiting>
      </ul>
    </>
  );
}

const maintenanceText = ({ started_at }: { started_at: string | null }) => (started_at ? "予定あり" : "予定なし");
