import { UnsecuredJWT } from "jose";
import { expect, test } from "vitest";
import { SESSION_COOKIE, type Session, SessionKeys } from "../../app/session/session.ts";
import { demoEmail } from "../../scripts/demo/seed.ts";
import { Browser, browser, network, startTestNetwork } from "../support/network.ts";

/** Names the button of the account in the header. */
const HANAS_MENU = /"はな フォロー中 \d+人のメニュー"/;

async function signedIn(link_id: string): Promise<Browser> {
  const someone = await browser();
  const page = await someone.signIn(link_id, "/my/box");
  expect(page.location).toBe("/my/box");
  return someone;
}

const sessionOf = async (cookie: string | undefined): Promise<Session> => {
  const session = await new SessionKeys((await network()).secrets.SESSION_KEYS).open(cookie ?? "");
  if (session === null || session === "expired") throw new Error("there is no session");
  return session;
};

test("twenty pages asked for at once after the hour is over are all a member's", async () => {
  const someone = await signedIn("fan_hana");
  someone.cookies.delete(SESSION_COOKIE);
  const pages = await Promise.all(Array.from({ length: 20 }, () => someone.get("/my/box")));
  for (const { status, text } of pages) {
    expect(status).toBe(200);
    expect(text).toMatch(HANAS_MENU);
  }
  expect((await sessionOf(someone.cookies.get(SESSION_COOKIE))).email).toBe(demoEmail("fan_hana"));
});

test("a token about to end is replaced before it is used", async () => {
  const someone = await signedIn("fan_hana");
  const session = await sessionOf(someone.cookies.get(SESSION_COOKIE));
  // Four minutes left. It is not signed, so anybody it were shown to would refuse it.
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

test("a session copied before logging out is no session afterwards", async () => {
  const someone = await signedIn("fan_taro");
  const thief = await browser();
  for (const [name, value] of someone.cookies) thief.cookies.set(name, value);
  expect((await thief.get("/my/box")).status).toBe(200);
  await someone.post("/logout");
  const page = await thief.get("/my/box");
  expect(page.location).toMatch(/\/login/);
  expect(thief.cookies.has(SESSION_COOKIE)).toBe(false);
});

test("while the provider is silent, a token past its end is not used and the session is not thrown away", async () => {
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
