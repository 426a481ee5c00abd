import { expect, test } from "vitest";
import { publishDue } from "../../workers/api/events/commands.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox, dispatchUntried } from "../../workers/api/storage/outbox.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, d1, dispatcherOf, NOW_MS } from "./support/context.ts";

const database = openDatabase(d1);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const toIsoTime = (ms: number) => new Date(ms).toISOString();

/**
 * Simulates a scheduled run that has read the due posts, and runs `meanwhile` (by default another run) before it
 * writes.
 */
function runOverlappingTicks(now_ms: number, meanwhile: () => Promise<unknown> = () => tickAt(now_ms)): Promise<void> {
  const slow: D1Database = Object.assign(Object.create(d1), {
    prepare: d1.prepare.bind(d1),
    async batch(statements: D1PreparedStatement[]) {
      await meanwhile();
      return d1.batch(statements);
    },
  });
  return publishDue({ d1: slow, database, now_ms });
}
const tickAt = (now_ms: number) => publishDue({ d1, database, now_ms });
const dispatcher = dispatcherOf();
async function dispatchAll(): Promise<void> {
  await dispatchOutbox(dispatcher);
  while (await dispatchUntried(dispatcher));
}

async function addPost(user_id: string, columns: Record<string, string | null> = {}): Promise<string> {
  const row = {
    event_id: newId(NOW_MS),
    user_id,
    kind: "blog",
    title: "題",
    lead: "",
    body: "",
    status: "published",
    publish_target_type: "public",
    published_at: columns.status && columns.status !== "published" ? null : toIsoTime(NOW_MS),
    created_at: toIsoTime(NOW_MS),
    ...columns,
  };
  const names = Object.keys(row);
  await d1
    .prepare(`INSERT INTO events (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
    .bind(...Object.values(row))
    .run();
  return row.event_id;
}
const schedulePost = (user_id: string, publish_at_ms: number, columns = {}) =>
  addPost(user_id, { status: "publish_pending", publish_at: toIsoTime(publish_at_ms), ...columns });

const stateOf = (event_id: string) =>
  d1.prepare("SELECT status, publish_at, published_at FROM events WHERE event_id = ?").bind(event_id).first();

async function countAnnouncements(event_id: string): Promise<number> {
  const row = await d1
    .prepare(
      "SELECT COUNT(*) AS n FROM outbox WHERE kind = 'event_published' AND payload ->> 'event_id' = ? AND payload -> 'after' = 'null'",
    )
    .bind(event_id)
    .first<{ n: number }>();
  return row?.n ?? -1;
}

/** Adds followers, an hour apart. Returns their ids, last to follow first. */
async function addFollowers(following_id: string, number: number): Promise<string[]> {
  const ids = Array.from({ length: number }, () => newId(NOW_MS));
  const json = JSON.stringify(ids);
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO users (user_id, identity_id, link_id, name, created_at)
         SELECT value, value, 'f_' || substr(value, 1, 30), 'ファン', ? FROM json_each(?)`,
      )
      .bind(toIsoTime(NOW_MS), json),
    // Ten people follow at the same moment.
    d1
      .prepare(
        `INSERT INTO relationships (follower_id, following_id, created_at)
         SELECT value, ?, strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', (key / 10) || ' hours') FROM json_each(?)`,
      )
      .bind(following_id, json),
  ]);
  return ids;
}

async function readNotified(event_id: string): Promise<string[]> {
  const { results } = await d1
    .prepare("SELECT user_id FROM notifications WHERE type = 'event_created' AND path LIKE '%/' || ? ORDER BY user_id")
    .bind(event_id)
    .all<{ user_id: string }>();
  return results.map(({ user_id }) => user_id);
}

test("due posts are published with their planned time; others wait", async () => {
  const writer = await addUser("clock_a", { is_creator: 1 });
  const due = await schedulePost(writer, NOW_MS);
  const later = await schedulePost(writer, NOW_MS + 1);
  await tickAt(NOW_MS);
  expect(await stateOf(due)).toEqual({ status: "published", publish_at: null, published_at: toIsoTime(NOW_MS) });
  expect(await stateOf(later)).toMatchObject({ status: "publish_pending", published_at: null });
  expect([await countAnnouncements(due), await countAnnouncements(later)]).toEqual([1, 0]);
});

test("overlapping runs publish once and notify once", async () => {
  const writer = await addUser("clock_b", { is_creator: 1 });
  const [follower = ""] = await addFollowers(writer, 1);
  const events: string[] = [];
  // More posts than one batch holds.
  for (let n = 0; n < 55; n++) events.push(await schedulePost(writer, NOW_MS - n * 1000));
  await runOverlappingTicks(NOW_MS);
  for (const event_id of events) expect(await countAnnouncements(event_id)).toBe(1);
  await Promise.all([dispatchAll(), dispatchAll()]);
  for (const event_id of events) expect(await readNotified(event_id)).toEqual([follower]);
});

