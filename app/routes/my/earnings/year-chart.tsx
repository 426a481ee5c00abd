import { Link } from "react-router";
import type { MonthlyEarnings } from "../../../../workers/contract/ledger.ts";
import { BarChart } from "../../../ui/bar-chart.tsx";
import { yenText } from "../../../ui/yen.tsx";
import { EARNINGS_PATH } from "./paths.ts";

/** The first year that a link leads to: nobody earned anything before. */
const FIRST_YEAR = 2026;

/** A year's earnings as a chart that needs no script, and the same numbers as a table. */
export function YearChart(props: { year: number; this_year: number; months: readonly MonthlyEarnings[] }) {
  const { year, this_year, months } = props;
  const total = months.reduce((sum, { earned }) => sum + earned, 0);
  const hrefOf = (other: number) => `${EARNINGS_PATH}?year=${other}#year-title`;
  return (
    <section className="card section" aria-labelledby="year-title">
      <h2 id="year-title" className="section-title">{`${year}年の受取額（手数料差引後）`}</h2>
      <p>
        合計 <b>{yenText(total)}</b>
        <span className="row-note">返金なども差し引いた額です。</span>
      </p>
      <Bars year={year} months={months} />
      <details>
        <summary>月ごとの表を見る</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls. */}
        <section className="table-scroll" tabIndex={0} aria-label={`${year}年の月ごとの表`}>
          <table className="earnings-table">
            <thead>
              <tr>
                {["月", "ofuse", "ファンレター", "メンバーシップ", "コメント", "返金など", "合計"].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {months.map((each) => (
                <tr key={each.month}>
                  <th scope="row">{nameOf(each)}</th>
                  {[
                    each.ofuse_v3,
                    each.fan_letter_support,
                    each.membership,
                    each.comment_support,
                    each.corrections,
                    each.earned,
                  ].map((yen, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the columns are fixed.
                    <td key={column}>{yenText(yen)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
      {this_year > FIRST_YEAR && (
        <nav className="pager" aria-label="年">
          {year > FIRST_YEAR ? <Link to={hrefOf(year - 1)}>{`${year - 1}年`}</Link> : <span />}
          {year < this_year ? <Link to={hrefOf(year + 1)}>{`${year + 1}年`}</Link> : <span />}
        </nav>
      )}
    </section>
  );
}

const nameOf = ({ month }: MonthlyEarnings) => `${Number(month.slice(5))}月`;

function Bars({ year, months }: { year: number; months: readonly MonthlyEarnings[] }) {
  const bars = months.map((each) => ({
    key: each.month,
    tick: String(Number(each.month.slice(5))),
    label: `${nameOf(each)} ${yenText(each.earned)}`,
    value: each.earned,
  }));
  const description = bars.map(({ label }) => label).join("、");
  return <BarChart title={`${year}年の月ごとの受取額`} description={description} bars={bars} />;
}
