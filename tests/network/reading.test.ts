import { beforeAll, describe, expect, test } from "vitest";
import { sharedPatterns } from "../../app/middleware/shared-pages.ts";
import { speculationRules } from "../../app/routes/speculation-rules.ts";
import routes from "../../app/routes.ts";
import { FRAME_ORIGINS } from "../../workers/contract/embeds.ts";
import { createEvent, createEventCategory, deleteEventCategory, getEvent } from "../../workers/contract/events.ts";
import type { Image } from "../../workers/contract/fields.ts";
import type { InputOf } from "../../workers/contract/operation.ts";
import { uploadPrivateImage } from "../../workers/contract/uploads.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { type Browser, browser, database, freshMember, type Member, network } from "../support/network.ts";
import { jpegOf, quarters } from "../support/pictures.ts";
import { waitUntil } from "../support/wait.ts";
import { ask } from "./support/calls.ts";
import { upload } from "./support/uploads.ts";

type Body = InputOf<typeof createEvent>["body"];

const paragraph = (text: string) => ({ type: "paragraph" as const, content: [{ type: "text" as const, text }] });
const FREE = "ここまではだれでも読めます";
const SECRET = "鍵のかかった部屋の話";

let writer: Member;
let membership_id: string;
let pictures: Image[];
beforeAll(async () => {
  writer = await freshMember("線を引く人");
  membership_id = newId(Date.now());
  const db = await database();
  await db
    .prepare(
      "INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at) VALUES (?1, ?2, '窓辺の席', '', 500, 'active', ?3, ?3)",
    )
    .bind(membership_id, writer.user.user_id, new Date().toISOString())
    .run();
  const bytes = await jpegOf(quarters(1400, 800));
  pictures = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const reply = await upload(uploadPrivateImage.path, writer.token, { bytes, name: "絵.jpg" });
      return uploadPrivateImage.answer.parse(reply.json).image;
    }),
  );
}, 120_000);

async function publish(body: Partial<Body>): Promise<string> {
  const { event } = await ask(createEvent, {
    token: writer.token,
    body: { kind: "blog", title: "題", status: "published", publish_target_type: "public", ...body },
  });
  return `/${writer.user.link_id}/events/${event.event_id}`;
}

async function signedIn(member: Member): Promise<Browser> {
  const own = await browser();
  const { email, password } = member;
  expect((await own.post("/login", { email, password, to: "/" })).status).toBe(303);
  return own;
}

const tags = (html: string, name: string) => [...html.matchAll(new RegExp(`<${name} [^>]*>`, "g"))].map(([tag]) => tag);
const attribute = (tag: string | undefined, name: string) =>
  new RegExp(` ${name}="([^"]*)"`, "i").exec(tag ?? "")?.[1]?.replaceAll("&amp;", "&");

