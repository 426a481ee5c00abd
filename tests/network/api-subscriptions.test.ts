import { beforeAll, describe, expect, test } from "vitest";
import {
  createMembership,
  createSubscription,
  getJoining,
  getSubscriptionInvoice,
  listSubscriptions,
  previewSubscription,
  updateSubscription,
} from "../../workers/contract/memberships.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import {
  createCustomerPortal,
  createPaymentMethod,
  getPaymentMethods,
  listPayments,
  updatePaymentMethod,
} from "../../workers/contract/payments.ts";
import { browser, freshCreator, freshMember, type Member, network, tick } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, refused } from "./support/calls.ts";

/** Joining a plan over the whole network: the gateway's page, its webhooks, and our own pages. */

let creator: Member;
let plan: string;
let dearer: string;
beforeAll(async () => {
  creator = await freshCreator("プランの人");
  const words = { description: "", active_state: "active" as const };
  [plan, dearer] = (await Promise.all(
    [
      { ...words, title: "窓辺の席", amount: 500 },
      { ...words, title: "となりの席", amount: 1_000 },
    ].map(async (body) => (await ask(createMembership, { token: creator.token, body })).membership.membership_id),
  )) as [string, string];
});

const card = { method: "card", email: "fan@mail.example", name: "FAN", expiry: "12/40", cvc: "123" };

/** Sends the form of the gateway's page. Returns the path that it leads back to. */
async function pay(url: string, number = "4242 4242 4242 4242"): Promise<string> {
  const { url: origin } = await network();
  const { location } = await (await browser()).post(url.replace(origin, ""), { ...card, number });
  return location?.replace(origin, "") ?? "";
}

async function join(fan: Member, membership_id = plan): Promise<string> {
  const { joining } = await ask(createSubscription, { token: fan.token, body: { membership_id } });
  await pay(joining.checkout_url ?? "");
  const call = { token: fan.token, params: { joining_id: joining.joining_id } };
  return (await ask(getJoining, call)).joining.subscription_id ?? "";
}

test("a plan is joined by the gateway's webhooks alone, with an invoice for the fan and news for the creator", async () => {
  const fan = await freshMember("入る人");
  const { token } = fan;
  const { preview } = await ask(previewSubscription, { token, params: { membership_id: plan } });
  expect(preview).toMatchObject({ amount_now: 500, next_amount: 500, membership: { title: "窓辺の席" } });
  const { joining } = await ask(createSubscription, { token, body: { membership_id: plan } });
  expect(joining).toMatchObject({ status: "open", subscription_id: null });
  expect(await pay(joining.checkout_url ?? "")).toBe(`/my/subscriptions/joining/${joining.joining_id}`);
  const subscriptionsOf = async () => (await ask(listSubscriptions, { token })).subscriptions;
  await waitUntil(async () => expect(await subscriptionsOf()).toHaveLength(1));
  const [subscription] = await subscriptionsOf();
  expect(subscription).toMatchObject({ status: "active", is_billed: true, next_charge: { amount: 500 } });
  const params = { subscription_id: subscription?.subscription_id ?? "" };
  const { invoices } = await ask(getSubscriptionInvoice, { token, params });
  expect(invoices).toMatchObject([
    { title: "窓辺の席", amount: 500, tax_percent: 10, tax_amount: 45, refunded_at: null },
  ]);
  const one = { token, params, query: { invoice_id: invoices[0]?.invoice_id } };
  expect((await ask(getSubscriptionInvoice, one)).invoices).toEqual(invoices);
  const { payments } = await ask(listPayments, { token });
  expect(payments).toMatchObject([
    { kind: "membership", amount: 500, creator: { user_id: creator.user.user_id }, ...params, refunded_at: null },
  ]);
  expect(payments[0]?.invoice_id).toBe(invoices[0]?.invoice_id);
  await tick();
  await tick();
  const { notifications } = await ask(listNotifications, { token: creator.token });
  expect(notifications.filter(({ actor }) => actor?.user_id === fan.user.user_id)).toMatchObject([
    { type: "new_subscriber", path: `/my/memberships/${plan}/members` },
  ]);
});

test("a subscription is left, continued, and changed to a dearer plan for the difference that was shown", async () => {
  const { token } = await freshMember("変える人");
  const params = { subscription_id: await join({ token } as Member) };
  const left = await ask(updateSubscription, { token, params, body: { is_ending: true } });
  expect(left.subscription).toMatchObject({ is_ending: true, next_charge: null });
  const change = { token, params: { membership_id: dearer }, query: params };
  await refused(previewSubscription, "subscription_transition_refused", change);
  await ask(updateSubscription, { token, params, body: { is_ending: false } });
  const { preview } = await ask(previewSubscription, change);
  expect(preview).toMatchObject({ amount_now: 500, next_amount: 1_000 });
  const body = { membership_id: dearer, priced_at: preview.priced_at, amount_now: preview.amount_now };
  const { subscription } = await ask(updateSubscription, { token, params, body });
  expect(subscription).toMatchObject({ membership: { title: "となりの席" }, next_charge: { amount: 1_000 } });
  const { invoices } = await ask(getSubscriptionInvoice, { token, params });
  expect(invoices.map(({ title, amount }) => [title, amount])).toEqual([
    ["となりの席", 500],
    ["窓辺の席", 500],
  ]);
});

describe("ways to pay", () => {
  test("are added on the gateway's page, chosen here, and removed in the portal", async () => {
    const fan = await freshMember("払う人");
    const { token } = fan;
    expect((await ask(getPaymentMethods, { token })).payment_methods).toEqual([]);
    await join(fan);
    const { setup_url } = await ask(createPaymentMethod, { token });
    expect(await pay(setup_url, "3566 0020 2036 0505")).toBe("/my/settings/payments");
    const { payment_methods } = await ask(getPaymentMethods, { token });
    const added = payment_methods.find(({ brand }) => brand === "jcb")?.payment_method_id ?? "";
    const chosen = await ask(updatePaymentMethod, { token, body: { payment_method_id: added } });
    expect(chosen.payment_methods.filter(({ is_default }) => is_default).map(({ last4 }) => last4)).toEqual(["0505"]);
    const { portal_url } = await ask(createCustomerPortal, { token });
    const page = await (await browser()).get(portal_url.replace((await network()).url, ""));
    expect([page.status, page.text.includes("窓辺の席")]).toEqual([200, true]);
  });
});
