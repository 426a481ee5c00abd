import { describe, expect, test } from "vitest";
import { routePatterns } from "../../scripts/pages.ts";
import { listOfuses } from "../../workers/contract/ofuses.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { type Browser, browser, freshCreator, freshMember, openBrowserAs } from "../support/network.ts";
import { ask, NOBODY } from "./support/calls.ts";
import { fieldsOf } from "./support/forms.ts";

/** The letter form that other sites show in a frame. Its rules: docs/decisions/0046. */

const BEGIN = "/natsume/ofuse/begin";
const LETTER = "/natsume/ofuse";
/** The page of settings frames it. */
const OWN_FRAME = "/my/streaming/preview";
const WORDS = "ほかのサイトで書いた\n<b>手紙</b>";

test("no page but the letter form for other sites may be framed by another site", async () => {
  const examples: Record<string, string> = { link_id: "natsume", slug: "2026-11-06-letters", provider: "google.com" };
  const paths = routePatterns().map((pattern) =>
    pattern.replace("*", "nothing").replace(/:(\w+)/g, (_, name: string) => examples[name] ?? NOBODY),
  );
  expect(paths.length).toBeGreaterThan(120);
  const [visitor, member] = await Promise.all([browser(), openBrowserAs("natsume")]);
  const framed: string[] = [];
  const look = async (path: string) => {
    const { headers } = await (path.startsWith("/my/") ? member : visitor).get(path);
    const is_refused =
      headers.get("x-frame-options") === (path === OWN_FRAME ? null : "DENY") &&
      /; frame-ancestors '(?:none|self)'(?:;|$)/.test(headers.get("content-security-policy") ?? "");
    if (!is_refused) framed.push(path);
  };
  for (let at = 0; at < paths.length; at += 12) await Promise.all(paths.slice(at, at + 12).map(look));
  expect(framed).toEqual(["/natsume/embed"]);
});

describe("the letter form for other sites", () => {
  test("has no script and no cookie, and is the same for everybody", async () => {
    const member = await openBrowserAs("fan_taro");
    member.cookies.set("flash", "followed");
    member.cookies.set("theme", "dark");
    const pages = await Promise.all([browser(), member].map(async (who) => (await who).get("/natsume/embed")));
    for (const { status, headers, text } of pages) {
      expect([status, headers.getSetCookie()]).toEqual([200, []]);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors \*$/,
      );
      expect(Object.fromEntries(headers)).toMatchObject({
        "cache-control": "public, no-cache",
        "content-type": "text/html; charset=utf-8",
      });
      expect(headers.get("x-frame-options")).toBeNull();
      expect(headers.get("speculation-rules")).toBeNull();
      expect(text).not.toMatch(/<script|\son\w+=|javascript:/i);
      expect(text.match(/target="_blank" rel="noopener"/g)).toHaveLength(3);
      expect(text).toContain("送るには、アカウントが要ります。");
    }
    expect(pages[0]?.text).toBe(pages[1]?.text);
  });

  test("takes a theme, and no other word of its address", async () => {
    const get = async (path: string) => (await browser()).get(path);
    expect((await get("/natsume/embed?theme=dark")).text).toContain('<html lang="ja" data-theme="dark">');
    expect((await get("/natsume/embed?message=evil&name=evil&to=//evil.example")).text).not.toContain("evil");
    const member = await openBrowserAs("fan_taro");
    for (const path of ["?theme=red", "?theme=", `?theme="><script>`, "?theme=dark&theme=red"]) {
      const { status, headers } = await member.get(`/natsume/embed${path}`);
      // The first of two themes counts. No link of ours has two.
      expect([path, status]).toEqual([path, path.endsWith("&theme=red") ? 200 : 404]);
      expect(headers.getSetCookie()).toEqual([]);
    }
    for (const path of ["/natsume/embed/", "/natsume/EMBED"]) {
      const { status, location, headers } = await member.get(path);
      expect([path, status, location, headers.getSetCookie()]).toEqual([path, 301, "/natsume/embed", []]);
    }
  });

  test("says in the frame that there is no such creator", async () => {
    const { status, headers, text } = await (await browser()).get("/nobodyhere/embed");
    expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors *");
    expect(headers.get("x-frame-options")).toBeNull();
    expect(text).toContain("<h1>ページが見つかりません</h1>");
    expect(text).toContain('<a href="/" target="_blank" rel="noopener">');
  });

  test("shows a name as text", async () => {
    const { user } = await freshMember("</title><script>x</script>\"'");
    const { text } = await (await browser()).get(`/${user.link_id}/embed`);
    expect(text).toContain("&lt;/title&gt;&lt;script&gt;x&lt;/script&gt;&quot;");
    expect(text).not.toContain("<script>");
  });

  test("leads to a paid letter when the creator accepts no free ones", async () => {
    const { user, token } = await freshCreator("有料だけの人");
    await ask(updateProfile, { token, body: { accepts_free_ofuses: false } });
    const { text } = await (await browser()).get(`/${user.link_id}/embed`);
    expect(text).not.toContain("<form");
    expect(text).toContain(`href="/${user.link_id}/ofuse/paid" target="_blank"`);
  });
});

