import { Fragment } from "react";
import { Form, Link } from "react-router";
import * as z from "zod";
import { id } from "../../../workers/contract/fields.ts";
import {
  findPayment,
  listCheckouts,
  listDisputes,
  listHeldPayments,
  type OperatedPayment,
  refundPayment,
  setPaymentHeld,
} from "../../../workers/contract/operator.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { yenText } from "../../ui/yen.tsx";
import type { Route } from "./+types/payments.ts";
import { ConfirmedAct, type Fields, NoteField } from "./act-form.tsx";
import { Fact, FactList, Note, OperatorList, OperatorRow } from "./list.tsx";
import { CheckoutList, paymentPath } from "./money-lists.tsx";
import { admitOperator, finishAct, openForms, refuseAct, sendAct } from "./operator-page.ts";
import { DISPUTE_REASONS, DISPUTES, PAYMENTS, REFUND_CAUSES, REFUNDS } from "./operator-words.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "支払い", is_unlisted: true });

const PATH = "/operator/payments";

export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const forms = await openForms(context, PATH);
  const reference = (url.searchParams.get("reference") ?? "").trim();
  const [{ disputes }, { payments: held }, found, attempts] = await Promise.all([
    v4.read(listDisputes, {}),
    v4.read(listHeldPayments, {}),
    reference ? v4.send(findPayment, { query: { reference } }) : null,
    reference ? v4.send(listCheckouts, { query: { reference } }) : null,
  ]);
  // A misspelt id is not found either.
  for (const sent of [found, attempts]) {
    if (sent && !sent.ok && sent.refusal.status >= 500) throw v4.failure(sent.refusal);
  }
  const payment = found?.ok ? found.answer.payment : null;
  // A payment in the books says more than the attempt that led to it.
  const checkouts = !payment && attempts?.ok ? attempts.answer.checkouts : [];
  return { forms, reference, disputes, held, payment, checkouts };
}

const refundForm = z.object({ payment_id: id, ends_renewal: refundPayment.body.shape.ends_renewal });
const holdForm = z.object({ payment_id: id, reason: setPaymentHeld.body.shape.reason });

export async function action({ request, url, context }: Route.ActionArgs) {
  await admitOperator(context);
  const form = await request.formData();
  const act = String(form.get("act"));
  if (act === "hold" || act === "free") {
    const read = readForm(form, holdForm);
    if (!read.value) return refuseAct(form, read);
    const { reason, ...params } = read.value;
    const body = { is_held: act === "hold", reason };
    const sent = await sendAct(context, url, form, setPaymentHeld, { params, body });
    if (!sent.ok) return refuseAct(form, read, sent.refusal);
    return finishAct(context, paymentPath(params.payment_id), body.is_held ? "payment_held" : "payment_freed");
  }
  const read = readForm(form, refundForm);
  if (!read.value) return refuseAct(form, read);
  const { ends_renewal, ...params } = read.value;
  const sent = await sendAct(context, url, form, refundPayment, { params, body: { ends_renewal } });
  if (!sent.ok) return refuseAct(form, read, sent.refusal);
  return finishAct(context, paymentPath(params.payment_id), "payment_refunded");
}

