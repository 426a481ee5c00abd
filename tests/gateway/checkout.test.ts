import type Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endOfJapaneseDay, startOfJapaneseDay } from "../../workers/kernel/clock.ts";
import { type RunningGateway, SITE_ORIGIN, startGateway, type Visit } from "./support.ts";

let gateway: RunningGateway;
let stripe: Stripe;
beforeAll(async () => {
  gateway = await startGateway();
  ({ stripe } = gateway);
});
afterAll(async () => {
  await gateway.stop();
  expect(gateway.faults).toEqual([]);
});

const urls = {
  success_url: "https://site.test/done?session_id={CHECKOUT_SESSION_ID}",
  cancel_url: "https://site.test/back",
};
const payer = { method: "card", email: "hana@example.jp", name: "山田 花" };
const cards = {
  good: "4242 4242 4242 4242",
  declined: "4000 0000 0000 0002",
  poor: "4000 0000 0000 9995",
  secure: "4000 0025 0000 3155",
  later: "4000 0000 0000 0341",
  disputed: "4000 0000 0000 0259",
};
const withCard = (number: string) => ({ ...payer, number, expiry: "12/40", cvc: "987" });

function letter(extra: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
  return stripe.checkout.sessions.create({
    mode: "payment",
    line_items: [{ quantity: 2, price_data: { currency: "jpy", unit_amount: 550, product_data: { name: "お便り" } } }],
    metadata: { letter: "1" },
    ...urls,
    ...extra,
  });
}

async function plan(unit_amount = 1_000) {
  return stripe.prices.create({
    currency: "jpy",
    unit_amount,
    recurring: { interval: "month" },
    product_data: { name: "応援プラン" },
  });
}

const successOf = ({ id }: { id: string }) => urls.success_url.replace("{CHECKOUT_SESSION_ID}", id);
const submit = (session: Stripe.Checkout.Session, form: Record<string, string>): Promise<Visit> =>
  gateway.visit(session.url ?? "", form);

/** Returns the types of the events so far, oldest first, about an object or what it holds. */
async function eventsAbout(...ids: (string | undefined)[]): Promise<string[]> {
  const { data } = await stripe.events.list({ limit: 100 });
  return data
    .filter((event) => ids.includes((event.data.object as { id: string }).id))
    .map(({ type }) => type)
    .reverse();
}

