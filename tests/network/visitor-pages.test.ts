import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { queriedPatterns, readParameters, sharedPatterns } from "../../app/middleware/shared-pages.ts";
import routes from "../../app/routes.ts";
import { startNetwork } from "../../scripts/network.ts";
import type { batchReads } from "../../workers/contract/edge.ts";
import type { AnswerOf } from "../../workers/contract/operation.ts";
import { Browser, browser, database, freshMember, layDemoWorld, type Network, network } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { insertPost } from "./support/posts.ts";

type Headers = Record<string, string>;

const visit = async (path: string, headers: Headers = {}) => (await browser()).get(path, headers);
const fullStatus = (page: { headers: globalThis.Headers }) => page.headers.get("cache-status");
/** Returns the status without the mark of a late API: a busy one may need longer than a second to tell the version. */
const status = (page: { headers: globalThis.Headers }) =>
  fullStatus(page)?.replace("; detail=api-unreachable", "") ?? null;

/**
 * URLs of posts that nobody has requested yet. All are created before the first request, because creating a post
 * changes the others' version.
 */
let unvisited: Promise<string[]> | undefined;
async function fresh(): Promise<string> {
  unvisited ??= makePosts();
  const path = (await unvisited).pop();
  if (!path) throw new Error("every post has been visited");
  return path;
}

async function makePosts(): Promise<string[]> {
  const author = await freshMember("はじめての人");
  const ids = [];
  for (let made = 0; made < 20; made++) ids.push(await insertPost(author));
  return ids.map((event_id) => `/${author.user.link_id}/events/${event_id}`);
}

