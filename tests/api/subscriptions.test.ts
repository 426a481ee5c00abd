import { env } from "cloudflare:workers";
import fc from "fast-check";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findTransactionsOf, listTransactions, sumMonthlyEarnings } from "../../workers/api/ledger/queries.ts";
import { findSubscription, listJoinedPlans, listSubscribers } from "../../workers/api/memberships/queries.ts";
import { recountFigures } from "../../workers/api/stats/queries.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { changePlan, previewChange } from "../../workers/api/subscriptions/change.ts";
import { setEnding } from "../../workers/api/subscriptions/end.ts";
import { createSubscription, readJoining } from "../../workers/api/subscriptions/join.ts";
import {
  chooseCard,
  createCustomerPortal,
  createPaymentMethod,
  listPaymentMethods,
} from "../../workers/api/subscriptions/payment-methods.ts";
import { departSubscriber } from "../../workers/api/subscriptions/personal-data.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { skipPauses } from "../support/hurry.ts";
import { contextOf, d1, dispatcherOf } from "./support/context.ts";
import { advanceTo, connectGateway, deliver, type GatewayEvent, payCheckout } from "./support/gateway.ts";
import { expectSoundLedger } from "./support/ledger.ts";
import {
  addPerson,
  addPlan,
  asFan,
  beginAt,
  chargesOf,
  codeOf,
  creator,
  customerOf,
  DAY_MS,
  delivered,
  fan,
  gateway,
  invoiceRows,
  join,
  keyed,
  listen,
  mailsOf,
  moveTo,
  noticesOf,
  now_ms,
  onlySubscription,
  reads,
  rowsOf,
  run,
  subscriptionRow,
  switchCard,
  takeEvents,
  tick,
  wait,
} from "./support/subscriptions.ts";

skipPauses();
beforeEach(() => beginAt("2038-03-10T03:00:00Z"));
afterEach(expectSoundLedger);