describe("the page of a session", () => {
  test("is plain HTML that says what is paid and that no money moves", async () => {
    const session = await letter();
    const { status, text, headers } = await gateway.visit(session.url ?? "");
    expect(status).toBe(200);
    for (const words of ["1,100円（税込）", "お便り × 2", "お金は動きません", "1,100円を支払う"]) {
      expect(text, words).toContain(words);
    }
    expect(text).not.toMatch(/<script|\son[a-z]+=|javascript:/i);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self' https://site.test");
  });

  test("names each wrong field, gives the rest back, and never prints a card number", async () => {
    const session = await letter();
    const wrong = {
      method: "card",
      email: "hana",
      name: "",
      number: "4242 4242 4242 4243",
      expiry: "13/40",
      cvc: "12",
    };
    const { status, text } = await submit(session, wrong);
    expect(status).toBe(303);
    for (const field of ["email", "name", "number", "expiry", "cvc"]) expect(text).toContain(`id="${field}-error"`);
    expect(text).toContain('value="hana"');
    expect(text).toContain('value="13/40"');
    expect(text).not.toContain("4243");
    const foreign = await submit(session, withCard("4111 1111 1111 1111"));
    expect(foreign.text).toContain("テスト用カードだけ");
    const old = await submit(session, { ...withCard(cards.good), expiry: "01/20" });
    expect(old.text).toContain("有効期限が切れています");
    expect(old.text).toContain(payer.name);
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "open", payment_intent: null });
  });

  test("escapes what others wrote", async () => {
    const name = '"><script>alert(1)</script>';
    const session = await letter({
      line_items: [{ price_data: { currency: "jpy", unit_amount: 100, product_data: { name } } }],
    });
    expect((await gateway.visit(session.url ?? "")).text).not.toContain("<script>");
    const typed = await submit(session, { ...payer, email: name, name });
    expect([typed.status, typed.text.includes("<script>")]).toEqual([303, false]);
  });

  test("shows the caller's text above the button, with its lines and links, and nothing else of it as HTML", async () => {
    const terms = (message: string) => ({ custom_text: { submit: { message } } });
    const message =
      "【お届け】すぐに届きます。\n<b>[表記](https://site.test/a?b=1&c=2)と[規約](https://site.test/terms)</b> [x](javascript:alert(1))";
    const { text } = await gateway.visit((await letter(terms(message))).url ?? "");
    const shown = [
      '<p class="terms">【お届け】すぐに届きます。\n&lt;b&gt;',
      '<a href="https://site.test/a?b=1&amp;c=2" target="_blank" rel="noopener">表記</a>と',
      '<a href="https://site.test/terms" target="_blank" rel="noopener">規約</a>&lt;/b&gt; [x](javascript:alert(1))</p>',
    ].join("");
    expect(text).toContain(`${shown}\n<button class="primary">`);
    expect((await gateway.visit((await letter()).url ?? "")).text).not.toContain('class="terms"');
    await expect(letter(terms("あ".repeat(1_201)))).rejects.toMatchObject({ param: "custom_text[submit][message]" });
    await letter(terms("あ".repeat(1_200)));
  });

  test("answers 404 to a guessed address, and refuses another site's form", async () => {
    expect((await gateway.visit(`${SITE_ORIGIN}/payment-gateway/checkout/cs_test_guess`)).status).toBe(404);
    const session = await letter();
    const path = (session.url ?? "").replace(SITE_ORIGIN, "");
    const init = { method: "POST", body: new URLSearchParams(withCard(cards.good)) };
    for (const origin of ["https://evil.example", "null"]) {
      expect((await gateway.fetch(path, { ...init, headers: { origin } })).status, origin).toBe(403);
    }
    expect((await gateway.fetch(path, init)).status).toBe(403);
  });
});