describe("a visitor's page", () => {
  test("is rendered once, and then the cached copy is served unchanged", async () => {
    const path = await fresh();
    const first = await visit(path);
    expect(status(first)).toBe("ofuse; fwd=uri-miss; stored");
    const second = await visit(path);
    expect(status(second)).toBe("ofuse; hit");
    expect(second.text).toBe(first.text);
    expect(first.text).toContain("event-title");
    expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    for (const name of ["content-security-policy", "content-type", "cache-control", "etag", "permissions-policy"]) {
      expect(second.headers.get(name), name).toBe(first.headers.get(name));
    }
    expect(second.headers.get("vary")).toContain("cookie");
  });

  test("is the same for every visitor and from every link", async () => {
    const path = await fresh();
    const { text } = await visit(path);
    const from_elsewhere = {
      "user-agent": "Crawler/1.0",
      "accept-language": "en",
      referer: "https://example.com/secret",
    };
    const address = { "cf-connecting-ip": "203.0.113.9", "x-forwarded-for": "203.0.113.9" };
    for (const headers of [from_elsewhere, address]) {
      const page = await visit(path, headers);
      expect(status(page)).toBe("ofuse; hit");
      expect(page.text).toBe(text);
    }
    for (const tracked of ["utm_source=mail&fbclid=x", "gclid=1"]) {
      expect(status(await visit(`${path}?${tracked}`))).toBe("ofuse; hit");
    }
    await visit("/natsume?page=2");
    expect(status(await visit("/natsume?utm_medium=x&page=2"))).toBe("ofuse; hit");
  });

  test("is cached once for each page of a list, whatever other query parameters a link has", async () => {
    const path = await fresh();
    const carried = ["ref=x", "_routes=root", "to=/natsume", "keyword=x", `x=${"x".repeat(600)}`, "__proto__=x"];
    const unknown = Array.from({ length: 20 }, () => `${crypto.randomUUID()}=${crypto.randomUUID()}`);
    const pages = await Promise.all([...carried, ...unknown].map((query) => visit(`${path}?${query}`)));
    expect(pages.filter((page) => status(page)?.endsWith("stored"))).toHaveLength(1);
    expect(pages.filter((page) => !/hit|stored|collapsed/.test(status(page) ?? ""))).toEqual([]);
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    const twice = await visit(`${path}?page=1&page=2`);
    expect([twice.status, status(twice)]).toEqual([200, null]);
    expect((await visit("/login?to=/natsume/plans")).text).toContain('value="/natsume/plans"');
    expect(status(await visit("/login?to=/natsume/plans"))).toBeNull();
    expect((await visit("/my/box?filter=not_replied")).location).toBe("/login?to=%2Fmy%2Fbox%3Ffilter%3Dnot_replied");
  });

  test("is not shared by visitors who ask for it at once, if it has a form of their own", async () => {
    const pages = await Promise.all(Array.from({ length: 8 }, () => visit("/natsume/ofuse/paid")));
    const keys = pages.map(({ text }) => /name="idempotency_key" value="([^"]+)"/.exec(text)?.[1]);
    expect(keys.every(Boolean)).toBe(true);
    expect(new Set(keys).size, "two payers with one key would share an order").toBe(8);
  });

  test("is not cached under another spelling of its address, or with a page number that our links never contain", async () => {
    const [, link_id, ...rest] = (await fresh()).split("/");
    const alike = [
      "/kit////",
      "/kit/",
      "//kit",
      "/KIT",
      "/%6bit",
      `/${link_id}/`,
      `/${link_id}/FEED.xml`,
      `/${link_id}/events//${rest[1]}`,
      "/search?page=2",
      `/${link_id}?page=01`,
      `/${link_id}?page=%EF%BC%91`,
      `/${link_id}/events/${rest[1]}?page=`,
    ];
    for (const path of alike) {
      const page = await visit(path);
      expect([path, status(page), page.headers.get("cache-control")]).toEqual([path, null, "private, no-store"]);
    }
    for (const path of [`/${link_id}?page=1`, `/${link_id}/${rest.join("/")}?page=1`]) {
      expect([path, status(await visit(path))]).toEqual([path, "ofuse; fwd=uri-miss; stored"]);
    }
  });

  test.each([
    ["/natsume?utm_source=mail&page=2", "/login?to=%2Fnatsume%3Fpage%3D2"],
    [
      "/search?keyword=猫",
      `/login?${new URLSearchParams({ to: `/search?${new URLSearchParams({ keyword: "猫" })}` })}`,
    ],
    ["/", "/login"],
    ["/login", "/login"],
    ["/login?to=/natsume", "/login?to=%2Fnatsume"],
    ["/signup?to=//evil.example", "/login"],
  ])("%s leads to the sign-in page and back to itself", async (path, login) => {
    const { text } = await visit(path);
    const links = [...text.matchAll(/<a\b[^>]* href="(\/login[^"]*)"[^>]*>(ログイン|新規登録)<\/a>/g)];
    const hrefs = links.map(([, href]) => href?.replaceAll("&amp;", "&"));
    expect(new Set(hrefs)).toEqual(new Set([login, `${login}#signup`]));
  });

  test.each([
    ["a session", { cookie: "soziIdAuth=x" }],
    ["a flash message", { cookie: "flash=followed" }],
    ["words that wait", { cookie: "soziIdFormIntent=01hzzzzzzzzzzzzzzzzzzzzzzz.secret" }],
    ["a cookie of anybody's", { cookie: "a=1" }],
    ["a theme and something else", { cookie: "theme=dark; a=1" }],
    ["credentials", { authorization: "Basic YTpi" }],
  ] satisfies [string, Headers][])("is never shared with a browser that has %s", async (_, headers) => {
    const path = await fresh();
    const page = await visit(path, headers);
    expect(page.status).toBe(200);
    expect(status(page)).toBeNull();
    expect(page.headers.get("cache-control")).toBe("private, no-store");
    expect(status(await visit(path)), "nothing of it was kept").toContain("stored");
  });

  test("links to its own site under each of the site's addresses", async () => {
    const path = await fresh();
    const { url, port } = await network();
    for (const origin of [url, `http://127.0.0.1:${port}`]) {
      const { text } = await new Browser(origin).get(path);
      expect(text).toContain(`<link rel="canonical" href="${origin}${path}"`);
    }
  });

  test("shows a form's message once, to its sender alone", async () => {
    const path = await fresh();
    expect((await visit(path, { cookie: "flash=followed" })).text).toContain("フォローしました");
    expect((await visit(path)).text).not.toContain("フォローしました");
    expect((await visit(path)).text).not.toContain("フォローしました");
  });

  test("has a copy for each theme", async () => {
    const path = await fresh();
    const dark = await visit(path, { cookie: "theme=dark" });
    expect(dark.text).toContain('<html lang="ja" data-theme="dark">');
    expect(status(await visit(path, { cookie: "theme=dark" }))).toBe("ofuse; hit");
    const light = await visit(path, { cookie: "theme=light" });
    expect([status(light), light.text.includes('data-theme="light"')]).toEqual(["ofuse; fwd=uri-miss; stored", true]);
    expect((await visit(path)).text).toContain('<html lang="ja">');
    expect(status(await visit(path, { cookie: "theme=nonsense" }))).toBe("ofuse; hit");
  });

  test("has one copy for every text size and motion, and each reader gets it with their own", async () => {
    const path = await fresh();
    const plain = await visit(path);
    const large = await visit(path, { cookie: "display=large-reduce" });
    expect(status(large)).toBe("ofuse; hit");
    const root = '<html lang="ja" data-text-size="large" data-motion="reduce">';
    expect(large.text).toBe(plain.text.replace('<html lang="ja">', root));
    const etag = large.headers.get("etag") ?? "";
    expect(etag).not.toBe(plain.headers.get("etag"));
    expect((await visit(path, { cookie: "display=large-reduce", "if-none-match": etag })).status).toBe(304);
    expect((await visit(path, { "if-none-match": etag })).text).toBe(plain.text);
    expect((await visit(path, { cookie: 'display=huge"><b>-x' })).text).toBe(plain.text);
  });

  test("is not sent again to a browser that has it", async () => {
    const path = await fresh();
    const etag = (await visit(path)).headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[0-9a-f]{24}"$/);
    const again = await visit(path, { "if-none-match": etag });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: "" });
    expect((await visit(path, { "if-none-match": 'W/"another"' })).status).toBe(200);
  });

  test("can be read without brotli, and by HEAD", async () => {
    const path = await fresh();
    const { text } = await visit(path);
    expect((await visit(path, { "accept-encoding": "identity" })).text).toBe(text);
    expect((await visit(path, { "accept-encoding": "gzip, br;q=0" })).text).toBe(text);
    const head = await (await browser()).send(path, { method: "HEAD" });
    expect({ status: head.status, text: head.text, cache: status(head) }).toEqual({
      status: 200,
      text: "",
      cache: "ofuse; hit",
    });
  });

  test("is not cached when it is a 404", async () => {
    for (const path of ["/nobody_at_all", "/natsume/events/01hzzzzzzzzzzzzzzzzzzzzzzz", "/natsume?page=999"]) {
      for (const _ of [1, 2]) {
        const page = await visit(path);
        expect([page.status, page.headers.get("cache-control")]).toEqual([404, "private, no-store"]);
      }
    }
  });

  test("is rendered once for a hundred parallel visitors", async () => {
    const path = await fresh();
    const pages = await Promise.all(Array.from({ length: 100 }, () => visit(path)));
    expect(pages.map((page) => page.status)).toEqual(pages.map(() => 200));
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    expect(pages.filter((page) => status(page)?.endsWith("stored"))).toHaveLength(1);
    expect(new Set(pages.map((page) => page.headers.get("x-request-id"))).size).toBe(100);
  });
});

