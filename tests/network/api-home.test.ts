import { beforeAll, describe, expect, test } from "vitest";
import { listFollowingActivities } from "../../workers/contract/activities.ts";
import { listNewestEvents, listUserEvents } from "../../workers/contract/events.ts";
import { sendFreeOfuse, updateOfuse } from "../../workers/contract/ofuses.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { getTopStats } from "../../workers/contract/stats.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { database, disable, freshMember, type Member, signIn } from "../support/network.ts";
import { ask, NOBODY, refused, send } from "./support/calls.ts";

const run = async (sql: string, ...values: unknown[]) => {
  await (await database())
    .prepare(sql)
    .bind(...values)
    .run();
};

/** Older than anything else in the tests, so that concurrent writes sort after it. */
const past = (minute: number) => new Date(Date.UTC(2020, 0, 1, 0, minute)).toISOString();

interface Columns {
  status?: string;
  publish_target_type?: string;
  published_at?: string;
}

async function publish(author: Member, title: string, columns: Columns = {}): Promise<string> {
  const event_id = newId(Date.now());
  const { status = "published", publish_target_type = "public", published_at = new Date().toISOString() } = columns;
  await run(
    `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, publish_at, published_at, created_at)
     VALUES (?1, ?2, 'blog', ?3, '書き出しのことば', '本文のことば', ?4, ?5, ?6, ?6, ?6)`,
    event_id,
    author.user.user_id,
    title,
    status,
    publish_target_type,
    published_at,
  );
  return event_id;
}

describe("the newest posts", () => {
  test("are public posts of all creators, latest first", async () => {
    const [one, other] = await Promise.all([freshMember("一人目"), freshMember("二人目")]);
    const ahead = (second: number) => new Date(Date.UTC(2099, 0, 1, 0, 0, second)).toISOString();
    const shown = [
      await publish(one, "三番目", { published_at: ahead(1) }),
      await publish(other, "二番目", { published_at: ahead(2) }),
      await publish(one, "一番目", { published_at: ahead(3) }),
    ].reverse();
    const hidden = [
      await publish(one, "フォロワー限定", { publish_target_type: "fans", published_at: ahead(4) }),
      await publish(one, "非公開", { status: "private", published_at: ahead(4) }),
      await publish(one, "公開予約", { status: "publish_pending", published_at: ahead(4) }),
    ];
    try {
      const { events } = await ask(listNewestEvents, { query: { limit: 3 } });
      expect(events.map(({ event_id }) => event_id)).toEqual(shown);
      expect(events.map(({ user }) => user.name)).toEqual(["一人目", "二人目", "一人目"]);
      for (const event of events) expect(event).toMatchObject({ is_locked: false, publish_target_type: "public" });
      // A token changes nothing, not even the author's own.
      expect((await ask(listNewestEvents, { query: { limit: 3 }, token: one.token })).events).toEqual(events);
      const { text } = await send(listNewestEvents, { query: { limit: 25 } });
      expect(hidden.filter((event_id) => text.includes(event_id))).toEqual([]);
      expect(text).not.toContain("本文のことば");
    } finally {
      for (const event_id of [...shown, ...hidden]) await run("DELETE FROM events WHERE event_id = ?", event_id);
    }
  });

  test("leave out disabled creators until they are enabled", async () => {
    const author = await freshMember("使えない人");
    const event_id = await publish(author, "いちばん先の投稿", { published_at: "2099-01-02T00:00:00.000Z" });
    const first = async () => (await ask(listNewestEvents, { query: { limit: 1 } })).events[0]?.event_id;
    try {
      const own = async () =>
        (await ask(listUserEvents, { params: { user_id: author.user.user_id } })).events.map((event) => event.event_id);
      expect([await first(), await own()]).toEqual([event_id, [event_id]]);
      await disable(author);
      expect(await first()).not.toBe(event_id);
      await refused(listUserEvents, "not_found", { params: { user_id: author.user.user_id } });
      await disable(author, null);
      expect([await first(), await own()]).toEqual([event_id, [event_id]]);
    } finally {
      await run("DELETE FROM events WHERE event_id = ?", event_id);
    }
  });

  test("are limited to twenty-five", async () => {
    expect((await ask(listNewestEvents, { query: { limit: 25 } })).events).toHaveLength(25);
    expect((await ask(listNewestEvents)).events).toHaveLength(6);
    for (const limit of [0, 26, "x"]) await refused(listNewestEvents, "validation_failed", { query: { limit } });
  });
});

test("the figures count everything, rounded down", async () => {
  const d1 = await database();
  const count = async (sql: string) => (await d1.prepare(sql).first<number>("n")) ?? 0;
  const told = (n: number) =>
    n < 100 ? n : Math.floor(n / 10 ** (String(n).length - 2)) * 10 ** (String(n).length - 2);
  const [creators, events, ofuses, stats] = await Promise.all([
    count("SELECT COUNT(*) AS n FROM users WHERE is_creator = 1 AND disabled_at IS NULL"),
    count("SELECT COUNT(*) AS n FROM events WHERE status = 'published' AND publish_target_type = 'public'"),
    count("SELECT COUNT(*) AS n FROM ofuses"),
    ask(getTopStats),
  ]);
  expect(Math.min(creators, events, ofuses)).toBeGreaterThan(0);
  expect(stats).toEqual({ creators_count: told(creators), events_count: told(events), ofuses_count: told(ofuses) });
  expect(await ask(getTopStats, { token: "garbage" }), "never looks at a token").toEqual(stats);
});

