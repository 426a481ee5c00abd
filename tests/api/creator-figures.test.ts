/** A creator's figures: the outbox rolls them up, and they are what a count over the tables says. docs/decisions/0047. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { visitEvent } from "../../workers/api/events/commands.ts";
import { issueRefund, type Payment, receivePayment, splitPayment } from "../../workers/api/ledger/rules.ts";
import { findCreatorStats, findMembershipStats, recountFigures } from "../../workers/api/stats/queries.ts";
import { dayAfter, spansOf } from "../../workers/api/stats/rules.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchNew } from "../../workers/api/storage/outbox.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, dispatcherOf, NOW_MS } from "./support/context.ts";
import { post } from "./support/ledger.ts";
import { productOf } from "./support/product.ts";

const HOUR_MS = 3_600_000;
const TODAY = "2026-11-20";
const run = (sql: string, ...values: unknown[]) =>
  d1
    .prepare(sql)
    .bind(...values)
    .run();
const isoAt = (ms: number) => new Date(ms).toISOString();
const recount = () => recountFigures(openDatabase(d1), { after: "", last: "~", today: TODAY });
/** Only the rows of figures: other reactions need more than these tests have. */
const dispatchFigures = async (ids?: readonly string[]) => {
  const { results } = await d1
    .prepare("SELECT outbox_id FROM outbox WHERE processed_at IS NULL AND kind IN ('figure_changed', 'event_visited')")
    .all<{ outbox_id: string }>();
  const waiting = ids ?? results.map(({ outbox_id }) => outbox_id);
  for (let from = 0; from < waiting.length; from += 100) {
    await dispatchNew(dispatcherOf({ kinds_of_triggers: [] }), waiting.slice(from, from + 100));
  }
};

