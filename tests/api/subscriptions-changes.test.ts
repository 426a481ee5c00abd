import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBlock } from "../../workers/api/blocks/commands.ts";
import { updateMembership } from "../../workers/api/memberships/commands.ts";
import { findSubscription, listSubscribers } from "../../workers/api/memberships/queries.ts";
import { setSpendingLimit } from "../../workers/api/payments/commands.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { changePlan, previewChange } from "../../workers/api/subscriptions/change.ts";
import { setEnding } from "../../workers/api/subscriptions/end.ts";
import { createSubscription } from "../../workers/api/subscriptions/join.ts";
import { noticesOfDroppedChange } from "../../workers/api/subscriptions/rules.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { skipPauses } from "../support/hurry.ts";
import { contextOf, dispatcherOf } from "./support/context.ts";
import { advanceTo, readNow } from "./support/gateway.ts";
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
  fan,
  gateway,
  join,
  keyed,
  listen,
  moveTo,
  noticesOf,
  now_ms,
  onlySubscription,
  outcomeOf,
  paidYen,
  reads,
  rowsOf,
  run,
  subscriptionRow,
  switchCard,
  tick,
  wait,
} from "./support/subscriptions.ts";

skipPauses();
beforeEach(() => beginAt("2038-03-10T03:00:00Z"));
afterEach(expectSoundLedger);

describe("a change of plan", () => {
  async function preview(id: string, plan: string) {
    const shown = await previewChange(asFan(), id, plan);
    return { shown, wanted: { membership_id: plan, priced_at: shown.priced_at, amount_now: shown.amount_now } };
  }

  test("to a dearer one charges the difference that was shown, to the yen, and opens it at once", async () => {
    const [cheap, dear] = [await addPlan(500), await addPlan(1_000)];
    const id = await join(cheap);
    const ends = String((await subscriptionRow()).paid_until);
    await wait("2038-03-25T12:34:56Z");
    const { shown, wanted } = await preview(id, dear);
    expect(shown).toMatchObject({ next_amount: 1_000, next_charge_at: ends });
    expect(shown.amount_now).toBeGreaterThan(200);
    expect(shown.amount_now).toBeLessThan(300);
    moveTo(now_ms + 5 * 60_000);
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
    expect(await membersOf(cheap)).toEqual([{ created_at: "2038-03-10", member_since: "2038-03-10" }]);
    await wait("2038-03-25T12:34:56Z");
    await changePlan(asFan(), id, (await preview(id, dear)).wanted);
    await listen();
    expect(await membersOf(dear)).toEqual([{ created_at: "2038-03-10", member_since: "2038-03-25" }]);
    await wait("2038-04-11T00:00:00Z");
    expect(await membersOf(dear)).toEqual([{ created_at: "2038-03-10", member_since: "2038-03-25" }]);
    await changePlan(asFan(), id, (await preview(id, cheap)).wanted);
    await wait("2038-05-11T00:00:00Z");
    expect(await membersOf(cheap)).toEqual([{ created_at: "2038-03-10", member_since: "2038-05-10" }]);
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
    // The gateway's clock runs while the calls are made.
    const soon = async () => ((await readNow(gateway)) + 60) * 1000;
    for (const moment of [ends_ms - 1_000, ends_ms - 60_000, soon, now_ms - 60 * 60_000]) {
      for (const amount_now of [0, 1, 2_500]) {
        const priced_at = isoTime(typeof moment === "number" ? moment : await moment());
        const wanted = { membership_id: dear, priced_at, amount_now };
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
    moveTo(Date.parse(String((await subscriptionRow()).paid_until)) + 60_000);
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
      expect(told).toEqual(is_present ? [{ message: expect.stringContaining("2038/04/10に加入が終了します。") }] : []);
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
    expect(payload).toMatchObject({ amount: null, is_present_closed: false, title: "アトリエ会員" });
    const [notice] = noticesOfDroppedChange(payload);
    expect([notice?.message, notice?.english]).toEqual([
      expect.stringMatching(/^\{actor\}さんの変更先のプラン「アトリエ会員」の募集が終了しました。/),
      expect.stringMatching(/^\{actor\} has closed the plan "アトリエ会員" that you were going to change to\./),
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
