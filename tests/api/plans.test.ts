/** What plans show of accounts that are disabled, and of drafts, and whom their changes tell. docs/decisions/0029. */
import { beforeEach, expect, test } from "vitest";
import { listMembershipEvents } from "../../workers/api/events/queries.ts";
import { updateMembership } from "../../workers/api/memberships/commands.ts";
import {
  listForMembership,
  listOwnMemberships,
  listSubscribers,
  listSubscriptions,
} from "../../workers/api/memberships/queries.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

const page = { page_number: 1, page_size: 20 };
const run = (sql: string, ...values: unknown[]) =>
  d1
    .prepare(sql)
    .bind(...values)
    .run();

let creator: string;
let plan: string;
let people = 0;
beforeEach(async () => {
  people++;
  creator = await addUser(`planner_${people}`, { is_creator: 1 });
  plan = newId(NOW_MS);
  await run(
    `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at)
     VALUES (?, ?, 'アトリエ会員', '', 500, 'inactive', ?)`,
    plan,
    creator,
    isoTime(NOW_MS),
  );
});
const disable = (user_id: string, disabled_at: string | null = isoTime(NOW_MS)) =>
  run("UPDATE users SET disabled_at = ? WHERE user_id = ?", disabled_at, user_id);
const open = () =>
  run("UPDATE memberships SET active_state = 'active', published_at = created_at WHERE membership_id = ?", plan);

test("a disabled member is neither listed nor counted, and is both again when enabled", async () => {
  const [member, disabled] = [await addUser(`member_${people}`), await addUser(`disabled_member_${people}`)];
  for (const user_id of [member, disabled]) {
    await run(
      `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at)
       VALUES (?, ?, ?, 'active', ?, ?)`,
      newId(NOW_MS),
      plan,
      user_id,
      isoTime(NOW_MS + 86_400_000),
      isoTime(NOW_MS),
    );
  }
  const membersSeen = async () => {
    const [own, list] = await Promise.all([
      listOwnMemberships(contextOf(creator), creator),
      listSubscribers(contextOf(creator), plan, page),
    ]);
    return [own[0]?.members_count, list.subscriptions.length];
  };
  expect(await membersSeen()).toEqual([2, 2]);
  await disable(disabled);
  expect(await membersSeen()).toEqual([1, 1]);
  await disable(disabled, null);
  expect(await membersSeen()).toEqual([2, 2]);
});

test("the posts of a plan are listed for those who may see the plan", async () => {
  const other = await addUser(`visitor_${people}`);
  const listFor = (user_id: string | null) => {
    const context = contextOf(user_id);
    return listForMembership(context, plan, listMembershipEvents(context, plan, page)).then(
      () => "done",
      ({ code }) => code,
    );
  };
  const answers = async () => [await listFor(creator), await listFor(other), await listFor(null)];
  expect(await answers(), "a draft").toEqual(["done", "not_found", "not_found"]);
  await open();
  expect(await answers()).toEqual(["done", "done", "done"]);
  await run("UPDATE memberships SET active_state = 'inactive' WHERE membership_id = ?", plan);
  expect(await answers(), "a closed plan").toEqual(["done", "done", "done"]);
  await disable(creator);
  expect(await answers(), "a disabled creator").toEqual(["not_found", "not_found", "not_found"]);
});

test("closing or opening a plan several times at once tells its members once", async () => {
  await open();
  const change = (active_state: "active" | "inactive") =>
    Promise.allSettled(Array.from({ length: 12 }, () => updateMembership(contextOf(creator), plan, { active_state })));
  const told = async () => {
    const query = "SELECT kind FROM outbox WHERE payload ->> 'membership_id' = ? ORDER BY kind";
    return (await d1.prepare(query).bind(plan).all<{ kind: string }>()).results.map(({ kind }) => kind);
  };
  await change("inactive");
  expect(await told()).toEqual(["membership_closed"]);
  await change("active");
  expect(await told()).toEqual(["membership_closed", "membership_reopened"]);
});

test("a plan opens again three times a day, and can always be closed", async () => {
  await open();
  const change = (active_state: "active" | "inactive", hours = 0) =>
    updateMembership(contextOf(creator, { now_ms: NOW_MS + hours * 3_600_000 }), plan, { active_state });
  for (let times = 0; times < 3; times++) {
    await change("inactive");
    await change("active");
  }
  await change("inactive");
  await expect(change("active")).rejects.toMatchObject({ code: "too_many_requests", retry_after_s: 86_400 });
  expect((await change("active", 25)).active_state).toBe("active");
});

test("a person's plans are listed by state before they are cut into pages", async () => {
  const fan = await addUser(`many_plans_${people}`);
  let joined_ms = NOW_MS;
  const join = async (status: string, paid_until_ms: number, gateway_id: string | null = null) => {
    joined_ms++;
    const [membership_id, subscription_id] = [newId(joined_ms), newId(joined_ms)];
    await run(
      `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at)
       VALUES (?, ?, '席', '', 500, 'active', ?)`,
      membership_id,
      creator,
      isoTime(NOW_MS),
    );
    await run(
      `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, gateway_id, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      subscription_id,
      membership_id,
      fan,
      status,
      isoTime(paid_until_ms),
      gateway_id,
      isoTime(joined_ms),
    );
    return subscription_id;
  };
  const unpaid = await join("past_due", NOW_MS - 1000, `sub_${people}`);
  const unbilled = await join("past_due", NOW_MS - 1000);
  const readable = await join("canceled", NOW_MS + 1000);
  const active = await join("active", NOW_MS + 1000);
  for (let ended = 0; ended < 3; ended++) await join("canceled", NOW_MS);
  const listed = async (state?: "running" | "unpaid", page_number = 1) => {
    const { subscriptions, has_next } = await listSubscriptions(contextOf(fan), fan, {
      ...{ page_number, page_size: 3 },
      state,
    });
    return [...subscriptions.map(({ subscription_id }) => subscription_id), has_next];
  };
  expect(await listed("running")).toEqual([active, readable, unbilled, true]);
  expect(await listed("running", 2)).toEqual([unpaid, false]);
  expect(await listed("unpaid")).toEqual([unpaid, false]);
  expect(await listed()).toHaveLength(4);
});