describe("a payment", () => {
  test("succeeds, with its charge, fee and events, and once however often it is sent", async () => {
    const session = await letter({ client_reference_id: "letter-1", payment_intent_data: { metadata: { a: "b" } } });
    const sent = await Promise.all([1, 2, 3].map(() => submit(session, withCard(cards.good))));
    expect(sent.map(({ status, location }) => [status, location])).toEqual(
      Array.from({ length: 3 }, () => [303, successOf(session)]),
    );
    const paid = await stripe.checkout.sessions.retrieve(session.id, {
      expand: ["line_items", "payment_intent.latest_charge.balance_transaction"],
    });
    expect(paid).toMatchObject({
      status: "complete",
      payment_status: "paid",
      amount_total: 1_100,
      client_reference_id: "letter-1",
      customer: null,
      customer_details: { email: payer.email, name: payer.name },
      url: null,
    });
    expect(paid.line_items?.data[0]).toMatchObject({ amount_total: 1_100, quantity: 2, description: "お便り" });
    const intent = paid.payment_intent as Stripe.PaymentIntent;
    expect(intent).toMatchObject({ status: "succeeded", amount_received: 1_100, metadata: { a: "b" } });
    const charge = intent.latest_charge as Stripe.Charge;
    expect(charge.payment_method_details?.card).toMatchObject({
      brand: "visa",
      last4: "4242",
      exp_month: 12,
      exp_year: 2040,
    });
    // 3.6 % of ¥1,100 is ¥39.6.
    expect(charge.balance_transaction).toMatchObject({ amount: 1_100, fee: 40, net: 1_060, status: "pending" });
    expect((await stripe.charges.list({ payment_intent: intent.id })).data).toHaveLength(1);
    expect(await eventsAbout(session.id, intent.id, charge.id)).toEqual([
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.succeeded",
      "checkout.session.completed",
    ]);
    expect((await gateway.visit(session.url ?? "")).text).toContain("完了しています");
  });

  test("is declined, says why, and succeeds with another card on the same intent", async () => {
    const session = await letter();
    expect((await submit(session, withCard(cards.declined))).text).toContain("カードが承認されませんでした");
    const poor = await submit(session, withCard(cards.poor));
    expect([poor.status, poor.text.includes("利用可能額が足りません")]).toEqual([303, true]);
    const open = await stripe.checkout.sessions.retrieve(session.id, { expand: ["payment_intent"] });
    expect([open.status, open.payment_status]).toEqual(["open", "unpaid"]);
    expect(open.payment_intent).toMatchObject({
      status: "requires_payment_method",
      last_payment_error: { code: "card_declined", decline_code: "insufficient_funds" },
    });
    expect((await submit(session, withCard(cards.good))).location).toBe(successOf(session));
    const paid = await stripe.checkout.sessions.retrieve(session.id);
    expect(paid.payment_intent).toBe((open.payment_intent as Stripe.PaymentIntent).id);
    const charges = await stripe.charges.list({ payment_intent: String(paid.payment_intent) });
    expect(charges.data.map(({ status }) => status)).toEqual(["succeeded", "failed", "failed"]);
  });

  test("asks at the bank's page, and is paid only after a yes", async () => {
    const session = await letter();
    const asked = await submit(session, withCard(cards.secure));
    const { text } = await gateway.visit(asked.location ?? "");
    expect([text.includes("認証する"), text.includes("認証しない")]).toEqual([true, true]);
    const refused = await gateway.visit(asked.location ?? "", { answer: "no" });
    expect(refused.location).toBe(`${session.url}?refused`);
    expect((await gateway.visit(refused.location ?? "")).text).toContain("本人確認ができませんでした");
    const again = await submit(session, withCard(cards.secure));
    expect((await gateway.visit(again.location ?? "", { answer: "yes" })).location).toBe(successOf(session));
    expect((await gateway.visit(again.location ?? "", { answer: "no" })).location).toBe(successOf(session));
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: "paid" });
  });

  test("at a shop is unpaid until the code is paid, and expires with the code", async () => {
    const types = { allowed_payment_method_types: ["card", "konbini"] };
    const form = { ...payer, method: "konbini", phone: "090-1234-5678" };
    const [kept, lost] = [await letter(types), await letter(types)];
    expect((await submit(kept, { ...form, phone: "" })).text).toContain('id="phone-error"');
    const voucher = await submit(kept, form);
    await submit(lost, form);
    expect((await gateway.visit(voucher.location ?? "")).text).toMatch(/支払い番号[\s\S]*\d{10}[\s\S]*確認番号/);
    expect(await stripe.checkout.sessions.retrieve(kept.id)).toMatchObject({
      status: "complete",
      payment_status: "unpaid",
    });
    await gateway.visit(voucher.location ?? "", { answer: "yes" });
    await gateway.advanceTo((await gateway.now()) + 4 * 24 * 60 * 60);
    expect(await stripe.checkout.sessions.retrieve(kept.id)).toMatchObject({ payment_status: "paid" });
    expect(await stripe.checkout.sessions.retrieve(lost.id)).toMatchObject({ payment_status: "unpaid" });
    expect(await eventsAbout(kept.id, lost.id)).toEqual([
      "checkout.session.completed",
      "checkout.session.completed",
      "checkout.session.async_payment_succeeded",
      "checkout.session.async_payment_failed",
    ]);
  });

  test("at a shop can be made until the last second in Japan of the day that the caller chose, or of the third", async () => {
    const konbini = (days?: number) =>
      letter({
        allowed_payment_method_types: ["konbini"],
        ...(days !== undefined && { payment_method_options: { konbini: { expires_after_days: days } } }),
      });
    const secondsFromToday = async (days?: number) => {
      const { id, url } = await konbini(days);
      const today = startOfJapaneseDay((await gateway.now()) * 1000) / 1000;
      await gateway.visit(url ?? "", { ...payer, method: "konbini", phone: "090-1234-5678" });
      const { payment_intent } = await stripe.checkout.sessions.retrieve(id, { expand: ["payment_intent"] });
      const { next_action } = payment_intent as Stripe.PaymentIntent;
      return (next_action?.konbini_display_details?.expires_at ?? 0) - today;
    };
    // So that no day ends during the test.
    await gateway.advanceTo(endOfJapaneseDay((await gateway.now()) * 1000) / 1000 + 60);
    const ends = [await secondsFromToday(1), await secondsFromToday(60), await secondsFromToday()];
    expect(ends).toEqual([2, 61, 4].map((days) => days * 24 * 60 * 60 - 1));
    for (const days of [0, 61]) {
      const param = "payment_method_options[konbini][expires_after_days]";
      await expect(konbini(days)).rejects.toMatchObject({ param });
    }
  });

  test("by PayPay goes over its page, which can be left", async () => {
    const session = await letter({ allowed_payment_method_types: ["card", "paypay"] });
    const asked = await submit(session, { ...payer, method: "paypay" });
    expect((await gateway.visit(asked.location ?? "")).text).toContain("やめる");
    const left = await gateway.visit(asked.location ?? "", { answer: "no" });
    expect((await gateway.visit(left.location ?? "")).text).toContain("PayPayでのお支払いを取りやめました");
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "open" });
    const again = await submit(session, { ...payer, method: "paypay" });
    expect((await gateway.visit(again.location ?? "", { answer: "yes" })).location).toBe(successOf(session));
    const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ["payment_intent.payment_method"] });
    expect((paid.payment_intent as Stripe.PaymentIntent).payment_method).toMatchObject({ type: "paypay" });
  });

  test("is over when the session expires or is expired", async () => {
    const now = await gateway.now();
    const [late, ended] = [await letter({ expires_at: now + 31 * 60 }), await letter()];
    await stripe.checkout.sessions.expire(ended.id);
    await gateway.advanceTo(now + 32 * 60);
    for (const session of [late, ended]) {
      expect((await submit(session, withCard(cards.good))).status).toBe(410);
      expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: "expired", url: null });
    }
    await expect(stripe.checkout.sessions.expire(ended.id)).rejects.toMatchObject({ statusCode: 400 });
    expect(await eventsAbout(late.id)).toEqual(["checkout.session.expired"]);
  });
});