describe("of a post with a paywall line", () => {
  let path: string;
  let event_id: string;
  let reader: Member;
  let hidden: Image[];
  beforeAll(async () => {
    const [free, behind, cover] = pictures as [Image, Image, Image];
    hidden = [behind, cover];
    path = await publish({
      title: "線のある記事",
      publish_target_type: "memberships",
      publish_target_membership_id: membership_id,
      cover_image_id: cover.image_id,
      document: [
        paragraph(FREE),
        { type: "image", image_id: free.image_id },
        { type: "paywall" },
        paragraph(SECRET),
        { type: "image", image_id: behind.image_id },
        { type: "embed", url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ" },
      ],
    });
    event_id = path.split("/").at(-1) ?? "";
    reader = await freshMember("読む人");
  });

  test("readers without access get no byte of the locked text, by any route", async () => {
    const visitor = await browser();
    const stranger = await signedIn(reader);
    const { link_id, user_id } = writer.user;
    const { url } = await network();
    const oembed = (format: string) => `/oembed?${new URLSearchParams({ url: url + path, format })}`;
    const ways = [
      path,
      `${path}?picture=1`,
      `${path}.data`,
      `${path}/likeness`,
      `/${link_id}`,
      `/${link_id}.data`,
      `/${link_id}/feed.xml`,
      `/${link_id}/feed.atom`,
      `/${link_id}/feed.json`,
      oembed("json"),
      oembed("xml"),
      "/",
      `/v4/events/${event_id}`,
      `/v4/users/${user_id}/events`,
      `/v4/memberships/${membership_id}/events`,
    ];
    for (const [who, own] of Object.entries({ visitor, stranger })) {
      for (const way of ways) {
        const { status, text } = await own.get(way);
        expect([who, way, status], text.slice(0, 200)).toEqual([who, way, 200]);
        const secrets = [SECRET, "dQw4w9WgXcQ", ...hidden.map(({ image_id }) => image_id)];
        expect([who, way, secrets.filter((secret) => text.includes(secret))]).toEqual([who, way, []]);
      }
      for (const { image_id } of hidden) expect((await own.get(`/media/${image_id}/medium`)).status).toBe(404);
    }
  });

  test("its likeness is its own: under another name it would remain after the post is deleted", async () => {
    const visitor = await browser();
    expect((await visitor.get(`${path}/likeness`)).status).toBe(200);
    expect((await visitor.get(`/natsume/events/${event_id}/likeness`)).status).toBe(404);
  });

  test("everybody reads up to the line, and learns how to read on", async () => {
    const { text } = await (await browser()).get(path);
    expect(text).toContain(FREE);
    expect(text.replace(/<[^>]*>/g, "")).toContain("ここから先は「窓辺の席」限定です");
    const plan = `/${writer.user.link_id}/plans/${membership_id}`;
    expect(text).toContain(`href="${plan}?to=${path}"`);
    expect(text).toContain(`href="/login?to=${encodeURIComponent(path)}"`);
    expect(/<meta name="description" content="([^"]*)"/.exec(text)?.[1]).toContain(FREE);
    expect((await (await browser()).get(`/media/${pictures[0]?.image_id}/medium`)).status).toBe(200);
  });

  test("a member of the plan reads all of it, with the line in place", async () => {
    const db = await database();
    const until = new Date(Date.now() + 86_400_000).toISOString();
    await db
      .prepare(
        "INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at) VALUES (?, ?, ?, 'active', ?, ?)",
      )
      .bind(newId(Date.now()), membership_id, reader.user.user_id, until, new Date().toISOString())
      .run();
    const { text } = await (await signedIn(reader)).get(path);
    expect(text).toContain(SECRET);
    expect(text).toMatch(/class="paywall">.*?ここから先は「窓辺の席」限定です/);
    const image = tags(text, "img").find((tag) => tag.includes(hidden[0]?.image_id ?? ""));
    const member = await signedIn(reader);
    expect((await member.get(attribute(image, "src") ?? "")).status).toBe(200);
    expect((await (await browser()).get(attribute(image, "src") ?? "")).status).toBe(404);
  });
});

test("the first visible picture loads first, once, in the displayed size; all others load later", async () => {
  const third = pictures[3] as Image;
  const path = await publish({ kind: "image", images: [{ image_id: third.image_id, alt: "四つの色" }] });
  const { text } = await (await browser()).get(path);
  const [first, ...rest] = tags(text, "img").filter((tag) => !tag.includes('loading="lazy"'));
  expect(rest).toEqual([]);
  expect(first).toMatch(/ fetchPriority="high"/i);
  expect(attribute(first, "alt")).toBe("四つの色");
  const srcset = attribute(first, "srcSet") ?? "";
  expect(srcset).toBe(third.srcset?.replaceAll(/\?\S+/g, ""));
  expect(srcset.split(", ").length).toBeGreaterThan(1);
  // The viewer shows it again, and loads it when it is opened.
  const [, strip = ""] = /<section class="lightbox viewer"[^>]*>(.*?)<\/section>/s.exec(text) ?? [];
  expect(text).toContain('id="shown-1" href="#picture-1"');
  expect(strip).toContain('<li id="picture-1" tabindex="-1">');
  expect(tags(strip, "img")[0]).toMatch(new RegExp(` width="${third.width}" height="${third.height}" loading="lazy"`));
  const preloads = tags(text, "link").filter((tag) => tag.includes('rel="preload"') && tag.includes('as="image"'));
  expect(preloads).toHaveLength(1);
  expect(attribute(preloads[0], "imageSrcSet")).toBe(srcset);
  expect(attribute(preloads[0], "imageSizes")).toBe(attribute(first, "sizes"));
  expect(preloads[0]).toMatch(/fetchPriority="high"/i);
  for (const size of srcset.split(", ")) {
    const [address = "", width] = size.split(" ");
    expect([size, (await (await browser()).get(address)).status]).toEqual([size, 200]);
    expect(address.endsWith(`/${Number.parseInt(width ?? "", 10)}`)).toBe(true);
  }
});

