import { beforeEach, expect, test } from "vitest";
import { domains } from "../../workers/api/domains.ts";
import { unsubscribe } from "../../workers/api/leaving/commands.ts";
import { ensureCustomer } from "../../workers/api/payments/commands.ts";
import { deleteAbandonedCustomers, LOOK_AGAIN_MS } from "../../workers/api/payments/customers.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, emptyDatabaseOfMoney, servicesOf } from "./support/context.ts";
import { advanceTo, connectGateway, startGateway, type TestGateway } from "./support/gateway.ts";

/** What becomes of a person's record at the gateway when the person leaves. */

const NOW_MS = Date.parse("2038-03-10T03:00:00Z");

let gateway: TestGateway;
let fan: string;
let customer: string;
beforeEach(async () => {
  await emptyDatabaseOfMoney();
  await d1.prepare("DELETE FROM abandoned_customers").run();
  gateway = await startGateway(NOW_MS);
  fan = await addUser(`p${newId(NOW_MS)}`);
  customer = await ensureCustomer(contextOf(fan, { gateway, now_ms: NOW_MS }), fan);
  await gateway.stripe.paymentMethods.attach("pm_card_visa", { customer });
});

const leave = () => unsubscribe(contextOf(fan, { gateway, now_ms: NOW_MS }), domains);
const tick = (after_ms = 0) =>
  deleteAbandonedCustomers(servicesOf({ gateway, clock: { now: () => NOW_MS + after_ms } }));
const isDeleted = async () => (await gateway.stripe.customers.retrieve(customer)).deleted === true;
const waiting = async () => (await d1.prepare("SELECT customer_id FROM abandoned_customers").all()).results;

test("is deleted with the cards, also after an outage and a lost answer", async () => {
  await tick();
  expect(await isDeleted()).toBe(false);
  await leave();
  gateway.fault = () => "silent";
  await expect(tick()).rejects.toThrow("gateway_unreachable");
  expect(await isDeleted()).toBe(false);
  gateway.fault = (_, method) => (method === "DELETE" ? "lost answer" : null);
  await expect(tick()).rejects.toThrow("gateway_unreachable");
  gateway.fault = () => null;
  await tick();
  expect(await isDeleted()).toBe(true);
  expect(await waiting()).toEqual([]);
  await tick();
});

test("is deleted although the gateway always fails at one who left before", async () => {
  await leave();
  const poison = customer;
  fan = await addUser(`p${newId(NOW_MS)}`);
  customer = await ensureCustomer(contextOf(fan, { gateway, now_ms: NOW_MS }), fan);
  await leave();
  await d1.prepare("UPDATE abandoned_customers SET ask_at = '2026-01-01' WHERE customer_id = ?").bind(poison).run();
  gateway.fault = (path) => (path === `/v1/customers/${poison}` ? "500" : null);
  await expect(tick()).rejects.toThrow("gateway_unreachable");
  await expect(tick(60_000)).rejects.toThrow("gateway_unreachable");
  expect(await isDeleted()).toBe(true);
  expect(await waiting()).toEqual([{ customer_id: poison }]);
});

test("waits until no subscription runs and no payment may still succeed", async () => {
  const { stripe } = gateway;
  const price = await stripe.prices.create({
    currency: "jpy",
    unit_amount: 500,
    recurring: { interval: "month" },
    product_data: { name: "アトリエ会員" },
  });
  const { data: cards } = await stripe.paymentMethods.list({ customer });
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price: price.id }],
    default_payment_method: cards[0]?.id ?? "",
  });
  const pending = await stripe.paymentIntents.create({
    customer,
    amount: 1000,
    currency: "jpy",
    payment_method: "pm_card_authenticationRequiredOnSetup",
    return_url: "http://site.test/",
    confirm: true,
  });
  expect(pending.status).toBe("requires_action");
  await leave();
  await tick();
  await stripe.subscriptions.cancel(subscription.id);
  await tick(LOOK_AGAIN_MS);
  expect(await isDeleted()).toBe(false);
  await stripe.paymentIntents.cancel(pending.id);
  await tick(LOOK_AGAIN_MS);
  expect(await isDeleted(), "it was asked about just now").toBe(false);
  await tick(2 * LOOK_AGAIN_MS);
  expect(await isDeleted()).toBe(true);
  expect(await waiting()).toEqual([]);
});

test("does not wait for a subscription that was never paid, nor for a payment that nobody authenticated", async () => {
  const { stripe } = gateway;
  const price = await stripe.prices.create({
    currency: "jpy",
    unit_amount: 500,
    recurring: { interval: "month" },
    product_data: { name: "アトリエ会員" },
  });
  const items = [{ price: price.id }];
  const unpaid = await stripe.subscriptions.create({ customer, items, payment_behavior: "default_incomplete" });
  const pending = await stripe.paymentIntents.create({
    customer,
    amount: 1000,
    currency: "jpy",
    payment_method: "pm_card_authenticationRequiredOnSetup",
    return_url: "http://site.test/",
    confirm: true,
  });
  const DAY_MS = 24 * 60 * 60 * 1000;
  await leave();
  await advanceTo(gateway, NOW_MS + 6 * DAY_MS);
  expect((await stripe.subscriptions.retrieve(unpaid.id)).status).toBe("incomplete_expired");
  // Unlike the embedded gateway, Stripe lists subscriptions of this state too.
  const listing = connectGateway(async ({ url }, next) =>
    new URL(url).pathname === "/v1/subscriptions"
      ? Response.json(await stripe.subscriptions.list({ customer, status: "all" }))
      : next(),
  );
  const look = (after_ms: number) =>
    deleteAbandonedCustomers(servicesOf({ gateway: listing, clock: { now: () => NOW_MS + after_ms } }));
  await look(6 * DAY_MS);
  expect(await isDeleted()).toBe(false);
  await look(7 * DAY_MS + 60_000);
  expect((await stripe.paymentIntents.retrieve(pending.id)).status).toBe("requires_action");
  expect(await isDeleted()).toBe(true);
});
