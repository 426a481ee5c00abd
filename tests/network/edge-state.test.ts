import { expect, test } from "vitest";
import { getEdgeState, listSitemapEntries, listSitemapFiles } from "../../workers/contract/edge.ts";
import { getUser } from "../../workers/contract/users.ts";
import { browser, database } from "../support/network.ts";
import { ask, NOBODY, refused, userId } from "./support/calls.ts";

test("the pages of a creator have a version of their own", async () => {
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
    .prepare("SELECT '/' || link_id AS path FROM users WHERE is_creator = 1")
    .all<{ path: string }>();
  expect((await paths("creators")).sort()).toEqual(people.map(({ path }) => path).sort());
  const { results: posts } = await db
    .prepare(
      `SELECT event_id, '/' || link_id || '/events/' || event_id AS path FROM events JOIN users USING (user_id)
       WHERE status = 'published' AND publish_target_type = 'public' ORDER BY event_id`,
    )
    .all<{ event_id: string; path: string }>();
  const { results: latest } = await db
    .prepare(
      `SELECT '/' || link_id AS path, MAX(published_at) AS updated_at FROM users
       LEFT JOIN events ON events.user_id = users.user_id AND status = 'published'
       WHERE is_creator = 1 GROUP BY users.user_id ORDER BY users.user_id`,
    )
    .all();
  expect(creators, "with the moment something was last published there").toEqual(latest);
  const expected = posts.map(({ path }) => path);
  expect(await paths("events")).toEqual(expected);
  expect(await paths("events", posts[4]?.event_id)).toEqual(expected.slice(5));
  await refused(listSitemapEntries, "validation_failed", { query: { kind: "events", after: "x" } });
  await refused(listSitemapEntries, "validation_failed", { query: { kind: "letters" } });
});

test("who is disabled is in no sitemap, nor is what they wrote", async () => {
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

test("search engines get the sitemap as XML, from the rules for robots on", async () => {
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

test("a creator's version is no secret of theirs", async () => {
  const { user } = await ask(getUser, { query: { link_id: "natsume" } });
  const { version } = await ask(getEdgeState, { query: { link_id: "natsume" } });
  expect(version.replace(user.user_id, "")).toMatch(/^\.[0-9A-F]{0,16}$/);
});