describe("a subscription", () => {
  test.each([
    ["on the 31st", "2040-01-31T02:00:00Z", ["2040-02-29", "2040-03-31", "2040-04-30"]],
    ["on a leap day", "2040-02-29T02:00:00Z", ["2040-03-29", "2040-04-29", "2040-05-29"]],
    ["at midnight in Japan", "2039-12-31T15:00:00Z", ["2040-01-31", "2040-02-29", "2040-03-31"]],
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

  test("that its member leaves while the gateway is silent is charged no more, and gets one mail", async () => {
    const plan = await addPlan();
    const id = await join(plan);
    const ends_ms = Date.parse(String((await subscriptionRow()).paid_until));
    const leave = () => setEnding(asFan(), id, true);
    gateway.fault = () => "silent";
    for (const _press of [1, 2]) expect(await leave()).toMatchObject({ is_ending: true, next_charge: null });
    // An attempt to continue that fails does not undo it.
    expect(await codeOf(setEnding(asFan(), id, false))).toBe("gateway_unreachable");
    gateway.fault = () => null;
    expect((await onlySubscription()).cancel_at_period_end).toBe(false);
    expect(await mailsOf("subscription_left")).toMatchObject([{ kind: "plan_left" }]);
    // The period ends before the clock runs again.
    moveTo(ends_ms);
    await advanceTo(gateway, ends_ms);
    await listen();
    expect(await subscriptionRow()).toMatchObject({ status: "canceled" });
    expect(await chargesOf()).toBe(1);

    const other = await join(await addPlan(300));
    gateway.fault = (_path, method) => (method === "POST" ? "lost answer" : null);
    expect(await setEnding(asFan(), other, true)).toMatchObject({ is_ending: true });
    gateway.fault = () => null;
    await tick();
    const [known] = await rowsOf(`SELECT is_ending, must_end FROM subscriptions WHERE subscription_id = '${other}'`);
    expect(known).toEqual({ is_ending: 1, must_end: 0 });
    expect(await setEnding(asFan(), other, false)).toMatchObject({ is_ending: false });
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

  test("that the gateway renews while the site is away is dated alike for its member and its creator", async () => {
    await join(await addPlan());
    const since = Date.parse(String((await subscriptionRow()).paid_until));
    await advanceTo(gateway, since);
    await advanceTo(gateway, since + DAY_MS);
    moveTo(Date.parse("2038-05-02T00:00:00Z"));
    await listen();
    await tick();
    const paid = (await rowsOf("SELECT paid_at FROM invoices ORDER BY paid_at")).map(({ paid_at }) => String(paid_at));
    expect(paid.map((at) => at.slice(0, 7))).toEqual(["2038-03", "2038-04"]);
    const database = openDatabase(d1);
    const range = { from_ms: 0, to_ms: now_ms };
    const transactions = await listTransactions(database, creator, { ...range, limit: 20, offset: 0 });
    expect(transactions.map(({ created_at }) => created_at)).toEqual(paid.toReversed());
    const report = await findTransactionsOf(database, creator, { ...range, limit: 20 });
    expect(report?.map(({ created_at }) => created_at)).toEqual(paid);
    const [from_ms, to_ms] = [Date.parse("2038-03-01T00:00:00+09:00"), Date.parse("2038-06-01T00:00:00+09:00")];
    const months = await sumMonthlyEarnings(database, creator, { from_ms, to_ms });
    expect(months.map(({ month, membership }) => [month, membership])).toEqual([
      ["2038-03", 450],
      ["2038-04", 450],
      ["2038-05", 0],
    ]);
    await dispatchOutbox(dispatcherOf({ gateway, now_ms }));
    const revenue = `SELECT period, amount FROM creator_figures
      WHERE measure = 'revenue' AND grain = 'month' AND user_id = '${creator}' ORDER BY period`;
    expect(await rowsOf(revenue)).toEqual([
      { period: "2038-03", amount: 450 },
      { period: "2038-04", amount: 450 },
    ]);
    const differences = await recountFigures(database, { after: "", last: "~", today: "2038-05-02" });
    expect(differences.filter(({ user_id, measure }) => user_id === creator && measure === "revenue")).toEqual([]);
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

  test("is named to its member, who may have several plans of its creator, when it renews, fails and ends", async () => {
    const plan = await addPlan();
    await run("UPDATE memberships SET title = '{actor}の会' WHERE membership_id = ?", plan);
    await join(plan);
    await wait(String((await subscriptionRow()).paid_until));
    await switchCard("pm_card_chargeCustomerFail");
    await wait(String((await subscriptionRow()).paid_until));
    for (const _ of [1, 3, 7]) await wait(String((await subscriptionRow()).retry_at));
    const told = await rowsOf(
      `SELECT type, message FROM notifications WHERE user_id = '${fan}' ORDER BY notification_id`,
    );
    expect(
      told.map(({ type, message }) => [type, String(message).includes("{actor}さんのプラン「｛actor}の会」")]),
    ).toEqual([
      ["subscription_renewed", true],
      ["subscription_past_due", true],
      ["subscription_canceled", true],
    ]);
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
    moveTo(now_ms + DAY_MS);
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
    const stopped = { may_continue: false, is_creator_disabled: true, next_charge: null };
    expect(await read()).toMatchObject({ is_ending: false, ...stopped });
    await run("UPDATE users SET disabled_at = NULL");
    expect(await read()).toMatchObject({
      may_continue: true,
      is_creator_disabled: false,
      next_charge: { amount: 500 },
    });
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

  test("that is past due and left while the gateway is silent is not paid by a card chosen afterwards", async () => {
    const id = await join(await addPlan());
    await switchCard("pm_card_chargeCustomerFail");
    await wait(Date.parse(String((await subscriptionRow()).paid_until)));
    gateway.fault = () => "silent";
    expect(await setEnding(asFan(), id, true)).toMatchObject({ status: "past_due", is_ending: true });
    gateway.fault = () => null;
    const card = await gateway.stripe.paymentMethods.attach("pm_card_jcb", { customer: await customerOf() });
    await chooseCard(asFan(), card.id);
    await listen();
    expect(await subscriptionRow()).toMatchObject({ status: "canceled" });
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
      () => run("INSERT INTO blocks VALUES (?, ?, '2038-03-11T00:00:00.000Z')", creator, fan),
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
      moveTo(now_ms + 60_000);
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
        moveTo(now_ms + 60_000);
      }
    }

    test("is renewed, and a checkout ends", async () => {
      const id = await joinTwo();
      const { paid_until } = (await rowOf(id)) ?? {};
      moveTo(Date.parse(String(paid_until)));
      await advanceTo(gateway, now_ms);
      const third = await addPlan();
      const { joining_id } = await createSubscription(asFan(), third);
      moveTo(now_ms + 60 * 60_000);
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
      await run("UPDATE abandoned_subscriptions SET created_at = '2038-01-01T00:00:00.000Z' WHERE gateway_id <> ?", id);
      await run("DELETE FROM subscriptions");
      moveTo(now_ms + 60_000);
      await tickTwice();
      expect((await gateway.stripe.subscriptions.retrieve(id)).status).toBe("canceled");
    });
  });
});

/** How a webhook arrives: in which place, how often, and in which later step of the story; never, if `times` is 0. */
const arrival = fc.record({ place: fc.nat(), times: fc.constantFrom(0, 0, 1, 1, 1, 2), delay: fc.nat(3) });

test("webhooks that come twice, late, out of order or never lead to one state, equal to the gateway's", async () => {
  const story = fc.array(arrival, { minLength: 80, maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(story, async (arrivals) => {
      await beginAt("2038-03-10T03:00:00Z");
      const plan = await addPlan();
      const later: { event: GatewayEvent; place: number; step: number }[] = [];
      let step = 0;
      const hear = async () => {
        const before = delivered;
        const fresh = await takeEvents();
        for (const [index, event] of fresh.entries()) {
          const { place = 0, times = 1, delay = 0 } = arrivals[(before + index) % arrivals.length] ?? {};
          for (let time = 0; time < times; time++) later.push({ event, place, step: step + delay * (time + 1) });
        }
        const now = later.filter((each) => each.step === step).sort((a, b) => a.place - b.place);
        await deliver(
          gateway,
          now.map(({ event }) => event),
          now_ms,
        );
        step++;
      };
      const pass = async (ms: number) => {
        moveTo(now_ms + ms);
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
  await wait("2038-03-25T12:34:56Z");
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
    await wait("2038-03-25T12:34:56Z");
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

  test("leaving is recorded at once, whichever call fails, and reaches the gateway once it answers", async () => {
    for (let calls = 0, failing: string | null = ""; failing !== null; calls++) {
      const id = await join(await addPlan());
      let seen = 0;
      failing = null;
      gateway.fault = (path, method) => {
        const call = `${method} ${path}`;
        if (failing === null && seen++ === calls) failing = call;
        return failing === call ? fault : null;
      };
      expect(await setEnding(keyed(`key-0007-${calls}`), id, true), `call ${calls}`).toMatchObject({ is_ending: true });
      gateway.fault = () => null;
      await tick();
      const [row] = await rowsOf(
        `SELECT gateway_id, is_ending, must_end FROM subscriptions WHERE subscription_id = '${id}'`,
      );
      expect([row?.is_ending, row?.must_end]).toEqual([1, 0]);
      expect((await gateway.stripe.subscriptions.retrieve(String(row?.gateway_id))).cancel_at_period_end).toBe(true);
      expect(calls, "some call failed").toBeGreaterThan(failing === null ? 0 : -1);
    }
  });

  test("continuing reaches the gateway once it answers", async () => {
    const id = await join(await addPlan());
    await setEnding(asFan(), id, true);
    expect((await onlySubscription()).cancel_at_period_end).toBe(true);
    const stayed = await failAtEachCall(() => setEnding(keyed("key-0008"), id, false));
    expect(stayed.answer).toMatchObject({ is_ending: false });
    expect((await onlySubscription()).cancel_at_period_end).toBe(false);
  });
});
