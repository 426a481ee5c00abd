import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noticeHeadings } from "../../app/site/site.ts";
import { demoSite } from "../../scripts/demo-site.ts";
import { getUser } from "../../workers/contract/users.ts";
import { Browser, browser, type Network, network, startTestNetwork } from "../support/network.ts";
import { tampered } from "../support/tampered.ts";
import { ask } from "./support/calls.ts";

const visit = async (path: string) => (await browser()).get(path);
const decode = (html: string) =>
  html
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
const OWN_PAGES = [
  "/kit",
  "/news",
  "/usecases",
  "/help",
  "/terms",
  "/privacy",
  "/external-transmission",
  "/transactions",
];

describe("the site's operator", () => {
  let other: Network;
  const marks = Object.fromEntries(
    Object.keys(noticeHeadings).map((field) => [field, field === "phone" ? "03-9999-0001" : `<b>${field}</b>&の欄`]),
  );
  const notice = { ...marks, email: "other@ofuse.example" };
  beforeAll(async () => {
    const SITE = JSON.stringify({ ...demoSite, company_name: "別の<会社>", notice, revised_on: "2027-01-31" });
    other = await startTestNetwork({ SITE, TAG_ID: "G-TEST" });
  });
  afterAll(() => other.stop());

  test("is in every field of the legal notice, as text and never as markup", async () => {
    const { status, text } = await new Browser(other.url).get("/transactions");
    expect(status).toBe(200);
    const rows = [...text.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, dt, dd = ""]) => [
      dt,
      decode(dd.replace(/<[^>]*>/g, "")),
    ]);
    expect(Object.fromEntries(rows)).toMatchObject(
      Object.fromEntries(Object.entries(noticeHeadings).map(([field, heading]) => [heading, notice[field as "email"]])),
    );
    expect(text).toContain('href="mailto:other@ofuse.example"');
    expect(text).toContain("2027/01/31");
  });

  test("discloses where page views are sent, and only on the pages that must say it", async () => {
    const [told, untold] = [new Browser(other.url), await browser()];
    const NOBODY_ELSE = "第三者に利用者の情報を送るしくみは組み込んでいません";
    const sent = await told.get("/external-transmission");
    expect(sent.text).toMatch(/<section id="google">.*Google LLC（Google アナリティクス 4）.*利用者の番号.*目的/s);
    expect(sent.text).not.toMatch(new RegExp(`${NOBODY_ELSE}|第三者に渡すこともありません`));
    expect((await told.get("/privacy")).text).toContain("Google LLC（Google アナリティクス 4）");
    const kept = await untold.get("/external-transmission");
    expect(kept.text).toContain(NOBODY_ELSE);
    for (const path of ["/external-transmission", "/privacy"]) {
      expect((await untold.get(path)).text, path).not.toMatch(/アナリティクス|直接送られる/);
    }
    // No code in app/browser reads it.
    for (const { text } of [sent, kept]) expect(text).not.toContain("画面の大きさ");
  });

  test("is in the texts and on every page's footer, in place of the demo's operator", async () => {
    const visitor = new Browser(other.url);
    for (const path of OWN_PAGES) {
      const { text } = await visitor.get(path);
      expect(text, path).toContain("別の&lt;会社&gt;");
      expect(text, path).not.toMatch(/株式会社オフセ|support@ofuse\.example|\{\{/);
    }
    expect((await visitor.get("/terms")).text).toContain("そのほかの処分については、other@ofuse.example で");
  });
});

test("a member's page of our texts has the same text, with the app's script", async () => {
  const fan = await browser();
  await fan.signIn("fan_hana");
  for (const path of [...OWN_PAGES, "/news/2026-11-06-letters"]) {
    const { status, text } = await fan.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(text).toMatch(/<script nonce=/);
  }
});

