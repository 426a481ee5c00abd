import { data, Link, useFetcher } from "react-router";
import * as z from "zod";
import { id } from "../../../workers/contract/fields.ts";
import { answerAppeal, getAppeal } from "../../../workers/contract/operator.ts";
import { appealDecision } from "../../../workers/contract/reports.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { Radios } from "../../ui/radios.tsx";
import { operatorNote } from "../operation-forms.server.ts";
import type { Route } from "./+types/appeal.ts";
import { ActForm, NoteField } from "./act-form.tsx";
import { Fact, FactList } from "./list.tsx";
import { admitOperator, finishAct, openForms, type RefusedAct, refuseAct, sendAct } from "./operator-page.ts";
import { APPEALS, SUBJECTS } from "./operator-words.ts";
import { SubjectNow } from "./reported-subject.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "異議の内容", is_unlisted: true });

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const forms = await openForms(context, url.pathname);
  if (!id.safeParse(params.removal_id).success) throw data(null, { status: 404 });
  return { forms, ...(await context.get(v4Context).read(getAppeal, { params })) };
}

const answerForm = z.object({
  decision: z.enum(appealDecision.options, "答えを選んでください。"),
  note: operatorNote.nullable().default(null),
});

export async function action({ request, url, params, context }: Route.ActionArgs) {
  await admitOperator(context);
  if (!id.safeParse(params.removal_id).success) throw data(null, { status: 404 });
  const form = await request.formData();
  const read = readForm(form, answerForm);
  if (!read.value) return refuseAct(form, read);
  const sent = await sendAct(context, url, form, answerAppeal, { params, body: read.value });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, url.pathname, "appeal_answered");
}

const choices = [
  { value: "granted", label: "公開に戻す", note: "停止する前の状態に戻します。" },
  { value: "refused", label: "戻さない", note: "公開の停止を続けます。" },
];

export default function AppealPage({ loaderData, actionData }: Route.ComponentProps) {
  const { forms, removal, subject } = loaderData;
  const { removal_id, subject_type, owner_link_id, note, removed_at, appeal } = removal;
  const fetcher_key = `answer ${removal_id}`;
  const refused = useFetcher<RefusedAct>({ key: fetcher_key }).data ?? actionData;
  return (
    <>
      <p className="back">
        <Link to="/operator/appeals">異議の一覧へ戻る</Link>
      </p>
      <h1 className="page-title">異議の内容</h1>
      <section className="card form">
        <FactList>
          <Fact name="停止したもの">{`${SUBJECTS[subject_type]}（@${owner_link_id}）`}</Fact>
          <Fact name="停止した日時">
            <DateTime iso={removed_at} />
          </Fact>
          <Fact name="そのときのひとこと">{note ?? "（なし）"}</Fact>
          <Fact name="申し出">
            <DateTime iso={appeal.sent_at} />
          </Fact>
        </FactList>
        <blockquote className="operator-quote">{appeal.message}</blockquote>
      </section>
      <section className="card form">
        <h2 className="section-title">停止したもの</h2>
        <SubjectNow subject={subject} />
      </section>
      <section className="card form">
        <h2 className="section-title">答え</h2>
        {appeal.decision ? (
          <>
            {/* Another operator answered in the meantime. */}
            <FormErrors errors={refused?.error ? [refused.error] : null} answer={refused} />
            <FactList>
              <Fact name="答え">{APPEALS[appeal.decision]}</Fact>
              <Fact name="日時">{appeal.answered_at && <DateTime iso={appeal.answered_at} />}</Fact>
              <Fact name="ひとこと">{appeal.note ?? "（なし）"}</Fact>
            </FactList>
          </>
        ) : (
          <ActForm act="answer" fetcher_key={fetcher_key} forms={forms} answer={actionData} button="答える">
            {(fields) => (
              <>
                <p className="field-hint">答えは一度だけです。持ち主にお知らせします。</p>
                <Radios
                  id="decision"
                  name="decision"
                  label="どうしますか"
                  choices={choices}
                  initial={fields.typed.decision}
                  errors={fields.errors.decision}
                />
                <NoteField
                  act="answer"
                  name="note"
                  label="ひとこと（任意）"
                  hint="持ち主が読みます。"
                  fields={fields}
                />
              </>
            )}
          </ActForm>
        )}
      </section>
    </>
  );
}
