import type { InputHTMLAttributes, ReactNode } from "react";
import { Form, Link } from "react-router";
import { STATS_DAILY_DAYS, STATS_DAYS } from "../../../../workers/contract/bounds.ts";
import { getCreatorStats, getMembershipStats } from "../../../../workers/contract/stats.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { v4Context } from "../../../request/context.ts";
import { viewerContext } from "../../../session/context.ts";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { FieldErrors } from "../../../ui/form-errors.tsx";
import { MonetizePrompt } from "../monetize-prompt.tsx";
import type { Route } from "./+types/stats.ts";
import { FigureChart } from "./figure-chart.tsx";
import { changeText, daysText, FIGURES, type Figure, figureWords } from "./figures.ts";
import { PlanFigures } from "./plan-figures.tsx";
import {
  dayErrors,
  PRESETS,
  RANGE_FIELDS,
  type Range,
  type RangeErrors,
  rangeOf,
  STATS_CSV_PATH,
  STATS_PATH,
  searchOf,
} from "./range.ts";
import { BestEvents, Referrers } from "./rankings.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "統計", is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const asked = rangeOf(url);
  const figure = FIGURES.find((known) => known === url.searchParams.get("of")) ?? "reads";
  const profile = context.get(viewerContext)?.profile;
  const readStats = (query: Range["query"]) =>
    Promise.all([v4.send(getCreatorStats, { query }), v4.send(getMembershipStats, { query })]);
  // Wrong days show the usual range, and the words beside what was typed.
  const usual = rangeOf(new URL(url.pathname, url));
  let errors = dayErrors(asked);
  let range = errors ? usual : asked;
  let [stats, plans] = await readStats(range.query);
  if (!errors && !stats.ok && stats.refusal.status === 422) {
    errors = stats.refusal.fields satisfies RangeErrors;
    range = usual;
    [stats, plans] = await readStats(range.query);
  }
  if (!stats.ok) throw v4.failure(stats.refusal);
  if (!plans.ok) throw v4.failure(plans.refusal);
  return {
    stats: stats.answer,
    plans: plans.answer,
    figure,
    link_id: profile?.link_id ?? "",
    is_creator: profile?.is_creator === true,
    preset: range.preset,
    search: searchOf(range),
    typed: {
      start_date: asked.query.start_date ?? stats.answer.start_date,
      end_date: asked.query.end_date ?? stats.answer.end_date,
      agg_period: asked.query.agg_period,
    },
    errors,
  };
}

type Shown = Route.ComponentProps["loaderData"];

export default function Stats({ loaderData }: Route.ComponentProps) {
  const { stats, plans, figure, link_id, is_creator, search } = loaderData;
  const shown = FIGURES.filter((each) => each !== "revenue" || is_creator);
  const is_empty =
    shown.every((each) => isZero(each, stats.totals) && isZero(each, stats.previous.totals)) &&
    plans.totals.kept_count === 0;
  return (
    <>
      <h1 className="page-title">統計</h1>
      <RangeForm {...loaderData} />
      <p className="lead">
        {daysText(stats, true)}
        <span className="row-note">{`すぐ前の同じ長さの期間（${daysText(stats.previous, true)}）とくらべています。日付は日本時間で、数は少し遅れて反映されます。`}</span>
      </p>
      {is_empty && (
        <EmptyState title="この期間の数字は、まだありません">
          <p>
            投稿が読まれたり、手紙が届いたりすると、ここに日ごとの数が出ます。
            <Link to="/my/posts/new">投稿を作る</Link>か、<Link to="/my/share">ページをシェア</Link>
            してみましょう。
          </p>
        </EmptyState>
      )}
      <Figures {...loaderData} shown={shown} />
      {!is_empty && (
        <>
          <FigureChart figure={shown.includes(figure) ? figure : "reads"} stats={stats} shown={shown} />
          <BestEvents events={stats.best_events} link_id={link_id} />
          <Referrers referrers={stats.referrers} />
        </>
      )}
      {is_creator ? (
        <PlanFigures stats={plans} />
      ) : (
        <MonetizePrompt title="売上とプランの統計には、収益化登録が必要です">
          <p>登録すると、応援やメンバーシップの売上を受け取れ、その数もここで見られます。</p>
        </MonetizePrompt>
      )}
      <section className="card section" aria-labelledby="csv-title">
        <h2 id="csv-title" className="section-title">
          CSVで保存する
        </h2>
        <p>
          <a href={`${STATS_CSV_PATH}?${new URLSearchParams({ ...search, table: "periods" })}`}>期間ごとの数</a>
          {"　"}
          <a href={`${STATS_CSV_PATH}?${new URLSearchParams({ ...search, table: "posts" })}`}>投稿と、どこから来たか</a>
        </p>
      </section>
    </>
  );
}

