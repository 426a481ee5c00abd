import { randomBytes } from "node:crypto";
import { SignJWT } from "jose";
import { describe, expect, test, vi } from "vitest";
import { CookieJar } from "../../app/request/cookies.ts";
import {
  REFRESH_COOKIE,
  REFRESH_MAX_AGE_S,
  SESSION_COOKIE,
  type Session,
  SessionKeys,
  SessionTooLarge,
  sessionOf,
} from "../../app/session/session.ts";
import { tampered } from "../support/tampered.ts";

const SECRET = "session-key-of-the-tests-000000000001";
const OTHER = "session-key-of-the-tests-000000000002";
const keys = new SessionKeys(`k1:${SECRET}`);
const encodeJson = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** Returns a token like Firebase's, of the largest size, with a signature as long as RS256's. */
const tokenWith = (claims: object) =>
  [
    { alg: "RS256", kid: "0123456789abcdef" },
    { sub: "demo0001", auth_time: 1, exp: 2_000_000_000, ...claims },
  ]
    .map(encodeJson)
    .concat(randomBytes(256).toString("base64url"))
    .join(".");
const session: Session = {
  id: "demo0001",
  displayName: "なつめ",
  email: "natsume@example.jp",
  emailVerified: true,
  hasEmailProvider: true,
  shouldVerifyEmail: false,
  providers: ["password"],
  token: tokenWith({}),
  pibId: null,
  keyForGlobalSignOut: "key",
};
const now_s = () => Math.floor(Date.now() / 1000);
const signCookie = (
  header: { alg: string; kid?: string },
  exp: number,
  secret = SECRET,
  payload: object = { session },
) =>
  new SignJWT({ ...payload }).setProtectedHeader(header).setExpirationTime(exp).sign(new TextEncoder().encode(secret));

describe("a sealed session", () => {
  test("can be opened unchanged, and only with its key", async () => {
    const cookie = await keys.seal(session);
    expect(await keys.open(cookie)).toEqual(session);
    expect(await new SessionKeys(`k1:${OTHER}`).open(cookie)).toBeNull();
    expect(await new SessionKeys(`k9:${SECRET}`).open(cookie)).toBeNull();
  });

  test("survives a change of keys: the new key signs, and the old key still opens", async () => {
    const before = await keys.seal(session);
    const rotated = new SessionKeys(`k2:${OTHER}, k1:${SECRET}`);
    expect(await rotated.open(before)).toEqual(session);
    const after = await rotated.seal(session);
    expect(await rotated.open(after)).toEqual(session);
    expect(await keys.open(after)).toBeNull();
    expect(await new SessionKeys(`k2:${OTHER}`).open(before)).toBeNull();
  });

  test("lasts an hour, and is then recognised as expired", async () => {
    const payload = JSON.parse(Buffer.from((await keys.seal(session)).split(".")[1] ?? "", "base64url").toString());
    expect(payload.exp - payload.iat).toBe(3600);
    expect(await keys.open(await signCookie({ alg: "HS256", kid: "k1" }, now_s() - 1))).toBe("expired");
    expect(await keys.open(await signCookie({ alg: "HS256", kid: "k1" }, now_s() - 1, OTHER))).toBeNull();
  });

  test.each([
    ["an hour back", -60 * 60, "open", "renewable"],
    ["a day ahead", 24 * 60 * 60, "expired", "renewable"],
    ["a year ahead", 365 * 24 * 60 * 60, "expired", "over"],
  ])("survives a clock that jumps %s and back", async (_jump, seconds, state, renewal) => {
    const cookie = await keys.seal(session);
    const refresh = await keys.encrypt("a refresh token", REFRESH_COOKIE, REFRESH_MAX_AGE_S);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000 });
    expect(await keys.open(cookie)).toEqual(state === "open" ? session : "expired");
    expect(await keys.decrypt(refresh, REFRESH_COOKIE)).toBe(renewal === "renewable" ? "a refresh token" : null);
    vi.useRealTimers();
    expect(await keys.open(cookie)).toEqual(session);
    expect(await keys.decrypt(refresh, REFRESH_COOKIE)).toBe("a refresh token");
  });

  test("is null when it was changed or is malformed", async () => {
    const [header, payload, signature] = (await keys.seal(session)).split(".");
    const changed = encodeJson({ session: { ...session, id: "demo0002" }, exp: now_s() + 600 });
    for (const cookie of [
      `${header}.${changed}.${signature}`,
      `${header}.${payload}.${tampered(signature ?? "", 0)}`,
      `${header}.${payload}.`,
      `${encodeJson({ alg: "none", kid: "k1" })}.${payload}.`,
      `${encodeJson({ alg: "none" })}.${payload}.`,
      await signCookie({ alg: "HS512", kid: "k1" }, now_s() + 600, `${SECRET}${OTHER}`),
      await signCookie({ alg: "HS256" }, now_s() + 600),
      await signCookie({ alg: "HS256", kid: "constructor" }, now_s() + 600),
      "",
      "garbage",
      "..",
      "....",
      "%00",
      "ほげ",
    ]) {
      expect(await keys.open(cookie), cookie).toBeNull();
    }
  });

  test.each([
    {},
    { session: {} },
    { session: { ...session, token: "a.b.c" } },
    { session: { ...session, id: "demo0002" } },
    { session: { ...session, providers: undefined } },
    { packed: "AAAA" },
    { packed: 1 },
  ])("is null when another version of the app wrote %j", async (payload) => {
    const cookie = await signCookie({ alg: "HS256", kid: "k1" }, now_s() + 600, SECRET, payload);
    expect(await keys.open(cookie)).toBeNull();
  });

  const long = {
    name: "名前の長い人".repeat(16),
    email: `${"a".repeat(64)}@${"b".repeat(180)}.example.jp`,
    email_verified: true,
    picture: `https://pictures.example/${"c".repeat(900)}`,
    pibId: "p".repeat(128),
    keyForGlobalSignOut: "k".repeat(128),
    plan: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`claim_${n}`, `value ${n}`])),
    firebase: { identities: { email: ["x@example.jp"], "google.com": ["1"], "apple.com": ["2"] } },
  };

  test("fits a cookie with long names and claims, and keeps them all", async () => {
    const token = tokenWith(long);
    const whole = sessionOf({ sub: "demo0001", auth_time: 1, ...long }, token, ["password", "google.com", "apple.com"]);
    expect(token.length).toBeGreaterThan(3500);
    const cookie = await keys.seal(whole);
    expect(`__Host-${SESSION_COOKIE}=${cookie}`.length).toBeLessThanOrEqual(4096);
    expect(await keys.open(cookie)).toEqual(whole);
  });

  test("is not made when a browser would drop it", async () => {
    const token = tokenWith({ picture: randomBytes(3000).toString("base64url") });
    await expect(keys.seal({ ...session, token })).rejects.toBeInstanceOf(SessionTooLarge);
  });
});

