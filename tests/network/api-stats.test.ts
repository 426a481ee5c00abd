/** A creator's statistics over HTTP: from what fans do, through the outbox, to the figures. */
import { expect, test } from "vitest";
import { visitEvent } from "../../workers/contract/events.ts";
import { sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { getCreatorStats, getMembershipStats } from "../../workers/contract/stats.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { freshCreator, freshMember, signIn } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, refused } from "./support/calls.ts";
import { insertPost } from "./support/posts.ts";

test("a creator sees the letters, followers and readers of today; nobody else's figures change", async () => {
  const [creator, fan] = await Promise.all([freshCreator("数える人"), freshMember("数えられる人")]);
  const { token } = creator;
  await ask(updateProfile, { token, body: { accepts_free_ofuses: true } });
  const event_id = await insertPost(creator);
  const receiver_user_id = creator.user.user_id;
  await ask(follow, { token: fan.token, body: { following_id: receiver_user_id } });
  await ask(sendFreeOfuse, { token: fan.token, body: { receiver_user_id, message: "こんにちは" } });
  const query = { visit_id: crypto.randomUUID(), referrer: "search.example" };
  await ask(visitEvent, { params: { event_id }, query });
  const stats = await waitUntil(async () => {
    const found = await ask(getCreatorStats, { token });
    expect(found.totals).toMatchObject({ letters_count: 1, supporters_count: 1, followers_count: 1, reads_count: 1 });
    return found;
  });
  expect(stats.periods).toHaveLength(28);
  expect(stats.best_events).toMatchObject([{ event_id, reads_count: 1 }]);
  expect(stats.referrers).toEqual([{ kind: "others", host: null, reads_count: 1 }]);
  const others = await ask(getCreatorStats, { token: fan.token });
  expect(others.totals).toMatchObject({ letters_count: 0, followers_count: 0, reads_count: 0 });
});

test("the plans of the demo world have people who joined and stayed", async () => {
  const token = await signIn("natsume");
  const { periods, plans, totals } = await ask(getMembershipStats, { token });
  expect(periods).toHaveLength(12);
  expect(totals.kept_count).toBe(periods.at(-1)?.kept_count);
  expect(plans.reduce((sum, { monthly_value }) => sum + monthly_value, 0)).toBe(totals.monthly_value);
  expect(totals.joined_count).toBeGreaterThan(0);
});

test("days that are not right are refused by name", async () => {
  const token = await signIn("natsume");
  const wrong: [query: Record<string, string>, field: string][] = [
    [{ start_date: "2026-11-01" }, "end_date"],
    [{ start_date: "2026-11-02", end_date: "2026-11-01" }, "end_date"],
    [{ start_date: "2025-01-01", end_date: "2026-11-01", agg_period: "month" }, "end_date"],
    [{ start_date: "2026-01-01", end_date: "2026-11-01", agg_period: "day" }, "agg_period"],
    [{ agg_period: "never" }, "agg_period"],
    [{ start_date: "1999-12-31", end_date: "2000-01-02" }, "start_date"],
  ];
  for (const [query, field] of wrong) {
    for (const operation of [getCreatorStats, getMembershipStats]) {
      const { errors } = await refused(operation, "validation_failed", { token, query });
      expect(Object.keys(errors ?? {}), JSON.stringify(query)).toEqual([field]);
    }
  }
  await refused(getCreatorStats, "registration_required", { token: await signIn("fan_new") });
});
