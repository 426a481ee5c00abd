import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sharedPatterns } from "../../app/middleware/shared-pages.ts";
import routes from "../../app/routes.ts";
import { Browser, browser, database, network, startTestNetwork } from "../support/network.ts";

type Headers = Record<string, string>;

const visit = async (path: string, headers: Headers = {}) => (await browser()).get(path, headers);
const status = (page: { headers: globalThis.Headers }) => page.headers.get("cache-status");

/** Addresses nobody has asked for yet. */
let visits = 0;
const fresh = (path: string) => `${path}?fresh=${visits++}`;

describe("a visitor's page", () => {
  test("is rendered once and then given as it was", async () => {
    const path = fresh("/natsume");
    const first = await visit(path);
    expect(status(first)).toBe("ofuse; fwd=uri-miss; stored");
    const second = await visit(path);
    expect(status(second)).toBe("ofuse; hit");
    expect(second.text).toBe(first.text);
    expect(first.text).toContain("なつめ");
    expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    for (const name of ["content-security-policy", "content-type", "cache-control", "etag", "permissions-policy"]) {
      expect(second.headers.get(name), name).toBe(first.headers.get(name));
    }
    expect(second.headers.get("vary")).toContain("cookie");
  });

  test("is the same whoever asks and however the link came to them", async () => {
    const path = fresh("/natsume");
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
    for (const tracked of [`${path}&utm_source=mail&fbclid=x`, path.replace("?", "?gclid=1&")]) {
      expect(status(await visit(tracked))).toBe("ofuse; hit");
    }
    expect(status(await visit("/natsume?b=2&a=1"))).toContain("stored");
    expect(status(await visit("/natsume?a=1&b=2"))).toBe("ofuse; hit");
  });

  test.each([
    ["a session", { cookie: "soziIdAuth=x" }],
    ["a flash message", { cookie: "flash=followed" }],
    ["words that wait", { cookie: "soziIdFormIntent=01hzzzzzzzzzzzzzzzzzzzzzzz.secret" }],
    ["a cookie of anybody's", { cookie: "a=1" }],
    ["a theme and something else", { cookie: "theme=dark; a=1" }],
    ["credentials", { authorization: "Basic YTpi" }],
  ] satisfies [string, Headers][])("is never shared with a browser that has %s", async (_, headers) => {
    const path = fresh("/natsume");
    const page = await visit(path, headers);
    expect(page.status).toBe(200);
    expect(status(page)).toBeNull();
    expect(page.headers.get("cache-control")).toBe("private, no-store");
    expect(status(await visit(path)), "nothing of it was kept").toContain("stored");
  });

  test("names its own site, whichever of its addresses it was asked for by", async () => {
    const path = fresh("/natsume");
    const { url, port } = await network();
    for (const origin of [url, `http://127.0.0.1:${port}`]) {
      const { text } = await new Browser(origin).get(path);
      expect(text).toContain(`<link rel="canonical" href="${origin}/natsume"`);
    }
  });

  test("is not kept under an address longer than any of ours", async () => {
    const path = `${fresh("/natsume")}&x=${"x".repeat(512)}`;
    for (const _ of [1, 2]) {
      const page = await visit(path);
      expect([page.status, status(page)]).toEqual([200, null]);
    }
  });

  test("says once what a form did, and to nobody else", async () => {
    const path = fresh("/natsume");
    expect((await visit(path, { cookie: "flash=followed" })).text).toContain("フォローしました");
    expect((await visit(path)).text).not.toContain("フォローしました");
    expect((await visit(path)).text).not.toContain("フォローしました");
  });

  test("has a copy for each theme", async () => {
    const path = fresh("/natsume");
    const dark = await visit(path, { cookie: "theme=dark" });
    expect(dark.text).toContain('<html lang="ja" data-theme="dark">');
    expect(status(await visit(path, { cookie: "theme=dark" }))).toBe("ofuse; hit");
    const light = await visit(path, { cookie: "theme=light" });
    expect([status(light), light.text.includes('data-theme="light"')]).toEqual(["ofuse; fwd=uri-miss; stored", true]);
    expect((await visit(path)).text).toContain('<html lang="ja">');
    expect(status(await visit(path, { cookie: "theme=nonsense" }))).toBe("ofuse; hit");
  });

  test("is not sent again to a browser that has it", async () => {
    const path = fresh("/natsume");
    const etag = (await visit(path)).headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[0-9a-f]{24}"$/);
    const again = await visit(path, { "if-none-match": etag });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: "" });
    expect((await visit(path, { "if-none-match": 'W/"another"' })).status).toBe(200);
  });

  test("can be read without brotli, and its headers alone", async () => {
    const path = fresh("/natsume");
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

  test("that is not there is not kept", async () => {
    for (const path of ["/nobody_at_all", "/natsume/events/01hzzzzzzzzzzzzzzzzzzzzzzz", "/natsume?page=999"]) {
      for (const _ of [1, 2]) {
        const page = await visit(path);
        expect([page.status, page.headers.get("cache-control")]).toEqual([404, "private, no-store"]);
      }
    }
  });

  test("is rendered once for a hundred who come at the same time", async () => {
    const path = fresh("/hibiki");
    const pages = await Promise.all(Array.from({ length: 100 }, () => visit(path)));
    expect(pages.map((page) => page.status)).toEqual(pages.map(() => 200));
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    expect(pages.filter((page) => status(page)?.endsWith("stored"))).toHaveLength(1);
    expect(new Set(pages.map((page) => page.headers.get("x-request-id"))).size).toBe(100);
  });
});

test("a page is shared only where its route is named, and every name is a route", () => {
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
  expect([...sharedPatterns].filter((pattern) => /^(my|dev|logout|404|\*|signup\/)/.test(pattern))).toEqual([]);
});

