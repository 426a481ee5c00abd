import { beforeAll, describe, expect, test } from "vitest";
import {
  createMembership,
  createSubscription,
  getJoining,
  getSubscriptionInvoice,
  listSubscriptions,
  previewSubscription,
  updateMembership,
  updateSubscription,
} from "../../workers/contract/memberships.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import {
  cancelPayment,
  createCustomerPortal,
  createPaymentMethod,
  getPaymentMethods,
  getSpending,
  listPayments,
  updatePaymentMethod,
  updateSpending,
} from "../../workers/contract/payments.ts";
import {
  browser,
  deliverWebhooks,
  freshCreator,
  freshMember,
  type Member,
  network,
  openBrowserAs,
  tick,
} from "../support/network.ts";
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
  await waitUntil(async () => {
    await deliverWebhooks();
    expect(await subscriptionsOf()).toHaveLength(1);
  });
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
  const page = await browser();
  await page.signIn(fan);
  for (const path of [`/${creator.user.link_id}/plans`, `/${creator.user.link_id}/plans/${plan}`]) {
    const { text } = await page.get(path);
    expect(text, "the way to what was joined").toContain(`href="/my/subscriptions/${params.subscription_id}"`);
    expect(text, "no way to join again").not.toContain(`href="/my/subscriptions/join/${plan}"`);
  }
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
    const edit = await (await openBrowserAs(creator)).get(`/my/memberships/${plan}/edit`);
    expect([edit.text.includes("このプランを削除"), edit.text.includes("プランは、削除できません")]).toEqual([
      false,
      true,
    ]);
    const { setup_url } = await ask(createPaymentMethod, { token });
    expect(await pay(setup_url, "3566 0020 2036 0505")).toBe("/my/settings/payments?added=1");
    const returned = await (await openBrowserAs(fan)).get("/my/settings/payments?added=1");
    expect(returned.text).toContain("カードを追加しました。");
    const { payment_methods } = await ask(getPaymentMethods, { token });
    const added = payment_methods.find(({ brand }) => brand === "jcb")?.payment_method_id ?? "";
    const chosen = await ask(updatePaymentMethod, { token, body: { payment_method_id: added } });
    expect(chosen.payment_methods.filter(({ is_default }) => is_default).map(({ last4 }) => last4)).toEqual(["0505"]);
    const { portal_url } = await ask(createCustomerPortal, { token });
    const page = await (await browser()).get(portal_url.replace((await network()).url, ""));
    expect([page.status, page.text.includes("窓辺の席")]).toEqual([200, true]);
  });
});

test("a monthly limit is set on the page of payments without a script, and refuses what exceeds it on the last page", async () => {
  const fan = await freshMember("決めておく人");
  const { token } = fan;
  const page = await browser();
  await page.signIn(fan);
  const { joining } = await ask(createSubscription, { token, body: { membership_id: plan } });
  const params = { session_id: joining.joining_id };
  expect((await page.get("/my/settings/payments")).text).toContain("取りやめる");
  await refused(cancelPayment, "not_found", { token: (await freshMember("よその人")).token, params });
  await page.post("/my/settings/payments", { do: "cancel", ...params });
  expect((await ask(listPayments, { token })).pending).toEqual([]);
  const form = { do: "limit", idempotency_key: crypto.randomUUID() };
  const refusedForm = await page.post("/my/settings/payments", { ...form, monthly_limit: "千円" });
  expect([refusedForm.status, refusedForm.text.includes("数字だけで入力")]).toEqual([422, true]);
  expect(refusedForm.text, "what was typed stays").toMatch(/name="monthly_limit"[^>]*value="[^"]*[^\d"]/);
  await page.post("/my/settings/payments", { ...form, monthly_limit: "300" });
  expect((await ask(getSpending, { token })).spending).toMatchObject({ monthly_limit: 300, paid: 0 });
  expect((await page.get("/my/settings/payments")).text).toContain('value="300"');
  const last = await page.get(`/my/subscriptions/join/${plan}`);
  expect(last.text).toContain("1か月の上限額を超える");
  expect(last.text).toContain('href="/my/settings/payments#limit"');
  const { spending } = await ask(updateSpending, { token, body: { monthly_limit: null } });
  expect(spending).toMatchObject({ monthly_limit: 300, next_limit: { monthly_limit: null } });
  await refused(createSubscription, "spending_limit_reached", { token, body: { membership_id: plan } });
  // The field holds what was asked for, so that saving it unchanged does not cancel the raise.
  await ask(updateSpending, { token, body: { monthly_limit: 5_000 } });
  const raised = await page.get("/my/settings/payments");
  expect([raised.text.includes("5,000円に変わります"), raised.text.includes('value="5000"')]).toEqual([true, true]);
});

test("a full plan says so to visitors on the list and the page, and has a way in again when it is not", async () => {
  const owner = await freshCreator("定員の人");
  const { token, user } = owner;
  const body = { title: "ひとりの席", description: "", amount: 500, active_state: "active" as const, members_limit: 1 };
  const { membership } = await ask(createMembership, { token, body });
  const { membership_id } = membership;
  const visitor = await browser();
  const paths = [`/${user.link_id}/plans`, `/${user.link_id}/plans/${membership_id}`];
  const way = `href="/my/subscriptions/join/${membership_id}"`;
  for (const path of paths) expect((await visitor.get(path)).text).toContain(way);
  const fan = await freshMember("先に入る人");
  await ask(createSubscription, { token: fan.token, body: { membership_id } });
  for (const path of paths) {
    // A copy of the page may be a moment old.
    await waitUntil(async () => {
      const { text } = await visitor.get(path);
      expect([text.includes("満員"), text.includes(way)]).toEqual([true, false]);
    });
  }
  const joiningOf = async (member: Member) =>
    (await (await openBrowserAs(member)).get(`/my/subscriptions/join/${membership_id}`)).text;
  expect(await joiningOf(await freshMember("あとの人"))).toContain(`href="/${user.link_id}/plans"`);
  expect(await joiningOf(owner)).toContain(`href="/my/memberships/${membership_id}/edit"`);
  await ask(updateMembership, { token, params: { membership_id }, body: { members_limit: 2 } });
  for (const path of paths) await waitUntil(async () => expect((await visitor.get(path)).text).toContain(way));
});