test("a post that its writer withdraws during the run is not published, and nobody is notified", async () => {
  const writer = await addUser("clock_o", { is_creator: 1 });
  const event_id = await schedulePost(writer, NOW_MS);
  await runOverlappingTicks(NOW_MS, () =>
    d1.prepare("UPDATE events SET status = 'private', publish_at = NULL WHERE event_id = ?").bind(event_id).run(),
  );
  expect(await stateOf(event_id)).toEqual({ status: "private", publish_at: null, published_at: null });
  expect(await countAnnouncements(event_id)).toBe(0);
});

test("after a day without runs, all due posts are published once, with their planned times", async () => {
  const writer = await addUser("clock_c", { is_creator: 1 });
  const moments = [23, 17, 9, 1].map((hours) => NOW_MS - hours * HOUR_MS);
  const events = await Promise.all(moments.map((moment) => schedulePost(writer, moment)));
  const tomorrow = await schedulePost(writer, NOW_MS + HOUR_MS);
  await tickAt(NOW_MS);
  await tickAt(NOW_MS);
  for (const [index, event_id] of events.entries()) {
    expect(await stateOf(event_id)).toMatchObject({
      status: "published",
      published_at: toIsoTime(moments[index] ?? 0),
    });
    expect(await countAnnouncements(event_id)).toBe(1);
  }
  expect(await stateOf(tomorrow)).toMatchObject({ status: "publish_pending" });
});

test("a republished post keeps its first date when it is scheduled again", async () => {
  const writer = await addUser("clock_d", { is_creator: 1 });
  const event_id = await schedulePost(writer, NOW_MS, { published_at: toIsoTime(NOW_MS - 5 * HOUR_MS) });
  await tickAt(NOW_MS);
  expect(await stateOf(event_id)).toMatchObject({ status: "published", published_at: toIsoTime(NOW_MS - 5 * HOUR_MS) });
});

test("a scheduled post that was first published more than 90 days ago notifies nobody", async () => {
  const writer = await addUser("clock_old", { is_creator: 1 });
  const DAY_MS = 24 * HOUR_MS;
  const scheduleAgain = (days: number) =>
    schedulePost(writer, NOW_MS, { published_at: toIsoTime(NOW_MS - days * DAY_MS) });
  const [old, recent] = [await scheduleAgain(90), await scheduleAgain(89)];
  await tickAt(NOW_MS);
  expect(await stateOf(old)).toMatchObject({ status: "published", published_at: toIsoTime(NOW_MS - 90 * DAY_MS) });
  expect([await countAnnouncements(old), await countAnnouncements(recent)]).toEqual([0, 1]);
});

test("a clock ahead of the database's publishes nothing early", async () => {
  const writer = await addUser("clock_e", { is_creator: 1 });
  const event_id = await schedulePost(writer, Date.now() + 24 * HOUR_MS);
  await tickAt(Date.now() + 48 * HOUR_MS);
  expect(await stateOf(event_id)).toMatchObject({ status: "publish_pending" });
});

test("a disabled account's posts wait and do not delay others", async () => {
  const disabled = await addUser("clock_f", { is_creator: 1 });
  const writer = await addUser("clock_g", { is_creator: 1 });
  await d1.prepare("UPDATE users SET disabled_at = ? WHERE user_id = ?").bind(toIsoTime(NOW_MS), disabled).run();
  for (let n = 0; n < 60; n++) await schedulePost(disabled, NOW_MS - HOUR_MS);
  const event_id = await schedulePost(writer, NOW_MS);
  await tickAt(NOW_MS);
  expect(await stateOf(event_id)).toMatchObject({ status: "published" });
  const left = await d1
    .prepare("SELECT COUNT(*) AS n FROM events WHERE user_id = ? AND status = 'publish_pending'")
    .bind(disabled)
    .first();
  expect(left).toEqual({ n: 60 });
});

const announcePost = (event_id: string) =>
  d1
    .prepare("INSERT INTO outbox (outbox_id, kind, payload, created_at) VALUES (?, 'event_published', ?, ?)")
    .bind(newId(NOW_MS), JSON.stringify({ event_id, fan_out_id: newId(NOW_MS), after: null }), toIsoTime(NOW_MS))
    .run();

test("each of twelve hundred followers is notified once, in batches, whichever run dispatches and however often", async () => {
  const writer = await addUser("clock_h", { is_creator: 1 });
  const followers = await addFollowers(writer, 1203);
  const event_id = await addPost(writer);
  await announcePost(event_id);
  await dispatchOutbox(dispatcher);
  expect(await readNotified(event_id)).toHaveLength(500);
  await Promise.all([dispatchAll(), dispatchAll()]);
  expect(await readNotified(event_id)).toEqual(followers.toSorted());
  // As after a crash between the reaction and marking the row.
  await d1.prepare("UPDATE outbox SET processed_at = NULL WHERE kind = 'event_published'").run();
  await dispatchAll();
  await announcePost(event_id);
  await dispatchAll();
  expect(await readNotified(event_id)).toHaveLength(1203);
  const rows = await d1
    .prepare("SELECT COUNT(*) AS n FROM outbox WHERE kind = 'event_published' AND payload ->> 'event_id' = ?")
    .bind(event_id)
    .first<{ n: number }>();
  // Three rows for each of the two publications, and no row for the repeats.
  expect(rows?.n).toBe(6);
});