test("the kit shows a member their own address, and gives everybody the files that it names", async () => {
  const { url } = await network();
  const fan = await browser();
  await fan.signIn("natsume");
  expect(decode((await fan.get("/kit")).text)).toContain(`<a href="${url}/natsume">ofuseで手紙を送る</a>`);
  const { text } = await visit("/kit");
  expect(decode(text)).toContain(`<a href="${url}/あなたのID">`);
  const files = new Set([...text.matchAll(/(?:src|href)="(\/kit\/[^"]+)"/g)].map(([, path = ""]) => path));
  expect(files.size).toBe(5);
  // Each text meant for pasting elsewhere has a copy button.
  const templates = text.match(/class="template"><pre>/g)?.length ?? 0;
  expect(templates).toBeGreaterThan(5);
  expect(text.match(/<\/pre><button type="button" class="copy" data-copy/g)).toHaveLength(templates);
  for (const file of files) expect([file, (await fetch(url + file)).status]).toEqual([file, 200]);
});

test("the limits that our texts state are the product's limits", async () => {
  const { text } = await visit("/terms");
  for (const words of ["100円から11,000円", "1文字あたり2円", "1日3通", "10%", "1,000円以上", "振込手数料250円"]) {
    expect(text).toContain(words);
  }
});

test("the help page tells a person who cannot sign in where to ask", async () => {
  const help = (await visit("/help")).text;
  const answer = (question: string) => help.split(question)[1]?.split("</details>")[0] ?? "";
  for (const question of ["パスワードを忘れました", "退会したい", "嫌な手紙やコメントが届きました"]) {
    expect(answer(question), question).toContain(demoSite.notice.email);
  }
});

test("links inside our own pages lead to existing pages and parts", async () => {
  const visitor = await browser();
  const pages = new Map<string, string>();
  const page = async (path: string) => {
    const known = pages.get(path);
    if (known !== undefined) return known;
    const { status, text } = await visitor.get(path);
    expect([path, status]).toEqual([path, 200]);
    pages.set(path, text);
    return text;
  };
  let followed = 0;
  for (const from of [...OWN_PAGES, "/news/2026-11-20-public-pages", "/news/2026-11-20-outbound-links"]) {
    const [, main = ""] = (await page(from)).split("<main");
    const [body = ""] = main.split("</main>");
    for (const [, href = ""] of body.matchAll(/href="([/#][^"]*)"/g)) {
      const [path = "", part] = href.split("#");
      if (path.startsWith("/kit/")) continue;
      const text = await page(path || from);
      if (part) expect(text, `${from} -> ${href}`).toContain(`id="${part}"`);
      followed++;
    }
  }
  expect(followed).toBeGreaterThan(60);
});

describe("news", () => {
  test("are listed, the newest first, each with its own page", async () => {
    const { text } = await visit("/news");
    const slugs = [...text.matchAll(/href="\/news\/([^"]+)"/g)].map(([, slug = ""]) => slug);
    expect(slugs.length).toBeGreaterThan(2);
    expect(slugs[0]?.slice(0, 10)).toBe(
      slugs
        .map((slug) => slug.slice(0, 10))
        .toSorted()
        .at(-1),
    );
    const { text: entry } = await visit("/news/2026-11-06-letters");
    expect(entry).toContain('<h1 class="page-title">無料の手紙「ofuse」について</h1>');
    expect(entry).toContain('<time dateTime="2026-11-06"');
  });

  test.each(["/news/nothing", "/news/..%2Fterms", "/news/__proto__", "/news/2026-11-06-letters/x"])(
    "%s is a 404 page",
    async (path) => {
      expect((await visit(path)).status).toBe(404);
    },
  );

  test("are in the sitemap, like all pages of our own texts", async () => {
    const { url } = await network();
    const { text } = await visit("/sitemap/pages.xml");
    for (const path of [...OWN_PAGES, "/news/2026-11-06-letters"]) expect(text).toContain(`<loc>${url}${path}</loc>`);
    expect(text).not.toContain("/redirect");
  });
});