describe("what is public shows as soon as it has changed:", () => {
  const run = async (sql: string, ...values: unknown[]) => {
    await (await database())
      .prepare(sql)
      .bind(...values)
      .run();
  };
  const eventually = (path: string, seen: (text: string) => boolean) =>
    vi.waitFor(
      async () => {
        const { text } = await visit(path);
        if (!seen(text)) throw new Error(`${path} does not show it`);
      },
      { timeout: 5000, interval: 50 },
    );
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
    await vi.waitFor(async () => expect((await visit(`${path}/events/${event.id}`)).status).toBe(404), 5000);
  });

  test("on that creator's pages alone: another's are given as they were", async () => {
    const path = fresh("/hibiki");
    await Promise.all(["/yamato", path].map((each) => visit(each)));
    await run("UPDATE users SET bio = '山の紹介を書き直しました' WHERE link_id = 'yamato'");
    await shows("/yamato", "山の紹介を書き直しました");
    expect(status(await visit(path))).toBe("ofuse; hit");
  });

  test("a name, on one's own page and on the first page", async () => {
    await Promise.all(["/kanade", "/"].map((path) => visit(path)));
    await run("UPDATE users SET name = '改名したかなで' WHERE link_id = 'kanade'");
    await Promise.all(["/kanade", "/"].map((path) => shows(path, "改名したかなで")));
  });
});

describe("while the product API does not answer", () => {
  let proxy: Server;
  let alone: Awaited<ReturnType<typeof startTestNetwork>>;
  let is_up = true;
  /** Of the API's paths, what is answered with a failure while the rest is up. */
  let failing: string | null = null;
  const asked: string[] = [];

  beforeAll(async () => {
    vi.spyOn(console, "error").mockReturnValue();
    const { url } = await network();
    proxy = createServer(async (request, response) => {
      if (!is_up) return response.destroy();
      asked.push(request.url ?? "");
      if (failing && request.url?.startsWith(failing)) return response.writeHead(503).end();
      const answer = await fetch(url + request.url);
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(await answer.text());
    });
    await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
    const { port } = proxy.address() as AddressInfo;
    alone = await startTestNetwork({ V4_ORIGIN: `http://127.0.0.1:${port}` });
  });
  afterAll(async () => {
    await alone.stop();
    proxy.closeAllConnections();
    proxy.close();
    vi.restoreAllMocks();
  });
  const stop = () => {
    is_up = false;
    proxy.closeAllConnections();
  };

  test("a hundred who come at once make the API render one page's worth", async () => {
    const pages = await Promise.all(Array.from({ length: 100 }, () => new Browser(alone.url).get("/akari")));
    expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(asked.filter((path) => path.startsWith("/v4/users?link_id=akari"))).toHaveLength(1);
  });

  test("the last good copy is given, and says so", async () => {
    const begun_at = Date.now();
    const path = fresh("/akari");
    const good = await new Browser(alone.url).get(path);
    stop();
    const stale = await vi.waitFor(async () => {
      const page = await new Browser(alone.url).get(path);
      expect(status(page)).toBe("ofuse; hit; detail=api-unreachable");
      return page;
    }, 5000);
    expect(stale.status).toBe(200);
    expect(stale.text).toBe(good.text);
    const age_s = Number(stale.headers.get("age"));
    expect(age_s).toBeGreaterThanOrEqual(0);
    expect(age_s, "in seconds").toBeLessThanOrEqual((Date.now() - begun_at) / 1000);
    // What needs nothing of the API is there; of what version it is cannot be known, so it is not kept.
    const login = await new Browser(alone.url).get("/login");
    expect([login.status, status(login)]).toEqual([200, null]);
    expect(login.text).toContain("ログイン</h1>");
    const without = await new Browser(alone.url).get("/natsume");
    expect([without.status, without.headers.get("cache-control")]).toEqual([503, "private, no-store"]);
    is_up = true;
    await vi.waitFor(async () => {
      expect(status(await new Browser(alone.url).get(path))).toBe("ofuse; hit");
    }, 5000);
  });

  test("a page that failed is there as soon as the API can make it", async () => {
    const path = fresh("/kanade");
    failing = "/v4/users";
    try {
      expect((await new Browser(alone.url).get(path)).status).toBe(503);
    } finally {
      failing = null;
    }
    expect((await new Browser(alone.url).get(path)).status).toBe(200);
  });

  test("a copy known to be outdated is not given: what it shows may have been locked", async () => {
    for (const path of ["/sumire", "/sumire/about"]) await new Browser(alone.url).get(path);
    await (await database()).prepare("UPDATE users SET bio = '新しい紹介' WHERE link_id = 'sumire'").run();
    // The version is learnt by another page of hers; then nothing more is to be had.
    await vi.waitFor(async () => {
      const { text } = await new Browser(alone.url).get("/sumire/about");
      expect(text).toContain("新しい紹介");
    }, 5000);
    stop();
    try {
      expect((await new Browser(alone.url).get("/sumire")).status).toBe(503);
      expect((await new Browser(alone.url).get("/sumire/about")).status).toBe(200);
    } finally {
      is_up = true;
    }
  });

  test("under maintenance nobody is given a copy made before it", async () => {
    const before = await new Browser(alone.url).get("/hibiki");
    expect(before.status).toBe(200);
    const api = await database();
    await api.prepare("INSERT INTO maintenance VALUES (1, '2020-01-01T00:00:00.000Z', NULL)").run();
    try {
      await vi.waitFor(async () => {
        expect(status(await new Browser(alone.url).get("/hibiki"))).toContain("fwd=uri-miss");
      }, 5000);
    } finally {
      await api.prepare("DELETE FROM maintenance").run();
    }
  });
});
