import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { beginPaidLetter, cancelCheckout } from "../../workers/api/checkouts/commands.ts";
import { setSpendingLimit } from "../../workers/api/payments/commands.ts";
import { readSpending } from "../../workers/api/payments/queries.ts";
import { cancelJoining, createSubscription, previewJoining } from "../../workers/api/subscriptions/join.ts";
import { listPayments } from "../../workers/api/subscriptions/queries.ts";
import { sendOfuse } from "../../workers/contract/ofuses.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { skipPauses } from "../support/hurry.ts";
import { contextOf } from "./support/context.ts";
import { payCheckout } from "./support/gateway.ts";
import { expectSoundLedger } from "./support/ledger.ts";
import {
  addPerson,
  addPlan,
  asFan,
  beginAt,
  codeOf,
  creator,
  fan,
  gateway,
  join,
  now_ms,
  run,
  wait,
} from "./support/subscriptions.ts";

skipPauses();
beforeEach(() => beginAt("2038-03-10T03:00:00Z"));
afterEach(expectSoundLedger);

test("payments are listed by the date that they show, also those that were recorded late", async () => {
  await join(await addPlan(500));
  await join(await addPlan(600));
  await run("UPDATE payments SET paid_at = '2038-03-01T00:00:00.000Z' WHERE amount = 600");
  const { payments } = await listPayments(asFan(), fan, { page_number: 1, page_size: 20 });
  expect(payments.map(({ amount }) => amount)).toEqual([500, 600]);
});

test("a payment that went back is on the page of its date, one that is still going back on every page", async () => {
  const payer = await addPerson();
  const at = (day: number) => `2038-02-0${day}T00:00:00.000Z`;
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
    await wait("2038-03-10T15:00:00Z");
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
      next_limit: { monthly_limit: null, from: "2038-03-10T15:00:00.000Z" },
    });
    await limit(900);
    await wait("2038-03-31T14:59:00Z");
    expect(await codeOf(createSubscription(asFan(), await addPlan(100)))).toBe("spending_limit_reached");
    await wait("2038-03-31T15:01:00Z");
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
    await born(2022);
    expect(await codeOf(previewJoining(asFan(), large))).toBe("minor_limit_reached");
    expect(await codeOf(previewJoining(asFan(), small))).toBe("done");
    await born(2021);
    expect(await readSpending(asFan())).toMatchObject({ minor_limit: 20_000 });
    await born(2019);
    expect(await readSpending(asFan())).toMatchObject({ minor_limit: null });
  });

  test("does not stop a renewal, and says what will still renew", async () => {
    await join(await addPlan(800));
    await wait("2038-04-02T03:00:00Z");
    await limit(100);
    expect(await readSpending(asFan())).toMatchObject({ paid: 0, renewals: 800 });
    await wait("2038-04-10T05:00:00Z");
    expect(await readSpending(asFan())).toMatchObject({ paid: 800, renewals: 0 });
  });
});
