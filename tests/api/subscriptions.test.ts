import { env } from "cloudflare:workers";
import fc from "fast-check";
import { sql } from "kysely";
import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBlock } from "../../workers/api/blocks/commands.ts";
import { beginPaidLetter, cancelCheckout } from "../../workers/api/checkouts/commands.ts";
import { isReadable } from "../../workers/api/events/queries.ts";
import { updateMembership } from "../../workers/api/memberships/commands.ts";
import {
  findMembership,
  findSubscription,
  listJoinedPlans,
  listSubscribers,
} from "../../workers/api/memberships/queries.ts";
import { refundPayment } from "../../workers/api/operator/commands.ts";
import { listCheckouts } from "../../workers/api/operator/money.ts";
import { setSpendingLimit } from "../../workers/api/payments/commands.ts";
import { readSpending } from "../../workers/api/payments/queries.ts";
import { IdempotencyRace } from "../../workers/api/storage/commit.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox, type OutboxEvents } from "../../workers/api/storage/outbox.ts";
import { commitSync } from "../../workers/api/subscriptions/apply-sync.ts";
import { changePlan, previewChange } from "../../workers/api/subscriptions/change.ts";
import { setEnding } from "../../workers/api/subscriptions/end.ts";
import {
  cancelJoining,
  createSubscription,
  previewJoining,
  readJoining,
} from "../../workers/api/subscriptions/join.ts";
import {
  chooseCard,
  createCustomerPortal,
  createPaymentMethod,
  listPaymentMethods,
} from "../../workers/api/subscriptions/payment-methods.ts";
import { departSubscriber } from "../../workers/api/subscriptions/personal-data.ts";
import { listPayments } from "../../workers/api/subscriptions/queries.ts";
import { askGateway } from "../../workers/api/subscriptions/reactions.ts";
import { noticesOfDroppedChange } from "../../workers/api/subscriptions/rules.ts";
import { syncSubscription } from "../../workers/api/subscriptions/sync.ts";
import type { HandedMail } from "../../workers/contract/mails.ts";
import { sendOfuse } from "../../workers/contract/ofuses.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { skipPauses } from "../support/hurry.ts";
import { addUser, contextOf, d1, dispatcherOf, emptyDatabaseOfMoney, servicesOf } from "./support/context.ts";
import {
  advanceTo,
  connectGateway,
  deliver,
  eventsOf,
  type GatewayEvent,
  payCheckout,
  startGateway,
  type TestGateway,
} from "./support/gateway.ts";
import { expectSoundLedger } from "./support/ledger.ts";

skipPauses();

let gateway: TestGateway;
let now_ms: number;
let creator: string;
let fan: string;
let delivered: number;

const addPerson = (is_creator = 0) => addUser(`p${newId(Date.now())}`, { is_creator });