test("a withdrawn post is notified to no further followers", async () => {
  const writer = await addUser("clock_i", { is_creator: 1 });
  await addFollowers(writer, 600);
  const event_id = await addPost(writer);
  await announcePost(event_id);
  await dispatchOutbox(dispatcher);
  await d1.prepare("UPDATE events SET status = 'private' WHERE event_id = ?").bind(event_id).run();
  await dispatchAll();
  expect(await readNotified(event_id)).toHaveLength(500);
});

test("members who turned the news off, blocked the writer or were blocked get no notification", async () => {
  const writer = await addUser("clock_j", { is_creator: 1 });
  const [heard = "", quiet = "", blocked = "", blocking = ""] = await addFollowers(writer, 4);
  const runSql = (sql: string, ...values: string[]) =>
    d1
      .prepare(sql)
      .bind(...values)
      .run();
  await runSql("UPDATE relationships SET receives_notifications = 0 WHERE follower_id = ?", quiet);
  // The follow is still there: a block normally ends it, but an outbox row may be older than the block.
  await runSql("INSERT INTO blocks VALUES (?, ?, '2026-01-01')", writer, blocked);
  await runSql("INSERT INTO blocks VALUES (?, ?, '2026-01-01')", blocking, writer);
  await d1.batch(
    [blocked, blocking].map((id) =>
      d1
        .prepare(
          "INSERT OR IGNORE INTO relationships (follower_id, following_id, created_at) VALUES (?, ?, '2026-01-01')",
        )
        .bind(id, writer),
    ),
  );
  for (const publish_target_type of ["public", "fans"]) {
    const event_id = await addPost(writer, { publish_target_type });
    await announcePost(event_id);
    await dispatchAll();
    expect(await readNotified(event_id)).toEqual([heard]);
  }
});

test("exactly the members who pay for a post's plan are notified of it, followers or not", async () => {
  const writer = await addUser("clock_k", { is_creator: 1 });
  const [follower = "", quiet = ""] = await addFollowers(writer, 2);
  const [member, lapsed, other] = [await addUser("clock_l"), await addUser("clock_m"), await addUser("clock_n")];
  const [blocked, blocking] = [await addUser("clock_blocked"), await addUser("clock_blocking")];
  const [plan, another] = [newId(NOW_MS), newId(NOW_MS)];
  const now = toIsoTime(NOW_MS);
  for (const id of [plan, another])
    await d1
      .prepare(
        "INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at) VALUES (?, ?, 'p', '', 500, 'active', ?)",
      )
      .bind(id, writer, now)
      .run();
  const addSubscription = (user_id: string, membership_id: string, paid_until_ms: number) =>
    d1
      .prepare(
        "INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at) VALUES (?, ?, ?, 'active', ?, ?)",
      )
      .bind(newId(NOW_MS), membership_id, user_id, toIsoTime(paid_until_ms), now)
      .run();
  await addSubscription(member, plan, NOW_MS + HOUR_MS);
  await addSubscription(quiet, plan, NOW_MS + HOUR_MS);
  await addSubscription(lapsed, plan, NOW_MS - HOUR_MS);
  await addSubscription(other, another, NOW_MS + HOUR_MS);
  const block = d1.prepare("INSERT INTO blocks VALUES (?, ?, '2026-01-01')");
  await d1.batch([block.bind(writer, blocked), block.bind(blocking, writer)]);
  for (const user_id of [blocked, blocking]) await addSubscription(user_id, plan, NOW_MS + HOUR_MS);
  await d1.prepare("UPDATE relationships SET receives_notifications = 0 WHERE follower_id = ?").bind(quiet).run();
  const event_id = await addPost(writer, {
    publish_target_type: "memberships",
    publish_target_membership_id: plan,
  });
  await announcePost(event_id);
  await dispatchAll();
  expect(await readNotified(event_id)).toEqual([member]);
  expect(await readNotified(event_id)).not.toContain(follower);
});

test("a scheduled run does not publish a public post with a paywall line", async () => {
  const user_id = await addUser("line_for_all");
  const due = NOW_MS - HOUR_MS;
  const behind_line = await schedulePost(user_id, due, { lead_is_free: "1" });
  const for_fans = await schedulePost(user_id, due, { lead_is_free: "1", publish_target_type: "fans" });
  await tickAt(NOW_MS);
  expect(await stateOf(behind_line)).toMatchObject({ status: "publish_pending" });
  expect(await stateOf(for_fans)).toMatchObject({ status: "published" });
});
