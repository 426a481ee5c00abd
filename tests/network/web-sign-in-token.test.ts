import { describe, expect, test } from "vitest";
import { deleteRefreshToken, getCustomToken, listSignIns } from "../../workers/contract/identity.ts";
import {
  type Account,
  type Browser,
  browser,
  disable,
  freshAccount,
  freshMember,
  type Page,
} from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask } from "./support/calls.ts";

/** Tests a sign-in handed over by another service: `/login/token`. */

const SESSION = "soziIdAuth";
const HANDED = "soziIdHanded";

const customToken = async (of: Account) => (await ask(getCustomToken, { token: of.token })).token;
const addressOf = (token: string, to = "/natsume") => `/login/token?${new URLSearchParams({ token, to })}`;
const markOn = ({ text }: Page) => /name="mark" value="([^"]+)"/.exec(text)?.[1] ?? "";
const devicesOf = async ({ token }: Account) => (await ask(listSignIns, { token })).signIns.length;

/** Arrives with a token. Returns the page that shows whose account it is. */
async function name(visitor: Browser, token: string): Promise<Page> {
  expect((await visitor.get(addressOf(token))).location).toBe("/login/token");
  expect(await visitor.post("/login/token")).toMatchObject({ status: 303, location: "/login/token" });
  return visitor.get("/login/token");
}

describe("a sign-in that another service hands over", () => {
  test("names the account before it signs in, and leads where it was to lead", async () => {
    const member = await freshMember("手渡しの人");
    const token = await customToken(member);
    const visitor = await browser();
    const pages = [await visitor.get(addressOf(token)), await visitor.get("/login/token")];
    expect(pages[0]).toMatchObject({ status: 303, location: "/login/token" });
    expect(pages[0]?.headers.get("cache-control")).toBe("private, no-store");
    expect(pages[1]?.text).toContain("アカウントを確かめる");
    pages.push(await visitor.post("/login/token"), await visitor.get("/login/token"));
    const named = pages[3] as Page;
    for (const shown of [member.user.name, `@${member.user.link_id}`, member.email])
      expect(named.text).toContain(shown);
    // Looking at the page, however often, signs in nobody.
    expect([...visitor.cookies.keys()]).toEqual([HANDED]);
    for (const { text, location } of pages) expect(`${location} ${text}`).not.toMatch(/eyJ/);

    expect(await visitor.post("/login/token", { mark: markOn(named) })).toMatchObject({
      status: 303,
      location: "/natsume",
    });
    expect([...visitor.cookies.keys()].sort()).toEqual([SESSION, "soziIdRefresh"]);
    expect((await visitor.get("/my/settings")).text).toContain(member.user.name);
    expect((await visitor.get("/my/settings/sessions")).text).toContain("（ほかのサービス）");
    // The handed-over sign-in is no proof for a change of the password.
    expect((await visitor.get("/my/settings/password")).location).toMatch(/^\/login\/confirm/);
  });

  test("leads somebody who has not registered to the registration", async () => {
    const account = await freshAccount();
    const visitor = await browser();
    const named = await name(visitor, await customToken(account));
    expect(named.text).toContain(account.email);
    const { location } = await visitor.post("/login/token", { mark: markOn(named) });
    expect(location).toBe("/signup/registration?to=%2Fnatsume");
  });

  test.each(["https://evil.example/", "//evil.example", "/\\evil.example"])("leads to no %s", async (to) => {
    const member = await freshMember("手渡しの人");
    const token = await customToken(member);
    const visitor = await browser();
    await visitor.get(addressOf(token, to));
    await visitor.post("/login/token");
    const mark = markOn(await visitor.get("/login/token"));
    expect((await visitor.post("/login/token", { mark })).location).toBe("/");
    expect((await visitor.get(addressOf(token, to))).location).toBe("/");
  });

  test("is ended at the provider by who does not know the account", async () => {
    const member = await freshMember("手渡しの人");
    const visitor = await browser();
    const named = await name(visitor, await customToken(member));
    expect(await devicesOf(member)).toBe(2);
    expect((await visitor.post("/login/token", { operation: "cancel" })).location).toBe("/login?to=%2Fnatsume");
    expect([...visitor.cookies.keys()]).toEqual([]);
    await waitUntil(async () => expect(await devicesOf(member)).toBe(1));
    expect((await visitor.post("/login/token", { mark: markOn(named) })).location).toBe("/login/token");
    expect(visitor.cookies.has(SESSION)).toBe(false);
  });

  test("is agreed to on the page that named it: not for one that came after it, nor on another browser", async () => {
    const [mine, theirs] = await Promise.all([freshMember("わたし"), freshMember("別の人")]);
    const [visitor, stranger] = [await browser(), await browser()];
    const mark = markOn(await name(visitor, await customToken(mine)));
    await visitor.get(addressOf(await customToken(theirs)));
    expect((await visitor.post("/login/token", { mark })).location).toBe("/login/token");
    await visitor.post("/login/token");
    expect((await visitor.post("/login/token", { mark })).location).toBe("/login/token");
    expect((await visitor.get("/login/token")).text).toContain("別の人");
    expect((await stranger.post("/login/token", { mark })).location).toBe("/login/token");
    expect([visitor, stranger].map(({ cookies }) => cookies.has(SESSION))).toEqual([false, false]);
  });

  test("of another account says whom it replaces, and signs that one out; of the same leads on", async () => {
    const [before, after] = await Promise.all([freshMember("前の人"), freshMember("後の人")]);
    const member = await browser();
    await member.signIn(before);
    const devices = await devicesOf(before);
    expect((await member.get(addressOf(await customToken(before)))).location).toBe("/natsume");
    expect(member.cookies.has(HANDED)).toBe(false);
    const named = await name(member, await customToken(after));
    expect(named.text).toContain(`前の人（@${before.user.link_id}）`);
    expect((await member.get("/my/settings")).text).toContain("前の人");
    await member.post("/login/token", { mark: markOn(named) });
    expect((await member.get("/my/settings")).text).toContain("後の人");
    await waitUntil(async () => expect(await devicesOf(before)).toBe(devices - 1));
  });

  test("does not wait for who is at the browser next: logging out forgets it", async () => {
    const [before, after] = await Promise.all([freshMember("前の人"), freshMember("後の人")]);
    const member = await browser();
    await member.signIn(before);
    await name(member, await customToken(after));
    await member.post("/logout");
    expect(member.cookies.has(HANDED)).toBe(false);
  });
});