export default function Payments({ loaderData, actionData }: Route.ComponentProps) {
  const { forms, reference, disputes, held, payment, checkouts } = loaderData;
  return (
    <>
      <h1 className="page-title">支払い</h1>
      <p className="lead">
        支払い、手紙、コメント、請求、または決済サービスのIDで探します。ゲストの支払いは、メールアドレスでも探せます。
      </p>
      <Form method="get" className="row list-order">
        <div className="list-choice list-keyword">
          <label htmlFor="reference">IDなど</label>
          <input
            type="search"
            id="reference"
            name="reference"
            className="control"
            maxLength={254}
            defaultValue={reference}
            key={reference}
          />
        </div>
        <Button size="sm" variant="gray-outline">
          探す
        </Button>
      </Form>
      {reference && !payment && checkouts.length === 0 && <EmptyState title="この支払いは見つかりません" />}
      {checkouts.length > 0 && (
        <section className="section">
          <h2 className="section-title">支払いの手続き</h2>
          <CheckoutList checkouts={checkouts} />
        </section>
      )}
      {payment && (
        <Fragment key={payment.payment_id}>
          <section className="card form">
            <h2 className="section-title">{yenText(payment.amount)}</h2>
            <Payment {...payment} />
          </section>
          {!payment.withdrawn_at && (
            <ConfirmedAct
              key={payment.held_at ? "free" : "hold"}
              act={payment.held_at ? "free" : "hold"}
              title={payment.held_at ? "保留を解除する" : "振込の対象から外して保留する"}
              what={
                payment.held_at
                  ? "クリエイターの分が、ふたたび残高に入ります。"
                  : `クリエイターの分${yenText(payment.creator_share)}は、保留しているあいだ「確認中」と表示され、どの振込にも入りません。すでに申請された振込は、振込のページで止めてください。`
              }
              button={payment.held_at ? "保留を解除する" : "保留する"}
              variant={payment.held_at ? "primary" : "alert"}
              forms={forms}
              answer={actionData}
              fields={{ payment_id: payment.payment_id }}
            >
              {(fields) => (
                <NoteField
                  act={payment.held_at ? "free" : "hold"}
                  name="reason"
                  label="理由"
                  hint="操作の記録に残ります。"
                  fields={fields}
                />
              )}
            </ConfirmedAct>
          )}
          {!payment.withdrawn_at && (
            <ConfirmedAct
              act="refund"
              title="全額を返金する"
              what={`${yenText(payment.amount)}を、払った人に返します。クリエイターの分${yenText(payment.creator_share)}は、クリエイターの残高から減ります。取り消せません。`}
              button="返金する"
              variant="alert"
              forms={forms}
              answer={actionData}
              fields={{ payment_id: payment.payment_id }}
            >
              {({ typed }) => payment.kind === "membership" && <EndRenewal typed={typed} />}
            </ConfirmedAct>
          )}
        </Fragment>
      )}
      {held.length > 0 && (
        <section className="section">
          <h2 className="section-title">保留している支払い</h2>
          <OperatorList>
            {held.map(({ payment_id, amount, creator_link_id, held_at }) => (
              <OperatorRow
                key={payment_id}
                title={
                  <Link to={paymentPath(payment_id)} className="card-link">
                    <b>{yenText(amount)}</b> @{creator_link_id}
                  </Link>
                }
              >
                <Note>
                  <DateTime iso={held_at} /> から
                </Note>
              </OperatorRow>
            ))}
          </OperatorList>
        </section>
      )}
      <section className="section">
        <h2 className="section-title">異議</h2>
        {disputes.length === 0 ? (
          <EmptyState title="異議はありません" />
        ) : (
          <OperatorList>
            {disputes.map(({ dispute_id, payment_id, amount, creator_link_id, reason, status, opened_at }) => (
              <OperatorRow
                key={dispute_id}
                title={
                  <>
                    <Link to={paymentPath(payment_id)} className="card-link">
                      <b>{yenText(amount)}</b> @{creator_link_id}
                    </Link>{" "}
                    <Badge tone={status === "open" ? "new" : "quiet"}>{DISPUTES[status] ?? status}</Badge>
                  </>
                }
              >
                <Note>
                  <DateTime iso={opened_at} /> {DISPUTE_REASONS[reason] ?? reason}
                </Note>
                <Note>
                  <span className="operator-id">{dispute_id}</span>
                </Note>
              </OperatorRow>
            ))}
          </OperatorList>
        )}
      </section>
    </>
  );
}

/**
 * Asks whether the plan ends with the refund. Ticked at first: a member who got a month back rarely wants to pay the next one. The
 * member can continue with one press, but cannot take back a charge.
 */
function EndRenewal({ typed }: Pick<Fields, "typed">) {
  return (
    <div className="field">
      <label className="check">
        <input
          type="checkbox"
          name="ends_renewal"
          defaultChecked={typed.act === undefined || typed.ends_renewal === "on"}
          aria-describedby="ends-renewal-hint"
        />
        <span>更新も止める</span>
      </label>
      <div className="field-hint" id="ends-renewal-hint">
        加入は、支払い済みの期間の終わりに終了します。外すと加入が続き、次の更新日に料金がかかります。どちらになるかは、払った人へのお知らせに書かれます。
      </div>
    </div>
  );
}

function Payment(payment: OperatedPayment) {
  const { fee, donation, creator_share, refunds, disputes } = payment;
  return (
    <FactList>
      <Fact name="種類">{PAYMENTS[payment.kind] ?? payment.kind}</Fact>
      <Fact name="払った人">{payment.payer_link_id ? `@${payment.payer_link_id}` : "ゲスト"}</Fact>
      <Fact name="受け取った人">{`@${payment.creator_link_id}`}</Fact>
      <Fact name="内訳">{`手数料 ${yenText(fee)}、寄付 ${yenText(donation)}、クリエイター ${yenText(creator_share)}`}</Fact>
      <Fact name="支払い">
        <DateTime iso={payment.paid_at} />
      </Fact>
      <Fact name="残高に移る日時">
        {payment.released_at ? (
          <>
            <DateTime iso={payment.released_at} /> に移りました
          </>
        ) : (
          <>
            <DateTime iso={payment.available_at} /> の予定
          </>
        )}
      </Fact>
      {payment.held_at && (
        <Fact name="運営が保留した日時">
          <DateTime iso={payment.held_at} />
        </Fact>
      )}
      {refunds.map(({ refund_id, cause, status, created_at }) => (
        <Fact key={refund_id} name="返金">
          <DateTime iso={created_at} /> {REFUNDS[status] ?? status}（{REFUND_CAUSES[cause] ?? cause}）
        </Fact>
      ))}
      {disputes.map(({ dispute_id, reason, status, opened_at }) => (
        <Fact key={dispute_id} name="異議">
          <DateTime iso={opened_at} /> {DISPUTES[status] ?? status}（{DISPUTE_REASONS[reason] ?? reason}）
        </Fact>
      ))}
      <Fact name="ID">
        <span className="operator-id">{payment.payment_id}</span>
      </Fact>
      <Fact name="手紙、コメント、請求のID">
        <span className="operator-id">{payment.cause_id}</span>
      </Fact>
      <Fact name="決済サービスのID">
        <span className="operator-id">{payment.payment_intent_id}</span>
      </Fact>
    </FactList>
  );
}
