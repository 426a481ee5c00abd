import { beforeAll, describe, expect, test } from "vitest";
import { type Post, posts } from "../../scripts/demo/posts.ts";
import {
  type EventSummary,
  getEvent,
  listFollowedEvents,
  listMembershipEvents,
  listOwnEventCategories,
  listOwnEvents,
  listUserEvents,
} from "../../workers/contract/events.ts";
import { listUserMemberships } from "../../workers/contract/memberships.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { api, database, freshMember, type Member, signIn } from "../support/network.ts";
import { ask, NOBODY, refused, send, succeeded, userId } from "./support/calls.ts";

const postOf = (key: string): Post => {
  const post = posts.find((each) => each.key === key);
  if (!post) throw new Error(`no post ${key} in the demo world`);
  return post;
};

/** Returns the post as its author's own list shows it. */
async function ownEvent(key: string): Promise<EventSummary> {
  const { author, title } = postOf(key);
  const { events } = await ask(listOwnEvents, { token: await signIn(author), query: { page_size: 100 } });
  const event = events.find((each) => each.title === title);
  if (!event) throw new Error(`no event ${key}`);
  return event;
}

/** Returns the phrases of eight or more characters in a text. No phrase of a locked text may leak. */
const wordsOf = (text: string) => text.split(/[、。\s「」]+/).filter((words) => words.length >= 8);

/** Splits a body into the free part, up to the paywall line, and the locked part. */
function partsOf({ body }: Post): { free: string | null; locked: string } {
  const [first = "", second] = body.split("\n===\n");
  return second === undefined ? { free: null, locked: first } : { free: first, locked: second };
}

let natsume: string;
let viewers: Record<string, string | null>;
let follower: Member;
beforeAll(async () => {
  natsume = await userId("natsume");
  follower = await freshMember("フォロワー");
  await ask(follow, { token: follower.token, body: { following_id: natsume } });
  viewers = {
    visitor: null,
    unregistered: await signIn("fan_new"),
    stranger: (await freshMember("とおりすがり")).token,
    follower: follower.token,
    subscriber: await signIn("fan_hana"),
    owner: await signIn("natsume"),
  };
});

const readers: [key: string, who: string[]][] = [
  ["natsume_harbour", ["visitor", "unregistered", "stranger", "follower", "subscriber", "owner"]],
  ["natsume_roughs", ["follower", "subscriber", "owner"]],
  ["natsume_wallpaper", ["subscriber", "owner"]],
  ["natsume_mountain_draft", ["owner"]],
];

describe.each(readers)("the post %s", (key, who) => {
  const post = postOf(key);

  test.each(["visitor", "unregistered", "stranger", "follower", "subscriber", "owner"])(
    "shows its body, or only its title, to the %s",
    async (viewer) => {
      const { event_id, image } = await ownEvent(key);
      const reply = await send(getEvent, { params: { event_id }, token: viewers[viewer] });
      const { event } = succeeded(getEvent, reply);
      expect(event.title).toBe(post.title);
      if (who.includes(viewer)) {
        expect(event.is_locked).toBe(false);
        for (const words of wordsOf(post.body)) expect(event.body).toContain(words);
        expect(event.lead).not.toBeNull();
        return;
      }
      const { free, locked } = partsOf(post);
      expect(event).toMatchObject({ is_locked: true, image: null });
      expect([event.body === null, event.document === null, event.lead === null]).toEqual(Array(3).fill(free === null));
      for (const words of wordsOf(free ?? "")) expect(event.body).toContain(words);
      const list = await send(listUserEvents, {
        params: { user_id: natsume },
        query: { page_size: 100 },
        token: viewers[viewer],
      });
      const listed = succeeded(listUserEvents, list).events.find((each) => each.event_id === event_id);
      if (listed) expect(listed).toMatchObject({ is_locked: true, lead: event.lead, image: null });
      const secrets = wordsOf(locked);
      expect(secrets.length).toBeGreaterThan(1);
      for (const secret of [...secrets, ...(image ? [image.image_id] : [])]) {
        expect(reply.text).not.toContain(secret);
        expect(list.text).not.toContain(secret);
      }
    },
  );
});