describe("keeping a card", () => {
  test("in a setup session attaches it to the customer", async () => {
    const customer = await stripe.customers.create({ email: payer.email });
    const session = await stripe.checkout.sessions.create({ mode: "setup", customer: customer.id, ...urls });
    expect((await submit(session, withCard(cards.poor))).text).toContain("利用可能額が足りません");
    const asked = await submit(session, withCard(cards.secure));
    expect(asked.location).toBe(`${session.url}/verify`);
    expect((await gateway.visit(asked.location ?? "", { answer: "yes" })).location).toBe(successOf(session));
    const kept = await stripe.checkout.sessions.retrieve(session.id, { expand: ["setup_intent.payment_method"] });
    expect(kept).toMatchObject({ status: "complete", payment_status: "no_payment_required" });
    const setup = kept.setup_intent as Stripe.SetupIntent;
    expect(setup).toMatchObject({
      status: "succeeded",
      payment_method: { customer: customer.id, card: { last4: "3155" } },
    });
    const paid = await stripe.paymentIntents.create({
      amount: 500,
      currency: "jpy",
      customer: customer.id,
      payment_method: (setup.payment_method as Stripe.PaymentMethod).id,
      off_session: true,
      confirm: true,
    });
    expect(paid.status).toBe("succeeded");
  });

  test("lists, names the usual one, and detaches", async () => {
    const { id } = await stripe.customers.create();
    const first = await stripe.paymentMethods.attach("pm_card_visa", { customer: id });
    const second = await stripe.paymentMethods.attach("pm_card_jcb", { customer: id });
    await stripe.customers.update(id, { invoice_settings: { default_payment_method: first.id } });
    const { data } = await stripe.customers.listPaymentMethods(id, { type: "card" });
    expect(data.map(({ card }) => card?.last4)).toEqual(["0505", "4242"]);
    await stripe.paymentMethods.detach(first.id);
    const customer = (await stripe.customers.retrieve(id)) as Stripe.Customer;
    expect(customer.invoice_settings.default_payment_method).toBeNull();
    const attach = (method: string, customer_id: string) =>
      stripe.paymentMethods.attach(method, { customer: customer_id });
    await expect(attach("pm_card_visa_chargeDeclined", id)).rejects.toMatchObject({ type: "StripeCardError" });
    const other = await stripe.customers.create();
    await expect(attach(second.id, other.id)).rejects.toMatchObject({ code: "payment_method_unexpected_state" });
    const raw = { number: "4242424242424242", exp_month: 1, exp_year: 2040, cvc: "123" };
    await expect(stripe.paymentMethods.create({ type: "card", card: raw })).rejects.toMatchObject({ statusCode: 402 });
  });

  test("that attaches but later fails declines an off-session payment", async () => {
    const session = await letter({ payment_intent_data: { setup_future_usage: "off_session" } });
    await submit(session, withCard(cards.later));
    const { customer, payment_intent } = await stripe.checkout.sessions.retrieve(session.id, {
      expand: ["payment_intent"],
    });
    const method = String((payment_intent as Stripe.PaymentIntent).payment_method);
    const again = stripe.paymentIntents.create({
      amount: 100,
      currency: "jpy",
      customer: String(customer),
      payment_method: method,
      confirm: true,
      off_session: true,
    });
    await expect(again).rejects.toMatchObject({ code: "card_declined" });
  });
});

