import { expect, test } from "vitest";
import { recordStatements, type Statement } from "../../scripts/bench/plans.ts";
import { listFollowingActivities } from "../../workers/api/activities/queries.ts";
import { createBlock } from "../../workers/api/blocks/commands.ts";
import { listFollowedEvents } from "../../workers/api/events/queries.ts";
import { listReceivedNewsletters } from "../../workers/api/newsletters/queries.ts";
import { unfollow } from "../../workers/api/relationships/commands.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

interface Post {
  event_id: string;
  user_id: string;
  status: "published" | "private" | "publish_pending";
  published_at: string;
}

/** Returns a generator of numbers from 0 to 1, the same for the same seed. */
function newDraw(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

async function insertRows(sql: string, rows: unknown[][]): Promise<void> {
  if (rows.length > 0) await d1.batch(rows.map((row) => d1.prepare(sql).bind(...row)));
}

const storePosts = (posts: Post[]) =>
  insertRows(
    `INSERT INTO events (event_id, user_id, status, published_at, publish_at, created_at, kind, title, lead, body, publish_target_type)
     VALUES (?1, ?2, ?3, ?4, ?4, ?4, 'text', '題', '', '', 'public')`,
    posts.map(({ event_id, user_id, status, published_at }) => [event_id, user_id, status, published_at]),
  );

const storeFollows = (fan: string, authors: string[]) =>
  insertRows(
    "INSERT INTO relationships (follower_id, following_id, created_at) VALUES (?, ?, ?)",
    authors.map((author) => [fan, author, new Date(NOW_MS).toISOString()]),
  );

/** Adds two plans of the author. The fan pays for both until the given moment. */
async function storeSubscriptions(fan: string, author: string, paid_until_ms: number): Promise<void> {
  const now = new Date(NOW_MS).toISOString();
  for (const membership_id of [newId(NOW_MS), newId(NOW_MS)]) {
    await insertRows(
      "INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at) VALUES (?, ?, 'プラン', '', 500, 'active', ?)",
      [[membership_id, author, now]],
    );
    await insertRows(
      "INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at) VALUES (?, ?, ?, 'active', ?, ?)",
      [[newId(NOW_MS), membership_id, fan, new Date(paid_until_ms).toISOString(), now]],
    );
  }
}

/** Returns the timeline by its definition: all posts, sorted. */
function defineTimeline(posts: Post[], authors: string[]): string[] {
  return posts
    .filter(({ user_id, status }) => status === "published" && authors.includes(user_id))
    .sort((a, b) => (a.published_at + a.event_id < b.published_at + b.event_id ? 1 : -1))
    .map(({ event_id }) => event_id);
}

/** Reads the timeline page by page to its end. */
async function readTimeline(fan: string, filter: "all" | "subscribing", page_size: number): Promise<string[]> {
  const seen: string[] = [];
  for (let page_number = 1; page_number < 100; page_number++) {
    const page = await listFollowedEvents(contextOf(fan), fan, { filter, page_number, page_size });
    seen.push(...page.events.map(({ event_id }) => event_id));
    if (!page.has_next) return seen;
    expect(page.events).toHaveLength(page_size);
  }
  throw new Error("the timeline has no end");
}

test.each([1, 2, 3, 4, 5, 6])(
  "world %i: the timeline matches its definition, without gaps or repeats",
  async (seed) => {
    const draw = newDraw(seed);
    const fan = await addUser(`timeline_fan_${seed}`);
    const authors: string[] = [];
    for (let index = 0; index < 10; index++)
      authors.push(await addUser(`timeline_${seed}_${index}`, { is_creator: 1 }));
    // Few moments for many posts, so that most posts share theirs with another.
    const posts = authors.flatMap((user_id) =>
      Array.from({ length: draw(15) }, (): Post => {
        const at_ms = NOW_MS - draw(12) * 3_600_000;
        const status = draw(5) > 0 ? "published" : draw(2) > 0 ? "private" : "publish_pending";
        return { event_id: newId(at_ms), user_id, status, published_at: new Date(at_ms).toISOString() };
      }),
    );
    await storePosts(posts);
    const followed = authors.filter(() => draw(3) > 0);
    await storeFollows(fan, followed);
    const [payed = "", lapsed = ""] = followed;
    await storeSubscriptions(fan, payed, NOW_MS + 1000);
    await storeSubscriptions(fan, lapsed, NOW_MS - 1000);

    expect(defineTimeline(posts, followed).length).toBeGreaterThan(10);
    for (const page_size of [1, 4, 100]) {
      expect(await readTimeline(fan, "all", page_size)).toEqual(defineTimeline(posts, followed));
      expect(await readTimeline(fan, "subscribing", page_size)).toEqual(defineTimeline(posts, [payed]));
    }
    await unfollow(contextOf(fan), payed);
    expect(await readTimeline(fan, "all", 4)).toEqual(defineTimeline(posts, followed.slice(1)));
  },
);

/** Creates forty authors with a hundred posts each, and a person who follows them. */
async function addProlificWorld(name: string): Promise<{ fan: string; authors: string[]; posts: Post[] }> {
  const fan = await addUser(`${name}_reader`);
  const authors: string[] = [];
  for (let index = 0; index < 40; index++) authors.push(await addUser(`${name}_${index}`, { is_creator: 1 }));
  const posts = authors.flatMap((user_id, author) =>
    Array.from({ length: 100 }, (_, age): Post => {
      const at_ms = NOW_MS - age * 86_400_000 - author * 1000;
      return { event_id: newId(at_ms), user_id, status: "published", published_at: new Date(at_ms).toISOString() };
    }),
  );
  await storePosts(posts);
  await storeFollows(fan, authors);
  return { fan, authors, posts };
}

/** Returns how many rows the statements read. */
async function countRowsRead(statements: Statement[]): Promise<number> {
  let rows_read = 0;
  for (const { sql, parameters } of statements) {
    rows_read += (
      await d1
        .prepare(sql)
        .bind(...parameters)
        .run()
    ).meta.rows_read;
  }
  return rows_read;
}

async function countRowsReadByPage(fan: string, page_number: number): Promise<number> {
  const statements: Statement[] = [];
  const context = contextOf(fan, { d1: recordStatements(d1, statements) });
  await listFollowedEvents(context, fan, { filter: "all", page_number, page_size: 20 });
  return countRowsRead(statements);
}

test("the first page reads the newest posts of all; a later page reads few posts of each author", async () => {
  const { fan, authors, posts } = await addProlificWorld("prolific");
  const [first, later] = [await countRowsReadByPage(fan, 1), await countRowsReadByPage(fan, 5)];
  expect(first).toBeGreaterThan(authors.length);
  expect(first).toBeLessThan(posts.length / 10);
  expect(later).toBeLessThan(posts.length / 2);
});

test("received newsletters are the newest of all, and a page reads few of each creator and plan", async () => {
  const fan = await addUser("lettered_fan");
  const stored: { id: string; at: string }[] = [];
  const storeLetters = (user_id: string, membership_id: string | null, count: number) => {
    const rows = Array.from({ length: count }, (_, age) => {
      const at_ms = NOW_MS - (age * 100 + stored.length) * 1000;
      return { id: newId(at_ms), at: new Date(at_ms).toISOString() };
    });
    stored.push(...rows);
    return insertRows(
      `INSERT INTO newsletters (newsletter_id, user_id, title, body, fan_scope, membership_id, status, published_at, created_at, updated_at)
       VALUES (?1, ?2, '便り', '本文', iif(?3 IS NULL, 'fans', 'memberships'), ?3, 'published', ?4, ?4, ?4)`,
      rows.map(({ id, at }) => [id, user_id, membership_id, at]),
    );
  };
  for (let index = 0; index < 10; index++) {
    const creator = await addUser(`lettered_${index}`, { is_creator: 1 });
    await storeFollows(fan, [creator]);
    await storeLetters(creator, null, 100);
    if (index > 1) continue;
    await storeSubscriptions(fan, creator, NOW_MS + 1000);
    const { results } = await d1
      .prepare("SELECT membership_id FROM memberships WHERE user_id = ?")
      .bind(creator)
      .all<{ membership_id: string }>();
    for (const { membership_id } of results) await storeLetters(creator, membership_id, 100);
  }
  const newest = stored.toSorted((a, b) => (a.at + a.id < b.at + b.id ? 1 : -1)).map(({ id }) => id);
  const rows_read: number[] = [];
  for (const page_number of [1, 3]) {
    const statements: Statement[] = [];
    const context = contextOf(fan, { d1: recordStatements(d1, statements) });
    const { news_letters } = await listReceivedNewsletters(context, fan, { page_number, page_size: 20 });
    expect(news_letters.map(({ id }) => id)).toEqual(newest.slice((page_number - 1) * 20, page_number * 20));
    rows_read.push(await countRowsRead(statements));
  }
  expect(Math.max(...rows_read)).toBeLessThan(stored.length);
});

test("activities read each author twice, few acts of each, and the radios on air, in four statements", async () => {
  const { fan, authors, posts } = await addProlificWorld("lively");
  await insertRows(
    `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, reply_message, replied_at, created_at)
     VALUES (?1, ?2, ?3, 0, '声援', 1, '返信', ?4, ?4)`,
    posts.map(({ user_id, published_at }) => [newId(Date.parse(published_at)), fan, user_id, published_at]),
  );
  for (const after of [undefined, posts[1]?.event_id]) {
    const statements: Statement[] = [];
    const context = contextOf(fan, { d1: recordStatements(d1, statements) });
    const { activities } = await listFollowingActivities(context, fan, { filter: "all", first: 20, after });
    expect(new Set(activities.map(({ type }) => type)).size).toBe(2);
    for (const { user, event } of activities) {
      expect(authors).toContain(user.user_id);
      if (event) expect(event.user).toEqual(user);
    }
    const isOnAir = ({ sql }: Statement) => sql.includes("on_air");
    const [on_air, acts] = [statements.filter(isOnAir), statements.filter((each) => !isOnAir(each))];
    expect([on_air.length, acts.length]).toEqual([1, 3]);
    const rows_read = await countRowsRead(acts);
    expect(rows_read).toBeGreaterThan(2 * authors.length);
    expect(rows_read).toBeLessThan((2 * posts.length) / 8);
    // One read of each follow, one of the list that SQLite makes of them, and few more.
    expect(await countRowsRead(on_air)).toBeLessThan(3 * authors.length);
  }
});

test("activities continue after a post that was deleted", async () => {
  const [fan, author] = [await addUser("continued_fan"), await addUser("continued", { is_creator: 1 })];
  await storeFollows(fan, [author]);
  const posts = [1, 2, 3].map((hours): Post => {
    const at_ms = NOW_MS - hours * 3_600_000;
    return {
      event_id: newId(at_ms),
      user_id: author,
      status: "published",
      published_at: new Date(at_ms).toISOString(),
    };
  });
  await storePosts(posts);
  const [newest = "", ...older] = posts.map(({ event_id }) => event_id);
  const readAfter = async (after: string) => {
    const { activities } = await listFollowingActivities(contextOf(fan), fan, { filter: "all", first: 20, after });
    return activities.map(({ activity_id }) => activity_id);
  };
  expect(await readAfter(newest)).toEqual(older);
  await d1.prepare("DELETE FROM events WHERE event_id = ?").bind(newest).run();
  expect(await readAfter(newest)).toEqual(older);
});

test("the activities name the radios on air of followed people that the caller may hear, latest first", async () => {
  const fan = await addUser("hearing_fan");
  const names = ["open", "for_fans", "for_members", "by_key", "over", "disabled", "not_followed"];
  const [open = "", for_fans = "", for_members = "", by_key = "", over = "", disabled = "", stranger = ""] =
    await Promise.all(names.map((name) => addUser(`hearing_${name}`, { is_creator: 1, name })));
  await storeFollows(fan, [open, for_fans, for_members, by_key, over, disabled]);
  const plan = newId(NOW_MS);
  await d1
    .prepare(
      `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
       VALUES (?, ?, '席', '', 500, 'active', '2026-01-01', '2026-01-01')`,
    )
    .bind(plan, for_members)
    .run();
  await insertRows(
    `INSERT INTO radios (radio_id, user_id, title, description, status, publish_target_type, publish_target_membership_id,
       recording_publish_target_type, url_key_hash, started_at, last_signal_at, finished_at, is_chat_on, created_at, updated_at)
     VALUES (?1, ?2, '夜話', '', ?3, ?4, ?5, 'none', iif(?4 = 'url', 'hash', NULL), ?6, ?6, iif(?3 = 'finished', ?6, NULL), 1,
       ?6, ?6)`,
    [
      [open, "on_air", "public", null, "2026-11-25T10:00:00.000Z"],
      [for_fans, "on_air", "fans", null, "2026-11-25T11:00:00.000Z"],
      [for_members, "on_air", "memberships", plan, "2026-11-25T12:00:00.000Z"],
      [by_key, "on_air", "url", null, "2026-11-25T12:00:00.000Z"],
      [over, "finished", "public", null, "2026-11-25T12:00:00.000Z"],
      [disabled, "on_air", "public", null, "2026-11-25T12:00:00.000Z"],
      [stranger, "on_air", "public", null, "2026-11-25T12:00:00.000Z"],
    ].map(([user_id, ...row]) => [newId(NOW_MS), user_id, ...row]),
  );
  await d1.prepare("UPDATE users SET disabled_at = '2026-11-25' WHERE user_id = ?").bind(disabled).run();
  const heard = async () => {
    const { on_air } = await listFollowingActivities(contextOf(fan), fan, { filter: "all", first: 1 });
    return on_air.map(({ user }) => user.name);
  };
  expect(await heard()).toEqual(["for_fans", "open"]);
  await d1
    .prepare(
      `INSERT INTO subscriptions (subscription_id, user_id, membership_id, status, paid_until, created_at)
       VALUES (?, ?, ?, 'active', ?, '2026-01-01')`,
    )
    .bind(newId(NOW_MS), fan, plan, new Date(NOW_MS + 1000).toISOString())
    .run();
  expect(await heard()).toEqual(["for_members", "for_fans", "open"]);
  await createBlock(contextOf(open), fan);
  expect(await heard()).toEqual(["for_members", "for_fans"]);
});