/** Begins a world at a moment, with a creator and a fan. */
async function beginAt(moment: string): Promise<void> {
  now_ms = Date.parse(moment);
  delivered = 0;
  await emptyDatabaseOfMoney();
  gateway = await startGateway(now_ms);
  [creator, fan] = [await addPerson(1), await addPerson()];
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
/** Lets what wrote outbox rows of this kind be dispatched again, and returns the mails about it. The fan has an address. */
async function mailsOf(kind: keyof OutboxEvents): Promise<HandedMail[]> {
  await run("UPDATE users SET email = 'fan@mail.example' WHERE user_id = ?", fan);
  await run("UPDATE outbox SET processed_at = NULL WHERE kind = ?", kind);
  const mails: HandedMail[] = [];
  const handOver = async (handed: readonly HandedMail[]) => void mails.push(...handed);
  const dispatcher = dispatcherOf({ gateway, now_ms });
  await dispatchOutbox({ ...dispatcher, mails: { ...dispatcher.mails, handOver } });
  return mails;
}
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
/** Returns what our books say was paid; the gateway says the same. */
async function paidYen(): Promise<number> {
  const [books] = await rowsOf("SELECT coalesce(sum(amount), 0) AS yen FROM payments");
  const { data } = await gateway.stripe.charges.list({ limit: 100 });
  expect(data.reduce((sum, { amount, paid }) => sum + (paid ? amount : 0), 0)).toBe(books?.yen);
  return Number(books?.yen);
}
const customerOf = async () => String((await rowsOf("SELECT customer_id FROM customers"))[0]?.customer_id);
/** Chooses another card as the usual one, as the gateway's portal does. */
async function switchCard(card: string): Promise<void> {
  const customer = await customerOf();
  const { id } = await gateway.stripe.paymentMethods.attach(card, { customer });
  await gateway.stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
  await listen();
}
const onlySubscription = async (): Promise<Stripe.Subscription> =>
  (await gateway.stripe.subscriptions.list({ status: "all" })).data[0] as Stripe.Subscription;

/** Whether a person reads the posts of a plan at a moment. */
async function reads(user_id: string, membership_id: string, at_ms: number): Promise<boolean> {
  const { rows } = await sql<{ may: number }>`SELECT ${isReadable(user_id, at_ms)} AS may
    FROM (SELECT ${creator} AS user_id, 'published' AS status, 'memberships' AS publish_target_type,
      ${membership_id} AS publish_target_membership_id) AS events`.execute(openDatabase(d1));
  return rows[0]?.may === 1;
}
const codeOf = (refused: Promise<unknown>) =>
  refused.then(
    () => "done",
    (error) => error.code,
  );
/** As {@link codeOf}. The front door answers a request that lost a race of keys as its twin. */
const outcomeOf = (asked: Promise<unknown>) =>
  codeOf(asked.catch((error) => (error instanceof IdempotencyRace ? null : Promise.reject(error))));
const chargesOf = async () =>
  (await gateway.stripe.charges.list({ limit: 100 })).data.filter(({ paid }) => paid).length;
const DAY_MS = 86_400_000;
/** A context whose request carries an idempotency key. */
const keyed = (key: string, body_hash = "body") => ({
  ...asFan(),
  idempotency: { scope: "fan createSubscription", key, body_hash, status: 201 },
});

describe("joining", () => {
  test("charges once, opens the plan until a day after the gateway's second, and tells the creator", async () => {
    const plan = await addPlan();
    expect(await reads(fan, plan, now_ms)).toBe(false);
    const subscription_id = await join(plan);
    const { items, created } = await onlySubscription();
    const ends_ms = (items.data[0]?.current_period_end ?? 0) * 1000;
    const paid_until = isoTime(ends_ms);
    expect(await subscriptionRow()).toMatchObject({ subscription_id, status: "active", paid_until, is_ending: 0 });
    const period_start = isoTime(created * 1000);
    expect(await invoiceRows()).toEqual([{ amount: 500, period_start, period_end: paid_until }]);
    expect(await rowsOf("SELECT kind, amount, fee, creator_share FROM payments")).toEqual([
      { kind: "membership", amount: 500, fee: 50, creator_share: 450 },
    ]);
    expect(await noticesOf(creator)).toEqual(["new_subscriber"]);
    // The gateway renews it, so the fan reads on until the clock sees that it is not paid.
    const moments = [ends_ms - 1, ends_ms, ends_ms + DAY_MS - 1, ends_ms + DAY_MS];
    const read = await Promise.all(moments.map((at_ms) => reads(fan, plan, at_ms)));
    expect(read).toEqual([true, true, true, false]);
  });

  test("is not done while the card is declined, and is done by the next card on the same page", async () => {
    const { joining_id, checkout_url } = await createSubscription(asFan(), await addPlan());
    const url = checkout_url ?? "";
    expect(await payCheckout(url, "4000 0000 0000 0002")).toBeNull();
    await listen();
    expect(await readJoining(asFan(), joining_id)).toMatchObject({ status: "open", checkout_url: url });
    expect(await payCheckout(url)).toBe(`http://site.test/my/subscriptions/joining/${joining_id}`);
    // The webhooks are late: the page asks for itself.
    expect(await readJoining(asFan(), joining_id)).toMatchObject({ status: "joined", checkout_url: null });
    await listen();
    expect([await chargesOf(), (await invoiceRows()).length]).toEqual([1, 1]);
  });

  test("gives a second page the session of the first, so that nobody pays twice", async () => {
    const plan = await addPlan();
    const [one, other] = await Promise.all([createSubscription(asFan(), plan), createSubscription(asFan(), plan)]);
    expect(other.checkout_url).toBe(one.checkout_url);
    await payCheckout(one.checkout_url ?? "");
    expect(await codeOf(createSubscription(asFan(), plan))).toBe("already_joined");
  });

  test("does one thing for one idempotency key, and refuses another body", async () => {
    const [plan, second] = [await addPlan(), await addPlan(800)];
    const first = await createSubscription(keyed("key-0001"), plan);
    expect(await codeOf(createSubscription(keyed("key-0001", "other"), second))).toBe("idempotency_key_reused");
    expect(await rowsOf("SELECT membership_id, joining_id FROM joinings")).toEqual([
      { membership_id: plan, joining_id: first.joining_id },
    ]);
  });

  test("of two requests at once with one key is not refused for what the other one counts", async () => {
    const plan = await addPlan();
    await setSpendingLimit(asFan(), 500);
    const ask = () => outcomeOf(createSubscription(keyed("key-0010"), plan));
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(["done", "done", "done"]);
    expect(await rowsOf("SELECT status FROM joinings")).toEqual([{ status: "open" }]);
  });

  test("ends with its session, and can be begun again", async () => {
    const plan = await addPlan();
    const { joining_id } = await createSubscription(asFan(), plan);
    await wait(now_ms + DAY_MS + 60_000);
    expect(await readJoining(asFan(), joining_id)).toMatchObject({ status: "expired", checkout_url: null });
    expect((await createSubscription(asFan(), plan)).joining_id).not.toBe(joining_id);
  });

  test("has ended when its request comes again half an hour after the gateway was silent", async () => {
    const plan = await addPlan();
    gateway.fault = () => "silent";
    expect(await codeOf(createSubscription(keyed("key-0001"), plan))).toBe("gateway_unreachable");
    gateway.fault = () => null;
    now_ms += 31 * 60_000;
    await advanceTo(gateway, now_ms);
    const again = await createSubscription(keyed("key-0001"), plan);
    expect(again).toMatchObject({ status: "expired", checkout_url: null });
    expect((await createSubscription(keyed("key-0002"), plan)).status).toBe("open");
  });

  test("is refused for one's own plan, a closed one, a blocked person, and the 16th time in a week", async () => {
    const plan = await addPlan();
    const asCreator = contextOf(creator, { gateway, now_ms });
    expect(await codeOf(createSubscription(asCreator, plan))).toBe("cannot_join_own_plan");
    await run("UPDATE memberships SET active_state = 'inactive' WHERE membership_id = ?", plan);
    expect(await codeOf(createSubscription(asFan(), plan))).toBe("membership_not_open");
    const open = await addPlan();
    await run("INSERT INTO blocks VALUES (?, ?, ?)", creator, fan, isoTime(now_ms));
    expect(await codeOf(createSubscription(asFan(), open))).toBe("blocked");
    expect(await codeOf(previewJoining(asFan(), open))).toBe("blocked");
    await run("DELETE FROM blocks");
    await run("UPDATE users SET disabled_at = ? WHERE user_id = ?", isoTime(now_ms), creator);
    expect(await codeOf(createSubscription(asFan(), open))).toBe("not_found");
    await run("UPDATE users SET disabled_at = NULL");
    await run("UPDATE users SET created_at = ?", isoTime(now_ms - DAY_MS));
    for (let times = 0; times < 15; times++) {
      await run("INSERT INTO limited_acts VALUES (?, ?, ?)", `payment ${fan}`, isoTime(now_ms), newId(now_ms));
    }
    expect(await codeOf(createSubscription(asFan(), open))).toBe("too_many_requests");
    await run("UPDATE users SET created_at = ?", isoTime(now_ms - 8 * DAY_MS));
    expect(await codeOf(createSubscription(asFan(), open))).toBe("done");
    expect(gateway.posts.filter((path) => path === "/v1/checkout/sessions")).toHaveLength(1);
  });

  test.each(["silent", "lost answer"] as const)(
    "makes one session when each call of the gateway is %s at first",
    async (fault) => {
      const plan = await addPlan();
      for (const path of ["/v1/customers", "/v1/prices", "/v1/checkout/sessions"]) {
        gateway.fault = (asked) => (asked === path ? fault : null);
        expect(await codeOf(createSubscription(keyed("key-0002"), plan)), path).toBe("gateway_unreachable");
      }
      gateway.fault = () => null;
      const joining = await createSubscription(keyed("key-0002"), plan);
      await payCheckout(joining.checkout_url ?? "");
      gateway.fault = () => fault;
      expect(await readJoining(asFan(), joining.joining_id)).toMatchObject({ status: "open" });
      await expect(tick()).resolves.toBeUndefined();
      now_ms += 5 * 60_000;
      await expect(tick()).rejects.toThrow("gateway_unreachable");
      gateway.fault = () => null;
      await tick();
      expect(await readJoining(asFan(), joining.joining_id)).toMatchObject({ status: "joined" });
      const made = await Promise.all([
        gateway.stripe.customers.list(),
        gateway.stripe.prices.list(),
        gateway.stripe.checkout.sessions.list(),
      ]);
      expect(made.map(({ data }) => data.length)).toEqual([1, 1, 1]);
      expect([await chargesOf(), (await invoiceRows()).length]).toEqual([1, 1]);
    },
  );

  test("previews the date on which the gateway charges next, also at a month's end", async () => {
    await beginAt("2028-01-31T02:00:00Z");
    const plan = await addPlan();
    const preview = await previewJoining(asFan(), plan);
    expect(preview).toMatchObject({ amount_now: 500, next_amount: 500, next_charge_at: "2028-02-29T02:00:00.000Z" });
    await join(plan);
    const { paid_until } = await subscriptionRow();
    expect(Math.abs(Date.parse(String(paid_until)) - Date.parse(preview.next_charge_at))).toBeLessThan(30_000);
  });
});

describe("a subscription", () => {
  test.each([
    ["on the 31st", "2028-01-31T02:00:00Z", ["2028-02-29", "2028-03-31", "2028-04-30"]],
    ["on a leap day", "2028-02-29T02:00:00Z", ["2028-03-29", "2028-04-29", "2028-05-29"]],
    ["at midnight in Japan", "2027-12-31T15:00:00Z", ["2028-01-31", "2028-02-29", "2028-03-31"]],
  ])("that began %s renews on its anniversary, without a gap of more than the webhook", async (_, began, days) => {
    await beginAt(began);
    const plan = await addPlan();
    await join(plan);
    const { current_period_end } = (await onlySubscription()).items.data[0] ?? { current_period_end: 0 };
    const time = isoTime(current_period_end * 1000).slice(10);
    for (const day of days.slice(0, -1)) {
      await wait(`${day}${time}`);
      expect(await reads(fan, plan, now_ms)).toBe(true);
    }
    const row = await subscriptionRow();
    expect(row.paid_until).toBe(`${days.at(-1)}${time}`);
    const rows = await invoiceRows();
    expect(rows.map(({ period_end }) => String(period_end).slice(0, 10))).toEqual(days);
    expect(rows.every((each, index) => index === 0 || each.period_start === rows[index - 1]?.period_end)).toBe(true);
    expect(await chargesOf()).toBe(3);
    expect(await noticesOf(fan)).toEqual(Array(2).fill("subscription_renewed"));
  });

  test("that is left is read to the second of its end, is charged no more, and can be continued before", async () => {
    const plan = await addPlan();
    const id = await join(plan);
    const ends_ms = Date.parse(String((await subscriptionRow()).paid_until));
    expect(await setEnding(asFan(), id, true)).toMatchObject({ is_ending: true, next_charge: null, status: "active" });
    expect(await setEnding(asFan(), id, false)).toMatchObject({ is_ending: false, next_charge: { amount: 500 } });
    await setEnding(asFan(), id, true);
    await setEnding(asFan(), id, true);
    await wait(ends_ms - 1_000);
    expect(await reads(fan, plan, ends_ms - 1)).toBe(true);
    await wait(ends_ms);
    expect(await subscriptionRow()).toMatchObject({ status: "canceled", paid_until: isoTime(ends_ms) });
    expect(await reads(fan, plan, ends_ms)).toBe(false);
    expect(await chargesOf()).toBe(1);
    expect(await noticesOf(fan)).toEqual(["subscription_canceled"]);
    expect(await codeOf(setEnding(asFan(), id, false))).toBe("subscription_transition_refused");
    await wait(ends_ms + 40 * DAY_MS);
    expect(await chargesOf()).toBe(1);
    // Joining again makes a second row.
    await join(plan);
    expect((await rowsOf("SELECT status FROM subscriptions ORDER BY created_at")).map(({ status }) => status)).toEqual([
      "canceled",
      "active",
    ]);
  });

  test("that its member leaves gets a mail with its end, unless the member continues meanwhile or the plan has closed", async () => {
    const id = await join(await addPlan());
    const closed = await join(await addPlan(300, await addPerson(1)));
    await run("UPDATE subscriptions SET must_end = 1 WHERE subscription_id = ?", closed);
    await tick();
    expect(await findSubscription(asFan(), fan, closed)).toMatchObject({ is_ending: true });
    const ends_at = String(
      (await rowsOf(`SELECT paid_until FROM subscriptions WHERE subscription_id = '${id}'`))[0]?.paid_until,
    );

    await setEnding(asFan(), id, true);
    await setEnding(asFan(), id, false);
    expect(await mailsOf("subscription_left")).toEqual([]);
    await setEnding(asFan(), id, true);
    await listen();
    const mails = await mailsOf("subscription_left");
    expect(mails.at(-1)).toMatchObject({
      mail_id: expect.stringContaining(`left:${id}:`),
      kind: "plan_left",
      recipient: "fan@mail.example",
      gaps: {
        title: expect.stringContaining("さんのプラン「アトリエ会員」"),
        ends_at,
        link: `http://site.test/my/subscriptions/${id}`,
      },
    });
    expect(mails.every(({ mail_id }) => mail_id.startsWith(`left:${id}:`))).toBe(true);
  });

  test("whose card fails is past due, is tried on days 1, 3 and 7, and ends unpaid", async () => {
    const plan = await addPlan();
    await join(plan);
    await switchCard("pm_card_chargeCustomerFail");
    const { paid_until } = await subscriptionRow();
    const ends_ms = Date.parse(String(paid_until));
    await wait(ends_ms);
    for (const days of [1, 3, 7]) {
      const row = await subscriptionRow();
      const retry_ms = Date.parse(String(row.retry_at));
      expect(row).toMatchObject({ status: "past_due", paid_until });
      expect(Math.round((retry_ms - ends_ms) / DAY_MS)).toBe(days);
      expect(await reads(fan, plan, now_ms)).toBe(false);
      await wait(retry_ms);
    }
    expect(await subscriptionRow()).toMatchObject({ status: "canceled", paid_until, retry_at: null });
    expect(await noticesOf(fan)).toEqual(["subscription_past_due", "subscription_canceled"]);
    expect([await chargesOf(), (await invoiceRows()).length]).toEqual([1, 1]);
  });

  test("that is past due is paid at once with another card, which pays from then on", async () => {
    const plan = await addPlan();
    const id = await join(plan);
    await switchCard("pm_card_chargeCustomerFail");
    await wait(Date.parse(String((await subscriptionRow()).paid_until)));
    const method = await gateway.stripe.paymentMethods.attach("pm_card_jcb", { customer: await customerOf() });
    const { payment_methods } = await chooseCard(asFan(), method.id);
    expect(payment_methods.filter(({ is_default }) => is_default).map(({ brand }) => brand)).toEqual(["jcb"]);
    await listen();
    expect(await findSubscription(asFan(), fan, id)).toMatchObject({ status: "active", retry_at: null });
    expect([await chargesOf(), (await invoiceRows()).length]).toEqual([2, 2]);
    await wait(Date.parse(String((await subscriptionRow()).paid_until)));
    expect(await chargesOf()).toBe(3);
  });

  test("that is past due is tried again at each press for a card, once for each request and for no webhook", async () => {
    const id = await join(await addPlan());
    await switchCard("pm_card_chargeCustomerFail");
    await wait(Date.parse(String((await subscriptionRow()).paid_until)));
    const attempts = async () => (await gateway.stripe.invoices.list({ status: "open" })).data[0]?.attempt_count;
    const [card] = await listPaymentMethods(asFan(), fan).then((all) => all.filter(({ is_default }) => is_default));
    const press = async (key: string) => {
      await chooseCard(keyed(key), card?.payment_method_id ?? "").catch(() => {});
      await listen();
      return attempts();
    };
    expect(await attempts()).toBe(1);
    expect([await press("key-0011"), await press("key-0011"), await press("key-0012")]).toEqual([2, 2, 3]);
    expect(await findSubscription(asFan(), fan, id)).toMatchObject({ status: "past_due" });
  });

  test("is tried once with a newly chosen card whose webhooks come during the press", async () => {
    await join(await addPlan());
    await switchCard("pm_card_chargeCustomerFail");
    await wait(Date.parse(String((await subscriptionRow()).paid_until)));
    const customer = await customerOf();
    const { id } = await gateway.stripe.paymentMethods.attach("pm_card_chargeCustomerFail", { customer });
    const heard = connectGateway(async (request, next) => {
      const answer = await next();
      if (request.method === "POST") await listen();
      return answer;
    });
    await chooseCard({ ...asFan(), gateway: heard }, id);
    await listen();
    const [invoice] = (await gateway.stripe.invoices.list({ status: "open" })).data;
    expect([invoice?.attempt_count, (await onlySubscription()).default_payment_method]).toEqual([2, id]);
  });

  test("that is past due is tried again by its fan ten times a day, and other choices of a card are not counted", async () => {
    await join(await addPlan());
    await switchCard("pm_card_chargeCustomerFail");
    const [card] = (await listPaymentMethods(asFan(), fan)).filter(({ is_default }) => is_default);
    const press = () => codeOf(chooseCard(asFan(), card?.payment_method_id ?? ""));
    const attempts = async () => (await gateway.stripe.invoices.list({ status: "open" })).data[0]?.attempt_count;
    expect(await press()).toBe("done");
    await wait(Date.parse(String((await subscriptionRow()).paid_until)));
    for (let times = 0; times < 10; times++) expect(await press()).toBe("done");
    expect([await press(), await attempts()]).toEqual(["too_many_requests", 11]);
    now_ms += DAY_MS;
    expect([await press(), await attempts()]).toEqual(["done", 12]);
  });

  test.each([
    ["its creator", () => creator],
    ["its fan", () => fan],
  ])("that is past due ends without another charge when %s is disabled", async (_, disabled) => {
    await join(await addPlan());
    await switchCard("pm_card_chargeCustomerFail");
    await wait(Date.parse(String((await subscriptionRow()).paid_until)));
    await run("UPDATE users SET disabled_at = ? WHERE user_id = ?", isoTime(now_ms), disabled());
    await wait(now_ms + 5 * 60_000);
    expect(await subscriptionRow()).toMatchObject({ status: "canceled" });
    await switchCard("pm_card_visa");
    await wait(now_ms + 8 * DAY_MS);
    expect([await chargesOf(), (await onlySubscription()).status]).toEqual([1, "canceled"]);
  });

  test("that is past due is not paid with another card once its creator is disabled, and ends", async () => {
    await join(await addPlan());
    await switchCard("pm_card_chargeCustomerFail");
    await wait(Date.parse(String((await subscriptionRow()).paid_until)));
    await run("UPDATE users SET disabled_at = ? WHERE user_id = ?", isoTime(now_ms), creator);
    await switchCard("pm_card_visa");
    await listen();
    expect(await chargesOf()).toBe(1);
    expect(await subscriptionRow()).toMatchObject({ status: "canceled" });
  });

  test("of a disabled creator names no next payment and can still be left, until the creator is back", async () => {
    const id = await join(await addPlan());
    await run("UPDATE users SET disabled_at = ? WHERE user_id = ?", isoTime(now_ms), creator);
    const read = () => findSubscription(asFan(), fan, id);
    expect(await read()).toMatchObject({ is_ending: false, may_continue: false, next_charge: null });
    await run("UPDATE users SET disabled_at = NULL");
    expect(await read()).toMatchObject({ may_continue: true, next_charge: { amount: 500 } });
    await run("UPDATE users SET disabled_at = ? WHERE user_id = ?", isoTime(now_ms), creator);
    expect(await setEnding(asFan(), id, true)).toMatchObject({ is_ending: true });
  });

  test("shows as ending on its creator's pages, once it must end", async () => {
    const plan = await addPlan();
    const id = await join(plan);
    const joined = () => listJoinedPlans(asFan(), fan, sql`${creator}`);
    const members = async () =>
      (await listSubscribers(contextOf(creator, { gateway, now_ms }), plan, { page_number: 1, page_size: 25 }))
        .subscriptions;
    const running = { membership_id: plan, subscription_id: id, status: "active", is_ending: false, is_billed: true };
    expect(await joined()).toMatchObject([{ ...running, title: "アトリエ会員", active_state: "active" }]);
    expect(await members()).toMatchObject([{ is_ending: false }]);
    await run("UPDATE subscriptions SET must_end = 1");
    expect([...(await joined()), ...(await members())]).toMatchObject([{ is_ending: true }, { is_ending: true }]);
  });

  test("does not end when its member continues it while the clock asks the gateway about others", async () => {
    await join(await addPlan());
    await run("UPDATE subscriptions SET must_end = 1, ask_at = ?", isoTime(now_ms));
    let continued: Promise<unknown> | null = null;
    gateway.fault = () => {
      continued ??= run("UPDATE subscriptions SET must_end = 0");
      return null;
    };
    await tick();
    gateway.fault = () => null;
    expect(continued).not.toBeNull();
    expect(await subscriptionRow()).toMatchObject({ must_end: 0, is_ending: 0, status: "active" });
  });

  test("that is paid is kept while its creator or its fan is disabled for some days", async () => {
    await join(await addPlan());
    await run("UPDATE users SET disabled_at = ?", isoTime(now_ms));
    await wait(now_ms + 3 * DAY_MS);
    await run("UPDATE users SET disabled_at = NULL");
    await wait(String((await subscriptionRow()).paid_until));
    expect([await subscriptionRow(), await chargesOf()]).toMatchObject([{ status: "active", is_ending: 0 }, 2]);
  });

  test.each([true, false])(
    "that has ended at the gateway is refused before its webhook comes (ending %s)",
    async (is_ending) => {
      const id = await join(await addPlan());
      const { id: gateway_id } = await onlySubscription();
      await gateway.stripe.subscriptions.cancel(gateway_id);
      expect(await codeOf(setEnding(asFan(), id, is_ending))).toBe("subscription_transition_refused");
      expect(await subscriptionRow()).toMatchObject({ status: "canceled" });
    },
  );

  test("that has ended at the gateway hinders no other card for the rest", async () => {
    await join(await addPlan());
    await gateway.stripe.subscriptions.cancel((await onlySubscription()).id);
    const { id } = await gateway.stripe.paymentMethods.attach("pm_card_jcb", { customer: await customerOf() });
    const { payment_methods } = await chooseCard(asFan(), id);
    expect(payment_methods.filter(({ is_default }) => is_default).map(({ brand }) => brand)).toEqual(["jcb"]);
  });

  test("whose renewal was finalized by a run that died before it paid is charged by the next one, once", async () => {
    await join(await addPlan());
    const ends_ms = ((await onlySubscription()).items.data[0]?.current_period_end ?? 0) * 1000;
    gateway.fault = (path) => (path.endsWith("/pay") ? "silent" : null);
    await wait(ends_ms + 60_000).catch(() => {});
    const [renewal] = (await gateway.stripe.invoices.list()).data;
    expect(renewal).toMatchObject({ status: "open", attempt_count: 0, billing_reason: "subscription_cycle" });
    gateway.fault = () => null;
    await wait(now_ms + 10 * 60_000);
    await wait(now_ms + DAY_MS);
    expect([await chargesOf(), (await invoiceRows()).length]).toEqual([2, 2]);
  });

  test("that is past due can be left at once", async () => {
    const id = await join(await addPlan());
    await switchCard("pm_card_chargeCustomerFail");
    await wait(Date.parse(String((await subscriptionRow()).paid_until)));
    expect(await setEnding(asFan(), id, true)).toMatchObject({ status: "canceled" });
    await wait(now_ms + 10 * DAY_MS);
    expect(await chargesOf()).toBe(1);
  });

  test.each([
    [
      "closed",
      "the plan's closing",
      (plan: string) => run("UPDATE memberships SET active_state = 'inactive' WHERE membership_id = ?", plan),
    ],
    [
      "of a disabled creator",
      "the operator",
      () => run("UPDATE users SET disabled_at = created_at WHERE user_id = ?", creator),
    ],
    [
      "of a person who blocked the fan",
      "the block",
      () => run("INSERT INTO blocks VALUES (?, ?, '2027-03-11T00:00:00.000Z')", creator, fan),
    ],
  ])("to a plan that is %s is not renewed, even when nobody heard of %s", async (_state, _by, happen) => {
    const plan = await addPlan();
    await join(plan);
    const { paid_until } = await subscriptionRow();
    await happen(plan);
    await wait(String(paid_until));
    expect(await subscriptionRow()).toMatchObject({ status: "canceled", paid_until });
    expect(await chargesOf()).toBe(1);
  });

  test.each(["active", "past_due"])(
    "that must end and is %s, but has ended at the gateway, ends here and delays nothing",
    async (status) => {
      await join(await addPlan());
      const { id } = await onlySubscription();
      await gateway.stripe.subscriptions.cancel(id);
      await run(`UPDATE subscriptions SET must_end = 1, status = '${status}'`);
      await run("INSERT INTO abandoned_subscriptions (created_at, gateway_id) VALUES ('', ?)", id);
      await tick();
      expect(await subscriptionRow()).toMatchObject({ status: "canceled" });
      await wait(now_ms + 5 * 60_000);
      expect(await rowsOf("SELECT 1 FROM abandoned_subscriptions")).toEqual([]);
    },
  );

  describe("beside one at which the gateway always fails", () => {
    /** Joins two plans, one after the other. Returns the gateway's id of the second; the gateway fails at the first. */
    async function joinTwo(): Promise<string> {
      await join(await addPlan());
      const poison = (await onlySubscription()).id;
      now_ms += 60_000;
      await advanceTo(gateway, now_ms);
      await join(await addPlan());
      gateway.fault = (path) => (path.startsWith(`/v1/subscriptions/${poison}`) ? "500" : null);
      const { data } = await gateway.stripe.subscriptions.list();
      return data.find(({ id }) => id !== poison)?.id ?? "";
    }
    const rowOf = async (id: string) => (await rowsOf(`SELECT * FROM subscriptions WHERE gateway_id = '${id}'`))[0];
    /** Lets the clock run twice, in two minutes. */
    async function tickTwice(): Promise<void> {
      for (let run = 0; run < 2; run++) {
        await expect(tick()).rejects.toThrow("gateway_unreachable");
        now_ms += 60_000;
      }
    }

    test("is renewed, and a checkout ends", async () => {
      const id = await joinTwo();
      const { paid_until } = (await rowOf(id)) ?? {};
      now_ms = Date.parse(String(paid_until));
      await advanceTo(gateway, now_ms);
      const third = await addPlan();
      const { joining_id } = await createSubscription(asFan(), third);
      now_ms += 60 * 60_000;
      await advanceTo(gateway, now_ms);
      await tickTwice();
      expect(Date.parse(String((await rowOf(id))?.paid_until))).toBeGreaterThan(now_ms);
      expect(await readJoining(asFan(), joining_id)).toMatchObject({ status: "expired" });
    });

    test("ends", async () => {
      const id = await joinTwo();
      await run("UPDATE subscriptions SET must_end = 1");
      await expect(tick()).rejects.toThrow("gateway_unreachable");
      expect(await rowOf(id)).toMatchObject({ must_end: 0, is_ending: 1 });
    });

    test("is ended for a person who leaves, while the other waits", async () => {
      const id = await joinTwo();
      const { statements = [] } = departSubscriber({ user_id: fan, identity_id: "" }, now_ms);
      for (const each of statements) await each.execute(openDatabase(d1));
      await run("UPDATE abandoned_subscriptions SET created_at = '2027-01-01T00:00:00.000Z' WHERE gateway_id <> ?", id);
      await run("DELETE FROM subscriptions");
      now_ms += 60_000;
      await tickTwice();
      expect((await gateway.stripe.subscriptions.retrieve(id)).status).toBe("canceled");
    });
  });

  test("of a person who leaves is ended although more rows fail than one run looks at", async () => {
    await join(await addPlan());
    const { id } = await onlySubscription();
    const insert = d1.prepare("INSERT INTO abandoned_subscriptions (created_at, gateway_id) VALUES ('2027-01-01', ?)");
    await d1.batch(Array.from({ length: 50 }, (_, n) => insert.bind(`sub_unknown_${n}`)));
    await run("INSERT INTO abandoned_subscriptions (created_at, gateway_id) VALUES ('2027-01-02', ?)", id);
    for (let run = 0; run < 2; run++) await expect(tick()).rejects.toThrow("No such subscription");
    expect((await gateway.stripe.subscriptions.retrieve(id)).status).toBe("canceled");
  });

  /** Opens a dispute of the newest charge, as its payer's bank does. */
  async function dispute(): Promise<string> {
    const [charge] = (await gateway.stripe.charges.list({ limit: 1 })).data;
    await gateway.stripe.rawRequest("POST", `/v1/test_helpers/charges/${charge?.id}/dispute`);
    // The event, and the row that its reaction writes.
    await listen();
    await listen();
    return (await gateway.stripe.disputes.list({ limit: 1 })).data[0]?.id ?? "";
  }
  const noticesOfPayment = async () =>
    (await rowsOf("SELECT user_id, message, path FROM notifications WHERE type = 'custom' ORDER BY notification_id"))
      .filter(({ user_id }) => user_id === fan)
      .map(({ message, path }) => [path, message]);

  test("whose payment is disputed and lost is not charged again, and its payer learns why", async () => {
    const id = await join(await addPlan());
    const { paid_until } = await subscriptionRow();
    const dispute_id = await dispute();
    expect(await findSubscription(asFan(), fan, id)).toMatchObject({ is_ending: true, next_charge: null });
    expect(await noticesOfPayment()).toEqual([
      [`/my/subscriptions/${id}`, expect.stringContaining("このプランは更新されず、次回のお支払いはありません。")],
    ]);
    await gateway.stripe.disputes.update(dispute_id, { evidence: { uncategorized_text: "losing_evidence" } });
    await listen();
    await wait(String(paid_until));
    expect([await chargesOf(), (await subscriptionRow()).status]).toEqual([1, "canceled"]);
  });

  test("whose earlier payment is disputed ends as well, and continues when its member says so", async () => {
    const id = await join(await addPlan());
    const [first] = (await gateway.stripe.charges.list({ limit: 1 })).data;
    await wait(String((await subscriptionRow()).paid_until));
    await gateway.stripe.rawRequest("POST", `/v1/test_helpers/charges/${first?.id}/dispute`);
    await listen();
    await listen();
    await tick();
    expect((await onlySubscription()).cancel_at_period_end).toBe(true);
    expect(await setEnding(asFan(), id, false)).toMatchObject({ is_ending: false });
    await wait(String((await subscriptionRow()).paid_until));
    expect(await chargesOf()).toBe(3);
  });

  test("whose payment is disputed after its refund ends as well, and its creator learns nothing new", async () => {
    await join(await addPlan());
    const { payment_id } = (await rowsOf("SELECT payment_id FROM payments"))[0] ?? {};
    await refundPayment({ ...asFan(), operator: { name: "hana" } as never }, String(payment_id), {
      ends_renewal: false,
    });
    await listen();
    const before = await noticesOf(creator);
    await dispute();
    expect(await subscriptionRow()).toMatchObject({ must_end: 1 });
    expect(await noticesOf(creator)).toEqual(before);
  });

  test("that must end is not renewed when its period is over before the clock has told the gateway", async () => {
    await join(await addPlan());
    const { paid_until } = await subscriptionRow();
    await run("UPDATE subscriptions SET must_end = 1");
    now_ms = Date.parse(String(paid_until));
    await advanceTo(gateway, now_ms);
    await listen();
    expect([await chargesOf(), (await subscriptionRow()).status]).toEqual([1, "canceled"]);
  });

  test.each([
    [true, "このプランは更新されず、次回のお支払いはありません。", 1],
    [false, "プランへの加入は続き、これまでどおり更新されます。", 2],
  ])(
    "whose payment an operator refunds, with its end %s, says so to its payer",
    async (ends_renewal, words, charges) => {
      const id = await join(await addPlan());
      const { paid_until } = await subscriptionRow();
      const { payment_id, cause_id } = (await rowsOf("SELECT payment_id, cause_id FROM payments"))[0] ?? {};
      const asOperator = { ...asFan(), operator: { name: "hana" } as never };
      await refundPayment(asOperator, String(payment_id), { ends_renewal });
      await listen();
      expect(await noticesOfPayment()).toEqual([
        [`/my/subscriptions/${id}/invoices/${cause_id}`, expect.stringContaining(words)],
      ]);
      await wait(String(paid_until));
      expect(await chargesOf()).toBe(charges);
    },
  );

  test("ends when an operator asks for it after the refund", async () => {
    await join(await addPlan());
    const { payment_id } = (await rowsOf("SELECT payment_id FROM payments"))[0] ?? {};
    const asOperator = { ...asFan(), operator: { name: "hana" } as never };
    await refundPayment(asOperator, String(payment_id), { ends_renewal: false });
    expect(await subscriptionRow()).toMatchObject({ must_end: 0 });
    await refundPayment(asOperator, String(payment_id), { ends_renewal: true });
    expect(await subscriptionRow()).toMatchObject({ must_end: 1 });
    // The member continues. The same call again changes nothing.
    await run("UPDATE subscriptions SET must_end = 0");
    await refundPayment(asOperator, String(payment_id), { ends_renewal: true });
    expect(await subscriptionRow()).toMatchObject({ must_end: 0 });
    const acts = await rowsOf(`SELECT input FROM operator_acts WHERE subject = '${payment_id}'`);
    expect(acts.map(({ input }) => input).sort()).toEqual(['{"ends_renewal":true}', "{}"]);
  });

  test("to a plan that closes is set to end at the gateway by the clock", async () => {
    const plan = await addPlan();
    const id = await join(plan);
    await run("UPDATE memberships SET active_state = 'inactive' WHERE membership_id = ?", plan);
    await run("UPDATE subscriptions SET must_end = 1");
    expect(await findSubscription(asFan(), fan, id)).toMatchObject({ is_ending: true, next_charge: null });
    gateway.fault = () => "silent";
    await expect(tick()).rejects.toThrow("gateway_unreachable");
    gateway.fault = () => null;
    await tick();
    expect((await onlySubscription()).cancel_at_period_end).toBe(true);
    expect(await subscriptionRow()).toMatchObject({ must_end: 0, is_ending: 1, status: "active" });
    expect(await codeOf(setEnding(asFan(), id, false))).toBe("membership_not_open");
    await run("UPDATE memberships SET active_state = 'active' WHERE membership_id = ?", plan);
    await run("UPDATE subscriptions SET must_end = 1");
    await tick();
    expect(await findSubscription(asFan(), fan, id)).toMatchObject({ is_ending: true });
    await run("UPDATE subscriptions SET must_end = 1");
    expect(await setEnding(asFan(), id, false)).toMatchObject({ is_ending: false });
    await tick();
    expect((await onlySubscription()).cancel_at_period_end).toBe(false);
  });

  test.each(["creator", "fan"] as const)(
    "between people of whom the %s blocks the other ends with its period, at once on its page, and says so",
    async (blocker) => {
      const id = await join(await addPlan());
      const other = await join(await addPlan(300, await addPerson(1)));
      const [by, blocked] = blocker === "creator" ? [creator, fan] : [fan, creator];
      await createBlock(contextOf(by, { gateway, now_ms }), blocked);
      await dispatchOutbox(dispatcherOf({ gateway, now_ms }));
      const ending = { status: "active", is_ending: true, may_continue: false, next_charge: null };
      expect(await findSubscription(asFan(), fan, id)).toMatchObject(ending);
      expect(await findSubscription(asFan(), fan, other)).toMatchObject({ is_ending: false, may_continue: true });
      expect(await codeOf(setEnding(asFan(), id, false))).toBe("blocked");
      await tick();
      const charged = await chargesOf();
      // The clock jumps: the gateway renews what it was not told of.
      now_ms = Date.parse(String((await subscriptionRow()).paid_until)) + 2 * DAY_MS;
      await advanceTo(gateway, now_ms);
      await listen();
      await dispatchOutbox(dispatcherOf({ gateway, now_ms }));
      expect(await findSubscription(asFan(), fan, id)).toMatchObject({ status: "canceled" });
      expect(await chargesOf()).toBe(charged + 1);
      expect(await noticesOf(fan)).toContain("subscription_canceled");
    },
  );

  test("must end although the gateway was being asked when its plan closed", async () => {
    const plan = await addPlan();
    const id = await join(plan);
    const { id: gateway_id } = await onlySubscription();
    await gateway.stripe.subscriptions.update(gateway_id, { cancel_at_period_end: true });
    await listen();
    await gateway.stripe.subscriptions.update(gateway_id, { cancel_at_period_end: false });
    const asked = await syncSubscription(asFan(), gateway_id);
    await run("UPDATE subscriptions SET must_end = 1");
    await commitSync(asFan(), asked);
    expect(await subscriptionRow()).toMatchObject({ is_ending: 0, must_end: 1 });
    expect(await findSubscription(asFan(), fan, id)).toMatchObject({ is_ending: true, next_charge: null });
  });

  test("continues when its plan opens again before the closing is handled", async () => {
    const plan = await addPlan();
    const id = await join(plan);
    const asCreator = contextOf(creator, { gateway, now_ms });
    await updateMembership(asCreator, plan, { active_state: "inactive" });
    await updateMembership(asCreator, plan, { active_state: "active" });
    await listen();
    expect(await findSubscription(asFan(), fan, id)).toMatchObject({ is_ending: false });
  });

  test("that ends because its plan closed stays ended when the plan reopens, and its member gets a notice", async () => {
    const plan = await addPlan();
    await join(plan);
    const [renewing, blocked] = [await addPerson(), await addPerson()];
    const { paid_until } = await subscriptionRow();
    for (const user_id of [renewing, blocked]) {
      const values = [newId(now_ms), user_id, plan, paid_until, isoTime(now_ms), user_id === blocked ? 1 : 0];
      await run(
        `INSERT INTO subscriptions (subscription_id, user_id, membership_id, status, paid_until, created_at, is_ending)
          VALUES (?, ?, ?, 'active', ?, ?, ?)`,
        ...values,
      );
    }
    await run("INSERT INTO blocks VALUES (?, ?, '2027-03-11T00:00:00.000Z')", creator, blocked);
    await run("UPDATE users SET email = 'fan@mail.example' WHERE user_id = ?", fan);
    const asCreator = contextOf(creator, { gateway, now_ms });
    const dispatch = () => dispatchOutbox(dispatcherOf({ gateway, now_ms }));
    await updateMembership(asCreator, plan, { active_state: "inactive" });
    await dispatch();
    await tick();
    await run("DELETE FROM notifications");
    await updateMembership(asCreator, plan, { active_state: "active" });
    await dispatch();
    expect(await subscriptionRow()).toMatchObject({ is_ending: 1 });
    expect(await rowsOf("SELECT user_id, type, message, path FROM notifications")).toEqual([
      {
        user_id: fan,
        type: "custom",
        message:
          "{actor}さんのプラン「アトリエ会員」の募集が再開されました。あなたの加入は、このままでは2027/04/10に終了します。続ける場合は、「更新を続ける」を押してください。",
        path: "/my/subscriptions",
      },
    ]);
    expect(await mailsOf("notification_mailed")).toContainEqual(
      expect.objectContaining({ kind: "membership_reopened", recipient: "fan@mail.example" }),
    );
  });

  test("to a draft that opens for the first time, or to a plan that was open, tells nobody of a reopening", async () => {
    const [open, draft] = [await addPlan(), await addPlan()];
    await run("UPDATE memberships SET active_state = 'inactive', published_at = NULL WHERE membership_id = ?", draft);
    const asCreator = contextOf(creator, { gateway, now_ms });
    for (const plan of [open, draft]) await updateMembership(asCreator, plan, { active_state: "active" });
    expect(await rowsOf("SELECT kind FROM outbox WHERE kind = 'membership_reopened'")).toEqual([]);
  });

  test("of a person who leaves is ended at the gateway by the clock, also after an outage", async () => {
    await join(await addPlan());
    const { statements = [] } = departSubscriber({ user_id: fan, identity_id: "" }, now_ms);
    for (const each of statements) await each.execute(openDatabase(d1));
    await run("DELETE FROM subscriptions");
    gateway.fault = () => "silent";
    await expect(tick()).rejects.toThrow("gateway_unreachable");
    gateway.fault = () => null;
    await tick();
    expect((await onlySubscription()).status).toBe("canceled");
    await wait(now_ms + 5 * 60_000);
    expect(await rowsOf("SELECT 1 FROM abandoned_subscriptions")).toEqual([]);
    expect((await gateway.stripe.charges.list()).data).toMatchObject([{ amount: 500, amount_refunded: 0 }]);
  });

  test.each([
    ["before the clock", false],
    ["after the clock", true],
  ])(
    "that is charged for a dearer plan while its member leaves, %s ended it, is ended and given back",
    async (_, is_late) => {
      const [plan, dear] = [await addPlan(), await addPlan(2_000)];
      const id = await join(plan);
      const { priced_at, amount_now } = await previewChange(asFan(), id, dear);
      gateway.fault = async (path, method) => {
        if (method !== "POST" || !/\/subscriptions\/[^/]+$/.test(path)) return null;
        gateway.fault = () => null;
        const { statements = [] } = departSubscriber({ user_id: fan, identity_id: "" }, now_ms);
        for (const each of statements) await each.execute(openDatabase(d1));
        await run("DELETE FROM subscriptions");
        await run("DELETE FROM joinings");
        if (is_late)
          await run("UPDATE abandoned_subscriptions SET is_ended = 1, created_at = ?", isoTime(now_ms + 300_000));
        return null;
      };
      expect(await codeOf(changePlan(asFan(), id, { membership_id: dear, priced_at, amount_now }))).toBe("not_found");
      expect(await chargesOf()).toBe(2);
      await tick();
      await wait(now_ms + 5 * 60_000);
      expect((await onlySubscription()).status).toBe("canceled");
      expect(await rowsOf("SELECT 1 FROM abandoned_subscriptions")).toEqual([]);
      const { data } = await gateway.stripe.charges.list();
      expect(data.map(({ amount, amount_refunded }) => [amount, amount_refunded])).toEqual([
        [amount_now, amount_now],
        [500, 0],
      ]);
      const [returned] = data;
      const fees = await rowsOf(`SELECT kind FROM ledger_transfers WHERE cause_id = '${returned?.id}'`);
      expect(fees, "in the books once").toEqual([{ kind: "gateway_fee_charged" }]);
    },
  );

  test("that is paid after its member has left is ended and given back, by webhook or by the clock", async () => {
    for (const hears of [listen, async () => void (await tick())]) {
      fan = await addPerson();
      const { checkout_url } = await createSubscription(asFan(), await addPlan());
      const { statements = [] } = departSubscriber({ user_id: fan, identity_id: "" }, now_ms);
      for (const each of statements) await each.execute(openDatabase(d1));
      await run("DELETE FROM joinings");
      await payCheckout(checkout_url ?? "");
      await hears();
      expect((await onlySubscription()).status).toBe("canceled");
      const { data } = await gateway.stripe.charges.list({ limit: 1 });
      expect(data).toMatchObject([{ amount: 500, amount_refunded: 500 }]);
      expect(await rowsOf("SELECT 1 FROM abandoned_joinings UNION ALL SELECT 1 FROM subscriptions")).toEqual([]);
      await listen();
    }
    // The gateway's fee of each is all that the books have.
    const causes = (await gateway.stripe.charges.list()).data.map(({ id }) => `'${id}'`);
    expect(await rowsOf(`SELECT kind FROM ledger_transfers WHERE cause_id IN (${causes})`)).toEqual([
      { kind: "gateway_fee_charged" },
      { kind: "gateway_fee_charged" },
    ]);
  });

  test.each<[string, (plan: string) => Promise<unknown>]>([
    [
      "the plan has closed",
      (plan) => run("UPDATE memberships SET active_state = 'inactive' WHERE membership_id = ?", plan),
    ],
    [
      "its creator is disabled",
      () => run("UPDATE users SET disabled_at = ? WHERE user_id = ?", isoTime(now_ms), creator),
    ],
    [
      "its creator has blocked the fan",
      () => run("INSERT INTO blocks VALUES (?, ?, ?)", creator, fan, isoTime(now_ms)),
    ],
  ])("that is paid after %s is ended and given back, also if the reason goes away", async (_, forbid) => {
    const plan = await addPlan();
    const joining = await createSubscription(asFan(), plan);
    await forbid(plan);
    expect(await codeOf(createSubscription(asFan(), plan))).toMatch(/^(membership_not_open|not_found|blocked)$/);
    expect(await payCheckout(joining.checkout_url ?? ""), "its page is closed").toBe(null);
    expect(await chargesOf()).toBe(0);

    await run("UPDATE memberships SET active_state = 'active'");
    await run("UPDATE users SET disabled_at = NULL");
    await run("DELETE FROM blocks");
    const again = await createSubscription(asFan(), plan);
    await payCheckout(again.checkout_url ?? "");
    await forbid(plan);
    await listen();
    expect(await readJoining(asFan(), again.joining_id)).toMatchObject({ status: "returned", subscription_id: null });
    await run("UPDATE memberships SET active_state = 'active'");
    await run("UPDATE users SET disabled_at = NULL");
    await run("DELETE FROM blocks");
    await tick();
    const gaps = { amount: 500, is_undelivered: true };
    expect(await mailsOf("joining_returned")).toMatchObject([
      { kind: "payment_returned", recipient: "fan@mail.example", gaps },
    ]);
    expect((await listPayments(asFan(), fan, { page_number: 1, page_size: 20 })).pending).toMatchObject([
      { session_id: again.joining_id, kind: "membership", status: "returned", amount: 500 },
    ]);
    await listen();
    expect((await onlySubscription()).status).toBe("canceled");
    expect((await gateway.stripe.charges.list()).data).toMatchObject([{ amount: 500, amount_refunded: 500 }]);
    expect(await rowsOf("SELECT 1 FROM abandoned_joinings UNION ALL SELECT 1 FROM subscriptions")).toEqual([]);
    expect(await noticesOf(creator)).toEqual([]);
  });

  test("that is paid too late, and disputed, is going back until the money is back", async () => {
    const plan = await addPlan();
    const { joining_id, checkout_url } = await createSubscription(asFan(), plan);
    await payCheckout(checkout_url ?? "", "4000 0000 0000 0259");
    await run("INSERT INTO blocks VALUES (?, ?, ?)", creator, fan, isoTime(now_ms));
    await listen();
    const stateOf = async () => {
      const { pending } = await listPayments(asFan(), fan, { page_number: 1, page_size: 20 });
      const operated = await listCheckouts(asFan(), joining_id);
      return [...pending, ...operated].map(({ status, returned_at }) => [status, returned_at]);
    };
    const going = ["returning", null];
    expect(await stateOf()).toEqual([going, going]);
    const [dispute] = (await gateway.stripe.disputes.list()).data;
    await gateway.stripe.disputes.close(dispute?.id ?? "");
    await wait(now_ms + 61 * 60_000);
    const back = ["returned", isoTime(now_ms)];
    expect(await stateOf()).toEqual([back, back]);
  });

  test("whose checkout is open when its member leaves cannot be paid any more", async () => {
    const { checkout_url } = await createSubscription(asFan(), await addPlan());
    const { statements = [] } = departSubscriber({ user_id: fan, identity_id: "" }, now_ms);
    for (const each of statements) await each.execute(openDatabase(d1));
    await tick();
    expect(await payCheckout(checkout_url ?? "")).toBe(null);
    expect(await chargesOf()).toBe(0);
  });

  test("of the demo ends at once when it is left, and costs nothing", async () => {
    const plan = await addPlan();
    const id = newId(now_ms);
    await run(
      `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at)
       VALUES (?, ?, ?, 'active', ?, ?)`,
      ...[id, plan, fan, isoTime(now_ms + DAY_MS), isoTime(now_ms)],
    );
    expect(await findSubscription(asFan(), fan, id)).toMatchObject({ is_billed: false, next_charge: null });
    expect(await setEnding(asFan(), id, true)).toMatchObject({ status: "canceled" });
    expect(await reads(fan, plan, now_ms)).toBe(true);
    expect(gateway.posts).toEqual([]);
  });
});

describe("a plan with a limit of members", () => {
  const limitTo = (plan: string, limit: number) =>
    run("UPDATE memberships SET members_limit = ? WHERE membership_id = ?", limit, plan);
  const asOther = async () => contextOf(await addPerson(), { gateway, now_ms });
  const isFull = async (plan: string) => (await findMembership(asFan(), plan)).is_full;

  test("gives its last places to as many people as there are, however many ask at once", async () => {
    const plan = await addPlan();
    await limitTo(plan, 3);
    const people = await Promise.all(Array.from({ length: 8 }, asOther));
    const answers = await Promise.all(people.map((person) => codeOf(createSubscription(person, plan))));
    expect(answers.toSorted()).toEqual([...Array(3).fill("done"), ...Array(5).fill("membership_full")]);
    expect(await isFull(plan)).toBe(true);
  });

  test("holds a place for an open checkout, and frees it when the checkout has expired or the member is gone", async () => {
    const plan = await addPlan();
    await limitTo(plan, 1);
    const first = await createSubscription(asFan(), plan);
    // The same person keeps the place.
    expect((await createSubscription(asFan(), plan)).joining_id).toBe(first.joining_id);
    expect(await codeOf(previewJoining(await asOther(), plan))).toBe("membership_full");
    await wait(now_ms + 59 * 60_000);
    expect(await isFull(plan)).toBe(true);
    await wait(now_ms + 2 * 60_000);
    expect(await isFull(plan)).toBe(false);

    const id = await join(plan);
    await setEnding(asFan(), id, true);
    expect(await codeOf(createSubscription(await asOther(), plan))).toBe("membership_full");
    await wait("2027-04-10T05:00:00Z");
    expect(await isFull(plan)).toBe(false);
    expect(await codeOf(createSubscription(await asOther(), plan))).toBe("done");
  });

  test("gives back the place of a member canceled before the end of the paid period, on the creator's pages too", async () => {
    const plan = await addPlan();
    await limitTo(plan, 1);
    await join(plan);
    const ends_ms = Date.parse(String((await subscriptionRow()).paid_until));
    await gateway.stripe.subscriptions.cancel((await onlySubscription()).id);
    await listen();
    expect(await subscriptionRow()).toMatchObject({ status: "canceled", paid_until: isoTime(ends_ms) });
    expect(await isFull(plan)).toBe(true);
    const versionOf = () => rowsOf(`SELECT version FROM page_versions WHERE scope = '${creator}'`);
    const full = await versionOf();
    await wait(ends_ms - 1_000);
    expect(await versionOf()).toEqual(full);
    await wait(ends_ms);
    expect(await isFull(plan)).toBe(false);
    const free = await versionOf();
    expect(free).not.toEqual(full);
    await wait(ends_ms + DAY_MS);
    expect(await versionOf(), "asked for once").toEqual(free);
  });

  test.each(["subscriptions", "joinings"])(
    "is not full on its creator's pages once an account is deleted that held the last place in %s",
    async (table) => {
      const plan = await addPlan();
      await limitTo(plan, 1);
      if (table === "subscriptions") await join(plan);
      else await createSubscription(asFan(), plan);
      await run("DELETE FROM page_versions");
      await run(`DELETE FROM ${table} WHERE user_id = ?`, fan);
      expect(await isFull(plan)).toBe(false);
      expect(await rowsOf(`SELECT scope FROM page_versions WHERE scope = '${creator}'`)).toHaveLength(1);
    },
  );

  test("is not held by one person who never pays", async () => {
    const plan = await addPlan();
    await limitTo(plan, 1);
    const hold = async () => {
      const answer = await codeOf(createSubscription(asFan(), plan));
      await wait(now_ms + 61 * 60_000);
      return answer;
    };
    expect([await hold(), await hold(), await hold(), await hold()]).toEqual([
      ...Array(3).fill("done"),
      "too_many_requests",
    ]);
    expect(await codeOf(createSubscription(await asOther(), plan))).toBe("done");
    // A plan without a limit has no places to hold.
    expect(await codeOf(createSubscription(asFan(), await addPlan()))).toBe("done");
  });

  test("keeps everybody when the limit is lowered, renews them, and takes nobody new", async () => {
    const plan = await addPlan();
    await join(plan);
    const other = await asOther();
    const { checkout_url } = await createSubscription(other, plan);
    await payCheckout(checkout_url ?? "");
    await listen();
    const owner = contextOf(creator, { gateway, now_ms });
    expect(await updateMembership(owner, plan, { members_limit: 1 })).toMatchObject({
      members_count: 2,
      is_full: true,
    });
    await wait("2027-04-10T05:00:00Z");
    expect((await rowsOf("SELECT status FROM subscriptions")).map(({ status }) => status)).toEqual([
      "active",
      "active",
    ]);
    expect(await codeOf(createSubscription(await asOther(), plan))).toBe("membership_full");
    expect(await updateMembership(owner, plan, { members_limit: null })).toMatchObject({ is_full: false });
  });

  test("is not exceeded by changes of plan, and a declined card gives the place back", async () => {
    const [small, large] = [await addPlan(300), await addPlan(800)];
    await limitTo(large, 1);
    const id = await join(small);
    const { amount_now, priced_at } = await previewChange(asFan(), id, large);
    await switchCard("pm_card_chargeCustomerFail");
    const change = { membership_id: large, priced_at, amount_now };
    expect(await codeOf(changePlan(asFan(), id, change))).toBe("card_declined");
    expect(await isFull(large)).toBe(false);
    await createSubscription(await asOther(), large);
    await switchCard("pm_card_visa");
    expect(await codeOf(changePlan(asFan(), id, change))).toBe("membership_full");
    expect(await codeOf(previewChange(asFan(), id, large))).toBe("membership_full");
  });
});

test("payments are listed by the date that they show, also those that were recorded late", async () => {
  await join(await addPlan(500));
  await join(await addPlan(600));
  await run("UPDATE payments SET paid_at = '2027-03-01T00:00:00.000Z' WHERE amount = 600");
  const { payments } = await listPayments(asFan(), fan, { page_number: 1, page_size: 20 });
  expect(payments.map(({ amount }) => amount)).toEqual([500, 600]);
});

test("a payment that went back is on the page of its date, one that is still going back on every page", async () => {
  const payer = await addPerson();
  const at = (day: number) => `2027-02-0${day}T00:00:00.000Z`;
  for (const day of [1, 3, 5, 7]) {
    await run(
      `INSERT INTO payments (payment_id, kind, cause_id, payer_user_id, creator_user_id, amount, fee, donation,
         creator_share, payment_intent_id, charge_id, paid_at, available_at)
       VALUES (?1, 'ofuse_v3', ?1, ?2, ?3, 550, 55, 0, 495, ?1, ?1, ?4, ?4)`,
      ...[`day ${day}`, payer, creator, at(day)],
    );
  }
  const add = (session_id: string, status: string, asked_at: string) =>
    run(
      `INSERT INTO checkouts (checkout_id, kind, payer_user_id, creator_user_id, amount, status, created_at, asked_at)
       VALUES (?, 'ofuse', ?, ?, 550, ?, ?, ?)`,
      ...[session_id, payer, creator, status, at(1), asked_at],
    );
  for (const day of [2, 4, 6, 8]) await add(`day ${day}`, "returned", at(day));
  await add("under way", "returning", at(9));
  const pageOf = async (page_number: number) => {
    const listed = await listPayments(contextOf(payer, { gateway, now_ms }), payer, { page_number, page_size: 2 });
    const back = listed.pending.filter(({ returned_at }) => returned_at !== null);
    const going = listed.pending.filter(({ status }) => status === "returning");
    return [listed.payments, back, going].map((list) =>
      list.map((each) => ("payment_id" in each ? each.payment_id : each.session_id)),
    );
  };
  expect(await pageOf(1)).toEqual([["day 7", "day 5"], ["day 4", "day 6", "day 8"], ["under way"]]);
  expect(await pageOf(2)).toEqual([["day 3", "day 1"], ["day 2"], ["under way"]]);
});

describe("the most that a person pays in a month", () => {
  const limit = (monthly_limit: number | null) => setSpendingLimit(asFan(), monthly_limit);
  const born = (year: number) => run("UPDATE users SET birth_year = ? WHERE user_id = ?", year, fan);

  test("counts what was paid, and what open checkouts would charge", async () => {
    const [first, second] = [await addPlan(600), await addPlan(500)];
    await limit(1000);
    await join(first);
    expect(await codeOf(previewJoining(asFan(), second))).toBe("spending_limit_reached");
    expect(await codeOf(createSubscription(asFan(), second))).toBe("spending_limit_reached");
    await limit(1100);
    expect(await readSpending(asFan())).toMatchObject({ monthly_limit: 1000, paid: 600, pending: 0, renewals: 0 });
    // The raise applies from the next day in Japan.
    await wait("2027-03-10T15:00:00Z");
    expect(await readSpending(asFan())).toMatchObject({ monthly_limit: 1100, next_limit: null });
    await createSubscription(asFan(), second);
    expect(await readSpending(asFan())).toMatchObject({ pending: 500 });
    expect(await codeOf(createSubscription(asFan(), await addPlan(100)))).toBe("spending_limit_reached");
  });

  test("is free again when its payer ends what was begun, which the payments list until then", async () => {
    const [plan, other] = [await addPlan(500), await addPlan(300)];
    const page = { page_number: 1, page_size: 20 };
    const pendingOf = async () => (await listPayments(asFan(), fan, page)).pending;
    await createSubscription(asFan(), plan);
    const receiver = { receiver_user_id: creator, amount: 200, message: "こんにちは" };
    await beginPaidLetter(asFan(), sendOfuse.body.parse(receiver) as Parameters<typeof beginPaidLetter>[1]);
    const [letter, joining] = await pendingOf();
    const expires_at = isoTime(now_ms + 60 * 60_000);
    expect([letter, joining]).toMatchObject([
      { kind: "ofuse", status: "open", amount: 200, expires_at },
      { kind: "membership", status: "open", amount: 500, expires_at },
    ]);
    await setSpendingLimit(asFan(), 700);
    expect(await codeOf(createSubscription(asFan(), other))).toBe("spending_limit_reached");
    const stranger = contextOf(await addPerson(), { gateway, now_ms });
    const [letter_id, joining_id] = [String(letter?.session_id), String(joining?.session_id)];
    expect(await codeOf(cancelCheckout(stranger, letter_id))).toBe("not_found");
    expect(await codeOf(cancelJoining(stranger, joining_id))).toBe("not_found");
    // The button is pressed twice.
    for (const _press of [1, 2]) {
      await cancelCheckout(asFan(), letter_id);
      await cancelJoining(asFan(), joining_id);
    }
    expect([await pendingOf(), (await readSpending(asFan())).pending]).toEqual([[], 0]);
    const { data } = await gateway.stripe.checkout.sessions.list();
    expect(data.map(({ status }) => status)).toEqual(["expired", "expired"]);
    const paid = await createSubscription(asFan(), other);
    await payCheckout(paid.checkout_url ?? "");
    expect(await codeOf(cancelJoining(asFan(), paid.joining_id))).toBe("payment_not_cancelable");
  });

  test("does not let several checkouts at once exceed it, of letters and plans together", async () => {
    const plans = await Promise.all([500, 500, 500].map((amount) => addPlan(amount)));
    await limit(1500);
    const letter = sendOfuse.body.parse({ receiver_user_id: creator, amount: 500, message: "こんにちは" });
    const begun = [
      ...plans.map((plan) => createSubscription(asFan(), plan)),
      ...[1, 2, 3].map(() => beginPaidLetter(asFan(), letter)),
    ];
    const codes = await Promise.all(begun.map(codeOf));
    expect(codes.toSorted()).toEqual([...Array(3).fill("done"), ...Array(3).fill("spending_limit_reached")]);
  });

  test("is lowered at once, raised and removed from the next day, and begins again with the month in Japan", async () => {
    await join(await addPlan(900));
    expect(await limit(1000)).toMatchObject({ monthly_limit: 1000, next_limit: null });
    expect(await limit(0)).toMatchObject({ monthly_limit: 0, next_limit: null });
    expect(await limit(null)).toMatchObject({
      monthly_limit: 0,
      next_limit: { monthly_limit: null, from: "2027-03-10T15:00:00.000Z" },
    });
    await limit(900);
    await wait("2027-03-31T14:59:00Z");
    expect(await codeOf(createSubscription(asFan(), await addPlan(100)))).toBe("spending_limit_reached");
    await wait("2027-03-31T15:01:00Z");
    expect(await codeOf(createSubscription(asFan(), await addPlan(100)))).toBe("done");
  });

  test("stays lowered when it is raised at the same time", async () => {
    await limit(1000);
    const context = asFan();
    const lowerFirst = async (statements: D1PreparedStatement[]) => {
      await limit(500);
      return context.d1.batch(statements);
    };
    // The raise has read 1,000 yen, and writes after the other request has lowered it.
    await setSpendingLimit(
      {
        ...context,
        d1: { prepare: (query: string) => context.d1.prepare(query), batch: lowerFirst } as unknown as D1Database,
      },
      9000,
    );
    expect(await readSpending(asFan())).toMatchObject({ monthly_limit: 500, next_limit: { monthly_limit: 9000 } });
  });

  test("of young people is that of the lowest age that the year of birth allows", async () => {
    const [small, large] = [await addPlan(5000), await addPlan(5001)];
    await born(2011);
    expect(await codeOf(previewJoining(asFan(), large))).toBe("minor_limit_reached");
    expect(await codeOf(previewJoining(asFan(), small))).toBe("done");
    await born(2010);
    expect(await readSpending(asFan())).toMatchObject({ minor_limit: 20_000 });
    await born(2008);
    expect(await readSpending(asFan())).toMatchObject({ minor_limit: null });
  });

  test("does not stop a renewal, and says what will still renew", async () => {
    await join(await addPlan(800));
    await wait("2027-04-02T03:00:00Z");
    await limit(100);
    expect(await readSpending(asFan())).toMatchObject({ paid: 0, renewals: 800 });
    await wait("2027-04-10T05:00:00Z");
    expect(await readSpending(asFan())).toMatchObject({ paid: 800, renewals: 0 });
  });
});

/** How a webhook arrives: in which place, how often, and in which later step of the story; never, if `times` is 0. */
const arrival = fc.record({ place: fc.nat(), times: fc.constantFrom(0, 0, 1, 1, 1, 2), delay: fc.nat(3) });

test("webhooks that come twice, late, out of order or never lead to one state, equal to the gateway's", async () => {
  const story = fc.array(arrival, { minLength: 80, maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(story, async (arrivals) => {
      await beginAt("2027-03-10T03:00:00Z");
      const plan = await addPlan();
      const later: { event: GatewayEvent; place: number; step: number }[] = [];
      let step = 0;
      const hear = async () => {
        const fresh = await eventsOf(delivered);
        for (const [index, event] of fresh.entries()) {
          const { place = 0, times = 1, delay = 0 } = arrivals[(delivered + index) % arrivals.length] ?? {};
          for (let time = 0; time < times; time++) later.push({ event, place, step: step + delay * (time + 1) });
        }
        delivered += fresh.length;
        const now = later.filter((each) => each.step === step).sort((a, b) => a.place - b.place);
        await deliver(
          gateway,
          now.map(({ event }) => event),
          now_ms,
        );
        step++;
      };
      const pass = async (ms: number) => {
        now_ms += ms;
        await advanceTo(gateway, now_ms);
        await hear();
        await tick();
        await hear();
      };
      const { checkout_url } = await createSubscription(asFan(), plan);
      await payCheckout(checkout_url ?? "");
      await pass(5 * 60_000);
      const { subscription_id, paid_until } = await subscriptionRow();
      await pass(Date.parse(String(paid_until)) - now_ms);
      const customer = await customerOf();
      const broken = await gateway.stripe.paymentMethods.attach("pm_card_chargeCustomerFail", { customer });
      await chooseCard(asFan(), broken.id);
      await pass(32 * DAY_MS);
      const good = await gateway.stripe.paymentMethods.attach("pm_card_visa", { customer });
      await chooseCard(asFan(), good.id);
      await pass(10 * 60_000);
      await setEnding(asFan(), String(subscription_id), true);
      await pass(40 * DAY_MS);
      await pass(10 * 60_000);
      await deliver(gateway, [], now_ms);
      const paid = (await gateway.stripe.invoices.list({ status: "paid", limit: 100 })).data;
      const recorded = await rowsOf("SELECT gateway_id FROM invoices");
      expect(recorded.map(({ gateway_id }) => gateway_id).sort()).toEqual(paid.map(({ id }) => id).sort());
      expect([paid.length, await chargesOf(), (await rowsOf("SELECT 1 FROM payments")).length]).toEqual([3, 3, 3]);
      expect(await subscriptionRow()).toMatchObject({ status: "canceled", must_end: 0, ask_at: null });
      expect((await rowsOf("SELECT occasion FROM notifications WHERE type = 'new_subscriber'")).length).toBe(1);
      expect((await noticesOf(fan)).sort()).toEqual([
        "subscription_canceled",
        "subscription_past_due",
        "subscription_renewed",
        "subscription_renewed",
      ]);
    }),
    { seed: 32, numRuns: env.FC_RUNS === "" ? 3 : 30 },
  );
});

test("a member gets a receipt by mail of joining and of a dearer plan, and none of a cheaper one or a renewal", async () => {
  const [cheap, dear] = [await addPlan(500), await addPlan(1_000)];
  const id = await join(cheap);
  await wait("2027-03-25T12:34:56Z");
  for (const plan of [dear, cheap]) {
    const { priced_at, amount_now } = await previewChange(asFan(), id, plan);
    await changePlan(asFan(), id, { membership_id: plan, priced_at, amount_now });
    await listen();
  }
  await wait(String((await subscriptionRow()).paid_until));
  const invoices = await rowsOf("SELECT * FROM invoices ORDER BY invoice_id");
  expect(invoices).toHaveLength(3);
  const receipts = invoices.slice(0, 2).map(({ invoice_id, amount, title, paid_at, period_end }) => ({
    mail_id: `plan:${invoice_id}`,
    kind: "plan_receipt",
    recipient: "fan@mail.example",
    gaps: {
      title: expect.stringContaining(`さんのプラン「${title}」`),
      amount,
      paid_at,
      paid_until: period_end,
      receipt_link: `http://site.test/my/subscriptions/${id}/invoices/${invoice_id}`,
    },
  }));
  const mails = await mailsOf("plan_paid");
  expect(mails.toSorted((one, other) => one.mail_id.localeCompare(other.mail_id))).toMatchObject(receipts);
});

describe("a change of plan", () => {
  async function preview(id: string, plan: string) {
    const shown = await previewChange(asFan(), id, plan);
    return { shown, wanted: { membership_id: plan, priced_at: shown.priced_at, amount_now: shown.amount_now } };
  }

  test("to a dearer one charges the difference that was shown, to the yen, and opens it at once", async () => {
    const [cheap, dear] = [await addPlan(500), await addPlan(1_000)];
    const id = await join(cheap);
    const ends = String((await subscriptionRow()).paid_until);
    await wait("2027-03-25T12:34:56Z");
    const { shown, wanted } = await preview(id, dear);
    expect(shown).toMatchObject({ next_amount: 1_000, next_charge_at: ends });
    expect(shown.amount_now).toBeGreaterThan(200);
    expect(shown.amount_now).toBeLessThan(300);
    now_ms += 5 * 60_000;
    await advanceTo(gateway, now_ms);
    const changed = await changePlan(asFan(), id, wanted);
    expect(changed).toMatchObject({
      membership: { membership_id: dear },
      next_charge: { amount: 1_000, charged_at: ends },
    });
    await listen();
    expect((await rowsOf("SELECT amount FROM payments ORDER BY paid_at")).map(({ amount }) => amount)).toEqual([
      500,
      shown.amount_now,
    ]);
    expect([await reads(fan, cheap, now_ms), await reads(fan, dear, now_ms)]).toEqual([false, true]);
    await wait(ends);
    expect((await rowsOf("SELECT amount FROM payments ORDER BY paid_at")).map(({ amount }) => amount)).toEqual([
      500,
      shown.amount_now,
      1_000,
    ]);
  });

  test("tells the creator the plan, and dates the member in it from the change on", async () => {
    const [cheap, dear] = [await addPlan(500), await addPlan(1_000)];
    await run("UPDATE memberships SET title = '{actor}の本編' WHERE membership_id = ?", dear);
    const id = await join(cheap);
    const asCreator = contextOf(creator, { gateway, now_ms });
    const membersOf = async (plan: string) =>
      (await listSubscribers(asCreator, plan, { page_number: 1, page_size: 20 })).subscriptions.map(
        ({ created_at, member_since }) => ({
          created_at: created_at.slice(0, 10),
          member_since: member_since.slice(0, 10),
        }),
      );
    expect(await membersOf(cheap)).toEqual([{ created_at: "2027-03-10", member_since: "2027-03-10" }]);
    await wait("2027-03-25T12:34:56Z");
    await changePlan(asFan(), id, (await preview(id, dear)).wanted);
    await listen();
    expect(await membersOf(dear)).toEqual([{ created_at: "2027-03-10", member_since: "2027-03-25" }]);
    await wait("2027-04-11T00:00:00Z");
    expect(await membersOf(dear)).toEqual([{ created_at: "2027-03-10", member_since: "2027-03-25" }]);
    await changePlan(asFan(), id, (await preview(id, cheap)).wanted);
    await wait("2027-05-11T00:00:00Z");
    expect(await membersOf(cheap)).toEqual([{ created_at: "2027-03-10", member_since: "2027-05-10" }]);
    await dispatchOutbox(dispatcherOf({ gateway, now_ms }));
    const told = await rowsOf(
      "SELECT message, path FROM notifications WHERE type = 'new_subscriber' ORDER BY created_at, notification_id",
    );
    expect(told).toEqual([
      {
        message: "{actor}さんがあなたのプラン「アトリエ会員」に加入しました。",
        path: `/my/memberships/${cheap}/members`,
      },
      {
        message: "{actor}さんが、あなたのプラン「｛actor}の本編」に変更しました。",
        path: `/my/memberships/${dear}/members`,
      },
      {
        message: "{actor}さんが、あなたのプラン「アトリエ会員」に変更しました。",
        path: `/my/memberships/${cheap}/members`,
      },
    ]);
  });

  test("that is asked for twice with one key is made once, whenever the second request comes", async () => {
    const id = await join(await addPlan(500));
    const charged = [500];
    let calls = 0;
    for (let at = 0; at <= calls; at++) {
      const { shown, wanted } = await preview(id, await addPlan(1_000 + at * 100));
      const ask = () => outcomeOf(changePlan(keyed(`key-of-change-${at}`), id, wanted));
      let second: Promise<unknown> | undefined;
      calls = 0;
      gateway.fault = () => {
        if (second === undefined && calls++ === at) second = ask();
        return null;
      };
      expect([at, await ask(), await (second ?? ask())]).toEqual([at, "done", "done"]);
      charged.push(shown.amount_now);
    }
    const paid = await rowsOf("SELECT amount FROM payments");
    expect(paid.map(({ amount }) => amount).sort()).toEqual(charged.sort());
    expect(charged.length).toBeGreaterThan(5);
  });

  test("to another plan while one is under way is charged as its page says or not at all, and leaves no credit", async () => {
    let calls = 0;
    const outcomes = new Set<string>();
    for (let at = 0; at <= calls; at++) {
      const [dear, dearer] = [await addPlan(800 + at), await addPlan(2_000 + at)];
      const id = await join(await addPlan(500));
      const [first, second] = [await preview(id, dear), await preview(id, dearer)];
      const paid = await paidYen();
      const change = async (key: string, { wanted, shown }: Awaited<ReturnType<typeof preview>>) => {
        const outcome = await codeOf(changePlan(keyed(`${key}-${at}`), id, wanted));
        return { outcome, price: outcome === "done" ? shown.amount_now : 0 };
      };
      // The second change is made from beginning to end at each moment of the first.
      let between: ReturnType<typeof change> | undefined;
      calls = 0;
      gateway.fault = async () => {
        if (between === undefined && calls++ === at) {
          between = change("second", second);
          await between;
        }
        return null;
      };
      const changed = [await change("first", first), await (between ?? change("second", second))];
      gateway.fault = () => null;
      await listen();
      outcomes.add(changed.map(({ outcome }) => outcome).join(", "));
      expect((await paidYen()) - paid, `at call ${at}`).toBe(changed.reduce((sum, { price }) => sum + price, 0));
      const { balance } = (await gateway.stripe.customers.retrieve(await customerOf())) as Stripe.Customer;
      expect(balance, `at call ${at}`).toBe(0);
    }
    expect(outcomes).toContain("subscription_price_moved, done");
    expect(outcomes).toContain("done, unavailable");
  });

  test("that was interrupted keeps other changes away for five minutes, and is repeated by the same request", async () => {
    const [dear, dearer] = [await addPlan(800), await addPlan(2_000)];
    const [id, other] = [await join(await addPlan(500)), await join(await addPlan(600))];
    const [toDear, toDearer] = [await preview(id, dear), await preview(id, dearer)];
    const others = await preview(other, dear);
    gateway.fault = (path, method) => (method === "POST" && /\/subscriptions\/[^/]+$/.test(path) ? "silent" : null);
    expect(await codeOf(changePlan(keyed("first"), id, toDear.wanted))).toBe("gateway_unreachable");
    gateway.fault = () => null;
    const paid = await paidYen();
    expect(await codeOf(changePlan(keyed("second"), id, toDearer.wanted))).toBe("unavailable");
    // The place in the plan is taken by the same person's other subscription.
    expect(await codeOf(changePlan(keyed("others"), other, others.wanted))).toBe("unavailable");
    // What the interrupted change may charge does not count against the person's limit a second time.
    await setSpendingLimit(asFan(), paid + toDear.shown.amount_now);
    expect(await codeOf(changePlan(keyed("again"), id, toDear.wanted))).toBe("unavailable");
    expect(await paidYen()).toBe(paid);
    expect(await codeOf(changePlan(keyed("first"), id, toDear.wanted))).toBe("done");
    expect(await paidYen()).toBe(paid + toDear.shown.amount_now);
  });

  test.each([
    ["reads the price", /\/create_preview$/],
    ["changes", /\/subscriptions\/[^/]+$/],
  ])("that was interrupted while it %s, and is not repeated, is over after five minutes", async (_, call) => {
    const [dear, dearer] = [await addPlan(800), await addPlan(2_000)];
    const id = await join(await addPlan(500));
    const { wanted } = await preview(id, dear);
    gateway.fault = (path, method) => (method === "POST" && call.test(path) ? "silent" : null);
    expect(await codeOf(changePlan(asFan(), id, wanted))).toBe("gateway_unreachable");
    gateway.fault = () => null;
    await wait(now_ms + 4 * 60_000);
    expect(await codeOf(changePlan(asFan(), id, (await preview(id, dearer)).wanted))).toBe("unavailable");
    await wait(now_ms + 61_000);
    expect(await codeOf(changePlan(asFan(), id, (await preview(id, dearer)).wanted))).toBe("done");
  });

  test("to a cheaper one costs nothing, begins with the next period, and can be taken back", async () => {
    const [dear, cheap] = [await addPlan(1_000), await addPlan(300)];
    const id = await join(dear);
    const ends = String((await subscriptionRow()).paid_until);
    const { shown, wanted } = await preview(id, cheap);
    expect(shown).toMatchObject({ amount_now: 0, next_amount: 300, next_charge_at: ends, begins_at: ends });
    const changed = await changePlan(asFan(), id, wanted);
    expect(changed).toMatchObject({ membership: { membership_id: dear }, next_charge: { amount: 300 } });
    expect(await codeOf(createSubscription(asFan(), cheap))).toBe("already_joined");
    const back = await preview(id, dear);
    expect(await changePlan(asFan(), id, back.wanted)).toMatchObject({ next_charge: { amount: 1_000 } });
    await changePlan(asFan(), id, (await preview(id, cheap)).wanted);
    await wait(ends);
    expect(await subscriptionRow()).toMatchObject({ membership_id: cheap, next_membership_id: null });
    expect((await rowsOf("SELECT amount FROM payments ORDER BY paid_at")).map(({ amount }) => amount)).toEqual([
      1_000, 300,
    ]);
    expect([await reads(fan, dear, now_ms), await reads(fan, cheap, now_ms)]).toEqual([false, true]);
  });

  test("costs what is left of the month from now on, whatever moment the form names", async () => {
    const [cheap, dear] = [await addPlan(500), await addPlan(3_000)];
    const id = await join(cheap);
    const ends_ms = Date.parse(String((await subscriptionRow()).paid_until));
    for (const at_ms of [ends_ms - 1_000, ends_ms - 60_000, now_ms + 60_000, now_ms - 60 * 60_000]) {
      for (const amount_now of [0, 1, 2_500]) {
        const wanted = { membership_id: dear, priced_at: isoTime(at_ms), amount_now };
        expect(await codeOf(changePlan(asFan(), id, wanted))).toBe("subscription_price_moved");
      }
    }
    expect(await subscriptionRow()).toMatchObject({ membership_id: cheap });
    expect(await chargesOf()).toBe(1);
  });

  test("to a dearer one waits until a scheduled change is taken back", async () => {
    const [cheap, paid, dear] = [await addPlan(500), await addPlan(1_500), await addPlan(3_000)];
    const id = await join(paid);
    await changePlan(asFan(), id, (await preview(id, cheap)).wanted);
    const now = { membership_id: dear, priced_at: isoTime(now_ms), amount_now: 2_500 };
    expect(await codeOf(previewChange(asFan(), id, dear))).toBe("subscription_change_scheduled");
    expect(await codeOf(changePlan(asFan(), id, now))).toBe("subscription_change_scheduled");
    await changePlan(asFan(), id, (await preview(id, paid)).wanted);
    expect((await preview(id, dear)).shown.amount_now).toBe(1_500);
  });

  test("is not reckoned by the plan of a month that the gateway has begun and we have not heard of", async () => {
    const [cheap, middle, paid] = [await addPlan(500), await addPlan(1_500), await addPlan(3_000)];
    const id = await join(paid);
    await changePlan(asFan(), id, (await preview(id, cheap)).wanted);
    const back = (await preview(id, paid)).wanted;
    now_ms = Date.parse(String((await subscriptionRow()).paid_until)) + 60_000;
    await advanceTo(gateway, now_ms);
    expect(await codeOf(changePlan(asFan(), id, back))).toBe("subscription_price_moved");
    expect(await subscriptionRow()).toMatchObject({ membership_id: cheap, next_membership_id: null });
    expect((await preview(id, middle)).shown.amount_now).toBe(1_000);
    const { balance } = (await gateway.stripe.customers.retrieve(await customerOf())) as Stripe.Customer;
    expect(balance).toBe(0);
  });

  const closePlan = (plan: string) =>
    updateMembership(contextOf(creator, { gateway, now_ms }), plan, { active_state: "inactive" });
  /** Schedules a change from a plan of 1,000 yen to one of 300 yen. */
  async function schedule() {
    const [dear, cheap] = [await addPlan(1_000), await addPlan(300)];
    const id = await join(dear);
    await changePlan(asFan(), id, (await preview(id, cheap)).wanted);
    return { id, dear, cheap };
  }

  test("that is scheduled is taken back when its plan closes, and the fan is notified and stays in the open plan", async () => {
    const { id, dear, cheap } = await schedule();
    await closePlan(cheap);
    await listen();
    const stays = { is_ending: false, next_charge: { amount: 1_000, membership: { membership_id: dear } } };
    expect(await findSubscription(asFan(), fan, id)).toMatchObject(stays);
    gateway.fault = () => "silent";
    await expect(tick()).rejects.toThrow("gateway_unreachable");
    gateway.fault = () => null;
    await tick();
    // The gateway knows: it charges the open plan even if nobody of ours is there at the renewal.
    const price = (await onlySubscription()).items.data[0]?.price.unit_amount;
    expect([price, await subscriptionRow()]).toMatchObject([1_000, { next_membership_id: null, must_end: 0 }]);
    await listen();
    expect(await noticesOf(fan)).toEqual(["membership_disabled"]);
    expect(await rowsOf("SELECT path, message FROM notifications WHERE type = 'membership_disabled'")).toEqual([
      { path: `/my/subscriptions/${id}`, message: expect.stringContaining("次回のお支払いは1,000円（税込）です。") },
    ]);
    await wait(String((await subscriptionRow()).paid_until));
    expect(await subscriptionRow()).toMatchObject({ status: "active", membership_id: dear });
    expect((await rowsOf("SELECT amount FROM payments ORDER BY paid_at")).map(({ amount }) => amount)).toEqual([
      1_000, 1_000,
    ]);
  });

  test("that is scheduled to an open plan is made when the present plan closes, and cannot be taken back", async () => {
    const { id, dear, cheap } = await schedule();
    await closePlan(dear);
    await listen();
    await tick();
    const goes_on = { is_ending: false, next_charge: { amount: 300, membership: { membership_id: cheap } } };
    expect(await findSubscription(asFan(), fan, id)).toMatchObject(goes_on);
    const back = { membership_id: dear, priced_at: isoTime(now_ms), amount_now: 0 };
    expect(await codeOf(previewChange(asFan(), id, dear))).toBe("membership_not_open");
    expect(await codeOf(changePlan(asFan(), id, back))).toBe("membership_not_open");
    await wait(String((await subscriptionRow()).paid_until));
    expect(await subscriptionRow()).toMatchObject({ status: "active", membership_id: cheap });
    expect(await noticesOf(fan)).toEqual(["subscription_renewed"]);
  });

  test.each([
    ["present plan closes first", true],
    ["next plan closes first", false],
  ])("that is scheduled ends the subscription when both plans close, also if the %s", async (_, is_present_first) => {
    const { id, dear, cheap } = await schedule();
    for (const plan of is_present_first ? [dear, cheap] : [cheap, dear]) {
      await closePlan(plan);
      await listen();
    }
    expect(await findSubscription(asFan(), fan, id)).toMatchObject({ is_ending: true, next_charge: null });
    await tick();
    expect((await onlySubscription()).cancel_at_period_end).toBe(true);
    await wait(String((await subscriptionRow()).paid_until));
    expect(await subscriptionRow()).toMatchObject({ status: "canceled", membership_id: dear });
    expect(await chargesOf()).toBe(1);
    expect(await noticesOf(fan)).toEqual(["membership_disabled", "subscription_canceled"]);
  });

  test.each([
    ["present", true],
    ["next", false],
  ])(
    "that is scheduled lets a fan who has left continue in the open plan when the %s plan has closed",
    async (_, is_present) => {
      const { id, dear, cheap } = await schedule();
      const [closed, open, amount] = is_present ? [dear, cheap, 300] : [cheap, dear, 1_000];
      await setEnding(asFan(), id, true);
      await closePlan(closed);
      await listen();
      await tick();
      const told = await rowsOf("SELECT message FROM notifications WHERE type = 'membership_disabled'");
      expect(told).toEqual(is_present ? [{ message: expect.stringContaining("2027/04/10に加入が終了します。") }] : []);
      expect(await findSubscription(asFan(), fan, id)).toMatchObject({ is_ending: true, may_continue: true });
      const goes_on = { is_ending: false, next_charge: { amount, membership: { membership_id: open } } };
      expect(await setEnding(asFan(), id, false)).toMatchObject(goes_on);
      await tick();
      await wait(String((await subscriptionRow()).paid_until));
      expect(await subscriptionRow()).toMatchObject({ status: "active", membership_id: open });
      await setEnding(asFan(), id, true);
      await closePlan(open);
      await listen();
      expect(await findSubscription(asFan(), fan, id)).toMatchObject({ may_continue: false });
      expect(await codeOf(setEnding(asFan(), id, false))).toBe("membership_not_open");
    },
  );

  test("that is scheduled to a plan that closes says nothing untrue of the present plan when a block ends it", async () => {
    const { cheap } = await schedule();
    await closePlan(cheap);
    await createBlock(contextOf(creator, { gateway, now_ms }), fan);
    await dispatchOutbox(dispatcherOf({ gateway, now_ms }));
    await tick();
    expect(await subscriptionRow()).toMatchObject({ is_ending: 1, status: "active" });
    const [dropped] = await rowsOf("SELECT payload FROM outbox WHERE kind = 'subscription_change_dropped'");
    const payload = JSON.parse(String(dropped?.payload));
    expect(payload).toMatchObject({ amount: null, is_present_closed: false });
    const [notice] = noticesOfDroppedChange(payload);
    expect([notice?.message, notice?.english]).toEqual([
      expect.stringMatching(/^\{actor\}さんの変更先のプランの募集が終了しました。/),
      expect.stringMatching(/^\{actor\} has closed the plan that you were going to change to\./),
    ]);
  });

  test("charges nothing when the card is declined, the price moved, or it is another creator's plan", async () => {
    const [cheap, dear] = [await addPlan(500), await addPlan(1_000)];
    const id = await join(cheap);
    const { wanted } = await preview(id, dear);
    expect(await codeOf(changePlan(asFan(), id, { ...wanted, amount_now: 499 }))).toBe("subscription_price_moved");
    expect(await codeOf(changePlan(asFan(), id, { ...wanted, priced_at: "2026-01-01T00:00:00.000Z" }))).toBe(
      "subscription_price_moved",
    );
    await switchCard("pm_card_chargeCustomerFail");
    expect(await codeOf(changePlan(asFan(), id, wanted))).toBe("card_declined");
    await listen();
    expect(await subscriptionRow()).toMatchObject({ membership_id: cheap, status: "active", next_membership_id: null });
    const foreign = await addPlan(2_000, await addPerson(1));
    expect(await codeOf(previewChange(asFan(), id, foreign))).toBe("subscription_transition_refused");
    expect(await chargesOf()).toBe(1);
  });
});

describe.each(["silent", "lost answer", "500", "no JSON"] as const)("when the gateway is %s at any call", (fault) => {
  /**
   * Does something once for each of its calls of the gateway, which fails at that call, and then without a fault. Returns how many
   * calls there are, and what the last time answered.
   */
  async function failAtEachCall<T>(work: () => Promise<T>): Promise<{ calls: number; answer: T }> {
    for (let calls = 0; ; calls++) {
      let seen = 0;
      let failing: string | null = null;
      gateway.fault = (path, method) => {
        const call = `${method} ${path}`;
        if (failing === null && seen++ === calls) failing = call;
        return failing === call ? fault : null;
      };
      const outcome = await work().then(
        (answer) => ({ answer }),
        (error: Error & { code?: string }) => ({ code: error.code ?? error.message }),
      );
      gateway.fault = () => null;
      if (failing === null && "answer" in outcome) return { calls, answer: outcome.answer };
      if (!("answer" in outcome)) expect([failing, outcome.code]).toEqual([failing, "gateway_unreachable"]);
    }
  }

  test("a change of plan is previewed, and charged once", async () => {
    const [cheap, dear] = [await addPlan(500), await addPlan(1_000)];
    const id = await join(cheap);
    await wait("2027-03-25T12:34:56Z");
    const shown = await failAtEachCall(() => previewChange(asFan(), id, dear));
    const { priced_at, amount_now } = shown.answer;
    const wanted = { membership_id: dear, priced_at, amount_now };
    const changed = await failAtEachCall(() => changePlan(keyed("key-0003"), id, wanted));
    expect(changed.answer).toMatchObject({ membership: { membership_id: dear }, next_charge: { amount: 1_000 } });
    expect(shown.calls).toBeGreaterThan(1);
    await listen();
    expect((await rowsOf("SELECT amount FROM payments ORDER BY paid_at")).map(({ amount }) => amount)).toEqual([
      500,
      amount_now,
    ]);
    expect(await chargesOf()).toBe(2);
  });

  test("cards and the portal are reached afterwards, and nothing is charged", async () => {
    await join(await addPlan());
    const other = await gateway.stripe.paymentMethods.attach("pm_card_jcb", { customer: await customerOf() });
    const listed = await failAtEachCall(() => listPaymentMethods(asFan(), fan));
    expect(listed.answer).toHaveLength(2);
    const chosen = await failAtEachCall(() => chooseCard(keyed("key-0004"), other.id));
    expect(chosen.answer.payment_methods.filter(({ is_default }) => is_default)).toMatchObject([{ brand: "jcb" }]);
    expect((await onlySubscription()).default_payment_method).toBe(other.id);
    const { answer } = await failAtEachCall(() => createPaymentMethod(keyed("key-0005")));
    expect(answer.setup_url).toContain("/payment-gateway/checkout/");
    const portal = await failAtEachCall(() => createCustomerPortal(keyed("key-0006")));
    expect(portal.answer.portal_url).toContain("/payment-gateway/portal/");
    expect([listed.calls, chosen.calls, portal.calls].every((calls) => calls > 0)).toBe(true);
    expect(await chargesOf()).toBe(1);
  });

  test("leaving and continuing reach the gateway once it answers", async () => {
    const id = await join(await addPlan());
    const left = await failAtEachCall(() => setEnding(keyed("key-0007"), id, true));
    expect(left.answer).toMatchObject({ is_ending: true });
    const stayed = await failAtEachCall(() => setEnding(keyed("key-0008"), id, false));
    expect(stayed.answer).toMatchObject({ is_ending: false });
    expect((await onlySubscription()).cancel_at_period_end).toBe(false);
  });
});

describe("ways to pay", () => {
  test("are opened at the gateway twenty times a day, so that nobody tries stolen cards there", async () => {
    for (let times = 0; times < 10; times++) {
      await createPaymentMethod(asFan());
      await createCustomerPortal(asFan());
    }
    expect(await codeOf(createPaymentMethod(asFan()))).toBe("too_many_requests");
    expect(await codeOf(createCustomerPortal(asFan()))).toBe("too_many_requests");
    now_ms += DAY_MS;
    expect(await codeOf(createCustomerPortal(asFan()))).toBe("done");
  });

  test("are listed as the gateway has them, and added and removed on its pages", async () => {
    expect(await listPaymentMethods(asFan(), fan)).toEqual([]);
    const { setup_url } = await createPaymentMethod(asFan());
    await payCheckout(setup_url);
    await join(await addPlan(), "3566 0020 2036 0505");
    await listen();
    const card = { last4: "4242", exp_month: 12, exp_year: 2060, is_default: false };
    expect(await listPaymentMethods(asFan(), fan)).toEqual([
      expect.objectContaining({ brand: "jcb", is_default: true }),
      expect.objectContaining({ brand: "visa", ...card }),
    ]);
    const { portal_url } = await createCustomerPortal(asFan());
    expect(portal_url).toMatch(/^http:\/\/site\.test\/payment-gateway\/portal\//);
    expect(await codeOf(chooseCard(asFan(), "pm_of_somebody"))).toBe("not_found");
  });
});