describe("the activities of followed creators", () => {
  let fan: Member;
  let artist: Member;
  let sender: Member;
  const read = async (query: Record<string, string | number> = {}, who = fan) =>
    ask(listFollowingActivities, { token: who.token, query });

  /** Adds a letter to the artist and its reply, at a given time. */
  async function answered(message: string, is_public: boolean, replied_at: string): Promise<string> {
    const body = { receiver_user_id: artist.user.user_id, message, is_public };
    const { ofuse } = await ask(sendFreeOfuse, { token: sender.token, body });
    const params = { ofuse_id: ofuse.ofuse_id };
    await ask(updateOfuse, { token: artist.token, params, body: { reply: `${message}への返事` } });
    await run("UPDATE ofuses SET replied_at = ? WHERE ofuse_id = ?", replied_at, ofuse.ofuse_id);
    return ofuse.ofuse_id;
  }

  let done: string[];
  beforeAll(async () => {
    [fan, artist, sender] = (await Promise.all(["ファン", "作家", "送り主"].map(freshMember))) as [
      Member,
      Member,
      Member,
    ];
    const stranger = await freshMember("よその人");
    await ask(follow, { token: fan.token, body: { following_id: artist.user.user_id } });
    done = [
      await publish(artist, "古い投稿", { published_at: past(1) }),
      await answered("公開の手紙", true, past(2)),
      await publish(artist, "限定の投稿", { published_at: past(3), publish_target_type: "fans" }),
      await answered("もう一通の公開の手紙", true, past(4)),
      await publish(artist, "新しい投稿", { published_at: past(5) }),
    ].reverse();
    await answered("ふたりだけの手紙", false, past(6));
    await publish(artist, "下書き", { status: "private", published_at: past(6) });
    await publish(artist, "公開予約", { status: "publish_pending", published_at: past(6) });
    await publish(stranger, "よその投稿", { published_at: past(6) });
  });

  test("are published posts and public replies, latest first, and nothing private", async () => {
    const { activities, has_next } = await read();
    expect(activities.map(({ activity_id }) => activity_id)).toEqual(done);
    expect(has_next).toBe(false);
    expect(activities.map(({ type }) => type)).toEqual([
      "event_published",
      "ofuse_replied",
      "event_published",
      "ofuse_replied",
      "event_published",
    ]);
    const [newest, reply] = activities;
    expect(newest).toMatchObject({
      user: { name: "作家" },
      event: { title: "新しい投稿" },
      ofuse: null,
      created_at: past(5),
    });
    expect(reply).toMatchObject({
      user: { name: "作家" },
      event: null,
      ofuse: {
        message: "もう一通の公開の手紙",
        sender: { name: "送り主" },
        reply: { message: "もう一通の公開の手紙への返事" },
      },
      created_at: past(4),
    });
    const { text } = await send(listFollowingActivities, { token: fan.token });
    for (const secret of ["ふたりだけ", "下書き", "公開予約", "よその", "本文のことば"])
      expect(text).not.toContain(secret);
  });

  test("continue after any activity, without gaps or repeats", async () => {
    for (const first of [1, 2, 3]) {
      const seen: string[] = [];
      for (let after = ""; ; ) {
        const { activities, has_next } = await read({ first, ...(after && { after }) });
        seen.push(...activities.map(({ activity_id }) => activity_id));
        if (!has_next) break;
        expect(activities).toHaveLength(first);
        after = seen.at(-1) ?? "";
      }
      expect(seen).toEqual(done);
    }
    // An activity that was deleted meanwhile has the moment of its id.
    const { activities } = await read({ after: NOBODY });
    expect(activities.map(({ activity_id }) => activity_id)).toEqual(done);
  });

  test("lock what the caller may not read", async () => {
    const member = await freshMember("加入していない人");
    await ask(follow, { token: member.token, body: { following_id: artist.user.user_id } });
    const plan = newId(Date.now());
    await run(
      "INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at) VALUES (?, ?, 'プラン', '', 500, 'active', ?)",
      plan,
      artist.user.user_id,
      past(0),
    );
    const event_id = done[0];
    await run(
      "UPDATE events SET publish_target_type = 'memberships', publish_target_membership_id = ? WHERE event_id = ?",
      plan,
      event_id,
    );
    try {
      const [locked] = (await read({ first: 1 }, member)).activities;
      expect(locked?.event).toMatchObject({ title: "新しい投稿", is_locked: true, lead: null, image: null });
      expect((await read({ filter: "subscribing" }, member)).activities).toEqual([]);
      await run(
        "INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at) VALUES (?, ?, ?, 'active', '2999-01-01T00:00:00.000Z', ?)",
        newId(Date.now()),
        plan,
        member.user.user_id,
        past(0),
      );
      const joined = (await read({ filter: "subscribing" }, member)).activities;
      expect(joined.map(({ activity_id }) => activity_id)).toEqual(done);
      expect(joined[0]?.event).toMatchObject({ is_locked: false, lead: "書き出しのことば" });
    } finally {
      await run(
        "UPDATE events SET publish_target_type = 'public', publish_target_membership_id = NULL WHERE event_id = ?",
        event_id,
      );
    }
  });

  test("are private to the member", async () => {
    await refused(listFollowingActivities, "unauthenticated");
    await refused(listFollowingActivities, "registration_required", { token: await signIn("fan_new") });
    for (const query of [{ first: 0 }, { first: 101 }, { filter: "active" }]) {
      await refused(listFollowingActivities, "validation_failed", { token: fan.token, query });
    }
    await refused(listFollowingActivities, "not_found", { token: fan.token, query: { after: "natsume" } });
    expect((await read({}, sender)).activities, "who follows nobody has none").toEqual([]);
  });
});
