import { Form, Link } from "react-router";
import * as z from "zod";
import { MAIL_STATES } from "../../../workers/contract/mails.ts";
import { listMails, retryMail } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { KeywordField } from "../my/list-order.tsx";
import type { Route } from "./+types/mails.ts";
import { NextPage, Note, OperatorList, OperatorRow } from "./list.tsx";
import { admitOperator, finishAct, refuseAct, sendAct } from "./operator-page.ts";
import { MAIL_STATE_WORDS, MAILS } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "メール", is_unlisted: true });

const PATH = "/operator/mails";
const ROWS = 50;

export async function loader({ url, context }: Route.LoaderArgs) {
  await admitOperator(context);
  const state = MAIL_STATES.find((known) => known === url.searchParams.get("state"));
  const address = (url.searchParams.get("keyword") ?? "").trim();
  const v4 = context.get(v4Context);
  const after = listMails.query.shape.next_page_token.safeParse(url.searchParams.get("after") ?? undefined).data;
  const found = await v4.send(listMails, {
    query: { ...(address ? { address } : { state }), next_page_token: after, limit: ROWS },
  });
  if (!found.ok && found.refusal.status !== 422) throw v4.failure(found.refusal);
  // A text that is no address has no mails.
  const { mails, next_page_token } = found.ok ? found.answer : { mails: [], next_page_token: null };
  return { state: address ? undefined : state, address, mails, next: next_page_token, is_first: after === undefined };
}

const retryForm = z.object({ mail_id: retryMail.params.shape.mail_id });
export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  const read = readForm(form, retryForm);
  if (!read.value) return refuseAct(form, read);
  const sent = await sendAct(context, url, form, retryMail, { params: read.value });
  return sent.ok ? finishAct(context, PATH, "mail_retried") : refuseAct(form, read, sent.refusal);
}

const pathOf = (asked: { state?: string; keyword?: string; after?: string }) => {
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value));
  return query.size > 0 ? `${PATH}?${query}` : PATH;
};
const tabs = [undefined, "failed", "suppressed", "queued"] as const;

export default function Mails({ loaderData, actionData }: Route.ComponentProps) {
  const { state, address, mails, next, is_first } = loaderData;
  const asked = { state, keyword: address };
  return (
    <>
      <div className="page-head">
        <h1 className="page-title">メール</h1>
        <ButtonLink to={`${PATH}/suppressions`} size="sm" variant="gray-outline">
          止めた宛先
        </ButtonLink>
      </div>
      <nav className="tabs" aria-label="メールの状態">
        {tabs.map((tab) => (
          <Link
            key={tab ?? "all"}
            to={pathOf({ state: tab })}
            aria-current={!address && tab === state ? "page" : undefined}
          >
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
      <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
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
                      <Button name="act" value="retry" size="sm" variant="gray-outline" aria-disabled={is_sending}>
                        もう一度送る
                      </Button>
                    )}
                  </ButtonForm>
                )
              }
            >
              <Note>
                <DateTime iso={created_at} /> {MAILS[kind] ?? kind}
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
      <NextPage first={is_first ? null : pathOf(asked)} next={next && pathOf({ ...asked, after: next })} />
    </>
  );
}
