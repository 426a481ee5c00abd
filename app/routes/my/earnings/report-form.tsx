import { REPORT_DAYS } from "../../../../workers/contract/bounds.ts";
import { buttonClass } from "../../../ui/button.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { REPORT_PATH } from "./paths.ts";

/**
 * Chooses the days of a report. The browser saves what the address answers. A registered operator's report is the statement that
 * a registered creator must get for the invoices issued on their behalf. Source: 消費税法施行令 第70条の12 第3項. Only a
 * registered operator can issue invoices (適格請求書) for its fees.
 */
export function ReportForm(props: {
  from: string;
  to: string;
  refused: string | null;
  is_issuer_registered: boolean;
  email: string;
}) {
  const { from, to, refused, is_issuer_registered, email } = props;
  // A refusal is about both days: they are missing, in the wrong order, or too far apart.
  const error_id = "report-error";
  const judged = refused ? { "aria-invalid": true, "aria-describedby": error_id } : {};
  return (
    <section className="card form section" aria-labelledby="report-title">
      <h2 id="report-title" className="section-title">
        明細をCSVで保存する
      </h2>
      <p>{`${REPORT_DAYS}日までの期間を選べます。Excelや会計ソフト（freeeなど）で開けます。`}</p>
      {is_issuer_registered && (
        <>
          <p>
            「売り手の登録番号」がある売上については、このCSVが、支払った人に交付した書類の写しに代わる精算書になります（媒介者交付特例）。
          </p>
          <p>
            手数料の適格請求書が必要な方は、<a href={`mailto:${email}`}>{email}</a> へご請求ください。
          </p>
        </>
      )}
      {refused && (
        <div id={error_id}>
          <FormErrors errors={[refused]} answer={`${from} ${to}`} />
        </div>
      )}
      <form action={REPORT_PATH} className="filter-form">
        <label className="field">
          <span>始まりの日</span>
          <input type="date" name="from" className="control" defaultValue={from} required {...judged} />
        </label>
        <label className="field">
          <span>終わりの日</span>
          <input type="date" name="to" className="control" defaultValue={to} required {...judged} />
        </label>
        <button type="submit" className={buttonClass({ variant: "gray-outline" })}>
          CSVを保存
        </button>
      </form>
    </section>
  );
}
