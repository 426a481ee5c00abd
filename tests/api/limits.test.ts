import { beforeAll, describe, expect, test } from "vitest";
import { createEventComment, deleteEventComment } from "../../workers/api/comments/commands.ts";
import type { RequestContext } from "../../workers/api/http/request-context.ts";
import { createIntent, redeemIntent } from "../../workers/api/intents/commands.ts";
import { likeEvent } from "../../workers/api/likes/commands.ts";
import { likeOfuse, sendFreeOfuse } from "../../workers/api/ofuses/commands.ts";
import { follow, unfollow } from "../../workers/api/relationships/commands.ts";
import { reportEvent } from "../../workers/api/reports/commands.ts";
import type { DailyAct } from "../../workers/api/storage/limits.ts";
import { DAILY_ACTS, GUEST_LIKES_OF_AN_ADDRESS, YOUNG_ACCOUNT_DAYS } from "../../workers/contract/limits.ts";
import { startOfJapaneseDay } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, letterTo, NOW_MS } from "./support/context.ts";

test("three of twenty letters sent at once to one creator arrive", async () => {
  const [fan, creator] = [await addUser("eager_fan"), await addUser("eager_creator")];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () => sendFreeOfuse(contextOf(fan), letterTo(creator))),
  );
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "free_ofuse_limit_reached" });
  }
});

test("the limit counts days in Japan", async () => {
  const [fan, creator] = [await addUser("late_fan"), await addUser("late_creator")];
  const midnight = Date.UTC(2026, 10, 20, 15, 0, 0);
  expect(startOfJapaneseDay(midnight)).toBe(midnight);
  const before = contextOf(fan, { now_ms: midnight - 1000 });
  for (let sent = 0; sent < 3; sent++) await sendFreeOfuse(before, letterTo(creator));
  await expect(sendFreeOfuse(before, letterTo(creator))).rejects.toMatchObject({
    code: "free_ofuse_limit_reached",
    retry_after_s: 1,
  });
  await sendFreeOfuse(contextOf(fan, { now_ms: midnight }), letterTo(creator));
});

