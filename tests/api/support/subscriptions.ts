import { sql } from "kysely";
import type Stripe from "stripe";
import { expect } from "vitest";
import { isReadable } from "../../../workers/api/events/queries.ts";
import { IdempotencyRace } from "../../../workers/api/storage/commit.ts";
import { openDatabase } from "../../../workers/api/storage/database.ts";
import { dispatchOutbox, type OutboxEvents } from "../../../workers/api/storage/outbox.ts";
import { createSubscription, readJoining } from "../../../workers/api/subscriptions/join.ts";
import { askGateway } from "../../../workers/api/subscriptions/reactions.ts";
import type { HandedMail } from "../../../workers/contract/mails.ts";
import { isoTime } from "../../../workers/kernel/clock.ts";
import { newId } from "../../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, dispatcherOf, emptyDatabaseOfMoney, servicesOf } from "./context.ts";
import {
  advanceTo,
  deliver,
  eventsOf,
  type GatewayEvent,
  payCheckout,
  startGateway,
  type TestGateway,
} from "./gateway.ts";

/**
 * The world of the tests of subscriptions: one creator, one fan and a gateway, at one moment. Each test file calls
 * {@link beginAt} before each of its tests.
 */
export let gateway: TestGateway;
export let now_ms: number;
export let creator: string;
export let fan: string;
/** How many of the gateway's events have been delivered. */
export let delivered: number;

export const addPerson = (is_creator = 0) => addUser(`p${newId(Date.now())}`, { is_creator });

/** Begins a world at a moment, with a creator and a fan. */
export async function beginAt(moment: string): Promise<void> {
  now_ms = Date.parse(moment);
  delivered = 0;
  await emptyDatabaseOfMoney();
  gateway = await startGateway(now_ms);
  [creator, fan] = [await addPerson(1), await addPerson()];
}
export const asFan = () => contextOf(fan, { gateway, now_ms });
export async function addPlan(amount = 500, of = creator): Promise<string> {
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
export const run = (text: string, ...values: unknown[]) =>
  d1
    .prepare(text)
    .bind(...values)
    .run();
export const rowsOf = async (text: string) => (await d1.prepare(text).all<Record<string, unknown>>()).results;

/** Sets the product's clock. The gateway has a clock of its own: see {@link wait}. */
export function moveTo(moment_ms: number): void {
  now_ms = moment_ms;
}
/** Makes another person the fan of the world. */
export function actAs(user_id: string): void {
  fan = user_id;
}
/** Takes the gateway's events since the last time, whose webhooks have not been delivered. */
export async function takeEvents(): Promise<GatewayEvent[]> {
  const events = await eventsOf(delivered);
  delivered += events.length;
  return events;
}
/** Delivers the events since the last delivery, as webhooks that arrive in order. */
export async function listen(): Promise<void> {
  await deliver(gateway, await takeEvents(), now_ms);
}
export const tick = () => askGateway(servicesOf({ gateway, clock: { now: () => now_ms } }));
/** Lets what wrote outbox rows of this kind be dispatched again, and returns the mails about it. The fan has an address. */
export async function mailsOf(kind: keyof OutboxEvents): Promise<HandedMail[]> {
  await run("UPDATE users SET email = 'fan@mail.example' WHERE user_id = ?", fan);
  await run("UPDATE outbox SET processed_at = NULL WHERE kind = ?", kind);
  const mails: HandedMail[] = [];
  const handOver = async (handed: readonly HandedMail[]) => void mails.push(...handed);
  const dispatcher = dispatcherOf({ gateway, now_ms });
  await dispatchOutbox({ ...dispatcher, mails: { ...dispatcher.mails, handOver } });
  return mails;
}
/** Moves both clocks, one day or less at a time, with webhooks and upkeep. */
export async function wait(until: string | number): Promise<void> {
  now_ms = typeof until === "string" ? Date.parse(until) : until;
  await advanceTo(gateway, now_ms);
  await listen();
  await tick();
  await listen();
}

/** Joins a plan and pays with a test card. */
export async function join(membership_id: string, card?: string): Promise<string> {
  const joining = await createSubscription(asFan(), membership_id);
  await payCheckout(joining.checkout_url ?? "", card);
  await listen();
  const { subscription_id } = await readJoining(asFan(), joining.joining_id);
  return subscription_id ?? "";
}
export const subscriptionRow = async () => (await rowsOf("SELECT * FROM subscriptions ORDER BY created_at"))[0] ?? {};
export const invoiceRows = () => rowsOf("SELECT amount, period_start, period_end FROM invoices ORDER BY period_start");
export const noticesOf = async (user_id: string) =>
  (await rowsOf("SELECT user_id, type FROM notifications ORDER BY notification_id"))
    .filter((row) => row.user_id === user_id)
    .map(({ type }) => type);
/** Returns what our books say was paid; the gateway says the same. */
export async function paidYen(): Promise<number> {
  const [books] = await rowsOf("SELECT coalesce(sum(amount), 0) AS yen FROM payments");
  const { data } = await gateway.stripe.charges.list({ limit: 100 });
  expect(data.reduce((sum, { amount, paid }) => sum + (paid ? amount : 0), 0)).toBe(books?.yen);
  return Number(books?.yen);
}
export const customerOf = async () => String((await rowsOf("SELECT customer_id FROM customers"))[0]?.customer_id);
/** Chooses another card as the usual one, as the gateway's portal does. */
export async function switchCard(card: string): Promise<void> {
  const customer = await customerOf();
  const { id } = await gateway.stripe.paymentMethods.attach(card, { customer });
  await gateway.stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
  await listen();
}
export const onlySubscription = async (): Promise<Stripe.Subscription> =>
  (await gateway.stripe.subscriptions.list({ status: "all" })).data[0] as Stripe.Subscription;

/** Whether a person reads the posts of a plan at a moment. */
export async function reads(user_id: string, membership_id: string, at_ms: number): Promise<boolean> {
  const { rows } = await sql<{ may: number }>`SELECT ${isReadable(user_id, at_ms)} AS may
    FROM (SELECT ${creator} AS user_id, 'published' AS status, 'memberships' AS publish_target_type,
      ${membership_id} AS publish_target_membership_id) AS events`.execute(openDatabase(d1));
  return rows[0]?.may === 1;
}
export const codeOf = (refused: Promise<unknown>) =>
  refused.then(
    () => "done",
    (error) => error.code,
  );
/** As {@link codeOf}. The front door answers a request that lost a race of keys as its twin. */
export const outcomeOf = (asked: Promise<unknown>) =>
  codeOf(asked.catch((error) => (error instanceof IdempotencyRace ? null : Promise.reject(error))));
export const chargesOf = async () =>
  (await gateway.stripe.charges.list({ limit: 100 })).data.filter(({ paid }) => paid).length;
export const DAY_MS = 86_400_000;
/** A context whose request carries an idempotency key. */
export const keyed = (key: string, body_hash = "body") => ({
  ...asFan(),
  idempotency: { scope: "fan createSubscription", key, body_hash, status: 201 },
});