describe("refunds and disputes", () => {
  const pay = () =>
    stripe.paymentIntents.create({ amount: 1_000, currency: "jpy", confirm: true, payment_method: "pm_card_visa" });

  test("give parts back until nothing is left", async () => {
    const { id, latest_charge } = await pay();
    const part = await stripe.refunds.create({ payment_intent: id, amount: 400 });
    expect(part).toMatchObject({ status: "succeeded", charge: latest_charge });
    await expect(stripe.refunds.create({ payment_intent: id, amount: 601 })).rejects.toMatchObject({ param: "amount" });
    await stripe.refunds.create({ charge: String(latest_charge) });
    const charge = await stripe.charges.retrieve(String(latest_charge), { expand: ["refunds"] });
    expect([charge.refunded, charge.amount_refunded, charge.refunds?.data.length]).toEqual([true, 1_000, 2]);
    await expect(stripe.refunds.create({ payment_intent: id })).rejects.toMatchObject({
      code: "charge_already_refunded",
    });
    const moved = await stripe.balanceTransactions.list({ source: part.id });
    expect(moved.data[0]).toMatchObject({ amount: -400, fee: 0, type: "refund" });
  });

  test("take a disputed amount away, and bring a won one back", async () => {
    const session = await letter();
    await submit(session, withCard(cards.disputed));
    const { payment_intent } = await stripe.checkout.sessions.retrieve(session.id);
    const { data } = await stripe.disputes.list({ payment_intent: String(payment_intent) });
    const [dispute] = data;
    expect(dispute).toMatchObject({
      status: "needs_response",
      amount: 1_100,
      balance_transactions: [{ amount: -1_100 }],
    });
    await expect(stripe.refunds.create({ payment_intent: String(payment_intent) })).rejects.toMatchObject({
      code: "charge_disputed",
    });
    const won = await stripe.disputes.update(dispute?.id ?? "", {
      evidence: { uncategorized_text: "winning_evidence" },
    });
    expect(won).toMatchObject({ status: "won", balance_transactions: [{ amount: -1_100 }, { amount: 1_100 }] });
    const { id } = (await pay().then(({ latest_charge }) =>
      stripe.rawRequest("POST", `/v1/test_helpers/charges/${latest_charge}/dispute`),
    )) as unknown as Stripe.Dispute;
    expect(await stripe.disputes.close(id)).toMatchObject({ status: "lost" });
    expect(await eventsAbout(dispute?.id)).toEqual([
      "charge.dispute.created",
      "charge.dispute.funds_withdrawn",
      "charge.dispute.updated",
      "charge.dispute.funds_reinstated",
      "charge.dispute.closed",
    ]);
  });
});