describe("the page before another site", () => {
  const signed = async () => {
    const { text } = await visit("/natsume");
    return [...text.matchAll(/href="(\/redirect\?[^"]+)"/g)].map(([, href = ""]) => decode(href));
  };

  test("follows every link of a creator, names the site, and continues only by a link", async () => {
    const { user } = await ask(getUser, { query: { link_id: "natsume" } });
    const links = await signed();
    expect(links.length).toBe(user.external_links.length);
    expect(links.length).toBeGreaterThan(0);
    for (const [index, path] of links.entries()) {
      const { status, text, headers, location } = await visit(path);
      const to = user.external_links[index]?.url ?? "";
      expect([status, location, headers.get("refresh")]).toEqual([200, null, null]);
      expect(text).toContain(`<bdi>${new URL(to).host}</bdi>`);
      const anchor = /<a [^>]*rel="noopener noreferrer nofollow ugc"[^>]*>/.exec(text)?.[0] ?? "";
      expect(decode(anchor)).toContain(`href="${new URL(to).href}"`);
      expect(text).toContain('<meta name="robots" content="noindex"');
      expect(text).not.toMatch(/http-equiv="refresh"|<script(?! type="(?:application|module" src=".assets.visitor-))/);
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("cache-control")).toBe("private, no-store");
    }
    expect((await visit("/natsume")).text).not.toMatch(/<a [^>]*href="https?:\/\/[^"]*natsume/);
  });

  test("shows a member the same links as a visitor", async () => {
    const fan = await browser();
    await fan.signIn("fan_hana");
    const [path = ""] = await signed();
    expect(decode((await fan.get("/natsume")).text)).toContain(path);
    expect((await fan.get(path)).status).toBe(200);
  });

  test("is a 404 page if its address was made up or changed", async () => {
    const [path = ""] = await signed();
    const query = new URLSearchParams(path.split("?")[1]);
    const sig = query.get("sig") ?? "";
    const to = query.get("to") ?? "";
    const made = (fields: Record<string, string>) => `/redirect?${new URLSearchParams(fields)}`;
    const EVIL = "evil.example";
    for (const bad of [
      "/redirect",
      made({ to }),
      made({ sig }),
      made({ to: `https://${EVIL}/`, sig }),
      made({ to: `${to}.${EVIL}`, sig }),
      made({ to, sig: tampered(sig, -4) }),
      made({ to: "javascript:alert(1)", sig }),
      made({ to: `https://natsume@${EVIL}/`, sig }),
      made({ to: `https://${EVIL}/${"a".repeat(9000)}`, sig }),
      `${made({ to: `https://${EVIL}/`, sig })}&to=${encodeURIComponent(to)}`,
    ]) {
      const { status, text, location } = await visit(bad);
      expect([bad.slice(0, 200), status, location]).toEqual([bad.slice(0, 200), 400, null]);
      const [, main = ""] = text.split("<main");
      expect(main).toContain("このリンクは開けません");
      expect(main.split("</main>")[0]).not.toMatch(/evil\.example|javascript:|href="http/);
    }
  });
});

describe("what a browser needs to install the site", () => {
  const pixelsOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];
  const file = async (path: string) => {
    const { url } = await network();
    const response = await fetch(url + path);
    expect([path, response.status, response.headers.get("cache-control")]).toEqual([path, 200, "public, max-age=3600"]);
    return { type: response.headers.get("content-type"), body: Buffer.from(await response.arrayBuffer()) };
  };

  test("is named in the head of every page", async () => {
    const [head = ""] = (await visit("/terms")).text.split("</head>");
    const named = [...head.matchAll(/<link rel="(icon|apple-touch-icon|manifest)" href="([^"]+)"/g)].map(
      ([, rel, href]) => [rel, href],
    );
    expect(named).toEqual([
      ["icon", "/favicon.ico"],
      ["icon", "/favicon.svg"],
      ["apple-touch-icon", "/apple-touch-icon.png"],
      ["manifest", "/manifest.webmanifest"],
    ]);
  });

  test("has a manifest with pictures of the stated sizes", async () => {
    const { type, body } = await file("/manifest.webmanifest");
    expect(type).toBe("application/manifest+json");
    const { name, lang, start_url, icons } = JSON.parse(body.toString()) as {
      name: string;
      lang: string;
      start_url: string;
      icons: { src: string; sizes: string; type: string; purpose?: string }[];
    };
    expect({ name, lang, start_url }).toEqual({ name: "ofuse", lang: "ja", start_url: "/" });
    expect(icons.some(({ purpose }) => purpose === "maskable")).toBe(true);
    for (const { src, sizes, type: said } of icons) {
      const icon = await file(src);
      expect([src, icon.type]).toEqual([src, said]);
      if (said === "image/png") expect([src, pixelsOf(icon.body).join("x")]).toEqual([src, sizes]);
    }
  });

  test("has pictures of the right size and type where browsers and previews look", async () => {
    expect(pixelsOf((await file("/apple-touch-icon.png")).body)).toEqual([180, 180]);
    expect(pixelsOf((await file("/share.png")).body)).toEqual([1200, 630]);
    const ico = await file("/favicon.ico");
    expect(ico.type).toMatch(/^image\/(vnd\.microsoft\.icon|x-icon)$/);
    expect([...ico.body.subarray(0, 6)]).toEqual([0, 0, 1, 0, 3, 0]);
  });
});
