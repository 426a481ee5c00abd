/** Attacks on the site itself by a person who wants another's account. Attacks on tokens alone: tests/verifier. */
import { beforeAll, describe, expect, test } from "vitest";
import { REFRESH_COOKIE, SESSION_COOKIE, type Session, SessionKeys } from "../../app/session/session.ts";
import { IDENTITY_ORIGIN } from "../../workers/verifier/deployment.ts";
import { api, type Browser, browser, database, freshMember, network } from "../support/network.ts";

beforeAll(async () => void (await network()));

const isMember = (text: string) => text.includes("のメニュー");
const keys = async () => new SessionKeys((await network()).secrets.SESSION_KEYS);
const sessionOf = async (someone: Browser) =>
  (await (await keys()).open(someone.cookies.get(SESSION_COOKIE) ?? "")) as Session;

async function signedIn(name: string): Promise<Browser> {
  const someone = await browser();
  expect((await someone.signIn(await freshMember(name))).status).toBe(303);
  return someone;
}

describe("a credential of one kind is refused as another", () => {
  test("a session cookie opens no API, and an ID token no session", async () => {
    const someone = await signedIn("取り違え");
    const cookie = someone.cookies.get(SESSION_COOKIE) ?? "";
    const { token } = await sessionOf(someone);
    for (const path of ["/v4/profile", "/v2/general/auth/custom-token"]) {
      expect((await api("GET", path, { token })).status).toBe(200);
      expect((await api("GET", path, { token: cookie })).status).toBe(401);
    }
    for (const stolen of [token, someone.cookies.get(REFRESH_COOKIE) ?? ""]) {
      const thief = await browser();
      thief.cookies.set(SESSION_COOKIE, stolen);
      const page = await thief.get("/natsume");
      expect([page.status, isMember(page.text), thief.cookies.has(SESSION_COOKIE)]).toEqual([200, false, false]);
    }
    const refreshing = await browser();
    refreshing.cookies.set(REFRESH_COOKIE, cookie);
    expect(isMember((await refreshing.get("/natsume")).text)).toBe(false);
  });
});

describe("a modified cookie", () => {
  const flipped = (text: string, at: number) =>
    `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;

  test("signs nobody in, wherever it was cut or changed", async () => {
    const someone = await signedIn("改ざん");
    const good = someone.cookies.get(SESSION_COOKIE) ?? "";
    const dots = [good.indexOf("."), good.lastIndexOf(".")] as const;
    const bad = [
      ...[0, 5, dots[0] + 5, Math.floor(good.length / 2), dots[1] - 3, dots[1] + 5].map((at) => flipped(good, at)),
      ...[1, 20, dots[0], dots[1], dots[1] + 1, good.length - 1].map((length) => good.slice(0, length)),
      `${good}${"A".repeat(5000)}`,
      "A".repeat(8000),
      `${good}.${good}`,
    ];
    for (const cookie of bad) {
      const thief = await browser();
      thief.cookies.set(SESSION_COOKIE, cookie);
      const page = await thief.get("/natsume");
      expect([page.status, isMember(page.text)], cookie.slice(0, 40)).toEqual([200, false]);
    }
    someone.cookies.delete(REFRESH_COOKIE);
    expect(isMember((await someone.get("/natsume")).text)).toBe(true);
  });
});

describe("session fixation", () => {
  test("a cookie planted before the sign-in is useless afterwards, and harmless", async () => {
    const attacker = await signedIn("植える人");
    const victim = await browser();
    for (const [name, value] of attacker.cookies) victim.cookies.set(name, value);
    const member = await freshMember("植えられた人");
    expect((await victim.signIn(member)).status).toBe(303);
    for (const name of [SESSION_COOKIE, REFRESH_COOKIE]) {
      expect(victim.cookies.get(name)).not.toBe(attacker.cookies.get(name));
    }
    expect((await sessionOf(victim)).email).toBe(member.email);
    expect((await sessionOf(victim)).keyForGlobalSignOut).not.toBe((await sessionOf(attacker)).keyForGlobalSignOut);
    expect((await attacker.get("/my/settings/blocks")).text).not.toContain("植えられた人");
  });
});

describe("a deleted or disabled account", () => {
  test.each([
    ["disabled", "UPDATE accounts SET disabled = 1 WHERE email = ?"],
    ["deleted", "DELETE FROM accounts WHERE email = ?"],
  ])("once %s has no session, at the latest a second later", async (_, statement) => {
    const member = await freshMember("もういない人");
    const someone = await browser();
    await someone.signIn(member);
    const identity = await database("identity");
    await identity.prepare(statement).bind(member.email).run();
    const page = await someone.get("/natsume");
    expect(isMember(page.text)).toBe(false);
    expect(someone.cookies.has(SESSION_COOKIE)).toBe(false);
    expect(someone.cookies.has(REFRESH_COOKIE)).toBe(false);
  });
});

describe("cross-site form posts (CSRF)", () => {
  const foreign: Record<string, string>[] = [
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "null", "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    {},
  ];

  test("sign nobody in", async () => {
    const member = await freshMember("罠の口座");
    for (const headers of foreign) {
      const victim = await browser();
      const body = new URLSearchParams({ email: member.email, password: member.password, to: "/" });
      const page = await victim.send("/login", { method: "POST", body, headers });
      expect([page.status, [...victim.cookies.keys()]], JSON.stringify(headers)).toEqual([403, []]);
    }
  });

  test("sign nobody out", async () => {
    const victim = await signedIn("追い出されない人");
    for (const headers of foreign) {
      const page = await victim.send("/logout", { method: "POST", body: new URLSearchParams(), headers });
      expect(page.status, JSON.stringify(headers)).toBe(403);
    }
    await victim.get("/logout");
    expect(isMember((await victim.get("/natsume")).text)).toBe(true);
  });
});

test("the pages of signing in and out cannot be framed", async () => {
  const someone = await signedIn("枠の中の人");
  for (const [who, path] of [
    [await browser(), "/login"],
    [await browser(), "/signup"],
    [someone, "/my/settings"],
  ] as const) {
    const { headers } = await who.get(path);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  }
});

test("the sign-out watch cannot be reached from outside", async () => {
  const { url } = await network();
  const someone = await signedIn("外からの人");
  const { token } = await sessionOf(someone);
  for (const path of ["/watch", "/v2/general/watch", `/${new URL(IDENTITY_ORIGIN).host}/watch`]) {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status, path).toBe(404);
  }
});
