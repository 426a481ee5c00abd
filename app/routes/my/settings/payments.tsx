import { data, Form, Link, redirect, redirectDocument } from "react-router";
import {
  createCustomerPortal,
  createPaymentMethod,
  getPaymentMethods,
  listPayments,
  type OwnPayment,
  type PaymentMethod,
  updatePaymentMethod,
} from "../../../../workers/contract/payments.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { DateTime } from "../../../ui/date-time.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { Pager } from "../../../ui/pager.tsx";
import { Price } from "../../../ui/price.tsx";
import { pageNumber, refuseEmptyPage } from "../../../v4/page-number.ts";
import { SUBSCRIPTIONS_PATH } from "../plan-state.ts";
import type { Route } from "./+types/payments.ts";
import { SettingsPage } from "./settings-page.tsx";

const TITLE = "お支払い方法";
const PATH = "/my/settings/payments";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const page = pageNumber(url);
  const [sent, { payments, has_next }] = await Promise.all([
    v4.send(getPaymentMethods, {}),
    v4.read(listPayments, { query: { page_number: page } }),
  ]);
  refuseEmptyPage(page, payments);
  const shown = { payments, has_next, page, idempotency_key: crypto.randomUUID() };
  if (sent.ok) return { ...shown, cards: sent.answer.payment_methods, error: null };
  const { code, detail } = sent.refusal;
  if (code !== "payments_unavailable" && code !== "gateway_unreachable") throw v4.failure(sent.refusal);
  return { ...shown, cards: null, error: detail };
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const v4 = context.get(v4Context);
  // Each button is a write of its own.
  const idempotency_key = `${String(form.get("idempotency_key") ?? crypto.randomUUID())}-${String(form.get("do"))}`;
  const refuse = ({ detail, status }: { detail: string; status: number }) => data({ error: detail }, status);
  switch (form.get("do")) {
    case "add": {
      const sent = await v4.send(createPaymentMethod, { idempotency_key });
      if (!sent.ok) return refuse(sent.refusal);
      throw redirectDocument(sent.answer.setup_url, 303);
    }
    case "portal": {
      const sent = await v4.send(createCustomerPortal, { idempotency_key });
      if (!sent.ok) return refuse(sent.refusal);
      throw redirectDocument(sent.answer.portal_url, 303);
    }
    default: {
      const body = { payment_method_id: String(form.get("payment_method_id") ?? "") };
      const sent = await v4.send(updatePaymentMethod, { body });
      if (!sent.ok) return refuse(sent.refusal);
      setFlash(context, "card_chosen");
      return redirect(PATH, 303);
    }
  }
}

export default function Payments({ loaderData, actionData }: Route.ComponentProps) {
  const { cards, error, payments, has_next, page, idempotency_key } = loaderData;
  return (
    <SettingsPage title={TITLE}>
      <p className="lead">
        プランのお支払いに使うカードです。カードの番号は決済サービスが保管し、このサイトには保存されません。
      </p>
      <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
      {error && (
        <p className="notice" role="status">
          {error}
        </p>
      )}
      {cards && (
        <section className="card form" aria-labelledby="cards-title">
          <h2 id="cards-title" className="section-title">
            登録したカード
          </h2>
          {cards.length === 0 ? (
            <p>登録したカードはありません。プランに加入すると、そのときのカードがここに並びます。</p>
          ) : (
            <ul className="invoice-rows">
              {cards.map((card) => (
                <Card key={card.payment_method_id} card={card} />
              ))}
            </ul>
          )}
          <Form method="post" action={PATH} reloadDocument className="form-buttons">
            <input type="hidden" name="idempotency_key" value={idempotency_key} />
            <Button name="do" value="add">
              カードを追加する
            </Button>
            <Button name="do" value="portal" variant="gray-outline">
              カードの削除
            </Button>
          </Form>
          <p className="field-hint">
            追加と削除は、決済サービスの画面で行います。使うカードを選ぶと、加入中のすべてのプランのお支払いに使われ、確認できなかったお支払いはすぐにもう一度試します。
          </p>
        </section>
      )}
      <section className="card form" aria-labelledby="history-title">
        <h2 id="history-title" className="section-title">
          お支払いの履歴
        </h2>
        {payments.length === 0 ? (
          <p>まだありません。</p>
        ) : (
          <ul className="invoice-rows">
            {payments.map((payment) => (
              <Payment key={payment.payment_id} payment={payment} />
            ))}
          </ul>
        )}
        <Pager page={page} has_next={has_next} hrefOf={(n) => `${PATH}${n > 1 ? `?page=${n}` : ""}`} />
      </section>
    </SettingsPage>
  );
}

const BRANDS: Readonly<Record<string, string>> = {
  amex: "American Express",
  diners: "Diners Club",
  jcb: "JCB",
  mastercard: "Mastercard",
  visa: "Visa",
};

const KINDS = {
  ofuse_v3: "有料のofuse",
  fan_letter_support: "ファンレター",
  comment_support: "有料コメント",
  membership: "プラン",
} as const satisfies Record<OwnPayment["kind"], string>;

function Payment({ payment }: { payment: OwnPayment }) {
  const { kind, creator, amount, paid_at, refunded_at, subscription_id, invoice_id } = payment;
  return (
    <li>
      <span>
        <DateTime iso={paid_at} />
        <br />
        <bdi>{creator.name}</bdi>さんへの{KINDS[kind]}
        {invoice_id && (
          <>
            {"　"}
            <Link to={`${SUBSCRIPTIONS_PATH}/${subscription_id}/invoices/${invoice_id}`}>請求書</Link>
          </>
        )}
      </span>
      <span>
        <Price amount={amount} />
        {refunded_at && "　返金済み"}
      </span>
    </li>
  );
}

function Card({ card }: { card: PaymentMethod }) {
  const { payment_method_id, brand, last4, exp_month, exp_year, is_default } = card;
  const name = `${BRANDS[brand] ?? "カード"} •••• ${last4}`;
  return (
    <li>
      <span>
        {name} {is_default && <Badge>使っているカード</Badge>}
        <br />
        <span className="row-note">{`有効期限 ${exp_month}/${exp_year}`}</span>
      </span>
      {!is_default && (
        <Form method="post" action={PATH}>
          <input type="hidden" name="payment_method_id" value={payment_method_id} />
          <Button name="do" value="choose" variant="gray-outline" size="sm" aria-label={`${name}をお支払いに使う`}>
            このカードを使う
          </Button>
        </Form>
      )}
    </li>
  );
}