test("over https its cookies have the __Host- prefix, and others are ignored", () => {
  const jar = new CookieJar(
    new Request("https://ofuse.example/", { headers: { cookie: `${SESSION_COOKIE}=planted` } }),
  );
  expect(jar.read(SESSION_COOKIE)).toBeNull();
  jar.set(SESSION_COOKIE, "sealed", 3600);
  expect(jar.lines()).toEqual([
    `__Host-${SESSION_COOKIE}=sealed; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure`,
  ]);
});

describe("an encrypted secret", () => {
  test("can be read only for its purpose", async () => {
    const cookie = await keys.encrypt("refresh-token", "refresh", 60);
    expect(cookie).not.toContain("refresh-token");
    expect(await keys.decrypt(cookie, "refresh")).toBe("refresh-token");
    expect(await keys.decrypt(cookie, "pending")).toBeNull();
    expect(await keys.encrypt("refresh-token", "refresh", 60)).not.toBe(cookie);
  });

  test("survives a change of keys", async () => {
    const cookie = await keys.encrypt("refresh-token", "refresh", 60);
    expect(await new SessionKeys(`k2:${OTHER},k1:${SECRET}`).decrypt(cookie, "refresh")).toBe("refresh-token");
    expect(await new SessionKeys(`k2:${OTHER}`).decrypt(cookie, "refresh")).toBeNull();
  });

  test("is null when it expired, was changed, is malformed or is a session", async () => {
    const cookie = await keys.encrypt("refresh-token", "refresh", 60);
    const parts = cookie.split(".");
    for (const each of [
      await keys.encrypt("refresh-token", "refresh", -1),
      [...parts.slice(0, 3), tampered(parts[3] ?? "", 0), parts[4]].join("."),
      await keys.seal(session),
      "",
      "garbage",
      "....",
    ]) {
      expect(await keys.decrypt(each, "refresh"), each).toBeNull();
    }
  });

  test("cannot be read as a session", async () => {
    expect(await keys.open(await keys.encrypt("secret", "refresh", 60))).toBeNull();
  });
});

describe("the session of a token's claims", () => {
  const claims = { sub: "demo0001", auth_time: 1, email: "natsume@example.jp", name: "なつめ" };
  const identitiesOf = (...providers: string[]) => ({
    firebase: { identities: Object.fromEntries(providers.map((provider) => [provider, ["x"]])) },
  });

  test.each([
    [false, ["email"], true],
    [true, ["email"], false],
    [undefined, ["email"], true],
    [false, ["google.com"], false],
    [false, ["phone"], false],
    [false, ["google.com", "email"], false],
    [false, [], false],
  ])("requires a proven address when verified is %s with %j: %s", (email_verified, providers, wanted) => {
    const made_of = sessionOf({ ...claims, email_verified, ...identitiesOf(...providers) }, "token");
    expect(made_of.shouldVerifyEmail).toBe(wanted);
    expect(made_of.hasEmailProvider).toBe(wanted || email_verified === true);
  });

  test("has the values of the claims and nothing else", () => {
    const google = { ...claims, email_verified: true, ...identitiesOf("email", "google.com") };
    expect(sessionOf(google, "token", ["password", "google.com"])).toEqual({
      ...session,
      providers: ["password", "google.com"],
      token: "token",
      keyForGlobalSignOut: null,
    });
    expect(sessionOf({ sub: "x", auth_time: 1, pibId: "p", keyForGlobalSignOut: "k" }, "token")).toEqual({
      id: "x",
      displayName: null,
      email: null,
      emailVerified: false,
      hasEmailProvider: false,
      shouldVerifyEmail: false,
      providers: [],
      token: "token",
      pibId: "p",
      keyForGlobalSignOut: "k",
    });
  });
});