test("a fraud warning names its payment, and says whether a refund or a dispute came before it", async () => {
  const { id: payment_intent, latest_charge } = await stripe.paymentIntents.create({
    ...{ amount: 1_000, currency: "jpy", confirm: true, payment_method: "pm_card_visa" },
  });
  const charge = String(latest_charge);
  const warn = async (of: string) =>
    (await stripe.rawRequest(
      "POST",
      `/v1/test_helpers/charges/${of}/early_fraud_warning`,
    )) as unknown as Stripe.Radar.EarlyFraudWarning;
  const missing = { statusCode: 404, code: "resource_missing" };
  await expect(stripe.radar.earlyFraudWarnings.retrieve("issfr_1")).rejects.toMatchObject(missing);
  await expect(warn("ch_1")).rejects.toMatchObject(missing);
  const { id } = await warn(charge);
  const kept = await stripe.radar.earlyFraudWarnings.retrieve(id);
  expect(kept).toMatchObject({ id, charge, payment_intent, actionable: true });
  const { data: events } = await stripe.events.list({ type: "radar.early_fraud_warning.created" });
  expect(events.map(({ data }) => data.object)).toEqual([JSON.parse(JSON.stringify(kept))]);
  await stripe.refunds.create({ payment_intent });
  expect(await warn(charge)).toMatchObject({ actionable: false });
  const disputed = await stripe.paymentIntents.create({
    ...{ amount: 1_000, currency: "jpy", confirm: true, payment_method: "pm_card_createDispute" },
  });
  expect(await warn(String(disputed.latest_charge))).toMatchObject({ actionable: false });
  // The declarations of Stripe's package know every answer above.
  expect(gateway.faults).toEqual([]);
});

describe("joining a plan", () => {
  test("pays the first month and keeps the card", async () => {
    const price = await plan();
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price: price.id, quantity: 1 }],
      subscription_data: { metadata: { plan: "p1" } },
      customer_email: payer.email,
      ...urls,
    });
    expect((await gateway.visit(session.url ?? "")).text).toContain("毎月同じ日に自動で更新");
    const refused = await submit(session, withCard(cards.declined));
    expect([refused.status, (await stripe.subscriptions.list({ price: price.id })).data]).toEqual([303, []]);
    await submit(session, withCard(cards.good));
    const joined = await stripe.checkout.sessions.retrieve(session.id, {
      expand: ["subscription.default_payment_method", "invoice.payments.data.payment.payment_intent"],
    });
    expect(joined).toMatchObject({
      status: "complete",
      payment_status: "paid",
      customer: expect.stringMatching(/^cus_/),
    });
    expect(joined.subscription).toMatchObject({
      status: "active",
      metadata: { plan: "p1" },
      default_payment_method: { card: { last4: "4242" } },
    });
    const invoice = joined.invoice as Stripe.Invoice;
    expect(invoice).toMatchObject({ status: "paid", total: 1_000, billing_reason: "subscription_create" });
    expect(invoice.payments?.data[0]?.payment.payment_intent).toMatchObject({ status: "succeeded", amount: 1_000 });
    expect((await gateway.visit(invoice.hosted_invoice_url ?? "")).text).toContain("1,000円");
  });

  test("is refused with a price for one time, or a method that cannot renew", async () => {
    const once = { price_data: { currency: "jpy", unit_amount: 100, product_data: { name: "x" } } };
    const create = (extra: object) =>
      stripe.checkout.sessions.create({ mode: "subscription", line_items: [once], ...urls, ...extra });
    await expect(create({})).rejects.toMatchObject({ param: "line_items" });
    await expect(create({ allowed_payment_method_types: ["konbini"] })).rejects.toMatchObject({
      param: "allowed_payment_method_types",
    });
    await expect(create({ line_items: [] })).rejects.toMatchObject({ param: "line_items" });
  });
});
