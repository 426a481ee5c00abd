import type { CreatorStats } from "../../../../workers/contract/stats.ts";
import { BarChart } from "../../../ui/bar-chart.tsx";
import { yenText } from "../../../ui/yen.tsx";
import { daysText, type Figure, figureWords } from "./figures.ts";

/** One figure by period as a chart that needs no script, and all figures as a table. */
export function FigureChart(props: { figure: Figure; stats: CreatorStats; shown: readonly Figure[] }) {
  const { figure, stats, shown } = props;
  const { label, note, amountOf, toText } = figureWords[figure];
  const isMonth = stats.agg_period === "month";
  const bars = stats.periods.map(({ figures, previous, ...days }) => ({
    key: days.start_date,
    tick: isMonth ? `${Number(days.start_date.slice(5, 7))}月` : daysText({ ...days, end_date: days.start_date }),
    label: `${daysText(days)} ${toText(amountOf(figures))}`,
    value: amountOf(figures),
    before: { label: `${daysText(previous)} ${toText(amountOf(previous.figures))}`, value: amountOf(previous.figures) },
  }));
  const total = `${label}は${toText(amountOf(stats.totals))}、前の期間は${toText(amountOf(stats.previous.totals))}。`;
  return (
    <section className="card section" aria-labelledby="chart-title">
      <h2 id="chart-title" className="section-title">
        {label}
      </h2>
      <p className="row-note">{note}</p>
      <p className="stats-legend row-note">
        <span>この期間</span>
        <span className="stats-before">前の期間</span>
      </p>
      <BarChart title={`${label}の推移`} description={`${total}数は下の表にあります。`} bars={bars} />
      <details>
        <summary>表で見る</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls. */}
        <section className="table-scroll" tabIndex={0} aria-label="期間ごとの数の表">
          <table className="earnings-table">
            <thead>
              <tr>
                <th scope="col">期間</th>
                {shown.map((each) => (
                  <th key={each} scope="col">
                    {figureWords[each].label}
                  </th>
                ))}
                <th scope="col">前の期間</th>
                <th scope="col">{`${label}（前）`}</th>
              </tr>
            </thead>
            <tbody>
              {stats.periods.map(({ figures, previous, ...days }) => (
                <tr key={days.start_date}>
                  <th scope="row">{daysText(days, true)}</th>
                  {shown.map((each) => (
                    <td key={each}>{figureWords[each].toText(figureWords[each].amountOf(figures))}</td>
                  ))}
                  <td>{daysText(previous, true)}</td>
                  <td>{toText(amountOf(previous.figures))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
      {figure === "revenue" && <RevenueKinds stats={stats} />}
    </section>
  );
}

const kinds = [
  { kind: "ofuse_v3", label: "ofuse" },
  { kind: "fan_letter_support", label: "ファンレター" },
  { kind: "membership", label: "メンバーシップ" },
  { kind: "comment_support", label: "コメント" },
  { kind: "corrections", label: "返金など" },
] as const;

function RevenueKinds({ stats }: { stats: CreatorStats }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls.
    <section className="table-scroll" tabIndex={0} aria-label="種類ごとの売上">
      <table className="earnings-table">
        <thead>
          <tr>
            {["種類", "この期間", "前の期間"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ kind, label }) => (
            <tr key={kind}>
              <th scope="row">{label}</th>
              <td>{yenText(stats.totals.revenue[kind])}</td>
              <td>{yenText(stats.previous.totals.revenue[kind])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
