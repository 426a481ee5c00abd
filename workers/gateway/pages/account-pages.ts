import { html, raw } from "hono/html";
import type Stripe from "stripe";
import type { Account } from "../resources/accounts.ts";
import { itemOf } from "../resources/billing.ts";
import { type Errors, renderCardFields, renderTestCards, typed } from "./card-form.ts";
import { dateText, type Html, renderField, renderPage, yen } from "./layout.ts";

/** The pages on which a customer and a creator look after their own: portal, invoice, onboarding. */

const STATUSES: Readonly<Record<string, string>> = {
  active: "加入中",
  canceled: "解約済み",
  draft: "作成中",
  incomplete: "お支払い待ち",
  incomplete_expired: "不成立",
  open: "未払い",
  paid: "支払い済み",
  past_due: "お支払いの確認中",
  void: "取消",
};
const statusText = (status: string | null) => STATUSES[status ?? ""] ?? "";

const BRANDS: Readonly<Record<string, string>> = { visa: "Visa", mastercard: "Mastercard", jcb: "JCB" };

export interface PortalView {
  session: Stripe.BillingPortal.Session;
  customer: Stripe.Customer;
  methods: Stripe.PaymentMethod[];
  subscriptions: { body: Stripe.Subscription; name: string }[];
  invoices: Stripe.Invoice[];
}

/** Renders the portal: a customer's plans, cards and invoices. */
export function renderPortal(
  view: PortalView,
  form: URLSearchParams,
  errors: Errors,
  refused: string,
  nonce: string,
): Html {
  const { session, customer, methods, subscriptions, invoices } = view;
  const usual = customer.invoice_settings.default_payment_method;
  return renderPage(
    "お支払いの管理",
    nonce,
    html`<section><h1>お支払いの管理</h1>
<h2>加入中のプラン</h2>
${subscriptions.length === 0 ? html`<p class="soft">加入中のプランはありません。</p>` : ""}
<ul class="plain">${subscriptions.map(({ body, name }) => {
      const { current_period_end, price } = itemOf({ body });
      return html`<li><div class="row"><div><strong>${name}</strong><br><span class="soft">${yen(price.unit_amount)}（税込） / 月　${statusText(body.status)}<br>${
        body.cancel_at_period_end
          ? `${dateText(current_period_end)}に終了します`
          : `次のお支払い：${dateText(current_period_end)}`
      }</span></div>
<form method="post"><input type="hidden" name="subscription" value="${body.id}">${
        body.cancel_at_period_end
          ? html`<button class="inline" name="act" value="resume">加入を続ける</button>`
          : html`<button class="inline" name="act" value="cancel">期間の終わりに解約する</button>`
      }</form></div></li>`;
    })}</ul></section>
<section><h2>登録したカード</h2>
${methods.length === 0 ? html`<p class="soft">登録したカードはありません。</p>` : ""}
<ul class="plain">${methods.map(
      ({ id, card }) =>
        html`<li><div class="row"><div>${BRANDS[card?.brand ?? ""] ?? "カード"} •••• ${card?.last4}<br><span class="soft">有効期限 ${card?.exp_month}/${card?.exp_year}${id === usual ? "　いつも使うカード" : ""}</span></div>
<form method="post"><input type="hidden" name="payment_method" value="${id}">${
          id === usual
            ? ""
            : html`<button class="inline" name="act" value="default">いつも使う</button> <button class="inline" name="act" value="detach">削除</button>`
        }</form></div></li>`,
    )}</ul>
<h2>カードを追加する</h2>
${refused ? html`<p class="refused" role="alert">${refused}</p>` : ""}
<form method="post" novalidate>${renderCardFields(form, errors)}
<button class="primary" name="act" value="card">追加して、いつも使うカードにする</button></form>
${renderTestCards()}</section>
<section><h2>お支払いの記録</h2>
${
  invoices.length === 0
    ? html`<p class="soft">まだありません。</p>`
    : html`<table><thead><tr><th scope="col">日付</th><th scope="col">状態</th><th scope="col" class="yen">金額</th></tr></thead><tbody>
${invoices.map(
  (invoice) =>
    html`<tr><td>${invoice.hosted_invoice_url ? html`<a href="${invoice.hosted_invoice_url}">${dateText(invoice.created)}</a>` : dateText(invoice.created)}</td><td>${statusText(invoice.status)}</td><td class="yen">${yen(invoice.total)}</td></tr>`,
)}</tbody></table>`
}</section>
${session.return_url ? html`<a class="button" href="${session.return_url}">サイトに戻る</a>` : ""}`,
  );
}

