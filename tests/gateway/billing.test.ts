import type Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anniversaryOf } from "../../workers/gateway/clock/anniversary.ts";
import { type RunningGateway, startGateway } from "./support.ts";

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

const DAY_S = 24 * 60 * 60;
const seconds = (date: string) => Date.parse(date) / 1000;
const dates = (anchor: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    new Date(anniversaryOf(seconds(anchor), index) * 1000).toISOString().slice(0, 10),
  );

test("an anniversary on the 31st falls on the last day of a shorter month, and returns", () => {
  expect(dates("2027-01-31T01:02:03Z", 5)).toEqual([
    "2027-01-31",
    "2027-02-28",
    "2027-03-31",
    "2027-04-30",
    "2027-05-31",
  ]);
  expect(dates("2028-01-30T01:02:03Z", 3)).toEqual(["2028-01-30", "2028-02-29", "2028-03-30"]);
  expect(dates("2028-02-29T00:00:00Z", 13).at(-1)).toBe("2029-02-28");
  expect(anniversaryOf(seconds("2027-12-31T23:59:59Z"), 2)).toBe(seconds("2028-02-29T23:59:59Z"));
});

async function plan(unit_amount: number) {
  const recurring = { interval: "month" as const };
  return stripe.prices.create({
    currency: "jpy",
    unit_amount,
    recurring,
    product_data: { name: `プラン${unit_amount}` },
  });
}

/** Makes a customer with a usual card. */
async function fan(card = "pm_card_visa") {
  const { id } = await stripe.customers.create({ name: "花" });
  const method = await stripe.paymentMethods.attach(card, { customer: id });
  await stripe.customers.update(id, { invoice_settings: { default_payment_method: method.id } });
  return { customer: id, card: method.id };
}

/** Joins a plan, by default with the card that pays. */
async function join(unit_amount = 1_000, card?: string) {
  const { customer } = await fan(card);
  const price = await plan(unit_amount);
  return stripe.subscriptions.create({ customer, items: [{ price: price.id }] });
}

const itemOf = ({ items }: Stripe.Subscription) => items.data[0] as Stripe.SubscriptionItem;
const invoicesOf = async (subscription: string) => (await stripe.invoices.list({ subscription, limit: 100 })).data;
/** Swaps the customer's usual card. */
async function switchCard(customer: string, card: string): Promise<void> {
  const method = await stripe.paymentMethods.attach(card, { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method.id } });
}