describe("a post for a plan", () => {
  const subscribe = async (member: Member, status: string, paid_until: string) => {
    const { publish_target_membership_id } = await ownEvent("natsume_wallpaper");
    await (await database())
      .prepare(
        "INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at) VALUES (?, ?, ?, ?, ?, ?)",
      )
      .bind(crypto.randomUUID(), publish_target_membership_id, member.user.user_id, status, paid_until, paid_until)
      .run();
  };
  const isLocked = async (member: Member) => {
    const { event_id } = await ownEvent("natsume_wallpaper");
    return (await ask(getEvent, { params: { event_id }, token: member.token })).event.is_locked;
  };

  test("can be read until the end of the paid time after a cancellation", async () => {
    const member = await freshMember("解約ずみ");
    await subscribe(member, "canceled", new Date(Date.now() + 86_400_000).toISOString());
    expect(await isLocked(member)).toBe(false);
  });

  test("cannot be read after the paid time, whatever the status", async () => {
    const member = await freshMember("期限ぎれ");
    await subscribe(member, "active", new Date(Date.now() - 1000).toISOString());
    expect(await isLocked(member)).toBe(true);
  });
});

describe("an unpublished post", () => {
  test.each(["natsume_postcards", "sumire_private"])("is not found by anybody but its author: %s", async (key) => {
    const { event_id } = await ownEvent(key);
    const { author, body } = postOf(key);
    const params = { event_id };
    expect((await ask(getEvent, { params, token: await signIn(author) })).event.body).toBe(body);
    for (const token of [null, follower.token, await signIn("fan_hana")]) {
      await refused(getEvent, "not_found", { params, token });
      const { events } = await ask(listUserEvents, { params: { user_id: await userId(author) }, token });
      expect(events.map((event) => event.event_id)).not.toContain(event_id);
    }
  });

  test("is also in no public list of its author", async () => {
    const query = { page_size: 100 };
    const { events } = await ask(listUserEvents, { params: { user_id: natsume }, query, token: viewers.owner });
    expect(events.every(({ status }) => status === "published")).toBe(true);
  });
});

test("an unknown post is not found", async () => {
  await refused(getEvent, "not_found", { params: { event_id: NOBODY } });
});

test.each(["natsume_roughs", "natsume_wallpaper"])(
  "the picture of %s cannot be fetched by its unsigned URL",
  async (key) => {
    const { image } = await ownEvent(key);
    const { pathname, searchParams } = new URL(image?.medium_url ?? "", "http://here.invalid");
    const owner = await signIn("natsume");
    const statusOf = async (search: URLSearchParams | string, token: string | null = owner) =>
      (await api("GET", `${pathname}?${search}`, { token })).status;
    expect(await statusOf(searchParams)).toBe(200);
    for (const token of [null, follower.token]) expect(await statusOf(searchParams, token), "passed on").toBe(404);
    expect(await statusOf("", null)).toBe(404);
    const later = new URLSearchParams(searchParams);
    later.set("expires", String(Number(searchParams.get("expires")) + 1));
    expect(await statusOf(later)).toBe(404);
    const forged = new URLSearchParams(searchParams);
    forged.set("signature", "A".repeat(43));
    expect(await statusOf(forged)).toBe(404);
    expect(await statusOf("signature=%00&expires=%ff")).toBe(404);
  },
);

