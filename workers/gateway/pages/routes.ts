import { type Context, Hono } from "hono";
import { readBounded } from "../../kernel/bounded-body.ts";
import { randomSecret } from "../../kernel/digest.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { advanceTo } from "../clock/advance.ts";
import { type Details, refreshAccount, writeDetails, writeVerification } from "../resources/accounts.ts";
import { announceUpdate, itemOf } from "../resources/billing.ts";
import { declineOf } from "../resources/charges.ts";
import {
  type Chosen,
  type Submitted,
  settleIntent,
  submitCheckout,
  submitVerification,
  successUrl,
} from "../resources/checkout.ts";
import { getCustomer } from "../resources/customers.ts";
import { addCard, attachMethod, detachMethod, type Payer } from "../resources/payment-methods.ts";
import { PORTAL_S } from "../resources/portal-sessions.ts";
import { productName } from "../resources/prices.ts";
import { setEnd } from "../resources/subscriptions.ts";
import type { Stored } from "../storage/documents.ts";
import { whereField, whereOneOf } from "../storage/filters.ts";
import { openGateway, runUnit, Unit } from "../storage/unit.ts";
import { GatewayError } from "../wire/errors.ts";
import { type PortalView, renderDeveloper, renderInvoice, renderOnboarding, renderPortal } from "./account-pages.ts";
import { type Errors, readCard, refusalText, typed } from "./card-form.ts";
import { renderAuthentication, renderCheckout, renderPayPay, renderVoucher, titleOf } from "./checkout-page.ts";
import { type Html, renderNotice } from "./layout.ts";

/** The hosted pages. Each address contains an id that nobody can guess, and everybody who has the address may act. */

type Room = { Bindings: GatewayEnv & { request_id: string } };
type PageContext = Context<Room>;
type Status = 200 | 400 | 403 | 404 | 410 | 422 | 500;

const PAGES = "/payment-gateway";
const FORM_BYTES = 16 * 1024;

export const pages = new Hono<Room>();
pages.notFound((c) => showNotice(c, 404, "ページが見つかりません", "アドレスが正しいか、お確かめください。"));
pages.onError((error, c) => {
  if (error instanceof GatewayError && error.details.code === "resource_missing") {
    return showNotice(c, 404, "ページが見つかりません", "アドレスが正しいか、お確かめください。");
  }
  if (error instanceof GatewayError && error.status < 500) {
    return showNotice(
      c,
      400,
      "続けられませんでした",
      "状態が変わっています。前のページに戻って、もう一度お試しください。",
    );
  }
  logUnexpected(error, c.env.request_id);
  return showNotice(c, 500, "問題が発生しました", "時間をおいて、もう一度お試しください。");
});

// Forms come only from these pages themselves.
pages.use(`${PAGES}/*`, async (c, next) => {
  if (c.req.method === "GET" || c.req.method === "HEAD") return next();
  if (c.req.header("origin") === new URL(c.req.url).origin) return next();
  return showNotice(c, 403, "送信できませんでした", "ほかのサイトから送信された内容です。");
});

