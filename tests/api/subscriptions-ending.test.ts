import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBlock } from "../../workers/api/blocks/commands.ts";
import { updateMembership } from "../../workers/api/memberships/commands.ts";
import { findSubscription } from "../../workers/api/memberships/queries.ts";
import { refundPayment } from "../../workers/api/operator/commands.ts";
import { listCheckouts } from "../../workers/api/operator/money.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { commitSync } from "../../workers/api/subscriptions/apply-sync.ts";
import { changePlan, previewChange } from "../../workers/api/subscriptions/change.ts";
import { setEnding } from "../../workers/api/subscriptions/end.ts";
import { createSubscription, readJoining } from "../../workers/api/subscriptions/join.ts";
import { departSubscriber } from "../../workers/api/subscriptions/personal-data.ts";
import { listPayments } from "../../workers/api/subscriptions/queries.ts";
import { syncSubscription } from "../../workers/api/subscriptions/sync.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { skipPauses } from "../support/hurry.ts";
import { contextOf, d1, dispatcherOf } from "./support/context.ts";
import { advanceTo, payCheckout } from "./support/gateway.ts";
import { expectSoundLedger } from "./support/ledger.ts";
import {
  actAs,
  addPerson,
  addPlan,
  asFan,
  beginAt,
  chargesOf,
  codeOf,
  creator,
  DAY_MS,
  fan,
  gateway,
  join,
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
  tick,
  wait,
} from "./support/subscriptions.ts";

skipPauses();
beforeEach(() => beginAt("2038-03-10T03:00:00Z"));
afterEach(expectSoundLedger);

describe("a subscription", () => {
  test("of a person who leaves is ended although more rows fail than one run looks at", async () => {
    await join(await addPlan());
    const { id } = await onlySubscription();
    const insert = d1.prepare("INSERT INTO abandoned_subscriptions (created_at, gateway_id) VALUES ('2038-01-01', ?)");
    await d1.batch(Array.from({ length: 50 }, (_, n) => insert.bind(`sub_unknown_${n}`)));
    await run("INSERT INTO abandoned_subscriptions (created_at, gateway_id) VALUES ('2038-01-02', ?)", id);
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
    moveTo(Date.parse(String(paid_until)));
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
      moveTo(Date.parse(String((await subscriptionRow()).paid_until)) + 2 * DAY_MS);
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
    await run("INSERT INTO blocks VALUES (?, ?, '2038-03-11T00:00:00.000Z')", creator, blocked);
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
          "{actor}さんのプラン「アトリエ会員」の募集が再開されました。あなたの加入は、このままでは2038/04/10に終了します。続ける場合は、「更新を続ける」を押してください。",
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
      actAs(await addPerson());
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
