import { html, raw } from "hono/html";
import type { Stored } from "../storage/documents.ts";
import { type Errors, renderCardFields, renderTestCards, typed } from "./card-form.ts";
import { dateText, type Html, renderField, renderPage, yen } from "./layout.ts";

type Session = Stored<"checkout.session">;

const METHODS = [
  { value: "card", label: "クレジットカード" },
  { value: "konbini", label: "コンビニ払い" },
  { value: "paypay", label: "PayPay" },
];

const TITLES = { payment: "お支払い", setup: "カードの登録", subscription: "プランへの加入" };

/** Returns what a session's page is called. */
export function titleOf({ body }: Session): string {
  return TITLES[body.mode as keyof typeof TITLES];
}

function renderSummary({ body, hidden }: Session): Html {
  const lines = hidden.line_items ?? [];
  if (body.mode === "setup") {
    return html`<div class="summary"><h1>カードの登録</h1><p class="soft">登録するだけで、お支払いは発生しません。</p></div>`;
  }
  const is_monthly = body.mode === "subscription";
  return html`<div class="summary"><h1>${is_monthly ? "プランへの加入" : "お支払い"}</h1>
<p class="amount">${yen(body.amount_total)}<small>（税込）${is_monthly ? " / 月" : ""}</small></p>
<dl>${lines.map(
    ({ description, quantity, amount_total }) =>
      html`<dt>${description}${quantity && quantity > 1 ? ` × ${quantity}` : ""}</dt><dd>${yen(amount_total)}</dd>`,
  )}</dl>
<dl class="total"><dt>合計</dt><dd>${yen(body.amount_total)}（税込）</dd></dl>
${
  is_monthly
    ? html`<p class="soft">今日お支払いいただき、その後は毎月同じ日に自動で更新されます。いつでも解約できます。</p>`
    : ""
}
<p class="soft">この画面の有効期限：${dateText(body.expires_at, true)}</p></div>`;
}

/** A link of Markdown, which custom text may have at Stripe. The page shows other Markdown as it was written. */
const LINK = /\[([^[\]]+)\]\((https?:\/\/[^\s()]+)\)/;

/** Renders the caller's text beside the button. Its links open in new tabs, so that the form keeps what was typed. */
function renderCustomText(message: string): Html[] {
  // Splitting by a pattern with two groups gives text, label, address, text, and so on.
  const parts = message.split(LINK);
  return parts.flatMap((part, at) => {
    if (at % 3 === 0) return [html`${part}`];
    return at % 3 === 1 ? [html`<a href="${parts[at + 1]}" target="_blank" rel="noopener">${part}</a>`] : [];
  });
}

/** Renders the page on which a session is paid. After a refusal it gives back what was typed, but no card number. */
export function renderCheckout(
  session: Session,
  form: URLSearchParams,
  errors: Errors,
  refused: string,
  nonce: string,
): Html {
  const { body } = session;
  const offered = METHODS.filter(({ value }) => body.payment_method_types.includes(value));
  const chosen = form.get("method") ?? offered[0]?.value;
  const email = form.has("email") ? typed(form, "email") : (body.customer_email ?? "");
  const pay =
    body.mode === "setup"
      ? "カードを登録する"
      : body.mode === "subscription"
        ? "加入して支払う"
        : `${yen(body.amount_total)}を支払う`;
  return renderPage(
    titleOf(session),
    nonce,
    html`${renderSummary(session)}
<section>
<h2>${body.mode === "setup" ? "カードの情報" : "お支払いの情報"}</h2>
${refused ? html`<p class="refused" role="alert">${refused}</p>` : ""}
<form method="post" novalidate>
${renderField({ name: "email", label: "メールアドレス", type: "email", value: email, error: errors.email, autocomplete: "email" })}
${
  offered.length > 1
    ? html`<fieldset><legend>支払い方法</legend>${offered.map(
        ({ value, label }) =>
          html`<label class="choice"><input type="radio" name="method" value="${value}"${value === chosen ? raw(" checked") : ""}>${label}</label>`,
      )}</fieldset>`
    : html`<input type="hidden" name="method" value="${offered[0]?.value ?? "card"}">`
}
${offered.some(({ value }) => value === "card") ? html`<div class="${offered.length > 1 ? "of-card" : ""}">${renderCardFields(form, errors)}</div>` : ""}
${renderField({ name: "name", label: "お名前", value: typed(form, "name"), error: errors.name, autocomplete: "name" })}
${offered.some(({ value }) => value === "konbini") ? html`<div class="${offered.length > 1 ? "of-konbini" : ""}">${renderField({ name: "phone", label: "電話番号", type: "tel", value: typed(form, "phone"), error: errors.phone, autocomplete: "tel" })}</div>` : ""}
${body.custom_text.submit ? html`<p class="terms">${renderCustomText(body.custom_text.submit.message)}</p>` : ""}
<button class="primary">${pay}</button>
</form>
${body.cancel_url ? html`<a class="button" href="${body.cancel_url}">戻る</a>` : ""}
${renderTestCards()}
</section>`,
    "wide",
  );
}

/** Renders the bank's page, on which the card's owner says who they are. */
export function renderAuthentication(amount: number | null, nonce: string): Html {
  return renderPage(
    "カードの本人確認",
    nonce,
    html`<section><h1>カードの本人確認（3Dセキュア）</h1>
<p>カード会社の確認画面のかわりに、この画面が表示されています。</p>
${amount === null ? "" : html`<p class="amount">${yen(amount)}</p>`}
<form method="post">
<button class="primary" name="answer" value="yes">認証する</button>
<button name="answer" value="no">認証しない</button>
</form></section>`,
  );
}

/** Renders the page that stands for PayPay's app. */
export function renderPayPay(amount: number, nonce: string): Html {
  return renderPage(
    "PayPay（デモ）",
    nonce,
    html`<section><h1>PayPayで支払う</h1>
<p>PayPayのアプリのかわりに、この画面が表示されています。</p>
<p class="amount">${yen(amount)}</p>
<form method="post">
<button class="primary" name="answer" value="yes">支払う</button>
<button name="answer" value="no">やめる</button>
</form></section>`,
  );
}

/** Renders the code that the payer shows at a shop, and the demo's buttons for what happens there. */
export function renderVoucher({ body, hidden }: Stored<"payment_intent">, back: string | null, nonce: string): Html {
  const code = hidden.konbini;
  const expires_at = body.next_action?.konbini_display_details?.expires_at ?? 0;
  return renderPage(
    "コンビニでのお支払い",
    nonce,
    html`<section><h1>コンビニでお支払いください</h1>
<p class="amount">${yen(body.amount)}<small>（税込）</small></p>
<p>お支払い期限：<strong>${dateText(expires_at, true)}</strong></p>
<h2>支払い番号</h2><p class="code">${code?.payment_code}</p>
<h2>確認番号</h2><p class="code">${code?.confirmation_number}</p>
<p class="soft">ファミリーマート、ローソン、ミニストップ、セイコーマートのレジまたは端末で、番号をお伝えください。期限までにお支払いがない場合、注文は取り消されます。</p>
${back ? html`<a class="button primary" href="${back}">サイトに戻る</a>` : ""}</section>
<section><h2>デモの操作</h2><p class="soft">店頭で起きることを、ここで選べます。</p>
<form method="post">
<button name="answer" value="yes">レジで支払ったことにする</button>
<button name="answer" value="no">期限切れにする</button>
</form></section>`,
  );
}
