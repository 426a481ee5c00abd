import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { brotliCompressSync, constants } from "node:zlib";
import { describe, expect, test } from "vitest";
import { demoEmail } from "../../scripts/demo/seed.ts";
import { listUserEventCategories, listUserEvents } from "../../workers/contract/events.ts";
import { getUser } from "../../workers/contract/users.ts";
import { browser, freshMember, network } from "../support/network.ts";
import { ask, INSIDES, JAPANESE, send, succeeded, userId } from "./support/calls.ts";

/** Fetches a page and returns its bytes on the wire, its coding and its text. */
async function wire(path: string): Promise<{ bytes: number; coding: string | undefined }> {
  const { port } = await network();
  return new Promise((done, failed) => {
    const headers = { host: `localhost:${port}`, "accept-encoding": "gzip, deflate, br" };
    request({ host: "127.0.0.1", port, path, headers }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once("end", () => done({ bytes, coding: response.headers["content-encoding"] }));
    })
      .once("error", failed)
      .end();
  });
}

/** Posts of each kind, by a part of their title. */
const posts: Record<string, string> = {
  "an event": "雨あがりの帰り道",
  "a long post": "道具箱の中身をぜんぶ見せます",
  "a post with a film": "夕焼けを塗る八分間（早送り）",
  "a post with a paywall": "【合鍵の方へ】山の絵の下描きと配色メモ",
  "a post for followers": "フォローしてくださっている方へ、ラフのまとめ",
};

async function eventPath(title: string): Promise<string> {
  const params = { user_id: await userId("natsume") };
  for (const page_number of [1, 2]) {
    const { events } = await ask(listUserEvents, { params, query: { page_number, page_size: 25 } });
    const found = events.find((event) => event.title === title);
    if (found) return `/natsume/events/${found.event_id}`;
  }
  throw new Error(`natsume has no post 「${title}」`);
}

async function categoryPath(): Promise<string> {
  const params = { user_id: await userId("natsume") };
  const { event_categories } = await ask(listUserEventCategories, { params });
  return `/natsume?category=${event_categories[0]?.event_category_id}`;
}

/** Returns the path of natsume's radio. */
async function radioPath(): Promise<string> {
  const { text } = await (await browser()).get("/natsume/radio");
  return /href="(\/natsume\/radios\/\w+)"/.exec(text)?.[1] ?? "";
}

async function pathOf(name: string): Promise<string> {
  if (name === "a picture alone") return `${await eventPath("雨あがりの帰り道")}?picture=2`;
  if (name === "a category") return categoryPath();
  if (name === "a radio") return radioPath();
  const title = posts[name];
  return title ? eventPath(title) : name;
}

/** The classes in a style sheet. */
const classesIn = (css: string) => new Set(Array.from(css.matchAll(/\.([a-z][\w-]*)/g), ([, name = ""]) => name));
const STYLES = new URL("../../app/styles/", import.meta.url);
const classesWithStyles = classesIn(
  readdirSync(STYLES)
    .filter((name) => name.endsWith(".css"))
    .map((name) => readFileSync(new URL(name, STYLES), "utf8").replace(/^@import .*$/gm, ""))
    .join(),
);

/** The only script of visitors' pages, at the end of their head. */
const VISITOR_SCRIPT =
  /<script type="module" src="(\/assets\/visitor-\w+\.js)" fetchPriority="low"><\/script>(?=<\/head>)/;

