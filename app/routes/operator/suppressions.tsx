import { Form, Link } from "react-router";
import * as z from "zod";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { listSuppressions, setMailSuppressed } from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { KeywordField } from "../my/list-order.tsx";
import type { Route } from "./+types/suppressions.ts";
import { ConfirmedAct, LineField, NoteField } from "./act-form.tsx";
import { Fact, FactList, Note, OperatorList, OperatorRow } from "./list.tsx";
import { admitOperator, finishAct, openForms, refuseAct, sendAct } from "./operator-page.ts";
import { SUPPRESSIONS } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "止めた宛先", is_unlisted: true });

const PATH = "/operator/mails/suppressions";

export async function loader({ url, context }: Route.LoaderArgs) {
  const forms = await openForms(context, PATH);
  const address = (url.searchParams.get("keyword") ?? "").trim();
  const v4 = context.get(v4Context);
  const found = await v4.send(listSuppressions, { query: address ? { address } : {} });
  if (!found.ok && found.refusal.status !== 422) throw v4.failure(found.refusal);
  // A text that is no address is suppressed nowhere.
  return { forms, address, ...(found.ok ? found.answer : { counts: [], suppressions: [] }) };
}

const suppressForm = z.object({
  act: z.enum(["suppress", "release"]),
  address: z.string("メールアドレスを入力してください。").trim().pipe(setMailSuppressed.body.shape.address),
  // The command may leave the reason out, the page may not.
  reason: setMailSuppressed.body.shape.reason.unwrap().unwrap(),
});

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  const read = readForm(form, suppressForm);
  if (!read.value) return refuseAct(form, read);
  const { act, address, reason } = read.value;
  const is_suppressed = act === "suppress";
  const sent = await sendAct(context, url, form, setMailSuppressed, { body: { address, is_suppressed, reason } });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, PATH, is_suppressed ? "mail_suppressed" : "mail_released");
}

export default function Suppressions({ loaderData, actionData }: Route.ComponentProps) {
  const { forms, address, counts, suppressions } = loaderData;
  const shared = { forms, answer: actionData };
  return (
    <>
      <p className="back">
        <Link to="/operator/mails">メールへ戻る</Link>
      </p>
      <h1 className="page-title">止めた宛先</h1>
      <p className="lead">
        アドレスそのものは残していません。新しいものと数、そして入力したアドレスが止まっているかを確かめられます。
      </p>
      <Form method="get" className="row list-order">
        <KeywordField keyword={address} label="メールアドレス" />
        <Button size="sm" variant="gray-outline">
          確かめる
        </Button>
      </Form>
      {!address && counts.length > 0 && (
        <section className="card form">
          <h2 className="section-title">理由ごとの数</h2>
          <FactList>
            {counts.map(({ reason, count }) => (
              <Fact key={reason} name={SUPPRESSIONS[reason]}>
                {groupDigits(count)}件
              </Fact>
            ))}
          </FactList>
        </section>
      )}
      {suppressions.length === 0 ? (
        <EmptyState title={address ? "このアドレスは止まっていません" : "止めた宛先はありません"} />
      ) : (
        <OperatorList>
          {suppressions.map(({ reason, since, hash_prefix }) => (
            <OperatorRow
              key={`${hash_prefix} ${reason}`}
              title={
                <>
                  <b className="operator-id">{address || hash_prefix}</b> <Badge>{SUPPRESSIONS[reason]}</Badge>
                </>
              }
            >
              <Note>
                <DateTime iso={since} />
              </Note>
              {/* The record of acts names the address by it. */}
              {address && (
                <Note>
                  <span className="operator-id">{hash_prefix}</span>
                </Note>
              )}
            </OperatorRow>
          ))}
        </OperatorList>
      )}
      <ConfirmedAct
        act="suppress"
        title="アドレスへの送信を止める"
        what="このアドレスには、確認メールも含めて何も送らなくなります。"
        button="止める"
        variant="alert"
        {...shared}
      >
        {(fields) => <SuppressionFields act="suppress" fields={fields} initial={address} />}
      </ConfirmedAct>
      <ConfirmedAct
        act="release"
        title="アドレスへの送信を再開する"
        what="止まった理由にかかわらず、また送るようになります。"
        button="再開する"
        {...shared}
      >
        {(fields) => <SuppressionFields act="release" fields={fields} initial={address} />}
      </ConfirmedAct>
    </>
  );
}

function SuppressionFields(props: Pick<Parameters<typeof LineField>[0], "act" | "fields" | "initial">) {
  return (
    <>
      <LineField {...props} name="address" label="メールアドレス" input={{ type: "email", inputMode: "email" }} />
      <NoteField
        act={props.act}
        name="reason"
        label="理由"
        hint="操作の記録に残ります。アドレスや名前は書かないでください。"
        fields={props.fields}
      />
    </>
  );
}
