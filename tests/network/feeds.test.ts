import { parseAtomFeed, parseJsonFeed, parseRssFeed } from "feedsmith";
import { beforeAll, describe, expect, test } from "vitest";
import { updateProfile } from "../../workers/contract/users.ts";
import { browser, database, freshMember, network } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask } from "./support/calls.ts";

// Starting the network takes longer than any test.
beforeAll(async () => void (await network()));

const formats = ["xml", "atom", "json"] as const;
const get = async (path: string, headers: Record<string, string> = {}) => (await browser()).get(path, headers);
const types = { xml: "application/rss+xml", atom: "application/atom+xml", json: "application/feed+json" };

interface Item {
  id: string;
  url: string;
  title: string;
  text: string;
  published: number;
  picture: string;
}

/** Reads a feed in any format as a feed reader does. */
async function read(link_id: string, format: (typeof formats)[number]): Promise<{ title: string; items: Item[] }> {
  const { status, text } = await get(`/${link_id}/feed.${format}`);
  expect(status).toBe(200);
  if (format === "xml") {
    const { title = "", items = [] } = parseRssFeed(text);
    return {
      title,
      items: items.map((item) => ({
        id: item.guid?.value ?? "",
        url: item.link ?? "",
        title: item.title ?? "",
        text: item.description ?? "",
        published: Date.parse(item.pubDate ?? ""),
        picture: item.media?.contents?.[0]?.url ?? "",
      })),
    };
  }
  if (format === "atom") {
    const feed = parseAtomFeed(text);
    return {
      title: feed.title?.value ?? "",
      items: (feed.entries ?? []).map((entry) => ({
        id: entry.id ?? "",
        url: entry.links?.find(({ rel }) => rel === "alternate")?.href ?? "",
        title: entry.title?.value ?? "",
        text: entry.summary?.value ?? "",
        published: Date.parse(entry.published ?? ""),
        picture: entry.links?.find(({ rel }) => rel === "enclosure")?.href ?? "",
      })),
    };
  }
  const feed = parseJsonFeed(text);
  return {
    title: feed.title ?? "",
    items: (feed.items ?? []).map((item) => ({
      id: item.id ?? "",
      url: item.url ?? "",
      title: item.title ?? "",
      text: item.content_text ?? "",
      published: Date.parse(item.date_published ?? ""),
      picture: item.image ?? "",
    })),
  };
}

interface Row {
  event_id: string;
  title: string;
  lead: string;
  published_at: string;
}
const publicPosts = async (link_id: string) =>
  (
    await (
      await database()
    )
      .prepare(
        `SELECT event_id, title, lead, published_at FROM events JOIN users USING (user_id) WHERE link_id = ?
         AND status = 'published' AND publish_target_type = 'public' ORDER BY published_at DESC, event_id DESC LIMIT 20`,
      )
      .bind(link_id)
      .all<Row>()
  ).results;