describe("the neighbours of a post", () => {
  test("are the next older and the next newer one", async () => {
    const { events } = await ask(listUserEvents, { params: { user_id: natsume }, query: { page_size: 25 } });
    for (const index of [1, 5, 9]) {
      const answer = await ask(getEvent, { params: { event_id: events[index]?.event_id ?? "" } });
      expect(answer.next).toEqual(events[index - 1]);
      expect(answer.previous).toEqual(events[index + 1]);
    }
    expect((await ask(getEvent, { params: { event_id: events[0]?.event_id ?? "" } })).next).toBeNull();
  });

  test("include posts published at the same moment", async () => {
    const { user } = await freshMember("まとめて公開");
    const now = new Date().toISOString();
    const ids = [1, 2, 3].map((place) => newId(Date.now() + place));
    const insert = (await database()).prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
       VALUES (?, ?, 'text', '題', '', '本文', 'published', 'public', ?, ?)`,
    );
    await (await database()).batch(ids.map((event_id) => insert.bind(event_id, user.user_id, now, now)));
    const [first, middle, last] = ids;
    const seen = await Promise.all(
      [1, 2, 3].map(async (page_number) => {
        const query = { page_number, page_size: 1 };
        return (await ask(listUserEvents, { params: { user_id: user.user_id }, query })).events[0]?.event_id;
      }),
    );
    expect(seen).toEqual([last, middle, first]);
    const { previous, next } = await ask(getEvent, { params: { event_id: middle ?? "" } });
    expect([previous?.event_id, next?.event_id]).toEqual([first, last]);
  });

  test("stay in the category of the link", async () => {
    const category = (await ownEvent("natsume_harbour")).event_category_id ?? "";
    const inside = await ask(listUserEvents, { params: { user_id: natsume }, query: { event_category_id: category } });
    const answer = await ask(getEvent, {
      params: { event_id: inside.events[1]?.event_id ?? "" },
      query: { context_event_category_id: category },
    });
    expect([answer.next, answer.previous]).toEqual([inside.events[0], inside.events[2]]);
  });
});

describe("a creator's posts", () => {
  test("are listed newest first, page by page, each once", async () => {
    const seen: string[] = [];
    let has_next = true;
    for (let page_number = 1; has_next; page_number++) {
      const page = await ask(listUserEvents, { params: { user_id: natsume }, query: { page_number, page_size: 7 } });
      expect(page).toMatchObject({ page_number, page_size: 7 });
      if (page.has_next) expect(page.events).toHaveLength(7);
      seen.push(...page.events.map((event) => event.title));
      has_next = page.has_next;
    }
    const written = posts
      .filter(({ author, status }) => author === "natsume" && status === "published")
      .sort((a, b) => a.days_ago - b.days_ago);
    expect(seen).toEqual(written.map(({ title }) => title));
  });

  test("are 20 a page by default, and at most 25 for a visitor", async () => {
    const params = { user_id: natsume };
    expect(await ask(listUserEvents, { params })).toMatchObject({ page_size: 20 });
    expect(await ask(listUserEvents, { params, query: { page_size: 100 } })).toMatchObject({ page_size: 25 });
    const member = { params, query: { page_size: 100 }, token: follower.token };
    expect(await ask(listUserEvents, member)).toMatchObject({ page_size: 100 });
    await refused(listUserEvents, "validation_failed", { ...member, query: { page_size: 101 } });
  });

  test("can be limited to one category", async () => {
    const token = await signIn("natsume");
    const { event_categories } = await ask(listOwnEventCategories, { token });
    const { event_category_id = "" } = event_categories.find(({ title }) => title === "らくがき") ?? {};
    const { events } = await ask(listUserEvents, { params: { user_id: natsume }, query: { event_category_id } });
    const written = posts.filter(({ category, status }) => category === "らくがき" && status === "published");
    expect(events.map(({ title }) => title).sort()).toEqual(written.map(({ title }) => title).sort());
  });
});

describe("a caller's own posts", () => {
  const titles = (keep: (post: Post) => boolean) =>
    posts
      .filter((post) => post.author === "natsume" && keep(post))
      .map(({ title }) => title)
      .sort();
  const own = async (query: Record<string, string>) => {
    const { events } = await ask(listOwnEvents, {
      token: await signIn("natsume"),
      query: { page_size: 100, ...query },
    });
    return events.map(({ title }) => title).sort();
  };

  test("are all listed, in every state and never locked", async () => {
    expect(await own({})).toEqual(titles(() => true));
    const { events } = await ask(listOwnEvents, { token: await signIn("sumire") });
    expect(events.every(({ is_locked }) => !is_locked)).toBe(true);
    expect(events.some(({ status }) => status === "private")).toBe(true);
  });

  test("are sorted by creation, last first, whenever they were published", async () => {
    const { results } = await (await database())
      .prepare(
        `SELECT event_id FROM events JOIN users USING (user_id) WHERE link_id = 'natsume'
         ORDER BY events.created_at DESC, event_id DESC`,
      )
      .all<{ event_id: string }>();
    const { events } = await ask(listOwnEvents, { token: await signIn("natsume"), query: { page_size: 100 } });
    expect(events.map(({ event_id }) => event_id)).toEqual(results.map(({ event_id }) => event_id));
  });

  test.each([
    ["is_published", "published"],
    ["is_publish_pending", "publish_pending"],
    ["is_private", "private"],
  ])("are filtered by state: %s", async (status, stored) => {
    expect(await own({ status })).toEqual(titles((post) => post.status === stored));
  });

  test.each(["public", "fans", "memberships"])("are filtered by audience: %s", async (publish_target_type) => {
    expect(await own({ publish_target_type })).toEqual(titles((post) => post.visibility === publish_target_type));
  });

  test("are filtered by category and by plan", async () => {
    const { event_category_id } = await ownEvent("natsume_harbour");
    expect(await own({ event_category_id: event_category_id ?? "" })).toEqual(
      titles(({ category }) => category === "水彩"),
    );
    const { publish_target_membership_id: plan } = await ownEvent("natsume_wallpaper");
    expect(await own({ publish_target_membership_id: plan ?? "" })).toEqual(
      titles((post) => post.plan === "natsume_500"),
    );
  });

  test("refuse an unknown state", async () => {
    const token = await signIn("natsume");
    await refused(listOwnEvents, "validation_failed", { token, query: { status: "published" } });
  });
});

test("a plan's posts are listed for everybody and readable by its members", async () => {
  const { memberships } = await ask(listUserMemberships, { params: { user_id: natsume } });
  const params = { membership_id: memberships[0]?.membership_id ?? "" };
  const locks = async (token: string | null) =>
    (await ask(listMembershipEvents, { params, token })).events.map(({ title, is_locked }) => [title, is_locked]);
  const { title } = postOf("natsume_wallpaper");
  expect(await locks(null)).toEqual([[title, true]]);
  expect(await locks(await signIn("fan_hana"))).toEqual([[title, false]]);
});

describe("the timeline", () => {
  const authorsOf = async (token: string, filter: string) => {
    const { events } = await ask(listFollowedEvents, { token, query: { filter, page_size: 100 } });
    expect(events.every(({ status }) => status === "published")).toBe(true);
    return [...new Set(events.map(({ user }) => user.link_id))].sort();
  };

  test("lists the posts of followed creators", async () => {
    expect(await authorsOf(await signIn("fan_hana"), "all")).toEqual(["kanade", "natsume", "sumire"]);
    expect(await authorsOf((await freshMember("ひとり")).token, "all")).toEqual([]);
  });

  test("can be filtered to paid creators", async () => {
    expect(await authorsOf(await signIn("fan_hana"), "subscribing")).toEqual(["kanade", "natsume"]);
    expect(await authorsOf(follower.token, "subscribing")).toEqual([]);
  });
});

test("the timeline of paid creators ends with the paid time", async () => {
  const member = await freshMember("期限ぎれ");
  const { publish_target_membership_id } = await ownEvent("natsume_wallpaper");
  const paid_until = new Date(Date.now() - 1000).toISOString();
  await (await database())
    .prepare(
      "INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at) VALUES (?, ?, ?, ?, ?, ?)",
    )
    .bind(crypto.randomUUID(), publish_target_membership_id, member.user.user_id, "active", paid_until, paid_until)
    .run();
  const query = { filter: "subscribing" };
  expect((await ask(listFollowedEvents, { token: member.token, query })).events).toEqual([]);
});

test("a post made private again is in no plan's list and no post's neighbour", async () => {
  const { event_id, publish_target_membership_id } = await ownEvent("natsume_wallpaper");
  const set = (await database()).prepare("UPDATE events SET status = ? WHERE event_id = ?");
  await set.bind("private", event_id).run();
  try {
    const params = { membership_id: publish_target_membership_id ?? "" };
    expect((await ask(listMembershipEvents, { params })).events).toEqual([]);
    const { events } = await ask(listUserEvents, {
      params: { user_id: await userId("natsume") },
      query: { page_size: 25 },
    });
    for (const each of events) {
      const { previous, next } = await ask(getEvent, { params: { event_id: each.event_id } });
      expect([previous?.event_id, next?.event_id]).not.toContain(event_id);
    }
  } finally {
    await set.bind("published", event_id).run();
  }
});

test("the picture of a post made private is not found", async () => {
  const { events } = await ask(listUserEvents, { params: { user_id: await userId("natsume") } });
  const open = events.find(({ image }) => image);
  const path = open?.image?.medium_url ?? "";
  const set = (await database()).prepare("UPDATE events SET status = ? WHERE event_id = ?");
  await set.bind("private", open?.event_id).run();
  try {
    expect((await api("GET", path)).status).toBe(404);
  } finally {
    await set.bind("published", open?.event_id).run();
  }
});