test("a page may frame the players of the allow-list alone, and contacts none of them by itself", async () => {
  const path = await publish({ kind: "video", video_url: "https://www.youtube.com/watch?v=M7lc1UVf-VE" });
  const { text, headers } = await (await browser()).get(path);
  const policy = headers.get("content-security-policy") ?? "";
  expect(/frame-src ([^;]*)/.exec(policy)?.[1]?.split(" ")).toEqual([...FRAME_ORIGINS]);
  const [frame, ...others] = tags(text, "iframe");
  expect(others).toEqual([]);
  expect(frame).toMatch(/ sandbox="[^"]*allow-scripts/);
  expect(frame).toMatch(/ title="YouTubeの動画"/);
  expect(attribute(frame, "src")).toBeUndefined();
  expect(text).not.toMatch(/<(?:img|link|script|iframe|source) [^>]*(?:src|href)="https:\/\/(?!localhost)/);
});

test("the heaviest possible post is a page of less than 700 kB, and loads nothing from other sites", async () => {
  const embeds = Array.from({ length: 20 }, (_, n) => ({ type: "embed" as const, url: `https://vimeo.com/98765${n}` }));
  const link = (_: unknown, n: number) =>
    ({ type: "text", text: "先", href: `https://a.example/${n + 100}/${"漢".repeat(101)}` }) as const;
  const content = [
    ...Array.from({ length: 200 }, link),
    ...Array.from({ length: 20 }, () => ({ type: "text", text: '"'.repeat(2490) }) as const),
  ];
  const path = await publish({ document: [{ type: "paragraph", content }, ...embeds] });
  const { text } = await (await browser()).get(path);
  expect(Buffer.byteLength(text)).toBeLessThan(700_000);
  expect(tags(text, "iframe")).toHaveLength(20);
  expect(text).not.toMatch(/<(?:img|link|script|iframe|source) [^>]*(?:src|href)="https:\/\/(?!localhost)/);
});

describe("a browser may prefetch", () => {
  const [named, not] = speculationRules().prefetch[0]?.where.and ?? [];
  const patterns = (paths: readonly string[] = []) => paths.map((pathname) => new URLPattern({ pathname }));
  const allowed = patterns(named?.href_matches);
  const refused = patterns(not?.not?.href_matches);
  const isAskedFor = (pathname: string) => {
    const matches = (pattern: URLPattern) => pattern.test({ pathname });
    return allowed.some(matches) && !refused.some(matches);
  };

  test("only pages that are the same for every visitor: no member's page, no form, no action, no other site", () => {
    const firsts = routes.flatMap(({ path }) => (path && !path.startsWith(":") && path !== "*" ? [path] : []));
    expect(firsts.length).toBeGreaterThan(20);
    for (const pattern of firsts) {
      const path = `/${pattern.replace(/:\w+/g, "x")}`;
      if (isAskedFor(path)) expect(sharedPatterns).toContain(pattern);
    }
    for (const path of ["/my/box", "/my/posts/new", "/logout", "/login", "/redirect", "/search", "/natsume/follow"]) {
      expect([path, isAskedFor(path)]).toEqual([path, false]);
    }
    for (const path of ["/", "/natsume", "/natsume/about", "/natsume/events/01k7pv3m08xq6ttjqb44twk30e", "/help"]) {
      expect([path, isAskedFor(path)]).toEqual([path, true]);
    }
  });

  test("on visitors' pages alone", async () => {
    const visitor = await browser();
    const member = await browser();
    await member.signIn("fan_hana");
    const said = async (own: Browser, path: string) => (await own.get(path)).headers.get("speculation-rules");
    for (const path of ["/", "/natsume", "/help"]) {
      expect([path, await said(visitor, path)]).toEqual([path, '"/speculation-rules.json"']);
      expect([path, await said(member, path)]).toEqual([path, null]);
    }
    expect(await said(visitor, "/login?to=/natsume")).toBeNull();
    expect(await said(visitor, "/natsume/feed.xml")).toBeNull();
    const rules = await visitor.get("/speculation-rules.json");
    expect(rules.headers.get("content-type")).toBe("application/speculationrules+json");
    expect(JSON.parse(rules.text)).toEqual(speculationRules());
  });
});

describe("a category", () => {
  const status = (page: { headers: Headers }) => page.headers.get("cache-status");

  test("is cached once for its list and once for each post in it; an invalid one redirects and is not cached", async () => {
    const make = async (title: string) =>
      (await ask(createEventCategory, { token: writer.token, body: { title } })).event_category.event_category_id;
    const [own, other] = [await make("水彩"), await make("別の棚")];
    const path = await publish({ title: "棚の中", document: [paragraph("本文")], event_category_id: own });
    const list = `/${writer.user.link_id}`;
    const visitor = await browser();
    const listed = await visitor.get(`${list}?category=${own}`);
    expect([listed.status, status(listed)]).toEqual([200, "ofuse; fwd=uri-miss; stored"]);
    expect(listed.text).toContain("棚の中");
    expect(listed.text).toContain(`<link rel="canonical" href="${(await network()).url}${list}?category=${own}"`);
    expect(listed.text).toContain(`href="${path}?category=${own}"`);
    expect(status(await visitor.get(`${path}?category=${own}`))).toBe("ofuse; fwd=uri-miss; stored");
    for (const asked of [other, newId(Date.now()), "x"]) {
      const page = await visitor.get(`${path}?category=${asked}`);
      expect([asked, page.status, page.location, status(page)]).toEqual([asked, 302, path, null]);
    }
    for (const asked of [newId(Date.now()), "x", ""]) {
      const page = await visitor.get(`${list}?category=${asked}`);
      expect([asked, page.status, status(page)]).toEqual([asked, 404, null]);
    }
    for (const query of [`page=1&category=${own}`, `category=${own}&category=${own}`]) {
      expect([query, status(await visitor.get(`${list}?${query}`))]).toEqual([query, null]);
    }
    // A list does not read this parameter, so it must not create another cached copy.
    const with_picture = await visitor.get(`${list}?category=${own}&picture=1`);
    expect([with_picture.text, status(with_picture)]).toEqual([
      listed.text,
      expect.stringMatching(/^ofuse; (hit|fwd=stale)/),
    ]);
    await ask(deleteEventCategory, { token: writer.token, params: { event_category_id: own } });
    await waitUntil(async () => expect((await visitor.get(`${list}?category=${own}`)).status).toBe(404));
  });
});

test("a visit is counted once, from the browser's report, from this site alone", async () => {
  const path = await publish({ title: "数える", document: [paragraph("本文")] });
  const event_id = path.split("/").at(-1) ?? "";
  const count = async () => (await ask(getEvent, { token: writer.token, params: { event_id } })).event.visits_count;
  const visitor = await browser();
  await visitor.get(path, { "sec-purpose": "prefetch" });
  await visitor.get(`${path}/visit?visit_id=one`);
  expect(await count()).toBe(0);
  for (const visit_id of ["one", "one", "two"]) {
    expect((await visitor.post(`${path}/visit`, { visit_id })).status).toBe(204);
  }
  expect(await count()).toBe(2);
  await visitor.send(`${path}/visit`, {
    method: "POST",
    body: new URLSearchParams({ visit_id: "three" }),
    headers: { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" },
  });
  expect(await count()).toBe(2);
});
