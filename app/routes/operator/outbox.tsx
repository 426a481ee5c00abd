import * as z from "zod";
import { listOutbox, retryOutboxRow } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { Button } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Route } from "./+types/outbox.ts";
import { NextPage, Note, OperatorList, OperatorRow } from "./list.tsx";
import { admitOperator, finishAct, refuseAct, sendAct } from "./operator-page.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "止まった出来事", is_unlisted: true });

const PATH = "/operator/outbox";
const ROWS = 50;
const outboxForm = retryOutboxRow.params;

export async function loader({ url, context }: Route.LoaderArgs) {
  await admitOperator(context);
  const after = outboxForm.shape.outbox_id.safeParse(url.searchParams.get("after")).data;
  const query = { after, limit: ROWS };
  return { ...(await context.get(v4Context).read(listOutbox, { query })), is_first: after === undefined };
}

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  const read = readForm(form, z.object(outboxForm.shape));
  if (!read.value) return refuseAct(form, read);
  const sent = await sendAct(context, url, form, retryOutboxRow, { params: read.value });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, PATH, "outbox_retried");
}

export default function Outbox({ loaderData, actionData }: Route.ComponentProps) {
  const { kinds, given_up, has_next, is_first } = loaderData;
  const last = given_up.at(-1)?.outbox_id;
  return (
    <>
      <h1 className="page-title">止まった出来事</h1>
      <p className="lead">
        起きたことを、お知らせ、メール、検索などへ伝える列です。失敗が続いたものは止まり、運営がもう一度届けるまで待ちます。
      </p>
      <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
      {given_up.length === 0 ? (
        <EmptyState title="止まった出来事はありません" />
      ) : (
        <OperatorList>
          {given_up.map(({ outbox_id, kind, created_at, last_error }) => (
            <OperatorRow
              key={outbox_id}
              title={<b>{kind}</b>}
              actions={
                <ButtonForm action={PATH} fields={{ act: "retry", outbox_id }} label={kind}>
                  {(is_sending) => (
                    <Button size="sm" variant="gray-outline" aria-disabled={is_sending}>
                      もう一度届ける
                    </Button>
                  )}
                </ButtonForm>
              }
            >
              <Note>
                <DateTime iso={created_at} />
              </Note>
              <Note>{last_error}</Note>
              <Note>
                <span className="operator-id">{outbox_id}</span>
              </Note>
            </OperatorRow>
          ))}
        </OperatorList>
      )}
      <NextPage first={is_first ? null : PATH} next={has_next && last ? `${PATH}?after=${last}` : null} />
      {kinds.length > 0 && (
        <section className="section">
          <h2 className="section-title">種類ごとの数</h2>
          <OperatorList>
            {kinds.map(({ kind, waiting_count, given_up_count, oldest_at }) => (
              <OperatorRow key={kind} title={<b>{kind}</b>}>
                <Note>
                  待っているもの {waiting_count}件、止まったもの {given_up_count}件、いちばん古いもの{" "}
                  <DateTime iso={oldest_at} />
                </Note>
              </OperatorRow>
            ))}
          </OperatorList>
        </section>
      )}
    </>
  );
}