async function addPlan(user_id: string, amount: number): Promise<string> {
  const membership_id = newId(NOW_MS);
  await run(
    `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
     VALUES (?, ?, ?, '', ?, 'active', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
    membership_id,
    user_id,
    `${amount}円のプラン`,
    amount,
  );
  return membership_id;
}
async function addPost(user_id: string): Promise<string> {
  const event_id = newId(NOW_MS);
  await run(
    `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
     VALUES (?1, ?2, 'text', '題名', '', '', 'published', 'public', ?3, ?3)`,
    event_id,
    user_id,
    isoAt(NOW_MS - 48 * HOUR_MS),
  );
  return event_id;
}
const addAnonymousLetter = (from: string | null, to: string, at_ms: number, ofuse_id = newId(NOW_MS)) =>
  run(
    `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, is_anonymous, created_at)
     VALUES (?, ?, ?, 100, 'x', 0, 1, ?)`,
    ofuse_id,
    from,
    to,
    isoAt(at_ms),
  );
const addLetter = (from: string | null, to: string, at_ms: number, ofuse_id = newId(NOW_MS)) =>
  run(
    `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, created_at)
     VALUES (?, ?, ?, ?, 'x', 0, ?)`,
    ofuse_id,
    from,
    to,
    from === null ? 100 : 0,
    isoAt(at_ms),
  );
const join = (user_id: string, membership_id: string, at_ms: number, subscription_id = newId(NOW_MS)) =>
  run(
    `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at)
     VALUES (?, ?, ?, 'active', ?, ?)`,
    subscription_id,
    membership_id,
    user_id,
    isoAt(at_ms + 24 * HOUR_MS),
    isoAt(at_ms),
  );
const visit = (event_id: string, browser: string, referrer: string, now_ms = NOW_MS) =>
  visitEvent(contextOf(null, { now_ms }), event_id, { visit_id: browser, referrer });

test("a HEAD counts no visit", async () => {
  const event_id = await addPost(await addUser("looked_at", { is_creator: 1 }));
  const path = `/v4/events/${event_id}/visit?visit_id=browser`;
  const { ask } = productOf();
  const countVisits = () =>
    d1.prepare("SELECT COUNT(*) AS n FROM event_visits WHERE event_id = ?").bind(event_id).first("n");
  expect([(await ask({ method: "HEAD", path })).status, await countVisits()]).toEqual([200, 0]);
  expect([(await ask({ method: "GET", path })).json, await countVisits()]).toEqual([{ is_counted: true }, 1]);
});

test("a visit to a post of a disabled creator is not found and not counted", async () => {
  const writer = await addUser("disabled_writer", { is_creator: 1 });
  const event_id = await addPost(writer);
  await run("UPDATE users SET disabled_at = ? WHERE user_id = ?", isoAt(NOW_MS), writer);
  await expect(visit(event_id, "browser", "")).rejects.toMatchObject({ code: "not_found" });
  const visits = d1.prepare("SELECT COUNT(*) AS n FROM event_visits WHERE event_id = ?");
  expect(await visits.bind(event_id).first("n")).toBe(0);
});

/** Returns numbers below a bound, the same for the same seed. */
function newDraw(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

test.each([1, 2])(
  "seed %i: after acts in any order, dispatched twice and reordered, a recount agrees",
  async (seed) => {
    const draw = newDraw(seed);
    const creator = await addUser(`counted_${seed}`, { is_creator: 1 });
    const fans = await Promise.all(Array.from({ length: 6 }, (_, n) => addUser(`counter_${seed}_${n}`)));
    const plans = [await addPlan(creator, 500), await addPlan(creator, 1500)];
    const posts = [await addPost(creator), await addPost(creator)];
    const pick = <T>(list: readonly T[]): T => list[draw(list.length)] as T;
    const letters: string[] = [];
    const payments: Payment[] = [];
    const acts: ((at_ms: number) => Promise<unknown>)[] = [
      async (at_ms) => {
        const ofuse_id = newId(NOW_MS);
        letters.push(ofuse_id);
        const add = draw(3) === 0 ? addAnonymousLetter : addLetter;
        await add(draw(4) === 0 ? null : pick(fans), creator, at_ms, ofuse_id);
      },
      async () => run("DELETE FROM ofuses WHERE ofuse_id = ?", letters.splice(draw(letters.length), 1)[0] ?? ""),
      async (at_ms) =>
        run("INSERT INTO relationships VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING", pick(fans), creator, isoAt(at_ms)),
      async () => run("DELETE FROM relationships WHERE follower_id = ?", pick(fans)),
      async (at_ms) => join(pick(fans), pick(plans), at_ms),
      async () =>
        run(
          "UPDATE subscriptions SET status = 'canceled' WHERE rowid = (SELECT rowid FROM subscriptions WHERE membership_id = ? LIMIT 1)",
          pick(plans),
        ),
      async () => run("UPDATE subscriptions SET membership_id = ? WHERE user_id = ?", pick(plans), pick(fans)),
      async () => run("DELETE FROM subscriptions WHERE user_id = ?", pick(fans)),
      async (at_ms) =>
        visit(pick(posts), `b${draw(9)}`, pick(["", "a.example", "WWW.B.example:8080", "<script>"]), at_ms),
      async (at_ms) => {
        const kind = pick(["membership", "comment_support"] as const);
        const names = { kind, cause_id: newId(NOW_MS), creator_id: creator, campaign_id: null };
        const payment = { ...names, ...splitPayment(100 + draw(5000)) };
        payments.push(payment);
        await post(receivePayment(payment), at_ms);
      },
      async (at_ms) => {
        const [payment] = payments.splice(draw(payments.length), 1);
        if (payment) await post(issueRefund({ payment, from: "creator_pending", cause_id: newId(NOW_MS) }), at_ms);
      },
    ];
    for (let step = 0; step < 90; step += 1) {
      await pick(acts)(NOW_MS - draw(60 * 24) * HOUR_MS);
      if (draw(12) > 0) continue;
      const { results } = await d1
        .prepare(
          "SELECT outbox_id FROM outbox WHERE kind IN ('figure_changed', 'event_visited') ORDER BY random() LIMIT 8",
        )
        .all<{ outbox_id: string }>();
      const some = results.map(({ outbox_id }) => outbox_id);
      await Promise.all([dispatchFigures(some.slice(0, 5)), dispatchFigures(some)]);
      // As after a crash between the reaction and marking the row.
      await run("UPDATE outbox SET processed_at = NULL, attempts = 0 WHERE outbox_id = ?", some[0]);
    }
    expect(await recount(), "waiting rows count with the figures").toEqual([]);
    await dispatchFigures();
    await run("UPDATE outbox SET processed_at = NULL, attempts = 0");
    await Promise.all([dispatchFigures(), dispatchFigures()]);
    expect(await recount()).toEqual([]);
    // The database says when a person moved between plans, by its own clock.
    const ever = { start_date: "2026-01-01", end_date: "2099-12-31" };
    const { totals } = await findMembershipStats(contextOf(creator), ever, "month");
    const live = await d1
      .prepare(
        `SELECT COUNT(*) AS n, coalesce(SUM(amount), 0) AS yen FROM subscriptions JOIN memberships USING (membership_id)
       WHERE memberships.user_id = ? AND status <> 'canceled'`,
      )
      .bind(creator)
      .first<{ n: number; yen: number }>();
    expect([totals.kept_count, totals.monthly_value]).toEqual([live?.n, live?.yen]);
    await run(
      "UPDATE creator_figures SET count = count + 1 WHERE user_id = ? AND measure = 'letters' AND grain = 'day'",
      creator,
    );
    const found = await recount();
    expect(found.map(({ measure }) => measure)).toContain("letters");
    await run(
      "UPDATE creator_figures SET count = count - 1 WHERE user_id = ? AND measure = 'letters' AND grain = 'day'",
      creator,
    );
  },
);

test("days are those of Japan, and each period is shown beside the one before", async () => {
  const [creator, fan] = [await addUser("figured", { is_creator: 1 }), await addUser("figured_fan")];
  const midnight = Date.UTC(2026, 10, 17, 15);
  await addLetter(fan, creator, midnight - 1);
  await addLetter(fan, creator, midnight);
  await addLetter(null, creator, midnight - 7 * 24 * HOUR_MS);
  await dispatchFigures();
  const days = { start_date: "2026-11-14", end_date: TODAY };
  const { periods, totals, previous } = await findCreatorStats(contextOf(creator), days, "day");
  const lettersOf = (day: string) => periods.find(({ start_date }) => start_date === day)?.figures.letters_count;
  expect(["2026-11-17", "2026-11-18", "2026-11-19"].map(lettersOf)).toEqual([1, 1, 0]);
  expect([totals.letters_count, totals.supporters_count]).toEqual([2, 1]);
  expect(previous).toMatchObject({ start_date: "2026-11-07", end_date: "2026-11-13", totals: { letters_count: 1 } });
  expect(periods[4]?.previous).toMatchObject({ start_date: "2026-11-11", figures: { letters_count: 1 } });
});

const supportersByDay = async (creator: string) => {
  const days = { start_date: "2026-11-11", end_date: TODAY };
  const { periods } = await findCreatorStats(contextOf(creator), days, "day");
  return periods.flatMap(({ start_date, figures }) =>
    figures.supporters_count > 0 ? [[start_date, figures.supporters_count]] : [],
  );
};
const dayOf = (day: number) => Date.UTC(2026, 10, day);

test("an anonymous letter makes no supporter, and the first signed letter does", async () => {
  const [creator, fan] = [await addUser("unsigned", { is_creator: 1 }), await addUser("unsigned_fan")];
  await addAnonymousLetter(fan, creator, dayOf(12));
  const claimed = newId(NOW_MS);
  await addAnonymousLetter(null, creator, dayOf(13), claimed);
  await run("UPDATE ofuses SET sender_user_id = ? WHERE ofuse_id = ?", fan, claimed);
  await dispatchFigures();
  expect(await supportersByDay(creator)).toEqual([]);
  await addLetter(fan, creator, dayOf(16));
  await addAnonymousLetter(fan, creator, dayOf(17));
  await dispatchFigures();
  expect(await supportersByDay(creator)).toEqual([["2026-11-16", 1]]);
});

test("a migration moves supporters from their anonymous letter to their first signed support", async () => {
  const creator = await addUser("resigned", { is_creator: 1 });
  const plan = await addPlan(creator, 500);
  const names = ["only_unsigned", "signed_later", "joined_later", "signed_first", "signed_at_once"];
  const fans = await Promise.all(names.map((name) => addUser(name)));
  const [only_unsigned = "", signed_later = "", joined_later = "", signed_first = "", signed_at_once = ""] = fans;
  await addLetter(signed_first, creator, dayOf(11));
  await addAnonymousLetter(signed_first, creator, dayOf(12));
  await addLetter(signed_at_once, creator, dayOf(13));
  await addAnonymousLetter(signed_at_once, creator, dayOf(13));
  for (const fan of [only_unsigned, signed_later, joined_later]) {
    await addAnonymousLetter(fan, creator, dayOf(12));
    // As the triggers before the migration wrote it.
    await run("INSERT INTO supporters VALUES (?, ?, ?)", creator, fan, isoAt(dayOf(12)));
  }
  await addLetter(signed_later, creator, dayOf(16));
  await join(joined_later, plan, dayOf(17));
  await addLetter(joined_later, creator, dayOf(18));
  await dispatchFigures();
  const others = [
    ["2026-11-11", 1],
    ["2026-11-13", 1],
  ];
  expect(await supportersByDay(creator)).toEqual([others[0], ["2026-11-12", 3], others[1]]);
  const { queries = [] } = env.TEST_MIGRATIONS.find(({ name }) => name.startsWith("0076_")) ?? {};
  for (let times = 0; times < 2; times += 1) {
    await d1.batch(queries.map((query) => d1.prepare(query)));
    await dispatchFigures();
    expect(await supportersByDay(creator)).toEqual([...others, ["2026-11-16", 1], ["2026-11-17", 1]]);
  }
  expect(await recount()).toEqual([]);
});

test("the most read posts come first, and a host that few came from is not named", async () => {
  const creator = await addUser("referred", { is_creator: 1 });
  const [first, second] = [await addPost(creator), await addPost(creator)];
  for (const n of [1, 2, 3]) await visit(second, `s${n}`, "www.search.example");
  await visit(second, "s1", "again.example");
  await visit(first, "f1", "rare.example");
  for (const [n, hostile] of ["a".repeat(253), "<img src=x>", "日本.example", "=1+1", "127.0.0.1"].entries()) {
    await visit(first, `h${n}`, hostile);
  }
  await dispatchFigures();
  const days = { start_date: TODAY, end_date: TODAY };
  const { best_events, referrers, totals } = await findCreatorStats(contextOf(creator), days, "day");
  expect(best_events.map(({ event_id, reads_count }) => [event_id, reads_count])).toEqual([
    [first, 6],
    [second, 3],
  ]);
  expect(totals.reads_count).toBe(9);
  expect(referrers).toEqual([
    { kind: "direct", host: null, reads_count: 5 },
    { kind: "host", host: "search.example", reads_count: 3 },
    { kind: "others", host: null, reads_count: 1 },
  ]);
  const { results } = await d1
    .prepare("SELECT payload FROM outbox WHERE kind = 'event_visited'")
    .all<{ payload: string }>();
  expect(results.filter(({ payload }) => payload.includes("visit_id"))).toEqual([]);
});

test("a script that invents hosts adds no more than fifty a day", async () => {
  const creator = await addUser("invented", { is_creator: 1 });
  const event_id = await addPost(creator);
  for (let n = 0; n < 55; n += 1) await visit(event_id, `i${n}`, `host${n}.example`);
  await dispatchFigures();
  const { results } = await d1
    .prepare("SELECT subject, count FROM creator_figures WHERE user_id = ? AND measure = 'referrers' AND grain = 'day'")
    .bind(creator)
    .all<{ subject: string; count: number }>();
  expect([results.length, results.find(({ subject }) => subject === "*")?.count]).toEqual([51, 5]);
});

test("nothing is counted for a person who has left", async () => {
  const [creator, fan] = [await addUser("left_figures", { is_creator: 1 }), await addUser("left_figures_fan")];
  await addLetter(fan, creator, NOW_MS);
  await run("UPDATE users SET left_at = ? WHERE user_id = ?", isoAt(NOW_MS), creator);
  await dispatchFigures();
  expect(await d1.prepare("SELECT COUNT(*) AS n FROM creator_figures WHERE user_id = ?").bind(creator).first("n")).toBe(
    0,
  );
});

test("the rows of a range add up to its days, and are never more than them", () => {
  const lastOfMonth = (month: string) => dayAfter(`${dayAfter(`${month}-28`, 4).slice(0, 7)}-01`, -1);
  const daysOf = (first: string, last: string) => {
    const days: string[] = [];
    for (let day = first; day <= last; day = dayAfter(day, 1)) days.push(day);
    return days;
  };
  for (let start = 0; start < 366; start += 5) {
    for (const length of [1, 2, 7, 16, 28, 30, 31, 45, 61, 200, 366, 731]) {
      const start_date = dayAfter("2027-12-01", start);
      const end_date = dayAfter(start_date, length - 1);
      const times = new Map<string, number>();
      let rows = 0;
      for (const { grain, first, last, sign } of spansOf({ start_date, end_date })) {
        const days = grain === "day" ? daysOf(first, last) : daysOf(`${first}-01`, lastOfMonth(last));
        for (const day of days) times.set(day, (times.get(day) ?? 0) + sign);
        rows += grain === "day" ? days.length : new Set(days.map((day) => day.slice(0, 7))).size;
      }
      const counted = [...times].filter(([, count]) => count !== 0);
      expect(counted.every(([, count]) => count === 1)).toBe(true);
      expect(counted.map(([day]) => day).sort()).toEqual(daysOf(start_date, end_date));
      expect(rows).toBeLessThanOrEqual(length);
    }
  }
});
