import { Link } from "react-router";
import { groupDigits } from "../../../../workers/contract/group-digits.ts";
import type { MembershipStats } from "../../../../workers/contract/stats.ts";
import { yenText } from "../../../ui/yen.tsx";
import { daysText } from "./figures.ts";

const peopleText = (people: number) => `${groupDigits(people)}人`;

/** Numbers of members who joined, left and stayed in the creator's plans, in all, by plan and by period. */
export function PlanFigures({ stats }: { stats: MembershipStats }) {
  const { totals, plans, periods } = stats;
  const sums = [
    { name: "入った人", text: peopleText(totals.joined_count) },
    { name: "やめた人", text: peopleText(totals.left_count) },
    { name: "続けている人", text: peopleText(totals.kept_count) },
    { name: "1か月の支払い", text: yenText(totals.monthly_value) },
  ];
  return (
    <section className="card section" aria-labelledby="plans-title">
      <h2 id="plans-title" className="section-title">
        メンバーシップ
      </h2>
      {plans.length === 0 ? (
        <p>
          プランはまだありません。<Link to="/my/memberships/new">プランを作る</Link>
        </p>
      ) : (
        <>
          <dl className="balances">
            {sums.map(({ name, text }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <b className="balance-yen">{text}</b>
                </dd>
              </div>
            ))}
          </dl>
          <p className="row-note">
            続けている人と1か月の支払いは、期間の終わりの数です。支払いは手数料を引く前の額です。やめた人は、支払い済みの期間が終わった日に数えます。
          </p>
          <PlanTable
            label="プランごとの表"
            first="プラン"
            rows={plans.map((plan) => ({ ...plan, key: plan.membership_id, name: plan.title }))}
          />
          <details>
            <summary>期間ごとの表を見る</summary>
            <PlanTable
              label="期間ごとのプランの表"
              first="期間"
              rows={periods.map((period) => ({ ...period, key: period.start_date, name: daysText(period, true) }))}
            />
          </details>
        </>
      )}
    </section>
  );
}

type PlanRow = MembershipStats["totals"] & { key: string; name: string };

function PlanTable({ label, first, rows }: { label: string; first: string; rows: readonly PlanRow[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls.
    <section className="table-scroll" tabIndex={0} aria-label={label}>
      <table className="earnings-table">
        <thead>
          <tr>
            {[first, "入った", "やめた", "続けている", "1か月の支払い"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, joined_count, left_count, kept_count, monthly_value }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              <td>{peopleText(joined_count)}</td>
              <td>{peopleText(left_count)}</td>
              <td>{peopleText(kept_count)}</td>
              <td>{yenText(monthly_value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
