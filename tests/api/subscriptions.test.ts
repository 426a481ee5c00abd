import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { createSubscription, readJoining, setEnding } from "../../workers/api/subscriptions/commands.ts";
import { askGateway } from "../../workers/api/subscriptions/reactions.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, emptyDatabase, servicesOf } from "./support/context.ts";
import { advanceTo, deliver, eventsOf, payCheckout, startGateway, type TestGateway } from "./support/gateway.ts";
import { expectSoundLedger } from "./support/ledger.ts";

let gateway: TestGateway;
let now_ms: number;
let creator: string;
let fan: string;
let delivered: number;

/** Begins a world at a moment, with a creator and a fan. */
async function beginAt(moment: string): Promise<void> {
  now_ms = Date.parse(moment);
  delivered = 0;
  await emptyDatabase();
  gateway = await startGateway(now_ms);
  [creator, fan] = [await addUser("natsume", { is_creator: 1 }), await addUser("fan_hana")];
}
beforeEach(() => beginAt("2027-03-10T03:00:00Z"));
afterEach(expectSoundLedger);

const asFan = () => contextOf(fan, { gateway, now_ms });
async function addPlan(amount = 500, of = creator): Promise<string> {
  const membership_id = newId(now_ms);
  await run(
    `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
     VALUES (?, ?, 'アトリエ会員', '', ?, 'active', ?, ?)`,
    membership_id,
    of,
    amount,
    isoTime(now_ms),
    isoTime(now_ms),
  );
  return membership_id;
}
const run = (text: string, ...values: unknown[]) =>
  d1
    .prepare(text)
    .bind(...values)
    .run();
const rowsOf = async (text: string) => (await d1.prepare(text).all<Record<string, unknown>>()).results;

/** Delivers the events since the last delivery, as webhooks that arrive in order. */
async function listen(): Promise<void> {
  const events = await eventsOf(delivered);
  delivered += events.length;
  await deliver(gateway, events, now_ms);
}
const tick = () => askGateway(servicesOf({ gateway, clock: { now: () => now_ms } }));
/** Moves both clocks, one day or less at a time, with webhooks and upkeep. */
async function wait(until: string | number): Promise<void> {
  now_ms = typeof until === "string" ? Date.parse(until) : until;
  await advanceTo(gateway, now_ms);
  await listen();
  await tick();
  await listen();
}

/** Joins a plan and pays with a test card. */
async function join(membership_id: string, card?: string): Promise<string> {
  const joining = await createSubscription(asFan(), membership_id);
  await payCheckout(joining.checkout_url ?? "", card);
  await listen();
  const { subscription_id } = await readJoining(asFan(), joining.joining_id);
  return subscription_id ?? "";
}
const subscriptionRow = async () => (await rowsOf("SELECT * FROM subscriptions ORDER BY created_at"))[0] ?? {};
const invoiceRows = () => rowsOf("SELECT amount, period_start, period_end FROM invoices ORDER BY period_start");
const noticesOf = async (user_id: string) =>
  (await rowsOf("SELECT user_id, type FROM notifications ORDER BY notification_id"))
    .filter((row) => row.user_id === user_id)
    .map(({ type }) => type);
const customerOf = async () => String((await rowsOf("SELECT customer_id FROM customers"))[0]?.customer_id);
async function switchCard(card: string): Promise<void> {
  const customer = await customerOf();
  const method = await gateway.stripe.paymentMethods.attach(card, { customer });
  const { data } = await gateway.stripe.subscriptions.list({ customer });
  for (const each of data) await gateway.stripe.subscriptions.update(each.id, { default_payment_method: method.id });
}
const onlySubscription = async (): Promise<Stripe.Subscription> =>
  (await gateway.stripe.subscriptions.list({ status: "all" })).data[0] as Stripe.Subscription;

describe("joining", () => {
  test("charges once, opens the plan until the gateway's second, and tells both", async () => {
    const plan = await addPlan();
    const subscription_id = await join(plan);
    const { items, created } = await onlySubscription();
    const paid_until = isoTime((items.data[0]?.current_period_end ?? 0) * 1000);
    expect(await subscriptionRow()).toMatchObject({ subscription_id, status: "active", paid_until, is_ending: 0 });
    expect(await invoiceRows()).toEqual([{ amount: 500, period_start: isoTime(created * 1000), period_end: paid_until }]);
    expect(await rowsOf("SELECT kind, amount, fee, creator_share FROM payments")).toEqual([
      { kind: "membership", amount: 500, fee: 50, creator_share: 450 },
    ]);
    expect(await noticesOf(creator)).toEqual(["new_subscriber"]);
  });
});