test("only the named routes are shared, and every name is a route", () => {
  const patterns: string[] = [];
  const walk = (list: typeof routes, parent: string) => {
    for (const { path, index, children = [] } of list) {
      const pattern = [parent, path].filter(Boolean).join("/");
      if (index || children.length === 0) patterns.push(pattern);
      walk(children, pattern);
    }
  };
  walk(routes, "");
  expect([...sharedPatterns].filter((pattern) => !patterns.includes(pattern))).toEqual([]);
  expect([...queriedPatterns.keys()].filter((pattern) => !sharedPatterns.has(pattern))).toEqual([]);
  expect([...readParameters.keys()].filter((pattern) => !sharedPatterns.has(pattern))).toEqual([]);
  expect([...sharedPatterns].filter((pattern) => /^(my|dev|logout|404|\*|signup\/)/.test(pattern))).toEqual([]);
});

describe("a public change shows at once:", () => {
  const run = async (sql: string, ...values: unknown[]) => {
    await (await database())
      .prepare(sql)
      .bind(...values)
      .run();
  };
  const eventually = (path: string, seen: (text: string) => boolean) =>
    waitUntil(async () => {
      const { text } = await visit(path);
      if (!seen(text)) throw new Error(`${path} does not show it`);
    });
  const shows = (path: string, words: string) => eventually(path, (text) => text.includes(words));
  const hides = (path: string, words: string) => eventually(path, (text) => !text.includes(words));
  const event = { id: "01k0000000000000000000test", title: "版の試験の投稿" };

  test("a post published, edited, locked and deleted", async () => {
    const path = "/yamato";
    await visit(path);
    const { results } = await (await database())
      .prepare("SELECT user_id FROM users WHERE link_id = 'yamato'")
      .all<{ user_id: string }>();
    const user_id = results[0]?.user_id;
    await run(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
       VALUES (?, ?, 'blog', ?, '公開された書き出し', '公開された本文', 'private', 'public', ?, ?)`,
      event.id,
      user_id,
      event.title,
      "2027-01-01T00:00:00.000Z",
      "2027-01-01T00:00:00.000Z",
    );
    await run("UPDATE events SET status = 'published' WHERE event_id = ?", event.id);
    await shows(path, event.title);
    await run("UPDATE events SET title = '書き直した題' WHERE event_id = ?", event.id);
    await shows(path, "書き直した題");
    await shows(`${path}/events/${event.id}`, "公開された本文");
    await run("UPDATE events SET publish_target_type = 'fans' WHERE event_id = ?", event.id);
    await hides(`${path}/events/${event.id}`, "公開された本文");
    await hides(path, "公開された書き出し");
    await run("DELETE FROM events WHERE event_id = ?", event.id);
    await hides(path, "書き直した題");
    await waitUntil(async () => expect((await visit(`${path}/events/${event.id}`)).status).toBe(404));
  });

  test("a change renders only that creator's pages again", async () => {
    const path = "/hibiki/about";
    await Promise.all(["/yamato", path].map((each) => visit(each)));
    await run("UPDATE users SET bio = '山の紹介を書き直しました' WHERE link_id = 'yamato'");
    await shows("/yamato", "山の紹介を書き直しました");
    expect(status(await visit(path))).toBe("ofuse; hit");
  });

  test("a new name, on the creator's page and on the first page", async () => {
    await Promise.all(["/kanade", "/"].map((path) => visit(path)));
    await run("UPDATE users SET name = name || '改名中' WHERE link_id = 'kanade'");
    await Promise.all(["/kanade", "/"].map((path) => shows(path, "改名中")));
    await run("UPDATE users SET name = replace(name, '改名中', '') WHERE link_id = 'kanade'");
  });

  test("a change of a creator whose link_id begins with sitemap_", async () => {
    await run("UPDATE users SET link_id = 'sitemap_fan' WHERE link_id = 'fan_shin'");
    await shows("/sitemap_fan", "@<!-- -->sitemap_fan");
    await run("UPDATE users SET bio = '版が時刻でない人' WHERE link_id = 'sitemap_fan'");
    await shows("/sitemap_fan", "版が時刻でない人");
    await run("UPDATE users SET link_id = 'fan_shin' WHERE link_id = 'sitemap_fan'");
  });
});

describe("while the product API does not answer", () => {
  let proxy: Server;
  /** A network with a cache of its own. Its API is the shared one behind the proxy. */
  let alone: Network | undefined;
  const data_dir = mkdtempSync(join(tmpdir(), "ofuse-copies-"));
  const begin = async () => {
    const { port } = proxy.address() as AddressInfo;
    // The same port, because a cached copy's key contains the address.
    alone = await startNetwork({
      port: alone?.port,
      data_dir,
      is_prepared: true,
      has_pictures: false,
      overrides: { V4_ORIGIN: `http://127.0.0.1:${port}` },
    });
  };
  let mode: "up" | "down" | "silent" = "up";
  /** The API path that fails while the rest works. */
  let failing: string | null = null;
  const asked: string[] = [];

  beforeAll(async () => {
    vi.spyOn(console, "error").mockReturnValue();
    const { url } = await network();
    proxy = createServer(async (request, response) => {
      const body = request.method === "POST" ? ((await json(request)) as { reads: { address: string }[] }) : null;
      const addresses = body ? body.reads.map(({ address }) => address) : [request.url ?? ""];
      asked.push(...addresses);
      if (mode === "down") return response.destroy();
      if (mode === "silent") return;
      const fails = (address = "") => failing !== null && address.startsWith(failing);
      if (!body && fails(addresses[0])) return response.writeHead(503).end();
      const headers = { "content-type": "application/json" };
      const answer = await fetch(
        url + request.url,
        body ? { method: "POST", body: JSON.stringify(body), headers } : {},
      );
      const { answers, ...rest } = (await answer.json()) as Partial<AnswerOf<typeof batchReads>>;
      const told = answers?.map((each, index) => (fails(addresses[index]) ? { status: 503, body: null } : each));
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(JSON.stringify(told ? { answers: told } : rest));
    });
    await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
    await layDemoWorld(data_dir);
    await begin();
  });
  afterEach(() => {
    mode = "up";
  });
  afterAll(async () => {
    await alone?.stop();
    proxy.closeAllConnections();
    proxy.close();
    rmSync(data_dir, { recursive: true, force: true });
    vi.restoreAllMocks();
  });
  const stop = () => {
    mode = "down";
    proxy.closeAllConnections();
  };
  const visitAlone = (path: string) => new Browser(alone?.url ?? "").get(path);
  const run = async (sql: string) => {
    await (await database()).prepare(sql).run();
  };

  test("a hundred parallel visitors make the API render one page's worth", async () => {
    const pages = await Promise.all(Array.from({ length: 100 }, () => visitAlone("/akari")));
    expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(asked.filter((path) => path.startsWith("/v4/users?link_id=akari"))).toHaveLength(1);
  });

  test("the last good copy is served, and says so", async () => {
    const begun_at = Date.now();
    const good = await visitAlone("/akari");
    stop();
    const stale = await waitUntil(async () => {
      const page = await visitAlone("/akari");
      expect(fullStatus(page)).toBe("ofuse; hit; detail=api-unreachable");
      return page;
    });
    expect(stale.status).toBe(200);
    expect(stale.text).toBe(good.text);
    const age_s = Number(stale.headers.get("age"));
    expect(age_s).toBeGreaterThanOrEqual(0);
    // The test before this one cached the page, in the same minute.
    expect(age_s, "in seconds").toBeLessThanOrEqual((Date.now() - begun_at) / 1000 + 60);
    // A page without API data works, but its version is unknown, so it is not cached.
    const login = await visitAlone("/login");
    expect([login.status, status(login)]).toEqual([200, null]);
    expect(login.text).toContain("ログイン</h1>");
    const without = await visitAlone("/natsume");
    expect([without.status, without.headers.get("cache-control")]).toEqual([503, "private, no-store"]);
    mode = "up";
    await waitUntil(async () => {
      expect(fullStatus(await visitAlone("/akari"))).toBe("ofuse; hit");
    });
  });

  test("only one request asks for the version at a time, and no visitor with a copy waits for the answer", async () => {
    await visitAlone("/akari");
    mode = "silent";
    // The version is cached for a second. Then a request has to ask again.
    await waitUntil(async () => {
      asked.length = 0;
      const pages = await Promise.all(Array.from({ length: 40 }, () => visitAlone("/akari")));
      expect(new Set(pages.map((page) => page.status))).toEqual(new Set([200]));
      expect(asked.filter((path) => path.startsWith("/v4/edge_state"))).toHaveLength(1);
    });
  });

  test("a page that failed works as soon as the API does", async () => {
    const path = await fresh();
    failing = "/v4/users";
    try {
      expect((await visitAlone(path)).status).toBe(503);
    } finally {
      failing = null;
    }
    expect((await visitAlone(path)).status).toBe(200);
  });

  test("a first page that lacks a part is served, and not cached", async () => {
    failing = "/v4/newest_events";
    try {
      const page = await waitUntil(async () => {
        await run("UPDATE users SET bio = bio || '' WHERE link_id = 'mio'");
        const lacking = await visitAlone("/");
        expect(lacking.text).not.toContain("新着の投稿");
        return lacking;
      });
      expect([page.status, status(page), page.headers.get("cache-control")]).toEqual([200, null, "private, no-store"]);
      expect(page.text).toContain("おすすめのクリエイター");
    } finally {
      failing = null;
    }
    const whole = await visitAlone("/");
    expect([status(whole), whole.text.includes("新着の投稿")]).toEqual(["ofuse; fwd=uri-miss; stored", true]);
  });

  test("a copy known to be outdated is not served: its content may have been locked", async () => {
    for (const path of ["/sumire", "/sumire/plans", "/sumire/about"]) await visitAlone(path);
    await run("UPDATE users SET bio = bio || '新しい紹介' WHERE link_id = 'sumire'");
    try {
      // Another page of hers learns the version. Then the API stops.
      await waitUntil(async () => {
        const { text } = await visitAlone("/sumire/about");
        expect(text.includes("新しい紹介")).toBe(true);
      });
      stop();
      expect((await visitAlone("/sumire/plans")).status).toBe(503);
      expect((await visitAlone("/sumire/about")).status).toBe(200);
      await alone?.stop();
      await begin();
      expect((await visitAlone("/sumire")).status, "a worker that has just begun").toBe(503);
      expect((await visitAlone("/sumire/about")).status).toBe(200);
    } finally {
      await run("UPDATE users SET bio = replace(bio, '新しい紹介', '') WHERE link_id = 'sumire'");
    }
  });

  test("content that visitors saw disappear does not come back", async () => {
    const path = await fresh();
    const [, event_id = ""] = /events\/(\w+)/.exec(path) ?? [];
    expect((await visitAlone(path)).status).toBe(200);
    await run(`UPDATE events SET status = 'private' WHERE event_id = '${event_id}'`);
    try {
      await waitUntil(async () => expect((await visitAlone(path)).status).toBe(404));
      stop();
      await alone?.stop();
      await begin();
      expect((await visitAlone(path)).status).toBe(503);
    } finally {
      await run(`UPDATE events SET status = 'published' WHERE event_id = '${event_id}'`);
    }
    mode = "up";
    const again = await waitUntil(async () => {
      const page = await visitAlone(path);
      expect(page.status).toBe(200);
      return page;
    });
    expect(status(again), "the copy went with the page").toBe("ofuse; fwd=uri-miss; stored");
  });
});