const isZero = (figure: Figure, figures: Shown["stats"]["totals"]) => figureWords[figure].amountOf(figures) === 0;

const aggPeriods = [
  { value: "day", label: "日ごと" },
  { value: "week", label: "週ごと（月曜から）" },
  { value: "month", label: "月ごと" },
];

function RangeForm({ preset, figure, typed, errors }: Shown) {
  const hrefOf = (range: string) => `${STATS_PATH}?${new URLSearchParams({ range, of: figure })}`;
  return (
    <section className="section" aria-label="期間">
      <nav className="tabs" aria-label="期間">
        {PRESETS.map(({ range, label }) => (
          <Link key={range} to={hrefOf(range)} aria-current={preset === range ? "page" : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      <details open={preset === null || errors !== null}>
        <summary>期間を選ぶ</summary>
        <Form
          action={STATS_PATH}
          className="filter-form card"
          key={`${typed.start_date} ${typed.end_date} ${typed.agg_period}`}
        >
          <input type="hidden" name="of" value={figure} />
          <RangeField name="start_date" errors={errors}>
            {(field) => <input type="date" {...field} defaultValue={typed.start_date} required />}
          </RangeField>
          <RangeField name="end_date" errors={errors}>
            {(field) => <input type="date" {...field} defaultValue={typed.end_date} required />}
          </RangeField>
          <RangeField name="agg_period" errors={errors}>
            {(field) => (
              <select {...field} defaultValue={typed.agg_period}>
                {aggPeriods.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </RangeField>
          <Button variant="gray-outline">表示する</Button>
          <p className="row-note">{`${STATS_DAYS}日以内で選べます。日ごとの集計は${STATS_DAILY_DAYS}日までです。`}</p>
        </Form>
      </details>
    </section>
  );
}

/** A field of the form for other days, with its errors. */
function RangeField(props: {
  name: keyof typeof RANGE_FIELDS;
  errors: RangeErrors | null;
  children: (field: Pick<InputHTMLAttributes<never>, "id" | "name" | "className" | "autoFocus">) => ReactNode;
}) {
  const { name, children } = props;
  const errors = props.errors?.[name];
  const error_id = `${name}-error`;
  return (
    <div className="field">
      <label htmlFor={name}>{RANGE_FIELDS[name]}</label>
      {children({
        ...{ id: name, name, className: "control", autoFocus: Boolean(errors) },
        ...(errors && { "aria-invalid": true, "aria-describedby": error_id }),
      })}
      <FieldErrors errors={errors} id={error_id} />
    </div>
  );
}

/** The sums of the range. Each leads to its chart. */
function Figures({ stats, figure, search, shown }: Shown & { shown: readonly Figure[] }) {
  return (
    <section className="section" aria-labelledby="figures-title">
      <h2 id="figures-title" className="section-title">
        この期間の数
      </h2>
      <div className="stats-figures">
        {shown.map((each) => {
          const { label, amountOf, toText } = figureWords[each];
          const [now, before] = [amountOf(stats.totals), amountOf(stats.previous.totals)];
          return (
            <Link
              key={each}
              to={`${STATS_PATH}?${new URLSearchParams({ ...search, of: each })}#chart-title`}
              className="stats-figure"
              aria-current={figure === each ? "true" : undefined}
            >
              <span>{label}</span>
              <b>{toText(now)}</b>
              <span className="row-note">
                {`前の期間は${toText(before)}`}
                <span>{`（${changeText(each, now, before)}）`}</span>
              </span>
            </Link>
          );
        })}
      </div>
    </section>
  );
}