/** Shows a page. `leads_to` are the addresses that its form may redirect to. */
async function showPage(
  c: PageContext,
  status: Status,
  render: (nonce: string) => Html,
  leads_to: (string | null)[] = [],
): Promise<Response> {
  const nonce = randomSecret();
  const origins = leads_to.flatMap((url) => (url && URL.canParse(url) ? [new URL(url).origin] : []));
  const targets = ["'self'", ...new Set(origins)].join(" ");
  c.header(
    "content-security-policy",
    `default-src 'none'; style-src 'nonce-${nonce}'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
  );
  c.header("x-frame-options", "DENY");
  // Do not send `no-referrer`: our own forms would then send `Origin: null` and be refused.
  c.header("referrer-policy", "same-origin");
  return c.html(await render(nonce), status);
}

function showNotice(
  c: PageContext,
  status: Status,
  title: string,
  text: string,
  way?: { href: string; label: string },
) {
  return showPage(c, status, (nonce) => renderNotice(title, text, nonce, way));
}

async function readForm(c: PageContext): Promise<URLSearchParams> {
  const bytes = await readBounded(c.req.raw, FORM_BYTES);
  if (!bytes) throw new GatewayError(413, "invalid_request_error", "The form is too large.");
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/** Reads what a page shows. */
async function reading(c: PageContext, account = ""): Promise<Unit> {
  return new Unit(await openGateway(c.env), account);
}

/** Does what a form asks for, as one change. */
async function acting<T>(c: PageContext, work: (unit: Unit) => Promise<T>): Promise<T> {
  const gateway = await openGateway(c.env);
  return runUnit(() => new Unit(gateway), work);
}

const idOf = (c: PageContext) => c.req.param("id") ?? "";

/** The fields that a page gives back after a refusal. A card's number and code are none of them. */
const GIVEN_BACK = [
  ...["email", "name", "phone", "method", "expiry"],
  ...["business_type", "name_kana", "birthday", "verification", "tos"],
];

/**
 * Refuses a form: keeps what was typed and why with the page's object, and redirects to the page, which shows both. If the
 * answer to the POST were the page, going back to it in the browser would send the form again, or show an error.
 */
async function refuseForm(
  c: PageContext,
  kind: "checkout.session" | "billing_portal.session" | "account_link",
  form: URLSearchParams,
  { errors = {}, refused = "" }: { errors?: Errors; refused?: string },
): Promise<Response> {
  const given = GIVEN_BACK.filter((name) => form.has(name));
  const returned = { typed: Object.fromEntries(given.map((name) => [name, typed(form, name)])), errors, refused };
  await acting(c, async (unit) => {
    const stored: Stored = await unit.get(kind, idOf(c));
    stored.hidden.returned = returned;
    unit.save(stored);
  });
  return c.redirect(`${c.req.path}?returned`, 303);
}

/** Reads what {@link refuseForm} has kept, for the page to which it redirects. */
function readReturned(c: PageContext, { returned }: Stored["hidden"]) {
  const { typed, errors = {}, refused = "" } = (c.req.query("returned") !== undefined && returned) || {};
  return { form: new URLSearchParams(typed), errors, refused };
}

// Checkout.

type Session = Stored<"checkout.session">;

const sessionWays = ({ body }: Session) => [body.success_url, body.cancel_url];

/** Shows why a session cannot be paid any more; null while it can. */
function showClosed(c: PageContext, session: Session) {
  const { status, cancel_url } = session.body;
  if (status === "complete") {
    const way = { href: successUrl(session), label: "サイトに戻る" };
    return showNotice(c, 200, `${titleOf(session)}は完了しています`, "このお支払いの手続きは終わりました。", way);
  }
  if (status === "open") return null;
  const way = cancel_url ? { href: cancel_url, label: "サイトに戻る" } : undefined;
  return showNotice(c, 410, "有効期限が切れました", "サイトに戻って、もう一度はじめからお手続きください。", way);
}

pages.get(`${PAGES}/checkout/:id`, async (c) => {
  const session = await (await reading(c)).get("checkout.session", idOf(c));
  const closed = showClosed(c, session);
  if (closed) return closed;
  const way = c.req.query("refused");
  const code = way === "paypay" ? "paypay_canceled" : "authentication_required";
  const { form, errors, refused } = readReturned(c, session.hidden);
  const why = way === undefined ? refused : refusalText(code);
  return showPage(c, 200, (nonce) => renderCheckout(session, form, errors, why, nonce), sessionWays(session));
});

/** Reads who pays and how, or says what is wrong with each field. */
function readPayment(
  session: Session,
  form: URLSearchParams,
  now: number,
): { chosen: Chosen; payer: Payer } | { errors: Errors } {
  const errors: Errors = {};
  const [email, name, phone] = [typed(form, "email"), typed(form, "name"), typed(form, "phone")];
  if (!/^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(email)) errors.email = "メールアドレスを正しく入力してください。";
  if (name === "") errors.name = "お名前を入力してください。";
  const method = form.get("method") ?? "";
  const payer = { email, name, phone: phone || null };
  if (!session.body.payment_method_types.includes(method)) return { errors: { method: "" } };
  if (method === "konbini" && !/^0\d{9,10}$/.test(phone.replaceAll("-", ""))) {
    errors.phone = "電話番号を、0から始まる10桁か11桁の数字で入力してください。";
  }
  if (method !== "card") {
    if (Object.keys(errors).length > 0) return { errors };
    return { payer, chosen: { type: method === "konbini" ? "konbini" : "paypay" } };
  }
  const card = readCard(form, now);
  if ("errors" in card) return { errors: { ...errors, ...card.errors } };
  return Object.keys(errors).length > 0 ? { errors } : { payer, chosen: { type: "card", ...card } };
}

pages.post(`${PAGES}/checkout/:id`, async (c) => {
  const form = await readForm(c);
  const unit = await reading(c);
  const session = await unit.get("checkout.session", idOf(c));
  // A second submit leads where the first did.
  if (session.body.status === "complete") return c.redirect(successUrl(session), 303);
  const closed = showClosed(c, session);
  if (closed) return closed;
  const payment = readPayment(session, form, unit.now);
  if ("errors" in payment) return refuseForm(c, "checkout.session", form, payment);
  const submitted = await acting(c, (writing) => submitOpen(writing, idOf(c), payment));
  if ("refused" in submitted) {
    return refuseForm(c, "checkout.session", form, { refused: refusalText(submitted.refused.details.decline_code) });
  }
  return c.redirect(submitted.location, 303);
});

/** Submits a session, unless another request has just finished it. */
async function submitOpen(
  unit: Unit,
  id: string,
  { chosen, payer }: { chosen: Chosen; payer: Payer },
): Promise<Submitted> {
  const session = await unit.get("checkout.session", id);
  if (session.body.status !== "open") return { location: successUrl(session) };
  return submitCheckout(unit, session, chosen, payer);
}

pages.get(`${PAGES}/checkout/:id/verify`, async (c) => {
  const session = await (await reading(c)).get("checkout.session", idOf(c));
  const closed = showClosed(c, session);
  if (closed) return closed;
  return showPage(c, 200, (nonce) => renderAuthentication(session.body.amount_total, nonce), sessionWays(session));
});

pages.post(`${PAGES}/checkout/:id/verify`, async (c) => {
  const form = await readForm(c);
  const submitted = await acting(c, async (unit): Promise<Submitted> => {
    const session = await unit.get("checkout.session", idOf(c));
    if (session.body.status !== "open") return { location: successUrl(session) };
    return submitVerification(unit, session, form.get("answer") === "yes");
  });
  if ("refused" in submitted) return c.redirect(`${PAGES}/checkout/${idOf(c)}?refused`, 303);
  return c.redirect(submitted.location, 303);
});

// Payments that wait for their payer: the bank's page, PayPay, the shop's code.

/** Returns the session that an intent pays; null when there is none. */
async function sessionOf(unit: Unit, { hidden }: Stored<"payment_intent">): Promise<Session | null> {
  return hidden.checkout_session ? unit.find("checkout.session", hidden.checkout_session) : null;
}

/** Returns where a payer goes after the page of an intent. */
async function wayOn(unit: Unit, intent: Stored<"payment_intent">): Promise<string | null> {
  const session = await sessionOf(unit, intent);
  if (session) return session.body.status === "open" ? session.body.url : successUrl(session);
  return intent.body.next_action?.redirect_to_url?.return_url ?? null;
}

pages.get(`${PAGES}/pay/:id`, async (c) => {
  const unit = await reading(c);
  const intent = await unit.get("payment_intent", idOf(c));
  const way = await wayOn(unit, intent);
  const { status, next_action, amount } = intent.body;
  if (status !== "requires_action" || !next_action) {
    const text = status === "succeeded" ? "お支払いが完了しました。" : "お支払いは完了していません。";
    return showNotice(c, 200, "手続きは終わりました", text, way ? { href: way, label: "サイトに戻る" } : undefined);
  }
  if (next_action.type === "konbini_display_details")
    return showPage(c, 200, (nonce) => renderVoucher(intent, way, nonce));
  const method = await unit.get("payment_method", String(intent.body.payment_method), "payment_method");
  const render = method.body.type === "paypay" ? renderPayPay : renderAuthentication;
  const session = await sessionOf(unit, intent);
  return showPage(c, 200, (nonce) => render(amount, nonce), [way, session?.body.success_url ?? null]);
});

pages.post(`${PAGES}/pay/:id`, async (c) => {
  const form = await readForm(c);
  const location = await acting(c, async (unit) => {
    const intent = await unit.get("payment_intent", idOf(c));
    const is_konbini = intent.body.next_action?.type === "konbini_display_details";
    const back = intent.body.next_action?.redirect_to_url?.return_url ?? null;
    const method = intent.body.payment_method;
    const is_paypay =
      method !== null && (await unit.get("payment_method", String(method), "payment_method")).body.type === "paypay";
    await settleIntent(unit, intent, form.get("answer") === "yes");
    // The demo's buttons stay on the page of the code.
    if (is_konbini) return null;
    const session = await sessionOf(unit, intent);
    if (session?.body.status === "open") return `${session.body.url}?refused${is_paypay ? "=paypay" : ""}`;
    return session ? successUrl(session) : back;
  });
  return c.redirect(location ?? `${PAGES}/pay/${idOf(c)}`, 303);
});

pages.get(`${PAGES}/invoices/:id`, async (c) => {
  const invoice = await (await reading(c)).get("invoice", idOf(c));
  return showPage(c, 200, (nonce) => renderInvoice(invoice.body, nonce));
});

// The portal.

/** Finds a portal session that is not over, and everything its page shows. */
async function readPortal(unit: Unit, id: string): Promise<PortalView | null> {
  const session = await unit.get("billing_portal.session", id);
  if (session.body.created + PORTAL_S < unit.now) return null;
  const customer = await getCustomer(unit, session.body.customer);
  const [methods, subscriptions, invoices] = await Promise.all([
    unit.all("payment_method", ...whereField("customer", customer.id), ...whereField("type", "card")),
    unit.all(
      "subscription",
      ...whereField("customer", customer.id),
      ...whereOneOf("status", ["active", "past_due", "incomplete"]),
    ),
    unit.all("invoice", ...whereField("customer", customer.id)),
  ]);
  return {
    session: session.body,
    customer: customer.body,
    methods: methods.map(({ body }) => body),
    subscriptions: await Promise.all(
      subscriptions.map(async ({ body }) => ({ body, name: await productName(unit, itemOf({ body }).price) })),
    ),
    invoices: invoices.map(({ body }) => body),
  };
}

function showPortalOver(c: PageContext) {
  return showNotice(c, 410, "有効期限が切れました", "サイトに戻って、もう一度開いてください。");
}

pages.get(`${PAGES}/portal/:id`, async (c) => {
  const unit = await reading(c);
  const view = await readPortal(unit, idOf(c));
  if (!view) return showPortalOver(c);
  const { form, errors, refused } = readReturned(c, (await unit.get("billing_portal.session", idOf(c))).hidden);
  return showPage(c, 200, (nonce) => renderPortal(view, form, errors, refused, nonce));
});

pages.post(`${PAGES}/portal/:id`, async (c) => {
  const form = await readForm(c);
  const unit = await reading(c);
  const view = await readPortal(unit, idOf(c));
  if (!view) return showPortalOver(c);
  const customer = view.customer.id;
  if (form.get("act") === "card") {
    const card = readCard(form, unit.now);
    if ("errors" in card) return refuseForm(c, "billing_portal.session", form, card);
    const refused = await acting(c, async (writing) => {
      const method = addCard(writing, card.card, card.expiry, {
        email: view.customer.email,
        name: view.customer.name ?? null,
      });
      // The portal has no bank's page: a card that asks for one is kept as authenticated.
      method.hidden.is_authenticated = true;
      const decline = declineOf(method.hidden, false);
      if (decline) {
        writing.discard();
        return decline.decline_code;
      }
      attachMethod(writing, method, customer);
      await setUsualCard(writing, customer, method.id);
      return null;
    });
    if (refused !== null) return refuseForm(c, "billing_portal.session", form, { refused: refusalText(refused) });
  } else await acting(c, (writing) => actInPortal(writing, customer, form));
  return c.redirect(`${PAGES}/portal/${idOf(c)}`, 303);
});

async function setUsualCard(unit: Unit, id: string, method: string): Promise<void> {
  const customer = await getCustomer(unit, id);
  customer.body.invoice_settings.default_payment_method = method;
  unit.emit("customer.updated", unit.save(customer));
  // The plans follow: the card of the day they were joined is no longer wanted.
  for (const subscription of await unit.all("subscription", ...whereField("customer", id))) {
    if (subscription.body.default_payment_method === null || subscription.body.status === "canceled") continue;
    const before = structuredClone(subscription.body);
    subscription.body.default_payment_method = method;
    announceUpdate(unit, subscription, before);
  }
}

async function actInPortal(unit: Unit, customer: string, form: URLSearchParams): Promise<void> {
  const act = form.get("act");
  if (act === "cancel" || act === "resume") {
    const subscription = await unit.get("subscription", form.get("subscription") ?? "");
    if (subscription.body.customer !== customer)
      throw new GatewayError(404, "invalid_request_error", "", { code: "resource_missing" });
    const before = structuredClone(subscription.body);
    setEnd(unit, subscription, act === "cancel");
    return announceUpdate(unit, subscription, before);
  }
  const method = await unit.get("payment_method", form.get("payment_method") ?? "");
  if (method.body.customer !== customer)
    throw new GatewayError(404, "invalid_request_error", "", { code: "resource_missing" });
  if (act === "default") return setUsualCard(unit, customer, method.id);
  if (act === "detach") return detachMethod(unit, method);
}

// Onboarding.

/** Finds the account of a link that is still valid; null when the link is over. */
async function readLink(unit: Unit, id: string) {
  const { hidden } = await unit.get("account_link", id);
  const { link } = hidden;
  if (!link) return null;
  return {
    ...link,
    hidden,
    is_over: link.expires_at < unit.now,
    stored: await unit.get("account", link.account, "account", ""),
  };
}

pages.get(`${PAGES}/onboarding/:id`, async (c) => {
  const link = await readLink(await reading(c), idOf(c));
  if (!link) return c.notFound();
  // As at Stripe, a link that is over leads to where a new one is made.
  if (link.is_over) return c.redirect(link.refresh_url, 303);
  const { form, errors } = readReturned(c, link.hidden);
  return showPage(c, 200, (nonce) => renderOnboarding(link.stored, form, errors, nonce), [link.return_url]);
});

/** Reads a creator's details, or says what is wrong with each field. */
function readDetails(form: URLSearchParams): Details | { errors: Errors } {
  const errors: Errors = {};
  const [name, name_kana, phone] = [typed(form, "name"), typed(form, "name_kana"), typed(form, "phone")];
  const business_type = form.get("business_type") === "company" ? "company" : "individual";
  if (name === "") errors.name = "氏名または法人名を入力してください。";
  if (!/^[ァ-ヶー・\s]{1,100}$/.test(name_kana)) errors.name_kana = "フリガナをカタカナで入力してください。";
  if (!/^0\d{9,10}$/.test(phone.replaceAll("-", "")))
    errors.phone = "電話番号を、0から始まる10桁か11桁の数字で入力してください。";
  const dob = readBirthday(typed(form, "birthday"));
  if (business_type === "individual" && !dob)
    errors.birthday = "生年月日を「年/月/日」で入力してください（例：1990/4/1）。";
  if (!form.has("tos")) errors.tos = "登録するには、規約への同意が必要です。";
  return Object.keys(errors).length > 0 ? { errors } : { business_type, name, name_kana, phone, dob };
}

function readBirthday(text: string): Details["dob"] {
  const [, year, month, day] = (/^(\d{4})[/-](\d{1,2})[/-](\d{1,2})$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  const is_real = year >= 1900 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return is_real ? { year, month, day } : null;
}

pages.post(`${PAGES}/onboarding/:id`, async (c) => {
  const form = await readForm(c);
  const link = await readLink(await reading(c), idOf(c));
  if (!link) return c.notFound();
  if (link.is_over) return c.redirect(link.refresh_url, 303);
  const details = readDetails(form);
  if ("errors" in details) return refuseForm(c, "account_link", form, details);
  await acting(c, async (unit) => {
    const account = await unit.get("account", link.account, "account", "");
    const verification = form.get("verification");
    const is_known = verification === "pending" || verification === "unverified";
    writeVerification(unit, account, is_known ? verification : "verified");
    account.body.tos_acceptance = { date: unit.now, ip: "127.0.0.1", user_agent: null };
    writeDetails(unit, account, details);
    refreshAccount(unit, account);
  });
  return c.redirect(link.return_url, 303);
});

// The developer's page.

async function showDeveloper(c: PageContext, status: Status, message: string) {
  const unit = await reading(c);
  const waiting = await unit.all("payment_intent", ...whereField("status", "requires_action"));
  const view = { now: unit.now, waiting: waiting.map(({ body }) => body), message };
  return showPage(c, status, (nonce) => renderDeveloper(view, nonce));
}

pages.get(`${PAGES}/developer`, (c) => showDeveloper(c, 200, ""));

pages.post(`${PAGES}/developer`, async (c) => {
  const days = Number((await readForm(c)).get("days"));
  if (![1, 7, 31].includes(days)) return showDeveloper(c, 422, "進める日数を選んでください。");
  const { now } = await openGateway(c.env);
  await advanceTo(c.env, now + days * 24 * 60 * 60);
  return c.redirect(`${PAGES}/developer`, 303);
});
