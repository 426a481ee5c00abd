import { Form, Link } from "react-router";
import * as z from "zod";
import { MAIL_STATES } from "../../../workers/contract/mails.ts";
import { listMails, retryMail, setMailSuppressed } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { KeywordField } from "../my/list-order.tsx";
import type { Route } from "./+types/mails.ts";
import { ConfirmedAct, LineField } from "./act-form.tsx";
import { Note, OperatorList, OperatorRow } from "./list.tsx";
import { admitOperator, finishAct, openForms, refuseAct, sendAct } from "./operator-page.ts";
import { MAIL_STATE_WORDS } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "メール", is_unlisted: true });

const PATH = "/operator/mails";

export async function loader({ url, context }: Route.LoaderArgs) {
  const forms = await openForms(context, PATH);
  const state = MAIL_STATES.find((known) => known === url.searchParams.get("state"));
  const address = (url.searchParams.get("keyword") ?? "").trim();
  const v4 = context.get(v4Context);
  const found = await v4.send(listMails, { query: address ? { address } : { state } });
  if (!found.ok && found.refusal.status !== 422) throw v4.failure(found.refusal);
  // A text that is no address has no mails.
  return { forms, state: address ? undefined : state, address, mails: found.ok ? found.answer.mails : [] };
}

const retryForm = z.object({ mail_id: retryMail.params.shape.mail_id });
const suppressForm = z.object({
  act: z.enum(["suppress", "release"]),
  address: z
    .string("メールアドレスを入力してください。")
    .trim()
    .regex(/^[^\s@]+@[^\s@]+$/, "メールアドレスを正しく入力してください。")
    .pipe(setMailSuppressed.body.shape.address),
});

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  if (form.get("act") === "retry") {
    const read = readForm(form, retryForm);
    if (!read.value) return refuseAct(form, read);
    const sent = await sendAct(context, url, form, retryMail, { params: read.value });
    return sent.ok ? finishAct(context, PATH, "mail_retried") : refuseAct(form, read, sent.refusal);
  }
  const read = readForm(form, suppressForm);
  if (!read.value) return refuseAct(form, read);
  const { act, address } = read.value;
  const is_suppressed = act === "suppress";
  const sent = await sendAct(context, url, form, setMailSuppressed, { body: { address, is_suppressed } });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, PATH, is_suppressed ? "mail_suppressed" : "mail_released");
}

const pathOf = (state: (typeof MAIL_STATES)[number] | undefined) => (state ? `${PATH}?state=${state}` : PATH);
const tabs = [undefined, "failed", "suppressed", "queued"] as const;

export default function Mails({ loaderData, actionData }: Route.ComponentProps) {
  const { forms, state, address, mails } = loaderData;
  const shared = { forms, answer: actionData };
  return (
    <>
      <h1 className="page-title">メール</h1>
      <nav className="tabs" aria-label="メールの状態">
        {tabs.map((tab) => (
          <Link key={tab ?? "all"} to={pathOf(tab)} aria-current={!address && tab === state ? "page" : undefined}>
            {tab ? MAIL_STATE_WORDS[tab] : "新しい順"}
          </Link>
        ))}
      </nav>
      <Form method="get" className="row list-order">
        <KeywordField keyword={address} label="メールアドレス" />
        <Button size="sm" variant="gray-outline">
          探す
        </Button>
      </Form>
      <FormErrors
        errors={actionData?.act === "retry" && actionData.error ? [actionData.error] : null}
        answer={actionData}
      />
      {mails.length === 0 ? (
        <EmptyState title="あてはまるメールはありません" />
      ) : (
        <OperatorList>
          {mails.map(({ mail_id, kind, recipient, state: in_state, attempts, next_attempt_at, answer, created_at }) => (
            <OperatorRow
              key={mail_id}
              title={
                <>
                  <b>{recipient || "（宛先は消えています）"}</b>{" "}
                  <Badge tone={in_state === "sent" ? "quiet" : "new"}>{MAIL_STATE_WORDS[in_state]}</Badge>
                </>
              }
              actions={
                in_state === "failed" && (
                  <ButtonForm action={PATH} fields={{ mail_id }} label={recipient}>
                    {(is_sending) => (
                      <Button name="act" value="retry" size="sm" variant="gray-outline" disabled={is_sending}>
                        もう一度送る
                      </Button>
                    )}
                  </ButtonForm>
                )
              }
            >
              <Note>
                <DateTime iso={created_at} /> {kind}
              </Note>
              {in_state === "queued" && (
                <Note>
                  {attempts}回試しました。つぎは <DateTime iso={next_attempt_at} />
                </Note>
              )}
              {in_state !== "sent" && <Note>{answer}</Note>}
              <Note>
                <span className="operator-id">{mail_id}</span>
              </Note>
            </OperatorRow>
          ))}
        </OperatorList>
      )}
      <section className="section">
        <h2 className="section-title">アドレスへの送信</h2>
        <ConfirmedAct
          act="suppress"
          title="アドレスへの送信を止める"
          what="このアドレスには、確認メールも含めて何も送らなくなります。"
          button="止める"
          variant="alert"
          {...shared}
        >
          {(fields) => <AddressField act="suppress" fields={fields} />}
        </ConfirmedAct>
        <ConfirmedAct
          act="release"
          title="アドレスへの送信を再開する"
          what="止まった理由にかかわらず、また送るようになります。"
          button="再開する"
          {...shared}
        >
          {(fields) => <AddressField act="release" fields={fields} />}
        </ConfirmedAct>
      </section>
    </>
  );
}

function AddressField({ act, fields }: Pick<Parameters<typeof LineField>[0], "act" | "fields">) {
  return (
    <LineField
      act={act}
      name="address"
      label="メールアドレス"
      fields={fields}
      input={{ type: "email", inputMode: "email" }}
    />
  );
}
