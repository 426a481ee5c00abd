import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { updateMembership } from "../../workers/api/memberships/commands.ts";
import { findMembership } from "../../workers/api/memberships/queries.ts";
import { changePlan, previewChange } from "../../workers/api/subscriptions/change.ts";
import { setEnding } from "../../workers/api/subscriptions/end.ts";
import { createSubscription, previewJoining } from "../../workers/api/subscriptions/join.ts";
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
  DAY_MS,
  fan,
  gateway,
  join,
  listen,
  now_ms,
  onlySubscription,
  rowsOf,
  run,
  subscriptionRow,
  switchCard,
  wait,
} from "./support/subscriptions.ts";

skipPauses();
beforeEach(() => beginAt("2038-03-10T03:00:00Z"));
afterEach(expectSoundLedger);

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
    await wait("2038-04-10T05:00:00Z");
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
    await wait("2038-04-10T05:00:00Z");
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