describe("words typed on another site", () => {
  const letterOn = async (who: Browser) => {
    const page = await who.get(LETTER);
    return { fields: fieldsOf(page.text, LETTER), text: page.text, headers: page.headers };
  };

  test("arrive in the form of the letter page, where a visitor signs in and sends them", async () => {
    const fan = await freshMember("よそから来た人");
    const visitor = await browser();
    const form = /<form method="post" action="([^"]+)"/.exec((await visitor.get("/natsume/embed")).text);
    expect(form?.[1]).toBe(BEGIN);
    const begun = await visitor.post(BEGIN, { message: WORDS, is_public: "on" });
    expect([begun.status, begun.location]).toEqual([303, LETTER]);
    const { fields, text, headers } = await letterOn(visitor);
    expect(fields).toMatchObject({ message: WORDS });
    expect(fields).not.toHaveProperty("is_public");
    expect(text).toContain("まだ送信していません");
    expect(headers.get("cache-control")).toBe("private, no-store");
    expect((await letterOn(await browser())).text).not.toContain("ほかのサイトで書いた");
    expect((await visitor.post(LETTER, fields ?? {})).location).toBe("/login?to=%2Fnatsume%2Fofuse");
    await visitor.signIn(fan, LETTER);
    const kept = await letterOn(visitor);
    expect(kept.fields).toMatchObject({ message: WORDS });
    expect((await visitor.post(LETTER, kept.fields ?? {})).status).toBe(303);
    const { ofuses } = await ask(listOfuses, { token: fan.token, query: { type: "sent" } });
    expect(ofuses.map(({ message, is_public }) => [message, is_public])).toEqual([[WORDS, false]]);
  });

  test("are not sent for a member before the press on our page, and nobody else gets them", async () => {
    const fan = await freshMember("押しただけの人");
    const member = await browser();
    await member.signIn(fan);
    expect((await member.post(BEGIN, { message: WORDS })).location).toBe(LETTER);
    expect((await letterOn(member)).fields).toMatchObject({ message: WORDS, author: fan.user.user_id });
    expect((await ask(listOfuses, { token: fan.token, query: { type: "sent" } })).ofuses).toEqual([]);
    // The session ended, and somebody else uses this browser.
    for (const name of [...member.cookies.keys()]) if (/Auth|Refresh/.test(name)) member.cookies.delete(name);
    expect((await letterOn(member)).text).not.toContain("ほかのサイトで書いた");
  });

  test("that are blank or too long open the letter page too", async () => {
    const visitor = await browser();
    expect((await visitor.post(BEGIN, { message: " \n" })).location).toBe(LETTER);
    expect(visitor.cookies.has("soziIdFormIntent")).toBe(false);
    const message = "あ".repeat(201);
    await visitor.post(BEGIN, { message });
    const { text, fields } = await letterOn(visitor);
    expect(fields).toMatchObject({ message });
    expect(text).toContain("200文字以内");
    expect((await visitor.post("/NATSUME/ofuse/begin", { message })).status).toBe(404);
  });
});
