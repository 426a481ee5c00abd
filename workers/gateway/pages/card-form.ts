import { html } from "hono/html";
import type { Expiry } from "../resources/payment-methods.ts";
import { isLuhnValid, type TestCard, testCards } from "../resources/test-cards.ts";
import { type Html, renderField } from "./layout.ts";

/** The fields of a card, and how they are read. A number and a CVC are never printed or kept. */

export type Errors = Partial<Record<string, string>>;

/** Returns the typed text without spaces and in half-width characters, as people type numbers in Japanese. */
export function typed(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? "").slice(0, 200).normalize("NFKC").trim();
}

/** Reads a card from a form, or says what is wrong with each field. */
export function readCard(
  form: URLSearchParams,
  now_s: number,
): { card: TestCard; expiry: Expiry } | { errors: Errors } {
  const errors: Errors = {};
  const number = typed(form, "number").replace(/[\s-]/g, "");
  const card = testCards.find((each) => each.number === number);
  if (number === "") errors.number = "カード番号を入力してください。";
  else if (!/^\d{14,16}$/.test(number) || !isLuhnValid(number)) errors.number = "カード番号が正しくありません。";
  else if (!card) errors.number = "デモで使えるのは、下の表のテスト用カードだけです。";
  const expiry = readExpiry(typed(form, "expiry"));
  if (!expiry) errors.expiry = "有効期限を「月/年」で入力してください（例：12/30）。";
  else if (isPast(expiry, now_s)) errors.expiry = "このカードは有効期限が切れています。";
  if (!/^\d{3,4}$/.test(typed(form, "cvc"))) errors.cvc = "裏面の3桁（または4桁）の番号を入力してください。";
  return card && expiry && Object.keys(errors).length === 0 ? { card, expiry } : { errors };
}

function readExpiry(text: string): Expiry | null {
  const [, month = "", year = ""] = /^(\d{1,2})\s*\/\s*(\d{2}|\d{4})$/.exec(text) ?? [];
  const exp_month = Number(month);
  if (exp_month < 1 || exp_month > 12) return null;
  return { exp_month, exp_year: (Number(year) % 100) + 2000 };
}

/** Whether the month of the expiry is over in Japan. */
function isPast({ exp_month, exp_year }: Expiry, now_s: number): boolean {
  const japan = new Date((now_s + 9 * 60 * 60) * 1000);
  return exp_year * 12 + exp_month - 1 < japan.getUTCFullYear() * 12 + japan.getUTCMonth();
}

/** Renders a card's fields. Only the expiry is given back after a refusal. */
export function renderCardFields(form: URLSearchParams, errors: Errors): Html {
  return html`${renderField({ name: "number", label: "カード番号", error: errors.number, autocomplete: "off", inputmode: "numeric", placeholder: "4242 4242 4242 4242" })}
<div class="pair">
${renderField({ name: "expiry", label: "有効期限（月/年）", value: typed(form, "expiry"), error: errors.expiry, inputmode: "numeric", placeholder: "12/30" })}
${renderField({ name: "cvc", label: "セキュリティコード", error: errors.cvc, inputmode: "numeric", placeholder: "123" })}
</div>`;
}

/** Renders the table of the cards that a demo knows. */
export function renderTestCards(): Html {
  return html`<details><summary>テスト用カードの番号を見る</summary>
<table><thead><tr><th scope="col">番号</th><th scope="col">結果</th></tr></thead><tbody>
${testCards.map(
  ({ number, meaning }) =>
    html`<tr><td><code>${number.replace(/(.{4})(?=.)/g, "$1 ")}</code></td><td>${meaning}</td></tr>`,
)}
</tbody></table>
<p class="soft">有効期限は先の年月、セキュリティコードは3桁なら何でも使えます。</p></details>`;
}

/** What a page says of a card that refused, by Stripe's decline code, or of a payer who gave up at PayPay. */
export function refusalText(decline_code: string | undefined): string {
  if (decline_code === "insufficient_funds") return "カードの利用可能額が足りません。別のカードでお試しください。";
  if (decline_code === "authentication_required") return "カードの本人確認ができませんでした。もう一度お試しください。";
  if (decline_code === "paypay_canceled")
    return "PayPayでのお支払いを取りやめました。お支払いは完了していません。もう一度お試しになるか、別の方法をお選びください。";
  return "カードが承認されませんでした。別のカードでお試しください。お支払いは完了していません。";
}
