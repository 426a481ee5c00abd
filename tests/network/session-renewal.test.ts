import type { ServerResponse } from "node:http";
import { UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { SESSION_COOKIE, type Session, SessionKeys } from "../../app/session/session.ts";
import { demoEmail } from "../../scripts/demo/seed.ts";
import { Browser, browser, freshMember, type Network, network, startTestNetwork } from "../support/network.ts";
import { type ProviderProxy, startProviderProxy } from "./support/provider-proxy.ts";

/** The label of the account's button in the header. */
const HANAS_MENU = /"はな フォロー中 \d+人のメニュー"/;

async function signedIn(link_id: string): Promise<Browser> {
  const someone = await browser();
  const page = await someone.signIn(link_id, "/my/box");
  expect(page.location).toBe("/my/box");
  return someone;
}

const REFRESH_COOKIE = "soziIdRefresh";
const sessionOf = async (cookie: string | undefined, on?: Network): Promise<Session> => {
  const { secrets } = on ?? (await network());
  const session = await new SessionKeys(secrets.SESSION_KEYS).open(cookie ?? "");
  if (session === null || session === "expired") throw new Error("there is no session");
  return session;
};

test("twenty parallel pages after the session expired are all the member's pages", async () => {
  const someone = await signedIn("fan_hana");
  someone.cookies.delete(SESSION_COOKIE);
  // A cheap page: twenty large ones may take longer than a call may take, where other work leaves little of the processor.
  const pages = await Promise.all(Array.from({ length: 20 }, () => someone.get("/my/settings/blocks")));
  for (const { status, text } of pages) {
    expect(status).toBe(200);
    expect(text).toMatch(HANAS_MENU);
  }
  expect((await sessionOf(someone.cookies.get(SESSION_COOKIE))).email).toBe(demoEmail("fan_hana"));
});

test("a token about to expire is refreshed before its use", async () => {
  const someone = await signedIn("fan_hana");
  const session = await sessionOf(someone.cookies.get(SESSION_COOKIE));
  // Four minutes left. The token is unsigned, so every service would refuse it.
  const ending = new UnsecuredJWT({ sub: session.id }).setExpirationTime("4 minutes").encode();
  const keys = new SessionKeys((await network()).secrets.SESSION_KEYS);
  someone.cookies.set(SESSION_COOKIE, await keys.seal({ ...session, token: ending }));
  const page = await someone.get("/my/box");
  expect(page.status).toBe(200);
  expect(page.text).toMatch(HANAS_MENU);
  const renewed = await sessionOf(someone.cookies.get(SESSION_COOKIE));
  expect(renewed.token).not.toBe(ending);
  expect(renewed.keyForGlobalSignOut).toBe(session.keyForGlobalSignOut);
});

test("a session copied before signing out is invalid afterwards", async () => {
  const someone = await browser();
  await someone.signIn(await freshMember("写された人"));
  const thief = await browser();
  for (const [name, value] of someone.cookies) thief.cookies.set(name, value);
  expect((await thief.get("/my/box")).status).toBe(200);
  await someone.post("/logout");
  // The same page again, now without cookies.
  expect((await thief.get("/my/box")).location).toBe("/my/box");
  expect((await thief.get("/my/box")).location).toMatch(/^\/login/);
  expect(thief.cookies.has(SESSION_COOKIE)).toBe(false);
});

test("while the provider is silent, an expired token is not used and the session is kept", async () => {
  const { url, secrets, stop } = await startTestNetwork({ SECURE_TOKEN_URL: "http://127.0.0.1:1" });
  try {
    const someone = new Browser(url);
    await someone.signIn("fan_hana");
    const keys = new SessionKeys(secrets.SESSION_KEYS);
    const session = (await keys.open(someone.cookies.get(SESSION_COOKIE) ?? "")) as Session;
    const token = new UnsecuredJWT({ sub: session.id }).setExpirationTime(Math.floor(Date.now() / 1000) - 1).encode();
    someone.cookies.set(SESSION_COOKIE, await keys.seal({ ...session, token }));
    const page = await someone.get("/natsume");
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(HANAS_MENU);
    expect([...someone.cookies.keys()].sort()).toEqual([SESSION_COOKIE, "soziIdRefresh"]);
  } finally {
    await stop();
  }
});

describe("behind a provider that is counted", () => {
  let proxy: ProviderProxy;
  let counted: Network;
  beforeAll(async () => {
    vi.spyOn(console, "error").mockReturnValue();
    proxy = await startProviderProxy();
    counted = await startTestNetwork({ SECURE_TOKEN_URL: `${proxy.origin}/securetoken.googleapis.com` });
    proxy.upstream = counted.url;
  });
  afterAll(async () => {
    await counted.stop();
    await proxy.stop();
    vi.restoreAllMocks();
  });

  /** Returns a member's browser whose session has expired. */
  async function lateMember(): Promise<Browser> {
    const someone = new Browser(counted.url);
    await someone.signIn("fan_hana");
    someone.cookies.delete(SESSION_COOKIE);
    proxy.asked.length = 0;
    return someone;
  }

  test("a hundred parallel requests refresh once, and all get the same new session", async () => {
    const someone = await lateMember();
    const before = someone.cookies.get(REFRESH_COOKIE) ?? "";
    const pages = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const tab = new Browser(counted.url);
        tab.cookies.set(REFRESH_COOKIE, before);
        // A hundred pages take longer than a call may take, where other work leaves little of the processor.
        const page = await tab.get(index % 10 === 0 ? "/my/settings/blocks" : "/my/recent-creator.json");
        return { page, cookies: tab.cookies };
      }),
    );
    const answers = Map.groupBy(pages, ({ page }) =>
      HANAS_MENU.test(page.text) ? "page" : `${page.status} ${page.text}`,
    );
    expect([...answers].map(([kind, { length }]) => [kind, length]).sort()).toEqual([
      ['200 {"creator":null}', 90],
      ["page", 10],
    ]);
    expect(proxy.asked).toEqual(["token"]);
    const sessions = await Promise.all(pages.map(({ cookies }) => sessionOf(cookies.get(SESSION_COOKIE), counted)));
    expect(new Set(sessions.map(({ token }) => token)).size).toBe(1);
    const keys = new SessionKeys(counted.secrets.SESSION_KEYS);
    const refreshes = pages.map(({ cookies }) => keys.decrypt(cookies.get(REFRESH_COOKIE) ?? "", REFRESH_COOKIE));
    const successors = new Set(await Promise.all(refreshes));
    expect([...successors]).toEqual([expect.any(String)]);
    expect([...successors]).not.toContain(await keys.decrypt(before, REFRESH_COOKIE));
  });

  test("a page whose answer was lost asks again, and gets the same answer without another call to the provider", async () => {
    const someone = await lateMember();
    const lost = new Browser(counted.url);
    for (const [name, value] of someone.cookies) lost.cookies.set(name, value);
    await lost.get("/my/settings/blocks");
    expect((await someone.get("/my/settings/blocks")).text).toMatch(HANAS_MENU);
    expect(proxy.asked).toEqual(["token"]);
    const [first, second] = await Promise.all(
      [lost, someone].map(({ cookies }) => sessionOf(cookies.get(SESSION_COOKIE), counted)),
    );
    expect(second?.token).toBe(first?.token);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ["is down", (response) => response.destroy()],
    ["answers 503", (response) => response.writeHead(503).end("{}")],
    ["answers with a page", (response) => response.writeHead(200).end("<!doctype html>")],
    ["answers JSON of another kind", (response) => response.writeHead(200).end("[]")],
    ["answers nothing", (response) => response.writeHead(200).end("null")],
    ["has no quota left", (response) => response.writeHead(429).end('{"error":{"message":"QUOTA_EXCEEDED"}}')],
    ["refuses our key", (response) => response.writeHead(400).end('{"error":{"message":"API key not valid."}}')],
  ])("while it %s, nobody is signed out, and later pages are the member's again", async (_, answer) => {
    const someone = await lateMember();
    proxy.answer = answer;
    try {
      const page = await someone.get("/natsume");
      expect(page.status).toBe(200);
      expect(page.text).not.toMatch(HANAS_MENU);
      expect([...someone.cookies.keys()]).toEqual([REFRESH_COOKIE]);
    } finally {
      proxy.answer = null;
    }
    expect((await someone.get("/natsume")).text).toMatch(HANAS_MENU);
  });

  test.each(["INVALID_REFRESH_TOKEN", "TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND"])(
    "a session that the provider ends with %s is deleted in the browser",
    async (message) => {
      const someone = await lateMember();
      proxy.answer = (response) => response.writeHead(400).end(JSON.stringify({ error: { code: 400, message } }));
      try {
        const page = await someone.get("/my/box");
        expect(page.location).toMatch(/^\/login/);
        expect([...someone.cookies.keys()]).not.toContain(REFRESH_COOKIE);
      } finally {
        proxy.answer = null;
      }
    },
  );
});