describe("a subscription", () => {
  test("renews month after month, each time an hour after its draft", async () => {
    const subscription = await join();
    const { current_period_start: began, current_period_end: ends } = itemOf(subscription);
    expect(ends).toBe(anniversaryOf(began, 1));
    await gateway.advanceTo(ends);
    const [draft] = await invoicesOf(subscription.id);
    expect(draft).toMatchObject({ status: "draft", billing_reason: "subscription_cycle", number: null });
    await gateway.advanceTo(anniversaryOf(began, 3) + 3_600);
    const invoices = await invoicesOf(subscription.id);
    expect(invoices.map(({ status, amount_paid, period_start }) => [status, amount_paid, period_start])).toEqual(
      [3, 2, 1, 0].map((months) => ["paid", 1_000, anniversaryOf(began, months)]),
    );
    expect(new Set(invoices.map(({ number }) => number)).size).toBe(4);
    expect(itemOf(await stripe.subscriptions.retrieve(subscription.id)).current_period_end).toBe(
      anniversaryOf(began, 4),
    );
  });

  test.each([
    [undefined, "paid"],
    [false, "open"],
  ])("whose renewal somebody finalized with auto_advance %s is %s an hour later", async (auto_advance, status) => {
    const subscription = await join();
    const { current_period_end: ends } = itemOf(subscription);
    await gateway.advanceTo(ends);
    const [{ id = "" } = {}] = await invoicesOf(subscription.id);
    const params = auto_advance === undefined ? {} : { auto_advance };
    const { next_payment_attempt, status_transitions } = await stripe.invoices.finalizeInvoice(id, params);
    const an_hour_later = Number(status_transitions.finalized_at) + 3_600;
    expect(next_payment_attempt).toBe(auto_advance === false ? null : an_hour_later);
    // The gateway's clock continues while the test runs.
    await gateway.advanceTo(an_hour_later - 60);
    expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: "open", attempt_count: 0 });
    await gateway.advanceTo(an_hour_later);
    expect(await stripe.invoices.retrieve(id)).toMatchObject({ status, next_payment_attempt: null });
  });

  test("is past due after a failed renewal, and ends after three retries in seven days", async () => {
    const subscription = await join();
    await switchCard(String(subscription.customer), "pm_card_chargeCustomerFail");
    const failed_at = itemOf(subscription).current_period_end + 3_600;
    await gateway.advanceTo(failed_at);
    const [open] = await invoicesOf(subscription.id);
    expect(open).toMatchObject({ status: "open", attempt_count: 1, next_payment_attempt: failed_at + DAY_S });
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: "past_due" });
    for (const [days, next, count] of [
      [1, 3, 2],
      [3, 7, 3],
    ] as const) {
      await gateway.advanceTo(failed_at + days * DAY_S);
      const [tried] = await invoicesOf(subscription.id);
      expect(tried).toMatchObject({ attempt_count: count, next_payment_attempt: failed_at + next * DAY_S });
    }
    await gateway.advanceTo(failed_at + 7 * DAY_S);
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      status: "canceled",
      ended_at: failed_at + 7 * DAY_S,
      cancellation_details: { reason: "payment_failed" },
    });
    const [last] = await invoicesOf(subscription.id);
    expect(last).toMatchObject({ status: "open", attempt_count: 4, next_payment_attempt: null });
  });

  test("stays past due after the last retry when the setting says so", async () => {
    const keeping = await startGateway({ GATEWAY_AFTER_RETRIES: "past_due" });
    const { id: customer } = await keeping.stripe.customers.create();
    const method = await keeping.stripe.paymentMethods.attach("pm_card_visa", { customer });
    const recurring = { interval: "month" as const };
    const price_data = { currency: "jpy", unit_amount: 500, recurring, product_data: { name: "プラン" } };
    const price = await keeping.stripe.prices.create(price_data);
    const joined = await keeping.stripe.subscriptions.create({
      customer,
      items: [{ price: price.id }],
      default_payment_method: method.id,
    });
    // A detached card can pay no more.
    await keeping.stripe.paymentMethods.detach(method.id);
    await keeping.advanceTo(itemOf(joined).current_period_end + 3_600 + 8 * DAY_S);
    const kept = await keeping.stripe.subscriptions.retrieve(joined.id, { expand: ["latest_invoice"] });
    expect(kept.status).toBe("past_due");
    expect(kept.latest_invoice).toMatchObject({ status: "open", attempt_count: 4, next_payment_attempt: null });
    await keeping.stop();
    expect(keeping.faults).toEqual([]);
  });

  test("is active again when a retry succeeds, or the customer pays", async () => {
    const [waiting, asking] = [await join(), await join()];
    for (const { customer } of [waiting, asking]) await switchCard(String(customer), "pm_card_chargeCustomerFail");
    const failed_at = itemOf(asking).current_period_end + 3_600;
    await gateway.advanceTo(failed_at);
    for (const { customer } of [waiting, asking]) await switchCard(String(customer), "pm_card_visa");
    const [invoice] = await invoicesOf(asking.id);
    expect(await stripe.invoices.pay(invoice?.id ?? "")).toMatchObject({ status: "paid", next_payment_attempt: null });
    await gateway.advanceTo(failed_at + DAY_S);
    for (const { id } of [waiting, asking]) {
      expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: "active" });
    }
    await expect(stripe.invoices.pay(invoice?.id ?? "")).rejects.toMatchObject({ code: "invoice_already_paid" });
  });

  test("ends with its period when canceled, unless it is resumed", async () => {
    const [ending, resumed, now] = [await join(), await join(), await join()];
    for (const { id } of [ending, resumed]) {
      const asked = await stripe.subscriptions.update(id, { cancel_at_period_end: true });
      expect(asked).toMatchObject({ status: "active", cancel_at: itemOf(asked).current_period_end });
    }
    expect(await stripe.subscriptions.update(resumed.id, { cancel_at_period_end: false })).toMatchObject({
      cancel_at: null,
      canceled_at: null,
    });
    expect(await stripe.subscriptions.cancel(now.id)).toMatchObject({ status: "canceled" });
    await expect(stripe.subscriptions.cancel(now.id)).rejects.toMatchObject({ code: "resource_missing" });
    await gateway.advanceTo(itemOf(resumed).current_period_end + 3_600);
    const statuses = await Promise.all([ending, resumed, now].map(({ id }) => stripe.subscriptions.retrieve(id)));
    expect(statuses.map(({ status }) => status)).toEqual(["canceled", "active", "canceled"]);
    expect(await invoicesOf(ending.id)).toHaveLength(1);
    const { data } = await stripe.subscriptions.list({ customer: String(ending.customer) });
    expect(data).toEqual([]);
    expect((await stripe.subscriptions.list({ customer: String(ending.customer), status: "all" })).data).toHaveLength(
      1,
    );
  });

  test("whose first payment fails is incomplete, and expires after 23 hours", async () => {
    const { customer } = await fan("pm_card_chargeCustomerFail");
    const price = await plan(700);
    const items = [{ price: price.id }];
    const failing = stripe.subscriptions.create({ customer, items, payment_behavior: "error_if_incomplete" });
    await expect(failing).rejects.toMatchObject({ type: "StripeCardError" });
    expect((await stripe.subscriptions.list({ customer, status: "all" })).data).toEqual([]);
    const failed = await stripe.subscriptions
      .create({ customer, items, expand: ["latest_invoice"] })
      .catch((error) => error);
    expect([failed.status, failed.latest_invoice.status]).toEqual(["incomplete", "open"]);
    await gateway.advanceTo((await gateway.now()) + 23 * 3_600);
    expect(await stripe.subscriptions.retrieve(failed.id)).toMatchObject({ status: "incomplete_expired" });
    expect(await stripe.invoices.retrieve(failed.latest_invoice.id)).toMatchObject({ status: "void" });
  });
});

