import { describe, expect, test } from "vitest";
import { userSubject } from "../../scripts/operator/user.ts";
import { getEdgeState, listSitemapEntries, listSitemapFiles } from "../../workers/contract/edge.ts";
import { createEventCategory, listFollowedEvents, listUserEvents } from "../../workers/contract/events.ts";
import { listUserOfuses, sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { follow, listRelationships } from "../../workers/contract/relationships.ts";
import { reportEvent } from "../../workers/contract/reports.ts";
import { getUser, recommendUsers, updateProfile } from "../../workers/contract/users.ts";
import { browser, database, demoToken, forgetSignIn, network } from "../support/network.ts";
import { operatedSite } from "../support/operator.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, NOBODY, refused, send, userId } from "./support/calls.ts";

test("a creator's pages have one version of their own", async () => {
  const natsume = await ask(getEdgeState, { query: { link_id: "natsume" } });
  expect(natsume.version.startsWith(await userId("natsume"))).toBe(true);
  expect(natsume.maintenance).toEqual({ started_at: null, finished_at: null });
  expect((await ask(getEdgeState)).version).toMatch(/^site\./);
  await refused(getEdgeState, "validation_failed", { query: { link_id: "x".repeat(65) } });
});

test("the sitemap names every creator and every public post, and nothing else", async () => {
  const { files } = await ask(listSitemapFiles);
  expect(files).toEqual([
    { kind: "creators", after: null },
    { kind: "events", after: null },
  ]);
  const { entries: creators } = await ask(listSitemapEntries, { query: { kind: "creators" } });
  const paths = async (kind: "creators" | "events", after?: string) =>
    (await ask(listSitemapEntries, { query: { kind, after } })).entries.map(({ path }) => path);
  const db = await database();
  const { results: people } = await db
    .prepare("SELECT '/' || link_id AS path FROM users WHERE is_creator = 1 AND disabled_at IS NULL")
    .all<{ path: string }>();
  expect((await paths("creators")).sort()).toEqual(people.map(({ path }) => path).sort());
  const { results: posts } = await db
    .prepare(
      `SELECT event_id, '/' || link_id || '/events/' || event_id AS path FROM events JOIN users USING (user_id)
       WHERE status = 'published' AND publish_target_type = 'public' AND disabled_at IS NULL ORDER BY event_id`,
    )
    .all<{ event_id: string; path: string }>();
  const { results: latest } = await db
    .prepare(
      `SELECT '/' || link_id AS path, MAX(published_at) AS updated_at FROM users
       LEFT JOIN events ON events.user_id = users.user_id AND status = 'published'
       WHERE is_creator = 1 AND disabled_at IS NULL GROUP BY users.user_id ORDER BY users.user_id`,
    )
    .all();
  expect(creators, "with the moment something was last published there").toEqual(latest);
  const expected = posts.map(({ path }) => path);
  expect(await paths("events")).toEqual(expected);
  expect(await paths("events", posts[4]?.event_id)).toEqual(expected.slice(5));
  await refused(listSitemapEntries, "not_found", { query: { kind: "events", after: "x" } });
  await refused(listSitemapEntries, "validation_failed", { query: { kind: "letters" } });
});

test("the sitemap leaves out disabled people and their posts", async () => {
  const db = await database();
  const listed = async () => {
    const [creators, events] = await Promise.all(
      (["creators", "events"] as const).map((kind) => ask(listSitemapEntries, { query: { kind } })),
    );
    return [...(creators?.entries ?? []), ...(events?.entries ?? [])].filter(({ path }) => /^\/mio(\/|$)/.test(path));
  };
  const before = await listed();
  expect(before.length, "herself and her posts").toBeGreaterThan(1);
  await db.prepare("UPDATE users SET disabled_at = '2026-11-20T00:00:00.000Z' WHERE link_id = 'mio'").run();
  try {
    expect(await listed()).toEqual([]);
  } finally {
    await db.prepare("UPDATE users SET disabled_at = NULL WHERE link_id = 'mio'").run();
  }
  expect(await listed()).toEqual(before);
});

describe("an account that an operator disables", () => {
  const operate = async (action: "disable" | "enable", link_id: string) => {
    forgetSignIn(link_id);
    return userSubject.read([action, `@${link_id}`], Date.now())(await operatedSite());
  };
  const first = async (sql: string) => (await (await database()).prepare(sql).first<Record<string, string>>()) ?? {};

  test("is signed out, cannot write, and is invisible with all its content until it is enabled", async () => {
    const visitor = await browser();
    const reader = await demoToken("fan_taro");
    const post = await first(`SELECT event_id, image_id FROM events JOIN users USING (user_id) WHERE link_id = 'mio'
      AND status = 'published' AND publish_target_type = 'public' AND image_id IS NOT NULL LIMIT 1`);
    const { user } = await ask(getUser, { query: { link_id: "mio" } });
    const ids = { params: { user_id: user.user_id } };
    await send(follow, { token: reader, body: { following_id: user.user_id } });
    const pages = ["", "/about", "/plans", "/feed.xml", "/feed.atom", "/feed.json", `/events/${post.event_id}`];
    const found = [
      ...pages.map((path) => `/mio${path}`),
      `/oembed?url=${encodeURIComponent(`${(await network()).url}/mio`)}`,
      `/v4/users?link_id=mio`,
      `/v4/events/${post.event_id}`,
      `/v4/events/${post.event_id}/comments`,
      `/media/${post.image_id}/medium`,
      user.icon_image?.medium_url ?? "",
    ];
    const statuses = async () =>
      Object.fromEntries(await Promise.all(found.map(async (path) => [path, (await visitor.get(path)).status])));
    const all = (status: number) => Object.fromEntries(found.map((path) => [path, status]));
    /** Returns what others see of her. */
    const listed = async () => ({
      recommended: (await ask(recommendUsers, { query: { limit: 25 } })).users.some(({ link_id }) => link_id === "mio"),
      events: (await send(listUserEvents, ids)).status === 200,
      letters: (await send(listUserOfuses, ids)).status === 200,
      timeline: (await ask(listFollowedEvents, { token: reader, query: { page_size: 100 } })).events.some(
        (event) => event.user.link_id === "mio",
      ),
      followings: (
        await ask(listRelationships, { token: reader, query: { filter: "active", page_size: 100 } })
      ).relationships.some((each) => each.user.link_id === "mio"),
    });
    expect(await statuses()).toEqual(all(200));
    expect((await visitor.get("/share-images/mio.png")).status, "to the picture of this version").toBe(302);
    const before = await listed();
    expect(before).toMatchObject({ events: true, timeline: true, followings: true });
    const [token, session] = [await demoToken("mio"), await browser()];
    await session.signIn("mio");

    expect(await operate("disable", "mio")).toMatch(/@mio, disabled since .*\nstate +disabled\nsigned in +0 browsers/);
    try {
      // At once: cached pages are at most a second old, and no token's state is cached.
      await refused(updateProfile, "account_disabled", { token, body: { bio: "まだ書ける" } });
      await refused(createEventCategory, "account_disabled", { token, body: { title: "まだ書ける" } });
      await refused(follow, "not_found", { token: reader, body: { following_id: user.user_id } });
      await refused(reportEvent, "not_found", {
        token: reader,
        params: { event_id: post.event_id ?? "" },
        body: { reason: "others" },
      });
      await refused(sendFreeOfuse, "not_found", {
        token: reader,
        body: { receiver_user_id: user.user_id, message: "届かない", is_public: false },
      });
      expect((await session.get("/my/box")).status).not.toBe(200);
      await waitUntil(async () => expect(await statuses()).toEqual(all(404)));
      expect((await visitor.get("/share-images/mio.png")).status).toBe(404);
      expect(Object.values(await listed())).toEqual(Object.values(before).map(() => false));
      await expect(demoToken("mio")).rejects.toThrow("USER_DISABLED");
    } finally {
      await operate("enable", "mio");
    }
    await waitUntil(async () => expect(await statuses()).toEqual(all(200)));
    expect(await listed()).toEqual(before);
    await demoToken("mio");
  });

  test("takes its public letters off the pages of others", async () => {
    const params = { user_id: await userId("natsume") };
    const letters = async () => (await ask(listUserOfuses, { params })).ofuses;
    const before = await letters();
    const writer = before.find(({ sender }) => sender?.link_id)?.sender?.link_id ?? "";
    await operate("disable", writer);
    try {
      expect((await letters()).filter(({ sender }) => sender?.link_id === writer)).toEqual([]);
    } finally {
      await operate("enable", writer);
    }
    expect(await letters()).toEqual(before);
  });

  test("takes its comments off the pages of others", async () => {
    const said =
      await first(`SELECT event_id, owner.link_id AS owner, writer.link_id AS writer, message FROM event_comments
      JOIN events USING (event_id) JOIN users owner ON owner.user_id = events.user_id
      JOIN users writer ON writer.user_id = event_comments.user_id
      WHERE publish_target_type = 'public' AND status = 'published' AND writer.user_id <> owner.user_id
        AND parent_comment_id IS NULL AND event_comments.hidden_at IS NULL LIMIT 1`);
    const visitor = await browser();
    const isSaid = async () =>
      (await visitor.get(`/${said.owner}/events/${said.event_id}`)).text.includes(`/${said.writer}"`);
    expect(await isSaid()).toBe(true);
    await operate("disable", said.writer ?? "");
    try {
      await waitUntil(async () => expect(await isSaid()).toBe(false));
    } finally {
      await operate("enable", said.writer ?? "");
    }
    await waitUntil(async () => expect(await isSaid()).toBe(true));
  });

  test("is closed at once even if identity fails; the command says so, and its next run does the rest", async () => {
    const identity = await database("identity");
    const disabledAt = async () => (await first("SELECT disabled_at FROM users WHERE link_id = 'yamato'")).disabled_at;
    const token = await demoToken("yamato");
    await identity
      .prepare(
        `CREATE TRIGGER no_room BEFORE UPDATE OF disabled ON accounts BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
      )
      .run();
    try {
      await expect(operate("disable", "yamato")).rejects.toThrow(/\(unavailable, .*again/s);
      const closed_at = await disabledAt();
      expect(closed_at).not.toBeNull();
      await refused(updateProfile, "account_disabled", { token, body: { bio: "まだ書ける" } });
      await identity.prepare("DROP TRIGGER no_room").run();
      expect(await operate("disable", "yamato")).toMatch(/@yamato, disabled since .*\nstate +disabled/);
      expect(await disabledAt(), "the moment of the first time stays").toBe(closed_at);
    } finally {
      await identity.prepare("DROP TRIGGER IF EXISTS no_room").run();
      await operate("enable", "yamato");
    }
    await demoToken("yamato");
  });
});

test("search engines find the sitemap in robots.txt, as XML", async () => {
  const crawler = await browser();
  const robots = await crawler.get("/robots.txt");
  expect(robots.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const closed = [...robots.text.matchAll(/^Disallow: (.+)$/gm)].map(([, path]) => path);
  expect(closed).toEqual(["/my/", "/logout", "/signup/", "/dev/"]);
  const [, index = ""] = /^Sitemap: https?:\/\/[^/]+(\/.+)$/m.exec(robots.text) ?? [];
  const locations = async (path: string) => {
    const { status, headers, text } = await crawler.get(path);
    expect({ path, status, type: headers.get("content-type") }).toEqual({
      path,
      status: 200,
      type: "application/xml; charset=utf-8",
    });
    const kind = path === index ? "sitemapindex" : "urlset";
    expect(text).toContain(`<${kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`);
    return [...text.matchAll(/<loc>https?:\/\/[^/]+(\/[^<]*)<\/loc>/g)].map(([, path = ""]) => path);
  };
  const files = await locations(index);
  expect(files).toEqual(["/sitemap/pages.xml", "/sitemap/creators.xml", "/sitemap/events.xml"]);
  const pages = (await Promise.all(files.map(locations))).flat();
  expect(pages).toEqual(expect.arrayContaining(["/", "/search", "/signup", "/natsume"]));
  expect(pages).not.toContain("/login");
  expect(pages.length).toBeGreaterThan(30);
  for (const path of pages.slice(0, 12)) expect([path, (await crawler.get(path)).status]).toEqual([path, 200]);
  for (const path of ["/sitemap/letters.xml", `/sitemap/events-${NOBODY.slice(1)}.xml`, "/sitemap/../.xml"]) {
    expect([path, (await crawler.get(path)).status]).toEqual([path, 404]);
  }
  const { text: posts } = await crawler.get("/sitemap/events.xml");
  const [first, second] = posts.split("<url>").slice(1);
  expect(first).toMatch(/<lastmod>\d{4}-\d\d-\d\dT[\d:.]+Z<\/lastmod>/);
  const [, event_id] = /\/events\/(\w{26})</.exec(first ?? "") ?? [];
  const [, next] = /<loc>https?:\/\/[^/]+(\/[^<]*)</.exec(second ?? "") ?? [];
  expect((await locations(`/sitemap/events-${event_id}.xml`))[0]).toBe(next);
});

test("a creator's version reveals nothing", async () => {
  const { user } = await ask(getUser, { query: { link_id: "natsume" } });
  const { version } = await ask(getEdgeState, { query: { link_id: "natsume" } });
  expect(version.replace(user.user_id, "")).toMatch(/^\.[0-9A-F]{0,16}$/);
});
