import { describe, expect, test } from "vitest";
import { posts as demoPosts } from "../../scripts/demo/posts.ts";
import type { Document } from "../../workers/contract/document.ts";
import { freePart, plainText } from "../../workers/contract/document-text.ts";
import { listUserEvents } from "../../workers/contract/events.ts";
import { getUser, updateProfile } from "../../workers/contract/users.ts";
import { browser, database, freshMember, network } from "../support/network.ts";
import { ask, userId } from "./support/calls.ts";

/** Returns what a crawler reads of a page. It runs no script. */
async function preview(path: string) {
  const { status, text } = await (await browser()).get(path);
  const decode = (html = "") =>
    html
      .replaceAll("&quot;", '"')
      .replaceAll("&#x27;", "'")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");
  const meta = new Map<string, string[]>();
  for (const [, name = "", content] of text.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)"/g)) {
    meta.set(name, [...(meta.get(name) ?? []), decode(content)]);
  }
  const [, json] = /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(text) ?? [];
  return {
    status,
    text,
    title: decode(/<title>(.*?)<\/title>/.exec(text)?.[1]),
    canonical: decode(/<link rel="canonical" href="([^"]+)"/.exec(text)?.[1]),
    /** Returns the only meta content of that name: with two, the crawler would choose. */
    said: (name: string) => {
      expect([name, meta.get(name)?.length ?? 0]).toEqual([name, 1]);
      return meta.get(name)?.[0] ?? "";
    },
    names: [...meta.keys()],
    json_ld: json ? (JSON.parse(json) as Record<string, unknown>) : null,
  };
}

const events = async () => {
  const params = { user_id: await userId("natsume") };
  return (await ask(listUserEvents, { params, query: { page_size: 25 } })).events;
};

test("an error page and a member's page have the site's default preview, and their own title", async () => {
  const { url } = await network();
  const member = await browser();
  await member.signIn("fan_hana");
  const pages = [
    [await (await browser()).get("/nobody_at_all"), "ページが見つかりません｜ofuse"],
    [await (await browser()).get("/404"), "ページが見つかりません｜ofuse"],
    [await (await browser()).get("/%ff"), "ページを表示できません｜ofuse"],
    [await member.get("/my/box"), "レターボックス｜ofuse"],
    [await member.get("/no/such/page"), "ページが見つかりません｜ofuse"],
  ] as const;
  for (const [{ text }, title] of pages) {
    expect(/<title>(.*?)<\/title>/.exec(text)?.[1]).toBe(title);
    expect(text).toMatch(/<meta name="description" content="[^"]{20,}"/);
    expect(text).toContain(`<meta property="og:image" content="${url}/share.png"`);
  }
});

/** Pages with our own texts. Each has a title and a description of its own. */
const OWN_PAGES = [
  "/kit",
  "/news",
  "/news/2026-11-06-letters",
  "/usecases",
  "/help",
  "/terms",
  "/privacy",
  "/external-transmission",
  "/transactions",
];

test.each(["/", "/natsume", "/natsume/about", "/natsume/plans", "/natsume/ofuse", "/hibiki", "/signup", ...OWN_PAGES])(
  "%s has one correct preview",
  async (path) => {
    const { url } = await network();
    const page = await preview(path);
    expect(page.title).toMatch(/｜ofuse$/);
    expect(page.canonical).toBe(url + path);
    expect(page.said("og:url")).toBe(page.canonical);
    expect(`${page.said("og:title")}｜ofuse`).toBe(page.title);
    expect(page.said("og:description")).toBe(page.said("description"));
    expect(page.said("description").length).toBeGreaterThan(10);
    expect(page.said("description").isWellFormed()).toBe(true);
    expect(page.said("twitter:card")).toBe("summary_large_image");
    expect(page.said("og:site_name")).toBe("ofuse");
    expect(page.said("og:locale")).toBe("ja_JP");
    const image = await fetch(page.said("og:image"));
    expect(page.said("og:image")).toMatch(new RegExp(`^${url}/`));
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);
  },
);

test("titles distinguish pages", async () => {
  const paths = ["/", "/natsume", "/natsume/about", "/natsume/plans", "/natsume/ofuse", "/hibiki", "/login", "/signup"];
  const titles = await Promise.all(paths.map(async (path) => (await preview(path)).title));
  expect(new Set(titles).size).toBe(paths.length);
});

test("each page of our own texts has its own description", async () => {
  const pages = await Promise.all(["/", ...OWN_PAGES].map(preview));
  const said = (name: string) => pages.map((page) => page.said(name));
  expect(new Set(said("description")).size).toBe(pages.length);
  expect(new Set(said("og:title")).size).toBe(pages.length);
  const headings = pages.map(({ text }) => [...text.matchAll(/<h1[^>]*>/g)].length);
  expect(headings).toEqual(pages.map(() => 1));
});

