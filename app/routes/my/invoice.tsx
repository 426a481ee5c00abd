import { data, Link } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { getSubscriptionInvoice } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { viewerContext } from "../../session/context.ts";
import { siteContext } from "../../site/site-context.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { Price } from "../../ui/price.tsx";
import type { Route } from "./+types/invoice.ts";
import { SUBSCRIPTIONS_PATH } from "./plan-state.ts";
import { Facts } from "./price-facts.tsx";

const TITLE = "請求書兼領収書";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ params, context }: Route.LoaderArgs) {
  const { subscription_id, invoice_id } = params;
  if (!id.safeParse(subscription_id).success || !id.safeParse(invoice_id).success) throw data(null, { status: 404 });
  const query = { invoice_id };
  const v4 = context.get(v4Context);
  const { invoices } = await v4.read(getSubscriptionInvoice, { params: { subscription_id }, query });
  const [invoice] = invoices;
  if (!invoice) throw data(null, { status: 404 });
  const { seller, address, phone } = context.get(siteContext).notice;
  return { invoice, issuer: { seller, address, phone }, payer: context.get(viewerContext)?.profile?.name ?? "" };
}

/** An invoice on one sheet of paper. Source: 消費税法 第57条の4, 同施行令 第70条の12 (媒介者交付特例). */
export default function InvoicePage({ loaderData }: Route.ComponentProps) {
  const { invoice, issuer, payer } = loaderData;
  const { number, title, creator, amount, tax_percent, tax_amount, period_start, period_end, paid_at } = invoice;
  return (
    <>
      <p className="back">
        <Link to={`${SUBSCRIPTIONS_PATH}/${invoice.subscription_id}`}>加入の内容へ戻る</Link>
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
            [`${tax_percent}％対象の金額`, <Price key="taxed" amount={amount} />],
            [`うち消費税額（${tax_percent}％）`, `${tax_amount.toLocaleString("ja-JP")}円`],
            ["お支払い方法", "クレジットカード"],
            [
              "売り手",
              <span key="seller">
                <bdi>{creator.name}</bdi>（@{creator.link_id}）
              </span>,
            ],
            [
              "発行者（媒介者）",
              <span key="issuer">
                {issuer.seller}
                <br />
                {issuer.address}
                <br />
                {issuer.phone}
              </span>,
            ],
          ]}
        />
        {invoice.refunded_at && (
          <p className="notice">
            <DateTime iso={invoice.refunded_at} format="date" /> に全額を返金しました。
          </p>
        )}
        <p className="field-hint">
          売り手と発行者がともに適格請求書発行事業者のとき、この書類は、発行者が売り手に代わって交付する適格請求書です（媒介者交付特例、消費税法施行令第70条の12）。登録番号の記載がないものは、適格請求書ではありません。
        </p>
      </article>
    </>
  );
}
