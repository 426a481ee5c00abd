import { data, Link } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { getSubscription, getSubscriptionInvoice } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { viewerContext } from "../../session/context.ts";
import { InvoiceKind, Issuer, RegistrationNumber } from "../../site/invoice-issuer.tsx";
import { siteContext } from "../../site/site-context.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { Price } from "../../ui/price.tsx";
import type { Route } from "./+types/invoice.ts";
import { Facts } from "./price-facts.tsx";
import { SUBSCRIPTIONS_PATH } from "./subscription-words.ts";

const TITLE = "請求書兼領収書";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ params, context }: Route.LoaderArgs) {
  const { subscription_id, invoice_id } = params;
  if (!id.safeParse(subscription_id).success || !id.safeParse(invoice_id).success) throw data(null, { status: 404 });
  const query = { invoice_id };
  const v4 = context.get(v4Context);
  // The subscription is gone when its creator has left, and the invoice stays.
  const [subscription, { invoices }] = await Promise.all([
    v4.send(getSubscription, { params: { subscription_id } }),
    v4.read(getSubscriptionInvoice, { params: { subscription_id }, query }),
  ]);
  const [invoice] = invoices;
  if (!invoice) throw data(null, { status: 404 });
  const { notice, invoice_number: issuer_number = null } = context.get(siteContext);
  const { seller, address, phone } = notice;
  return {
    invoice,
    back: subscription.ok
      ? { to: `${SUBSCRIPTIONS_PATH}/${subscription_id}`, label: "加入の内容へ戻る" }
      : { to: "/my/settings/payments", label: "お支払いの履歴へ戻る" },
    issuer: { seller, address, phone, issuer_number },
    payer: context.get(viewerContext)?.profile?.name ?? "",
  };
}

/** An invoice on one sheet of paper. Source: 消費税法 第57条の4, 同施行令 第70条の12 (媒介者交付特例). */
export default function InvoicePage({ loaderData }: Route.ComponentProps) {
  const { invoice, back, issuer, payer } = loaderData;
  const { number, title, creator, amount, tax_percent, tax_amount, period_start, period_end, paid_at } = invoice;
  return (
    <>
      <p className="back">
        <Link to={back.to}>{back.label}</Link>
      </p>
      <article className="card form invoice">
        <h1 className="page-title">{TITLE}</h1>
        <p>
          <bdi>{payer}</bdi> 様
        </p>
        <p className="invoice-total">
          <Price amount={amount} />
        </p>
        <Facts
          rows={[
            ["番号", number],
            ["お支払い日（取引年月日）", <DateTime key="paid" iso={paid_at} format="date" />],
            ["内容", `メンバーシップ「${title}」の利用料（電子的な役務の提供）`],
            [
              "期間",
              <span key="period">
                <DateTime iso={period_start} /> から <DateTime iso={period_end} /> まで
              </span>,
            ],
            [`${tax_percent}%対象の金額`, <Price key="taxed" amount={amount} />],
            [`うち消費税額（${tax_percent}%）`, `${groupDigits(tax_amount)}円`],
            ["お支払い方法", "クレジットカード"],
            [
              "売り手",
              <span key="seller">
                <bdi>{creator.name}</bdi>（@{creator.link_id}）
                <RegistrationNumber number={invoice.seller_number} />
              </span>,
            ],
            [
              "発行者（媒介者）",
              <span key="issuer">
                <Issuer {...issuer} />
              </span>,
            ],
          ]}
        />
        {invoice.refunded_at && (
          <p className="notice">
            <DateTime iso={invoice.refunded_at} format="date" /> に全額を返金しました。
          </p>
        )}
        {invoice.refund_state === "disputed" && (
          <p className="notice">カード会社などに異議の申し立てがあり、このお支払いを確認しています。</p>
        )}
        <InvoiceKind issuer_number={issuer.issuer_number} seller_number={invoice.seller_number} payer_name={payer} />
      </article>
    </>
  );
}
