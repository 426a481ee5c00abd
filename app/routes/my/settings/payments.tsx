import { data, Form, redirect, redirectDocument } from "react-router";
import {
  createCustomerPortal,
  createPaymentMethod,
  getPaymentMethods,
  type PaymentMethod,
  updatePaymentMethod,
} from "../../../../workers/contract/payments.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import type { Route } from "./+types/payments.ts";
import { SettingsPage } from "./settings-page.tsx";

const TITLE = "お支払い方法";
const PATH = "/my/settings/payments";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const sent = await v4.send(getPaymentMethods, {});
  const idempotency_key = crypto.randomUUID();
  if (sent.ok) return { cards: sent.answer.payment_methods, error: null, idempotency_key };
  const { code, detail } = sent.refusal;
  if (code !== "payments_unavailable" && code !== "gateway_unreachable") throw v4.failure(sent.refusal);
  return { cards: null, error: detail, idempotency_key };
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
  const { cards, error, idempotency_key } = loaderData;
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
              カードの削除と、お支払いの記録
            </Button>
          </Form>
          <p className="field-hint">
            追加と削除は、決済サービスの画面で行います。使うカードを選ぶと、加入中のすべてのプランのお支払いに使われ、確認できなかったお支払いはすぐにもう一度試します。
          </p>
        </section>
      )}
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