describe("a token that is no good", () => {
  const refused = async (token: string) => {
    const visitor = await browser();
    await visitor.get(addressOf(token));
    const page = await visitor.post("/login/token");
    expect([...visitor.cookies.keys()]).toEqual([]);
    expect(page.text).toContain('href="/login?to=%2Fnatsume"');
    return page;
  };

  test("is said to be none", async () => {
    const { token } = await freshAccount();
    for (const wrong of ["garbage", "a.b.c", token]) {
      const page = await refused(wrong);
      expect(page).toMatchObject({
        status: 401,
        text: expect.stringContaining("正しくないか、有効期限が切れています"),
      });
    }
  });

  test("after its sign-in has ended opens nothing", async () => {
    const account = await freshAccount();
    const token = await customToken(account);
    await ask(deleteRefreshToken, { token: account.token });
    expect((await refused(token)).status).toBe(401);
  });

  test("too long for a cookie, or none at all, is an empty page", async () => {
    const visitor = await browser();
    for (const token of ["x".repeat(5000), ""]) {
      expect((await visitor.get(addressOf(token))).location).toBe("/login/token");
      expect((await visitor.get("/login/token")).text).toContain("ログインの依頼が見つかりません");
    }
    expect([...visitor.cookies.keys()]).toEqual([]);
  });

  test("as long as there is room for is kept, beside a path as long", async () => {
    const visitor = await browser();
    await visitor.get(addressOf("x".repeat(2048), `/natsume?${"x".repeat(503)}`));
    expect(visitor.cookies.get(HANDED)?.length).toBeLessThan(4000);
    expect((await visitor.post("/login/token")).status).toBe(401);
  });

  test("of an account that may not be used says so, and leaves no sign-in behind", async () => {
    const member = await freshMember("止められた人");
    const token = await customToken(member);
    await disable(member);
    const page = await refused(token);
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining("アカウント") });
    await waitUntil(async () => expect(await devicesOf(member)).toBe(1));
  });
});