/** Renders an invoice for its customer. */
export function renderInvoice(invoice: Stripe.Invoice, nonce: string): Html {
  const { lines, number, total, status, amount_due, customer_name, created } = invoice;
  return renderPage(
    `請求書 ${number ?? ""}`,
    nonce,
    html`<section><h1>請求書 ${number}</h1>
<p class="soft">${dateText(created)}　${statusText(status)}${customer_name ? html`　<bdi>${customer_name}</bdi> 様` : ""}</p>
<dl>${lines.data.map(({ description, amount }) => html`<dt>${description}</dt><dd>${yen(amount)}</dd>`)}</dl>
<dl class="total"><dt>合計（税込）</dt><dd>${yen(total)}</dd><dt>ご請求額</dt><dd>${yen(amount_due)}</dd></dl></section>`,
  );
}

const VERIFICATIONS = [
  { value: "verified", label: "確認できた" },
  { value: "pending", label: "審査中のままにする" },
  { value: "unverified", label: "書類を読み取れなかった" },
];

/** Renders the steps that a creator takes to be paid out. */
export function renderOnboarding(account: Account, form: URLSearchParams, errors: Errors, nonce: string): Html {
  const chosen = (name: string, fallback: string) => form.get(name) ?? fallback;
  const type = chosen("business_type", account.body.business_type ?? "individual");
  const verification = chosen("verification", account.hidden.verification ?? "verified");
  const isChecked = (is: boolean) => (is ? raw(" checked") : "");
  return renderPage(
    "受け取りの登録",
    nonce,
    html`<section><h1>受け取りの登録</h1>
<p class="soft">収益を受け取る方の情報を登録します。</p>
<form method="post" novalidate>
<fieldset><legend>区分</legend>
<label class="choice"><input type="radio" name="business_type" value="individual"${isChecked(type === "individual")}>個人</label>
<label class="choice"><input type="radio" name="business_type" value="company"${isChecked(type === "company")}>法人</label></fieldset>
${renderField({ name: "name", label: "氏名または法人名", value: typed(form, "name"), error: errors.name, autocomplete: "name" })}
${renderField({ name: "name_kana", label: "フリガナ（カタカナ）", value: typed(form, "name_kana"), error: errors.name_kana })}
${renderField({ name: "birthday", label: "生年月日（個人の方、例：1990/4/1）", value: typed(form, "birthday"), error: errors.birthday, inputmode: "numeric", autocomplete: "bday" })}
${renderField({ name: "phone", label: "電話番号", type: "tel", value: typed(form, "phone"), error: errors.phone, autocomplete: "tel" })}
<fieldset><legend>本人確認の結果（デモで選べます）</legend>
${VERIFICATIONS.map(
  ({ value, label }) =>
    html`<label class="choice"><input type="radio" name="verification" value="${value}"${isChecked(verification === value)}>${label}</label>`,
)}</fieldset>
<fieldset><legend>規約への同意</legend>
<label class="choice"><input type="checkbox" name="tos" value="yes"${isChecked(form.has("tos"))}${errors.tos ? raw(' aria-invalid="true" aria-describedby="tos-error"') : ""}>受け取りサービスの規約（デモ）に同意する</label>
${errors.tos ? html`<p class="error" id="tos-error">${errors.tos}</p>` : ""}</fieldset>
<button class="primary">登録する</button>
</form></section>`,
  );
}

export interface DeveloperView {
  now: number;
  waiting: Stripe.PaymentIntent[];
  message: string;
}

/** Renders the page from which a developer moves the billing clock and pays at shops. */
export function renderDeveloper({ now, waiting, message }: DeveloperView, nonce: string): Html {
  return renderPage(
    "決済デモの操作",
    nonce,
    html`<section><h1>決済デモの操作</h1>
${message ? html`<p class="refused" role="alert">${message}</p>` : ""}
<h2>請求の時計</h2><p class="amount">${dateText(now, true)}</p>
<p class="soft">進めると、更新・再請求・期限切れ・振込が、その時刻に起きたものとして処理されます。戻すことはできません。</p>
<form method="post">
<button name="days" value="1">1日進める</button><button name="days" value="7">7日進める</button><button name="days" value="31">31日進める</button>
</form></section>
<section><h2>お支払い待ち</h2>
${waiting.length === 0 ? html`<p class="soft">お支払い待ちはありません。</p>` : ""}
<ul class="plain">${waiting.map(
      ({ id, amount, created }) =>
        html`<li class="row"><span>${dateText(created, true)}　${yen(amount)}</span><a href="/payment-gateway/pay/${id}">開く</a></li>`,
    )}</ul></section>`,
  );
}