describe.each(formats)("feed.%s", (format) => {
  test("lists the newest public posts alone, for a real feed parser", async () => {
    const { url } = await network();
    const posts = await publicPosts("natsume");
    expect(posts.length).toBeGreaterThan(5);
    const { title, items } = await read("natsume", format);
    expect(title).toContain("なつめ");
    expect(items.map(({ picture: _, text: _text, ...item }) => item)).toEqual(
      posts.map(({ event_id, title, published_at }) => ({
        id: `tag:localhost,2026:events/${event_id}`,
        url: `${url}/natsume/events/${event_id}`,
        title,
        // RSS has no milliseconds.
        published: format === "xml" ? Math.floor(Date.parse(published_at) / 1000) * 1000 : Date.parse(published_at),
      })),
    );
    for (const [index, { text }] of items.entries()) expect(text).toBe(posts[index]?.lead);
    for (const { picture } of items) {
      expect(picture).toMatch(new RegExp(`^${url}/(media|share-images)/[^?]+$`));
      const { status, headers } = await fetch(picture);
      expect([status, headers.get("content-type")]).toEqual([200, "image/png"]);
      expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    }
  });

  test("states its type, can be read by any site, and is unchanged while nothing changes", async () => {
    const path = `/natsume/feed.${format}`;
    const first = await get(path);
    expect(first.headers.get("content-type")).toBe(`${types[format]}; charset=utf-8`);
    expect(first.headers.get("access-control-allow-origin")).toBe("*");
    // The first may be a copy from before another file's last change.
    await waitUntil(async () => {
      const etag = (await get(path)).headers.get("etag") ?? "none";
      const again = await get(path, { "if-none-match": etag });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    });
  });

  test("is linked from the creator's page, under the address it states", async () => {
    const { url } = await network();
    const { text } = await get("/natsume");
    const link = new RegExp(`<link rel="alternate" type="${types[format].replace("+", "\\+")}"[^>]* href="([^"]+)"`);
    expect(link.exec(text)?.[1]).toBe(`${url}/natsume/feed.${format}`);
    expect((await get(`/natsume/feed.${format}`)).text).toContain(`${url}/natsume/feed.${format}`);
  });

  test("has one address, and none where the creator has no page", async () => {
    const whole = await get(`/natsume/feed.${format}`);
    const asked = await get(`/natsume/feed.${format}?page=2`);
    expect([asked.status, asked.text]).toEqual([200, whole.text]);
    for (const path of [`feed.${format}/`, `FEED.${format}`, `feed.${format.toUpperCase()}`, `%66eed.${format}`]) {
      const { status, location } = await get(`/natsume/${path}`);
      expect({ path, status, location }).toEqual({ path, status: 301, location: `/natsume/feed.${format}` });
    }
    for (const path of ["/nobody_at_all", "/Natsume", "/na"]) {
      expect((await get(`${path}/feed.${format}`)).status).toBe(404);
    }
  });

  test("of a creator without posts is empty", async () => {
    const { user } = await freshMember("まだない人");
    expect((await read(user.link_id, format)).items).toEqual([]);
  });

  test("shows a new name", async () => {
    const { token, user } = await freshMember("まえの名前");
    expect((await read(user.link_id, format)).title).toContain("まえの名前");
    await ask(updateProfile, { token, body: { name: '<あと> & "の" \']]>' } });
    await waitUntil(async () =>
      expect((await read(user.link_id, format)).title).toBe('<あと> & "の" \']]>の投稿｜ofuse'),
    );
  });
});

test("a feed leaves out characters XML cannot express, and escapes markup", async () => {
  const db = await database();
  const [post] = await publicPosts("natsume");
  const write = (title: string | undefined, lead: string | undefined) =>
    db.prepare("UPDATE events SET title = ?, lead = ? WHERE event_id = ?").bind(title, lead, post?.event_id).run();
  await write("<b>&amp;</b>\u0001\u000b\uffff]]>", "a < b <script>alert(1)</script> &lt;");
  try {
    for (const format of formats) {
      await waitUntil(async () => {
        const [item] = (await read("natsume", format)).items;
        // JSON does not escape the marks.
        if (format !== "json") expect(item?.title).toBe("<b>&amp;</b>]]>");
        expect(item?.title).toContain("<b>&amp;</b>");
      });
    }
    const { text } = await get("/natsume/feed.xml");
    // Feed readers show a description as HTML.
    expect(text).toContain("&amp;lt;script&amp;gt;");
    for (const path of ["/natsume/feed.xml", "/natsume/feed.atom"]) {
      const page = await get(path);
      expect(page.text).not.toContain("<script");
      expect(page.text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
    }
  } finally {
    await write(post?.title, post?.lead);
  }
});

test("a member's feed equals the visitors': it has no locked content", async () => {
  const fan = await browser();
  await fan.signIn("natsume");
  for (const format of formats) {
    const own = await fan.get(`/natsume/feed.${format}`);
    // A visitor's cached page may be a second old.
    await waitUntil(async () => expect((await get(`/natsume/feed.${format}`)).text).toBe(own.text));
    expect(own.headers.get("cache-control")).toBe("private, no-store");
  }
});
