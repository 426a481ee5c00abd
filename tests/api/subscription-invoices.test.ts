/** Invoices of subscriptions in real D1: who reads them, for how long, and what is too little for one. */
import { afterAll, describe, expect, test } from "vitest";
import { loader } from "../../app/routes/my/subscription.tsx";
import { siteContext } from "../../app/site/site-context.ts";
import { domains } from "../../workers/api/domains.ts";
import { unsubscribe } from "../../workers/api/leaving/commands.ts";
import { changePlan, previewChange } from "../../workers/api/subscriptions/change.ts";
import { createSubscription, readJoining } from "../../workers/api/subscriptions/join.ts";
import { listInvoices } from "../../workers/api/subscriptions/queries.ts";
import { askGateway } from "../../workers/api/subscriptions/reactions.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { skipPauses } from "../support/hurry.ts";
import { addUser, contextOf, d1, emptyDatabaseOfMoney, NOW_MS, servicesOf } from "./support/context.ts";
import { advanceTo, deliver, eventsOf, payCheckout, startGateway } from "./support/gateway.ts";
import { expectSoundLedger } from "./support/ledger.ts";

skipPauses();
afterAll(expectSoundLedger);

const DAY_MS = 86_400_000;
const page = { page_number: 1, page_size: 20 };
let people = 0;
const addPerson = (is_creator = 0) => addUser(`payer_${people++}`, { is_creator });
const run = (text: string, ...values: unknown[]) =>
  d1
    .prepare(text)
    .bind(...values)
    .run();
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    ({ code }) => code,
  );

/** Adds a subscription that has ended, with or without an invoice. */
async function addEnded(fan: string, creator: string, is_paid: boolean): Promise<string> {
  const [membership_id, subscription_id] = [newId(NOW_MS), newId(NOW_MS)];
  const [start, end] = [isoTime(NOW_MS - 60 * DAY_MS), isoTime(NOW_MS - 30 * DAY_MS)];
  await run(
    `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
     VALUES (?, ?, 'アトリエ会員', '', 500, 'inactive', ?, ?)`,
    ...[membership_id, creator, start, start],
  );
  await run(
    `INSERT INTO subscriptions (subscription_id, user_id, membership_id, status, paid_until, created_at)
     VALUES (?, ?, ?, 'canceled', ?, ?)`,
    ...[subscription_id, fan, membership_id, end, start],
  );
  if (!is_paid) return subscription_id;
  await run(
    `INSERT INTO invoices (invoice_id, subscription_id, membership_id, user_id, creator_user_id, gateway_id, number, title,
       amount, period_start, period_end, paid_at) VALUES (?, ?, ?, ?, ?, ?, 'A-1', 'アトリエ会員', 500, ?, ?, ?)`,
    ...[newId(NOW_MS), subscription_id, membership_id, fan, creator, `in_${subscription_id}`, start, end, start],
  );
  return subscription_id;
}

describe("the invoices of a subscription", () => {
  test("stay readable for the fan, and for nobody else, after the creator has left", async () => {
    const [creator, fan, stranger] = [await addPerson(1), await addPerson(), await addPerson()];
    const subscription_id = await addEnded(fan, creator, true);
    await unsubscribe(contextOf(creator), domains);
    const rows = await d1.prepare("SELECT 1 FROM subscriptions WHERE subscription_id = ?").bind(subscription_id).all();
    expect(rows.results).toEqual([]);
    const { invoices } = await listInvoices(contextOf(fan), subscription_id, page);
    expect(invoices).toMatchObject([{ subscription_id, title: "アトリエ会員", amount: 500 }]);
    const { invoice_id = "" } = invoices[0] ?? {};
    expect(await listInvoices(contextOf(fan), subscription_id, { ...page, invoice_id })).toMatchObject({ invoices });
    const behind = { ...page, page_number: 2 };
    expect(await listInvoices(contextOf(fan), subscription_id, behind)).toMatchObject({
      invoices: [],
      has_next: false,
    });
    for (const asked of [page, behind]) {
      expect(await codeOf(listInvoices(contextOf(stranger), subscription_id, asked))).toBe("not_found");
      expect(await codeOf(listInvoices(contextOf(fan), newId(NOW_MS), asked))).toBe("not_found");
    }
  });

  test("are an empty list for the fan of a subscription without payments, and hidden from others", async () => {
    const [creator, fan, stranger] = [await addPerson(1), await addPerson(), await addPerson()];
    const subscription_id = await addEnded(fan, creator, false);
    expect(await listInvoices(contextOf(fan), subscription_id, page)).toMatchObject({ invoices: [], has_next: false });
    expect(await codeOf(listInvoices(contextOf(stranger), subscription_id, page))).toBe("not_found");
  });
});

describe("the page of a subscription", () => {
  /** Loads the page for a member with three pages of invoices. Returns the status. */
  async function statusOf(query: string): Promise<number> {
    const paged = ({ page_number = 1 }) => ({ invoices: page_number <= 3 ? [{ amount: 500 }] : [], has_next: false });
    const v4 = {
      read: async ({ id }: { id: string }, input: { query?: { page_number: number } }) =>
        id === "getSubscription"
          ? { subscription: { membership: {}, paid_until: isoTime(NOW_MS) } }
          : paged(input.query ?? {}),
      part: async () => null,
    };
    const url = new URL(`http://site.test/my/subscriptions/x${query}`);
    const site = { notice: { email: "help@ofuse.example" } };
    const context = { get: (wanted: unknown) => (wanted === siteContext ? site : v4) };
    const loading = loader({ url, params: { subscription_id: newId(NOW_MS) }, context } as never);
    return loading.then(
      () => 200,
      ({ init }) => init.status,
    );
  }

  test("is missing after the last page of invoices", async () => {
    expect(await Promise.all(["", "?page=3", "?page=4", "?page=x"].map(statusOf))).toEqual([200, 200, 404, 404]);
  });
});