describe.each([
  "/",
  "/natsume",
  "/natsume?page=2",
  "/natsume/about",
  "/natsume/plans",
  "/natsume/ofuse",
  "/natsume/radio",
  ...Object.keys(posts),
  "a picture alone",
  "a category",
  "a radio",
  "/akari",
  "/fan_hana",
  "/search",
  "/search?keyword=%E6%B0%B4%E5%BD%A9",
  "/login",
  "/login/link",
  "/login/phone",
  "/login/reset",
  "/login/token",
  "/login/reset?sent",
  "/signup",
  "/kit",
  "/news",
  "/news/2026-11-06-letters",
  "/usecases",
  "/help",
  "/terms",
  "/privacy",
  "/external-transmission",
  "/transactions",
  "/signup/sent",
  "/404",
])("a visitor's %s", (name) => {
  const load = async () => (await browser()).get(await pathOf(name));

  test("is a Japanese page with our one script, without cookies or personal data", async () => {
    const page = await load();
    expect(page.status).toBe(name === "/404" ? 404 : 200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(page.text).toContain('<html lang="ja"');
    expect(/<title>(.*?)<\/title>/.exec(page.text)?.[1]).toMatch(/[\u3041-\u9fff]/);
    expect(/<h1[^>]*>(.*?)<\/h1>/s.exec(page.text)?.[1]).toMatch(/[\u3041-\u9fff]/);
    expect(page.text.replace(/<[^>]*>/g, "")).toMatch(JAPANESE);
    // A data block for search engines is no script: it does not run.
    const markup = page.text
      .replace(/<script type="application\/ld\+json">[^<]*<\/script>/g, "")
      .replace(VISITOR_SCRIPT, "");
    expect(markup).not.toMatch(/<script|javascript:|\son\w+=|modulepreload/i);
    expect(page.text).not.toMatch(INSIDES);
    expect(page.text).not.toMatch(/[\w.]+@demo\.example|idempotency_key|undefined|\[object/);
  });

  test("comes with its styles in the first round trips: 14,336 bytes", async () => {
    const page = await wire(await pathOf(name));
    expect(page.coding).toBe("br");
    expect(page.bytes).toBeLessThanOrEqual(14_336);
  });

  test("has the styles of all its classes", async () => {
    const { text } = await load();
    const [sheet = "", styles = ""] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
    const known = classesIn(styles);
    const used = Array.from(text.replace(sheet, "").matchAll(/\sclass="([^"]*)"/g), ([, names = ""]) =>
      names.split(" "),
    );
    const missing = used.flat().filter((name) => classesWithStyles.has(name) && !known.has(name));
    expect(new Set(missing)).toEqual(new Set());
  });

  test("cannot be framed or use the device, and every cache must revalidate it", async () => {
    const { headers } = await load();
    const is_shared = !/^\/(?:404$|signup\/sent$|login\/)|\?keyword|^a radio$/.test(name);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "permissions-policy": expect.stringContaining("camera=(), microphone=()"),
      "referrer-policy": "strict-origin-when-cross-origin",
      "cache-control": is_shared ? "public, no-cache" : "private, no-store",
      "x-request-id": expect.stringMatching(/^[0-9a-z]{26}$/),
    });
  });
});