describe("a member's daily limit", () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const AT_ONCE = 60;
  /** Sixty people with a post each. */
  const people: { user_id: string; event_id: string }[] = [];
  let names = 0;
  const addNewcomer = () => addUser(`somebody_${names++}`);
  const olderThan = (ms: number) => ({ now_ms: NOW_MS + YOUNG_ACCOUNT_DAYS * DAY_MS + ms });

  beforeAll(async () => {
    for (let n = 0; n < AT_ONCE; n++) {
      people.push({ user_id: await addUser(`target_${n}`), event_id: newId(NOW_MS) });
    }
    await d1.batch(
      people.map(({ user_id, event_id }) =>
        d1
          .prepare(
            `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
             VALUES (?, ?, 'blog', 'x', 'x', 'x', 'published', 'public', ?, ?)`,
          )
          .bind(event_id, user_id, new Date(NOW_MS).toISOString(), new Date(NOW_MS).toISOString()),
      ),
    );
  });

  const targetOf = (n: number) => people[n % people.length] as (typeof people)[number];
  const acts: Record<DailyAct, (context: RequestContext, n: number) => Promise<unknown>> = {
    ofuse: (context, n) => sendFreeOfuse(context, letterTo(targetOf(n).user_id)),
    public_ofuse: (context, n) => sendFreeOfuse(context, { ...letterTo(targetOf(n).user_id), is_public: true }),
    follow: (context, n) => follow(context, targetOf(n).user_id),
    comment: (context, n) =>
      createEventComment(context, targetOf(n).event_id, { message: "すてきです", parent_comment_id: null }),
    like: (context, n) => likeEvent(context, targetOf(n).event_id, { is_liked: true }),
    report: (context, n) => reportEvent(context, targetOf(n).event_id, { reason: "others", detail: "" }),
  };
  const codeOf = (act: DailyAct) => `daily_${act}_limit_reached`;

  /** Writes the rows that `times` earlier acts would have left. */
  const insertActs = (act: DailyAct, who: string, times: number, now_ms: number) =>
    d1
      .prepare(
        `INSERT INTO limited_acts WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT ?, ?, 'filled ' || i FROM n WHERE ? > 0`,
      )
      .bind(times, `daily_${act} ${who}`, new Date(now_ms).toISOString(), times)
      .run();

  /** Runs the act sixty times at once. Returns how many succeeded and the codes of the refusals. */
  async function callAtOnce(act: DailyAct, contextAt: (n: number) => RequestContext) {
    const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, n) => acts[act](contextAt(n), n)));
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    return { done: outcomes.length - refusals.length, refusals };
  }

  test.each(Object.entries(DAILY_ACTS) as [DailyAct, { young: number; older: number }][])(
    "lets exactly as many of sixty parallel calls through as allowed: %s",
    async (act, { young, older }) => {
      for (const [times, options] of [
        [young, { now_ms: NOW_MS }],
        [older, olderThan(0)],
      ] as const) {
        const who = await addNewcomer();
        // Few enough to stay below the ten-minute limit on comments.
        const left = Math.min(times, 20);
        await insertActs(act, who, times - left, options.now_ms);
        const { done, refusals } = await callAtOnce(act, () => contextOf(who, options));
        expect(done).toBe(left);
        const retry_after_s = (startOfJapaneseDay(options.now_ms) + DAY_MS - options.now_ms) / 1000;
        for (const refusal of refusals) expect(refusal).toMatchObject({ code: codeOf(act), retry_after_s });
      }
    },
  );

  test("starts again at midnight in Japan", async () => {
    const who = await addNewcomer();
    const midnight = startOfJapaneseDay(NOW_MS) + DAY_MS;
    await insertActs("follow", who, DAILY_ACTS.follow.young, midnight - 1);
    const before = contextOf(who, { now_ms: midnight - 1 });
    await expect(acts.follow(before, 0)).rejects.toMatchObject({ code: codeOf("follow"), retry_after_s: 1 });
    await acts.follow(contextOf(who, { now_ms: midnight }), 0);
  });

  test("counts an act at midnight in Japan to the day that begins", async () => {
    const who = await addNewcomer();
    const midnight = startOfJapaneseDay(NOW_MS) + DAY_MS;
    await insertActs("follow", who, DAILY_ACTS.follow.young, midnight);
    const after = contextOf(who, { now_ms: midnight + 1 });
    await expect(acts.follow(after, 0)).rejects.toMatchObject({ code: codeOf("follow") });
  });

  test("rises on the account's eighth day, to the millisecond", async () => {
    const who = await addNewcomer();
    const [young, older] = [olderThan(-1), olderThan(0)];
    await insertActs("follow", who, DAILY_ACTS.follow.young, young.now_ms);
    await expect(acts.follow(contextOf(who, young), 0)).rejects.toMatchObject({ code: codeOf("follow") });
    await acts.follow(contextOf(who, older), 0);
  });

  test("does not count another member's acts", async () => {
    const [who, other] = [await addNewcomer(), await addNewcomer()];
    await insertActs("like", who, DAILY_ACTS.like.young, NOW_MS);
    await expect(acts.like(contextOf(who), 0)).rejects.toMatchObject({ code: codeOf("like") });
    await acts.like(contextOf(other), 0);
  });

  test("still allows private letters when no more public ones are allowed", async () => {
    const who = await addNewcomer();
    await insertActs("public_ofuse", who, DAILY_ACTS.public_ofuse.young, NOW_MS);
    await expect(acts.public_ofuse(contextOf(who), 0)).rejects.toMatchObject({ code: codeOf("public_ofuse") });
    await acts.ofuse(contextOf(who), 0);
  });

  test("always allows undoing, which frees no room, and does not count calls that change nothing", async () => {
    const who = await addNewcomer();
    await insertActs("follow", who, DAILY_ACTS.follow.young - 2, NOW_MS);
    const context = contextOf(who);
    for (let round = 0; round < 3; round++) await acts.follow(context, 0);
    await unfollow(context, targetOf(0).user_id);
    await acts.follow(context, 0);
    // The limit is reached. Following a creator again changes nothing and is still allowed.
    await acts.follow(context, 0);
    await expect(acts.follow(context, 1)).rejects.toMatchObject({ code: codeOf("follow") });
    await unfollow(context, targetOf(0).user_id);
    await expect(acts.follow(context, 0)).rejects.toMatchObject({ code: codeOf("follow") });

    await insertActs("like", who, DAILY_ACTS.like.young - 1, NOW_MS);
    for (let round = 0; round < 3; round++) await acts.like(context, 0);
    await likeEvent(context, targetOf(0).event_id, { is_liked: false });
    await expect(acts.like(context, 0)).rejects.toMatchObject({ code: codeOf("like") });

    await insertActs("comment", who, DAILY_ACTS.comment.young - 1, NOW_MS);
    const { comment } = await createEventComment(context, targetOf(0).event_id, {
      message: "消します",
      parent_comment_id: null,
    });
    await deleteEventComment(context, targetOf(0).event_id, comment.comment_id);
    await expect(acts.comment(context, 1)).rejects.toMatchObject({ code: codeOf("comment") });

    await insertActs("report", who, DAILY_ACTS.report.young - 1, NOW_MS);
    for (let round = 0; round < 3; round++) await acts.report(context, 0);
    await expect(acts.report(context, 1)).rejects.toMatchObject({ code: codeOf("report") });
  });

  test("counts likes of letters with other likes", async () => {
    const [fan, creator] = [await addNewcomer(), await addNewcomer()];
    const { ofuse } = await sendFreeOfuse(contextOf(fan), letterTo(creator));
    await insertActs("like", creator, DAILY_ACTS.like.young, NOW_MS);
    const context = contextOf(creator);
    await expect(likeOfuse(context, ofuse.ofuse_id, true)).rejects.toMatchObject({ code: codeOf("like") });
    await likeOfuse(context, ofuse.ofuse_id, false);
  });

  test("counts a follow that was kept during the sign-in", async () => {
    const who = await addNewcomer();
    const { intent_id, secret } = await createIntent(contextOf(null), {
      kind: "follow",
      following_id: targetOf(0).user_id,
    });
    await insertActs("follow", who, DAILY_ACTS.follow.young, NOW_MS);
    await expect(redeemIntent(contextOf(who), intent_id, secret)).rejects.toMatchObject({ code: codeOf("follow") });
  });

  describe("the daily limit without an account", () => {
    const visitorContext = (address_hash: string | null) => ({ ...contextOf(null), address_hash });
    const likeTarget = (context: RequestContext, n: number, guest_token?: string) =>
      likeEvent(context, targetOf(n).event_id, { is_liked: true, guest_token });

    test("allows a visitor as many likes as a new member", async () => {
      const { guest_token } = await likeTarget(visitorContext(null), 0);
      const guest = `guest-${guest_token?.split(".")[0]}`;
      await insertActs("like", guest, DAILY_ACTS.like.young - 3, NOW_MS);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, (_, n) => likeTarget(visitorContext(null), n + 1, guest_token ?? "")),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
      await likeEvent(visitorContext(null), targetOf(0).event_id, { is_liked: false, guest_token: guest_token ?? "" });
      await expect(likeTarget(visitorContext(null), 0, guest_token ?? "")).rejects.toMatchObject({
        code: codeOf("like"),
      });
    });

    test("is shared by all visitors at one address, however many cookies they have", async () => {
      const address = "a school";
      await insertActs("like", address, GUEST_LIKES_OF_AN_ADDRESS - 4, NOW_MS);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, (_, n) => likeTarget(visitorContext(address), n)),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
      await likeTarget(visitorContext("another"), 0);
    });
  });
});