test("search engines see a creator as a person", async () => {
  const { url } = await network();
  const { json_ld, said } = await preview("/natsume");
  const { user } = await ask(getUser, { query: { link_id: "natsume" } });
  expect(said("og:type")).toBe("profile");
  expect(json_ld).toMatchObject({
    "@context": "https://schema.org",
    "@type": "ProfilePage",
    mainEntity: {
      "@type": "Person",
      name: "なつめ",
      alternateName: "@natsume",
      url: `${url}/natsume`,
      sameAs: user.external_links.map((link) => link.url),
      interactionStatistic: { userInteractionCount: user.followers_count },
    },
  });
  expect(user.external_links.length * user.followers_count).toBeGreaterThan(0);
});

test("search engines see a post as an article with an author, a date and its own picture", async () => {
  const { url } = await network();
  const event = (await events()).find(({ image, is_locked }) => image && !is_locked);
  const { json_ld, said } = await preview(`/natsume/events/${event?.event_id}`);
  expect(said("og:type")).toBe("article");
  expect(said("og:title")).toBe(`${event?.title} - なつめ`);
  expect(said("og:image")).toBe(url + event?.image?.medium_url);
  expect(said("og:image:alt")).toBe(event?.image?.alt);
  expect([said("og:image:width"), said("og:image:height")]).toEqual([
    String(event?.image?.width),
    String(event?.image?.height),
  ]);
  expect(json_ld).toMatchObject({
    "@type": "BlogPosting",
    headline: event?.title,
    url: `${url}/natsume/events/${event?.event_id}`,
    datePublished: event?.published_at,
    isAccessibleForFree: true,
    author: { "@type": "Person", name: "なつめ", url: `${url}/natsume` },
    image: url + event?.image?.medium_url,
  });
});

test("a description is the beginning of a text, on one line, cut between characters", async () => {
  const { token, user } = await freshMember("長文");
  const family = "👩‍👩‍👧";
  await ask(updateProfile, { token, body: { bio: `一行目\n${family.repeat(130)}` } });
  expect((await preview(`/${user.link_id}`)).said("description")).toBe(`一行目 ${family.repeat(115)}…`);
});

test("one page has one canonical address, however it was linked", async () => {
  const { url } = await network();
  expect((await preview("/natsume?utm_source=mail&ref=x")).canonical).toBe(`${url}/natsume`);
  expect((await preview("/natsume/?page=1")).canonical).toBe(`${url}/natsume`);
  expect((await preview("/natsume?page=2&ref=x")).canonical).toBe(`${url}/natsume?page=2`);
  expect((await preview('/natsume/about?page=2"><x&a=1')).canonical).toBe(`${url}/natsume/about`);
  const { status, location } = await (await browser()).get("/%6eatsume/about?page=2");
  expect({ status, location }).toEqual({ status: 301, location: "/natsume/about?page=2" });
});

test.each([
  "/login",
  "/login/link",
  "/login/phone",
  "/login/reset",
  "/login/token",
  "/404",
  "/nobody_at_all",
  "/signup/sent",
])("%s is not indexed", async (path) => {
  expect((await preview(path)).said("robots")).toBe("noindex");
});