test("a creator's page comes with its styles in the first round trips: 14,336 bytes, and blocks on nothing else", async () => {
  const { text } = await (await browser()).get("/natsume");
  expect(/<style>[^<]*:root{/.test(text) && !text.includes('rel="stylesheet"')).toBe(true);
  const page = await wire("/natsume");
  expect(page.coding).toBe("br");
  expect(page.bytes).toBeLessThanOrEqual(14_336);
});

test("the styles that a visitor's page loads are at most 7 kB of those", async () => {
  const { text } = await (await browser()).get("/natsume");
  const [, styles = ""] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
  expect(styles).toContain(":root{");
  expect(brotliCompressSync(styles).length).toBeLessThanOrEqual(7 * 1024);
});

test("a visitor's one script is at most 2,048 bytes, and loads nothing else of ours first", async () => {
  const { url } = await network();
  const { text } = await (await browser()).get("/natsume");
  const [, path = ""] = VISITOR_SCRIPT.exec(text) ?? [];
  const { bytes, coding } = await wire(path);
  expect(coding).toBe("br");
  expect(bytes).toBeLessThanOrEqual(2048);
  const source = await (await fetch(url + path)).text();
  // Optional code is loaded by dynamic import.
  expect(source).not.toMatch(/\bimport\s*["{*\w]/);
  const later = [...source.matchAll(/import\("\.\/([\w.-]+\.js)"\)/g)].map(([, name]) => name ?? "");
  expect(later.map((name) => name.replace(/-\w+\.js$/, "")).sort()).toEqual([
    "later",
    "maintenance",
    "rum.client",
    "scroll-to-results",
  ]);
  for (const name of later) {
    const chunk = await fetch(`${url}/assets/${name}`);
    expect([name, chunk.status]).toEqual([name, 200]);
    expect(await chunk.text()).not.toMatch(/\bimport\s*["{*\w]/);
  }
});

test("pictures have their size, the largest loads first and in a small size, and the others load when they are scrolled to", async () => {
  const { url } = await network();
  const { text } = await (await browser()).get("/natsume");
  const images = [...text.matchAll(/<img [^>]*>/g)].map(([image]) => image);
  expect(images.length).toBeGreaterThan(5);
  for (const image of images) {
    expect(image).toMatch(/ width="\d+"/);
    expect(image).toMatch(/ height="\d+"/);
    expect(image).toMatch(/ alt="/);
  }
  for (const picture of images.filter((image) => image.includes("event-card-image"))) {
    expect(picture).toMatch(/ alt="[^"]+"/);
  }
  const eager = images.filter((image) => !image.includes('loading="lazy"'));
  expect(eager).toHaveLength(1);
  expect(eager[0]).toMatch(/class="creator-cover".*fetchPriority="high"/);
  const first = await fetch(url + /src="([^"]+)"/.exec(eager[0] ?? "")?.[1]);
  expect((await first.arrayBuffer()).byteLength).toBeLessThanOrEqual(40 * 1024);
});

test("every picture, style and icon of a page exists", async () => {
  const { text } = await (await browser()).get("/natsume");
  const paths = [...text.matchAll(/(?:src|href)="(\/(?:media|assets|favicon)[^"]*)"/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(5);
  const visitor = await browser();
  for (const path of new Set(paths)) {
    const { status, headers } = await visitor.get(path.replaceAll("&amp;", "&"));
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    if (path.startsWith("/assets/")) expect(headers.get("cache-control")).toContain("immutable");
    // The icon's name has no content hash, so browsers must check for a newer one.
    if (path === "/favicon.svg") {
      expect(headers.get("cache-control")).toBe("public, max-age=3600");
      const again = await visitor.get(path, { "if-none-match": headers.get("etag") ?? "" });
      expect([again.status, again.headers.get("cache-control")]).toEqual([304, "public, max-age=3600"]);
    }
  }
});

test("a missing file is not cached permanently", async () => {
  const { status, headers } = await (await browser()).get("/assets/gone-00000000.js");
  expect({ status, kept: headers.get("cache-control") }).toEqual({ status: 404, kept: "no-store" });
});

test("people's texts are never interpreted as markup", async () => {
  const visitor = await browser();
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
  for (const [path, fields] of [
    ["/login", { email: evil, password: "x", to: evil }],
    ["/signup", { email: evil, password: "x" }],
  ] as const) {
    const { status, text } = await visitor.post(path, fields);
    expect(status).toBe(422);
    expect(text).not.toContain("<script>");
    expect(text).not.toContain("<img src=x");
  }
  expect((await visitor.get(`/login?to=/${encodeURIComponent(evil)}`)).text).not.toContain("<script>");
});

test("a member's page of another person contains nothing private of that person", async () => {
  const member = await browser();
  await member.signIn("yamato");
  const { text } = await member.get("/natsume");
  expect(text).toContain("<script");
  expect(text).not.toContain(demoEmail("natsume"));
  const reply = await send(getUser, { query: { link_id: "natsume" } });
  succeeded(getUser, reply);
  expect(reply.text).not.toContain("@demo.example");
});

test("scripts and styles are compressed as far as possible, and cached permanently", async () => {
  const member = await browser();
  await member.signIn("yamato");
  const { text } = await member.get("/natsume");
  const paths = new Set([...text.matchAll(/\/assets\/[\w.-]+\.(?:js|css)/g)].map(([path]) => path));
  expect(paths.size).toBeGreaterThan(3);
  for (const path of paths) {
    const { bytes, coding } = await wire(path);
    expect([path, coding]).toEqual([path, "br"]);
    const { url } = await network();
    const plain = await fetch(url + path, { headers: { "accept-encoding": "identity" } });
    const content = Buffer.from(await plain.arrayBuffer());
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(bytes, path).toBe(brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length);
    const packed = await fetch(url + path);
    expect(Object.fromEntries(packed.headers)).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": path.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
      vary: expect.stringContaining("accept-encoding"),
    });
    expect(Buffer.from(await packed.arrayBuffer()).equals(content)).toBe(true);
  }
});

describe("a creator's page", () => {
  const hrefsIn = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = ""]) => href);
  const mainOf = (html: string) => html.slice(html.indexOf("<main"), html.indexOf("</main>"));

  test("opens the list of posts when its pages and categories change, and the letters when theirs do", async () => {
    const { text } = await (await browser()).get("/natsume");
    const lists = hrefsIn(text).filter((href) => /^\/natsume(\?|#)/.test(href));
    expect(lists.length).toBeGreaterThan(4);
    for (const href of lists) expect(href).toMatch(/#posts$/);
    expect(text).toContain('id="posts"');
    const second = hrefsIn((await (await browser()).get("/natsume?page=2")).text);
    expect(second).toContain("/natsume#posts");
    const letters = (await (await browser()).get("/natsume/ofuse")).text;
    expect(hrefsIn(letters).filter((href) => href.includes("?after="))).toEqual([
      expect.stringMatching(/^\/natsume\/ofuse\?after=\w{26}#letters$/),
    ]);
    expect(letters).toContain('id="letters"');
  });

  test("has one solid button, and follow is an outline; its owner gets buttons to edit and to write", async () => {
    const visitor = mainOf((await (await browser()).get("/natsume")).text);
    const actions = visitor.slice(visitor.indexOf("creator-actions"), visitor.indexOf("creator-bio"));
    expect(actions).toMatch(/class="button button-primary-outline"[^>]*>フォローする/);
    expect(actions).toMatch(/class="button button-secondary" href="\/natsume\/ofuse"[^>]*>ofuseを送る/);
    const creator = await browser();
    await creator.signIn("natsume");
    const page = mainOf((await creator.get("/natsume")).text);
    const own = page.slice(page.indexOf("creator-actions"), page.indexOf("creator-bio"));
    expect(own).toMatch(/href="\/my\/settings"[^>]*>プロフィールを編集/);
    expect(own).toMatch(/href="\/my\/posts\/new"[^>]*>投稿する/);
    expect(own).not.toContain("フォローする");
  });

  test("without posts invites its owner to the first post and a visitor to follow", async () => {
    const member = await freshMember("これからの人");
    const path = `/${member.user.link_id}`;
    const owner = await browser();
    await owner.signIn(member);
    expect(mainOf((await owner.get(path)).text)).toMatch(/まだ投稿がありません.*href="\/my\/posts\/new"/s);
    expect(mainOf((await (await browser()).get(path)).text)).toMatch(/まだ投稿がありません.*<form[^>]*\/follow"/s);
  });

  test("of a post shows its author once, and ends with a way to write to them", async () => {
    const html = mainOf((await (await browser()).get(await eventPath("雨あがりの帰り道"))).text);
    const before = html.slice(0, html.indexOf("<h1"));
    expect(before).not.toContain('class="tabs"');
    expect(before.match(/class="avatar"/g)).toHaveLength(1);
    expect(html).toMatch(/letter-invite.*href="\/natsume\/ofuse"/s);
  });

  test("offers a plan to join, and a locked post links to its own plan", async () => {
    const locked = mainOf(
      (await (await browser()).get(await eventPath("【合鍵の方へ】山の絵の下描きと配色メモ"))).text,
    );
    const [plan = ""] = /\/natsume\/plans\/\w+/.exec(locked) ?? [];
    const { text } = await (await browser()).get(plan);
    expect(mainOf(text)).toContain("アトリエの合鍵");
    expect(text).toContain(`href="/my/subscriptions/join/${plan.split("/").at(-1)}"`);
  });
});

test("a missing page offers a search for the creator in its address", async () => {
  const { status, text } = await (await browser()).get("/natsumee");
  expect(status).toBe(404);
  const form = /<form[^>]*action="\/search".*?<\/form>/s.exec(text.slice(text.indexOf("<main")))?.[0] ?? "";
  expect(form).toMatch(/name="keyword"[^>]*value="natsumee"/);
});
