import { data, Link, useFetcher } from "react-router";
import * as z from "zod";
import { id } from "../../../workers/contract/fields.ts";
import { type DetailedReport, decideReport, getReport, reportDecision } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { Radios } from "../../ui/radios.tsx";
import { operatorNote } from "../operation-forms.server.ts";
import type { Route } from "./+types/report.ts";
import { ActForm, NoteField } from "./act-form.tsx";
import { Fact, FactList, Note, OperatorList, OperatorRow } from "./list.tsx";
import { admitOperator, finishAct, openForms, type RefusedAct, refuseAct, sendAct } from "./operator-page.ts";
import { DECISIONS, REASONS, SUBJECTS } from "./operator-words.ts";
import { SubjectNow } from "./reported-subject.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "通報の内容", is_unlisted: true });

const PATH = "/operator/reports";

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const forms = await openForms(context, url.pathname);
  if (!id.safeParse(params.report_id).success) throw data(null, { status: 404 });
  return { forms, ...(await context.get(v4Context).read(getReport, { params })) };
}

const decisionForm = z.object({
  decision: z.enum(reportDecision.options, "判断を選んでください。"),
  note: operatorNote.nullable().default(null),
});

export async function action({ request, url, params, context }: Route.ActionArgs) {
  await admitOperator(context);
  if (!id.safeParse(params.report_id).success) throw data(null, { status: 404 });
  const form = await request.formData();
  const read = readForm(form, decisionForm);
  if (!read.value) return refuseAct(form, read);
  const sent = await sendAct(context, url, form, decideReport, { params, body: read.value });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, url.pathname, "report_decided");
}

const choices = [
  {
    value: "removed",
    label: "公開を停止する",
    note: "持ち主のほかは、リンクを知る人からも見えなくなります。持ち主へお知らせします。",
  },
  { value: "kept", label: "そのままにする", note: "通報した人にだけお知らせします。その人には表示されないままです。" },
];

export default function ReportPage({ loaderData, actionData }: Route.ComponentProps) {
  const { report, subject, others, forms } = loaderData;
  const fetcher_key = `decide ${report.report_id}`;
  const refused = useFetcher<RefusedAct>({ key: fetcher_key }).data ?? actionData;
  return (
    <>
      <p className="back">
        <Link to={PATH}>通報の一覧へ戻る</Link>
      </p>
      <h1 className="page-title">通報の内容</h1>
      <section className="card form">
        <FactList>
          <Fact name="通報されたもの">{`${SUBJECTS[report.subject_type]}（${report.owner_link_id ? `@${report.owner_link_id}` : "ゲスト"}）`}</Fact>
          <Fact name="理由">{REASONS[report.reason]}</Fact>
          <Fact name="通報した人の言葉">{report.detail || "（なし）"}</Fact>
          <Fact name="通報">
            <DateTime iso={report.created_at} /> @{report.reporter_link_id}
          </Fact>
          <Fact name="ID">
            <span className="operator-id">{report.subject_id}</span>
          </Fact>
        </FactList>
      </section>
      <section className="card form">
        <h2 className="section-title">通報されたもの</h2>
        <SubjectNow subject={subject} />
      </section>
      <section className="card form">
        <h2 className="section-title">判断</h2>
        {report.decision ? (
          <>
            {/* Another operator decided in the meantime. */}
            <FormErrors errors={refused?.error ? [refused.error] : null} answer={refused} />
            <Decided {...report} />
          </>
        ) : (
          <ActForm act="decide" fetcher_key={fetcher_key} forms={forms} answer={actionData} button="判断を記録する">
            {(fields) => (
              <>
                <p className="field-hint">
                  同じものへの、判断を待つ通報すべてに同じ判断をくだします。通報による判断は一度だけです。
                </p>
                <Radios
                  id="decision"
                  name="decision"
                  label="どうしますか"
                  choices={choices}
                  initial={fields.typed.decision}
                  errors={fields.errors.decision}
                />
                <NoteField
                  act="decide"
                  name="note"
                  label="ひとこと（任意）"
                  hint="通報した人と持ち主の両方が読みます。だれの名前も書かないでください。"
                  fields={fields}
                />
              </>
            )}
          </ActForm>
        )}
      </section>
      {others.length > 0 && (
        <section className="section">
          <h2 className="section-title">同じものへの、ほかの通報</h2>
          <OperatorList>
            {others.map((other) => (
              <OperatorRow
                key={other.report_id}
                title={
                  <>
                    <Link to={`${PATH}/${other.report_id}`} className="card-link">
                      {REASONS[other.reason]}
                    </Link>{" "}
                    {other.decision && <Badge tone="quiet">{DECISIONS[other.decision]}</Badge>}
                  </>
                }
              >
                <Note>{other.detail}</Note>
                <Note>
                  <DateTime iso={other.created_at} /> @{other.reporter_link_id}
                </Note>
              </OperatorRow>
            ))}
          </OperatorList>
        </section>
      )}
    </>
  );
}

function Decided({ decision, decision_note, decided_at }: DetailedReport) {
  return (
    <FactList>
      <Fact name="判断">{decision && DECISIONS[decision]}</Fact>
      <Fact name="日時">{decided_at && <DateTime iso={decided_at} />}</Fact>
      <Fact name="ひとこと">{decision_note ?? "（なし）"}</Fact>
    </FactList>
  );
}
