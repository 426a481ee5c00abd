import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setSpendingLimit } from "../../workers/api/payments/commands.ts";
import { createSubscription, previewJoining, readJoining } from "../../workers/api/subscriptions/join.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { skipPauses } from "../support/hurry.ts";
import { contextOf } from "./support/context.ts";
import { advanceTo, payCheckout } from "./support/gateway.ts";
import { expectSoundLedger } from "./support/ledger.ts";
import {
  addPlan,
  asFan,
  beginAt,
  chargesOf,
  codeOf,
  creator,
  DAY_MS,
  fan,
  gateway,
  invoiceRows,
  join,
  keyed,
  listen,
  moveTo,
  noticesOf,
  now_ms,
  onlySubscription,
  outcomeOf,
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

  test("has its conditions on the gateway's page", async () => {
    await createSubscription(asFan(), await addPlan());
    const [session] = (await gateway.stripe.checkout.sessions.list()).data;
    const terms = session?.custom_text.submit?.message ?? "";
    const [, minute = "", link] = /この画面では、(.+)までお手続きいただけます[\s\S]*\((.+)\)/.exec(terms) ?? [];
    expect(link).toBe("http://site.test/transactions");
    expect(minute).toBe("2038/03/10 13:00");
    // Source: 特定商取引法 第12条の6.
    for (const words of [
      "1か月ごとに自動で更新し、解約されるまで、毎月同じ金額をお支払いいただきます。回数の定めはありません。",
      "消費税込み",
      "「加入中のプラン」から、次回のお支払いの日時（「読める期間」の終わり）の前なら、いつでも解約できます。",
      "解約しても、お支払い済みの期間の終わりまで読めます。日割りの返金はありません。",
      "お支払いの完了後、すぐに読めます。",
      "お支払い後のキャンセルと返金はできません。",
      "保護者の方の同意",
      "[特定商取引法に基づく表記]",
    ])
      expect(terms).toContain(words);
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
    moveTo(now_ms + 31 * 60_000);
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
    expect(await codeOf(createSubscription(asFan(), open))).toBe("payment_limit_reached");
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
      moveTo(now_ms + 5 * 60_000);
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
    // The gateway began the month when the fan paid there.
    const { created } = await onlySubscription();
    expect(Date.parse(String(paid_until)) - Date.parse(preview.next_charge_at)).toBe(created * 1000 - now_ms);
  });
});