describe("of a locked post", () => {
  /** Only the demo data: other tests may publish the same words meanwhile. */
  const locked = async () => {
    const { results } = await (await database())
      .prepare(
        `SELECT event_id, link_id, status, title, body, document, lead, image_id FROM events JOIN users USING (user_id)
         WHERE status <> 'published' OR publish_target_type <> 'public'`,
      )
      .all<{
        event_id: string;
        link_id: string;
        status: string;
        title: string;
        body: string;
        document: string | null;
        lead: string;
        image_id: string | null;
      }>();
    const known = new Set(demoPosts.map(({ author, title }) => `${author} ${title}`));
    return results.filter(({ link_id, title }) => known.has(`${link_id} ${title}`));
  };
  /** Returns the locked text: after the paywall line, or all of it if there is none. */
  const hidden = ({ body, document }: { body: string; document: string | null }) => {
    const blocks: Document = JSON.parse(document ?? "[]");
    const free = freePart(blocks);
    return free ? plainText(blocks.slice(free.length)) : body;
  };
  /** Returns pieces long enough to be unique. */
  const pieces = (body: string) =>
    body
      .split(/[\n。！？]+/)
      .map((piece) => piece.trim().slice(0, 20))
      .filter((piece) => piece.length >= 10);

  test("feeds and oEmbed reveal nothing, even to readers with access", async () => {
    const { url } = await network();
    const author = await browser();
    await author.signIn("natsume");
    const asked = new Map<string, Promise<{ status: number; text: string }>>();
    const read = (path: string) => {
      const answer = asked.get(path) ?? author.get(path);
      asked.set(path, answer);
      return answer;
    };
    const posts = await locked();
    let compared = 0;
    for (const { event_id, link_id, status, title, body, lead, image_id } of posts) {
      const page = `${url}/${link_id}/events/${event_id}`;
      const feeds = ["xml", "atom", "json"].map((format) => `/${link_id}/feed.${format}`);
      const embedded = `/oembed?${new URLSearchParams({ url: page })}`;
      expect((await read(embedded)).status).toBe(status === "published" ? 200 : 404);
      for (const path of [...feeds, embedded]) {
        const { text } = await read(path);
        for (const piece of [lead.slice(0, 20), ...pieces(body)]) {
          compared++;
          expect(text.includes(piece), `${path}: ${piece}`).toBe(false);
        }
        if (image_id) expect(text.includes(image_id), `${path}: the picture`).toBe(false);
      }
      for (const path of feeds) expect((await read(path)).text.includes(title), `${path}: ${title}`).toBe(false);
    }
    expect(compared).toBeGreaterThan(200);
  });

  test("readers without access learn nothing from pages, data, previews, JSON or pictures", async () => {
    const stranger = await browser();
    const { token, ...account } = await freshMember("通りすがり");
    await stranger.signIn({ token, ...account });
    const visitor = await browser();
    const { url } = await network();
    const asked = new Map<string, Promise<string>>();
    const read = (who: "visitor" | "stranger", path: string) => {
      const name = `${who} ${path}`;
      const is_api = path.startsWith("/v4");
      const get = async () =>
        is_api
          ? (
              await fetch(url + path, who === "stranger" ? { headers: { authorization: `Bearer ${token}` } } : {})
            ).text()
          : (await (who === "stranger" ? stranger : visitor).get(path)).text;
      const known = asked.get(name) ?? get();
      asked.set(name, known);
      return known;
    };
    const posts = await locked();
    expect(posts.length).toBeGreaterThan(5);
    let compared = 0;
    for (const { event_id, link_id, image_id, ...post } of posts) {
      const user_id = await userId(link_id);
      const page = `/${link_id}/events/${event_id}`;
      const paths = ["/", `/${link_id}`, `/${link_id}?page=2`, page, `/${link_id}/about`, "/sitemap/events.xml"];
      const data = ["/_root.data", `/${link_id}.data`, `${page}.data`];
      const json = [
        `/v4/events/${event_id}`,
        `/v4/users/${user_id}/events?page_size=25`,
        `/v4/users?link_id=${link_id}&with_events=true`,
      ];
      for (const who of ["visitor", "stranger"] as const) {
        for (const path of [...paths, ...data, ...json]) {
          const text = await read(who, path);
          for (const piece of pieces(hidden(post))) {
            compared++;
            expect(text.includes(piece), `${who} ${path}: ${piece}`).toBe(false);
          }
          if (image_id) expect(text.includes(image_id), `${who} ${path}: the picture`).toBe(false);
        }
      }
      if (image_id) expect((await fetch(`${url}/media/${image_id}/medium`)).status).toBe(404);
    }
    expect(compared).toBeGreaterThan(200);
  });

  test("the preview says that it is locked, and shows its title", async () => {
    const { url } = await network();
    const post = (await events()).find(({ is_locked }) => is_locked);
    const { said, json_ld, title } = await preview(`/natsume/events/${post?.event_id}`);
    expect(title).toContain(post?.title);
    expect(said("og:image")).toContain(`${url}/share-images/natsume/${post?.event_id}/`);
    expect(said("og:image:alt")).toMatch(/、(フォロワー|メンバー)限定$/);
    expect(said("description")).toMatch(/なつめさんの(フォロワー|メンバー)限定の投稿です。/);
    expect(json_ld).toMatchObject({ "@type": "BlogPosting", headline: post?.title });
    expect(JSON.stringify(json_ld)).not.toMatch(/description|"image":"[^"]*events/);
  });

  test("the preview of one for members says that it is not free", async () => {
    const post = (await events()).find(({ publish_target_type }) => publish_target_type === "memberships");
    const { json_ld } = await preview(`/natsume/events/${post?.event_id}`);
    expect(json_ld).toMatchObject({ isAccessibleForFree: false });
  });

  test("its own author's page also has no signed picture in its preview", async () => {
    const author = await browser();
    await author.signIn("natsume");
    const { results } = await (await database())
      .prepare(
        `SELECT event_id FROM events JOIN users USING (user_id)
         WHERE link_id = 'natsume' AND status = 'published' AND publish_target_type <> 'public' AND image_id IS NOT NULL`,
      )
      .all<{ event_id: string }>();
    expect(results.length).toBeGreaterThan(0);
    for (const { event_id } of results) {
      const { text } = await author.get(`/natsume/events/${event_id}`);
      expect(text).toMatch(/<img [^>]*signature=/);
      const [head = ""] = text.split("</head>");
      // A member's own page has no preview of its own, so it has the site's defaults.
      expect(head).toContain(`property="og:image" content="${(await network()).url}/share.png"`);
      expect(head).not.toContain("ld+json");
      expect(head).not.toMatch(/(?:content="|"image":")[^"]*signature=/);
    }
  });
});