describe("a change of plan", () => {
  test("shows the difference, charges it now, and renews at the new price", async () => {
    const subscription = await join(1_000);
    const { id, current_period_start: start, current_period_end: end } = itemOf(subscription);
    const dear = await plan(3_000);
    const half = start + (end - start) / 2;
    await gateway.advanceTo(half);
    const change = {
      items: [{ id, price: dear.id }],
      proration_behavior: "always_invoice" as const,
      proration_date: half,
    };
    const shown = await stripe.invoices.createPreview({ subscription: subscription.id, subscription_details: change });
    expect(shown.lines.data.map(({ amount }) => amount)).toEqual([-500, 1_500]);
    expect(shown.amount_due).toBe(1_000);
    expect(itemOf(await stripe.subscriptions.retrieve(subscription.id)).price.unit_amount).toBe(1_000);
    const changed = await stripe.subscriptions.update(subscription.id, { ...change, expand: ["latest_invoice"] });
    expect(changed.latest_invoice).toMatchObject({
      total: 1_000,
      status: "paid",
      billing_reason: "subscription_update",
    });
    await gateway.advanceTo(end + 3_600);
    const [renewal] = await invoicesOf(subscription.id);
    expect([renewal?.total, renewal?.status]).toEqual([3_000, "paid"]);
  });

  test("to a cheaper plan is credited: on the next invoice, or from the balance", async () => {
    const [later, credited] = [await join(3_000), await join(3_000)];
    const cheap = await plan(1_000);
    const half = ({ current_period_start: start, current_period_end: end }: Stripe.SubscriptionItem) =>
      start + (end - start) / 2;
    await stripe.subscriptions.update(later.id, {
      items: [{ id: itemOf(later).id, price: cheap.id }],
      proration_date: half(itemOf(later)),
    });
    const now = await stripe.subscriptions.update(credited.id, {
      items: [{ id: itemOf(credited).id, price: cheap.id }],
      proration_behavior: "always_invoice",
      proration_date: half(itemOf(credited)),
      expand: ["latest_invoice", "customer"],
    });
    expect(now.latest_invoice).toMatchObject({ total: -1_000, amount_due: 0, status: "paid", ending_balance: -1_000 });
    expect((now.customer as Stripe.Customer).balance).toBe(-1_000);
    await gateway.advanceTo(itemOf(credited).current_period_end + 3_600);
    const [next] = await invoicesOf(later.id);
    expect([next?.lines.data.map(({ amount }) => amount), next?.amount_paid]).toEqual([[-1_500, 500, 1_000], 0]);
    const [paid] = await invoicesOf(credited.id);
    expect(paid).toMatchObject({ total: 1_000, starting_balance: -1_000, amount_due: 0, status: "paid" });
  });
});

describe("the portal", () => {
  test("cancels and resumes a plan, changes the card, and shows the invoices", async () => {
    const subscription = await join(1_200);
    const customer = String(subscription.customer);
    const { url } = await stripe.billingPortal.sessions.create({ customer, return_url: "https://site.test/my" });
    const shown = await gateway.visit(url);
    for (const words of ["プラン1200", "1,200円（税込） / 月", "•••• 4242", "支払い済み"])
      expect(shown.text, words).toContain(words);
    await gateway.visit(url, { act: "cancel", subscription: subscription.id });
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ cancel_at_period_end: true });
    await gateway.visit(url, { act: "resume", subscription: subscription.id });
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ cancel_at_period_end: false });
    const wrong = await gateway.visit(url, { act: "card", number: "4000000000000002", expiry: "1/40", cvc: "123" });
    expect([wrong.status, wrong.text.includes("承認されませんでした")]).toEqual([303, true]);
    const added = await gateway.visit(url, { act: "card", number: "3566002020360505", expiry: "1/40", cvc: "123" });
    expect(added.status).toBe(303);
    const { data } = await stripe.customers.listPaymentMethods(customer);
    const after = (await stripe.customers.retrieve(customer)) as Stripe.Customer;
    expect([data[0]?.card?.brand, after.invoice_settings.default_payment_method]).toEqual(["jcb", data[0]?.id]);
    const stranger = await fan();
    expect((await gateway.visit(url, { act: "detach", payment_method: stranger.card })).status).toBe(404);
    await gateway.advanceTo((await gateway.now()) + 2 * 3_600);
    expect((await gateway.visit(url)).status).toBe(410);
  });
});

test("the developer's page moves the clock", async () => {
  const before = await gateway.now();
  const page = "/payment-gateway/developer";
  expect((await gateway.visit(page)).status).toBe(200);
  expect((await gateway.visit(page, { days: "1" })).status).toBe(303);
  expect((await gateway.now()) - before).toBeGreaterThanOrEqual(DAY_S);
  expect((await gateway.visit(page, { days: "5000" })).status).toBe(422);
  await expect(gateway.advanceTo(before)).rejects.toMatchObject({ param: "frozen_time" });
});