describe("a change to a dearer plan", () => {
  /** Begins a world in which a fan pays 500 yen a month, and the creator has a plan of 1,000 yen. */
  async function beginWorld() {
    let now_ms = Date.parse("2038-03-10T03:00:00Z");
    let delivered = 0;
    await emptyDatabaseOfMoney();
    const gateway = await startGateway(now_ms);
    const [creator, fan] = [await addPerson(1), await addPerson()];
    const addPlan = async (amount: number) => {
      const membership_id = newId(now_ms);
      await run(
        `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
         VALUES (?, ?, 'アトリエ会員', '', ?, 'active', ?, ?)`,
        ...[membership_id, creator, amount, isoTime(now_ms), isoTime(now_ms)],
      );
      return membership_id;
    };
    const asFan = () => contextOf(fan, { gateway, now_ms });
    const listen = async () => {
      const events = await eventsOf(delivered);
      delivered += events.length;
      await deliver(gateway, events, now_ms);
    };
    const wait = async (until: string) => {
      now_ms = Date.parse(until);
      await advanceTo(gateway, now_ms);
      await listen();
      await askGateway(servicesOf({ gateway, clock: { now: () => now_ms } }));
      await listen();
    };
    const [cheap, dear] = [await addPlan(500), await addPlan(1000)];
    const { joining_id, checkout_url } = await createSubscription(asFan(), cheap);
    await payCheckout(checkout_url ?? "");
    await listen();
    const subscription_id = (await readJoining(asFan(), joining_id)).subscription_id ?? "";
    const { period_end: ends = "" } = (await listInvoices(asFan(), subscription_id, page)).invoices[0] ?? {};
    const balanceOf = async () => (await gateway.stripe.customers.list()).data.map(({ balance }) => balance);
    const amounts = async () =>
      (await listInvoices(asFan(), subscription_id, page)).invoices.map(({ amount }) => amount);
    return { asFan, wait, gateway, cheap, dear, subscription_id, ends, balanceOf, amounts };
  }

  test("that costs less than the gateway charges is free, begins with the next period, and leaves no debit", async () => {
    const { asFan, wait, cheap, dear, subscription_id, ends, balanceOf, amounts } = await beginWorld();
    // 33 yen are the difference for two days.
    await wait(isoTime(Date.parse(ends) - 2 * DAY_MS));
    const shown = await previewChange(asFan(), subscription_id, dear);
    expect(shown).toMatchObject({ amount_now: 0, next_amount: 1000, next_charge_at: ends, begins_at: ends });
    const wanted = { membership_id: dear, priced_at: shown.priced_at, amount_now: 0 };
    expect(await codeOf(changePlan(asFan(), subscription_id, { ...wanted, amount_now: 33 }))).toBe(
      "subscription_price_moved",
    );
    expect(await changePlan(asFan(), subscription_id, wanted)).toMatchObject({
      membership: { membership_id: cheap },
      next_charge: { amount: 1000, charged_at: ends, membership: { membership_id: dear } },
    });
    expect([await balanceOf(), await amounts()]).toEqual([[0], [500]]);
    // The same request again finds its change made.
    expect(await codeOf(changePlan(asFan(), subscription_id, wanted))).toBe(null);
    await wait(ends);
    expect([await balanceOf(), await amounts()]).toEqual([[0], [1000, 500]]);
  });

  test("that costs the least that the gateway charges is charged and begins at once", async () => {
    const { asFan, wait, dear, subscription_id, ends, balanceOf, amounts } = await beginWorld();
    // 50 yen are the difference for a tenth of the month.
    await wait(isoTime(Date.parse(ends) - 3.1 * DAY_MS));
    const shown = await previewChange(asFan(), subscription_id, dear);
    expect(shown).toMatchObject({ amount_now: 50, begins_at: shown.priced_at });
    const wanted = { membership_id: dear, priced_at: shown.priced_at, amount_now: 50 };
    expect(await changePlan(asFan(), subscription_id, wanted)).toMatchObject({ membership: { membership_id: dear } });
    expect([await balanceOf(), await amounts()]).toEqual([[0], [50, 500]]);
  });

  test("would otherwise be paid with the next invoice, as at Stripe", async () => {
    const { wait, gateway, ends, balanceOf } = await beginWorld();
    await wait(isoTime(Date.parse(ends) - 2 * DAY_MS));
    const [subscription] = (await gateway.stripe.subscriptions.list()).data;
    const [item] = subscription?.items.data ?? [];
    const price = await gateway.stripe.prices.create({
      ...{ unit_amount: 1000, currency: "jpy", recurring: { interval: "month" } },
      product_data: { name: "アトリエ会員" },
    });
    const { latest_invoice } = await gateway.stripe.subscriptions.update(subscription?.id ?? "", {
      items: [{ id: item?.id ?? "", price: price.id }],
      proration_behavior: "always_invoice",
      // The gateway's clock runs, and the price falls with it.
      proration_date: Date.parse(ends) / 1000 - (2 * DAY_MS) / 1000,
      expand: ["latest_invoice"],
    });
    expect(latest_invoice).toMatchObject({
      total: 33,
      amount_due: 0,
      amount_paid: 0,
      status: "paid",
      ending_balance: 33,
    });
    expect(await balanceOf()).toEqual([33]);
    await advanceTo(gateway, Date.parse(ends) + 2 * 60 * 60 * 1000);
    const [next] = (await gateway.stripe.invoices.list()).data;
    expect(next).toMatchObject({ total: 1000, starting_balance: 33, amount_paid: 1033, ending_balance: 0 });
    expect(await balanceOf()).toEqual([0]);
  });
});
