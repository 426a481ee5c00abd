import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DEMO_PASSWORD, demoEmail } from "../../scripts/demo/seed.ts";
import type { Browser } from "../support/network.ts";
import { codeOf, enrolApp } from "../support/totp.ts";
import { type FederatedNetwork, startFederatedNetwork } from "./support/federated.ts";

const SESSION = "soziIdAuth";

let idp: FederatedNetwork;
let hana: Record<string, string>;
beforeAll(async () => {
  idp = await startFederatedNetwork();
}, 180_000);
beforeEach(async () => {
  const credentials = { email: demoEmail("fan_hana"), password: DEMO_PASSWORD, returnSecureToken: true };
  hana = await idp.account("signInWithPassword", credentials);
  idp.calls.length = 0;
  idp.answer = hana;
});
afterAll(() => idp.stop());

/** Leaves for another provider. Returns what the provider would send back. */
async function leave(visitor: Browser, slug = "google", fields: Record<string, string> = { to: "/natsume" }) {
  const { status, location } = await visitor.post(`/login/with/${slug}`, fields);
  expect(status).toBe(303);
  const asked = new URL(location ?? "");
  const state = asked.searchParams.get("state") ?? "";
  return { asked, state, callback: `/login/callback/${slug}?${new URLSearchParams({ state, code: "abc" })}` };
}

describe("signing in with another provider", () => {
  test("returns to the requested page, with a session that no URL contains", async () => {
    const visitor = idp.newBrowser();
    const { asked, callback } = await leave(visitor);
    expect(asked.searchParams.get("redirect_uri")).toBe(`${idp.network.url}/login/callback/google`);
    const page = await visitor.get(callback);
    expect([page.status, page.location]).toEqual([303, "/natsume"]);
    expect(idp.calls).toMatchObject([{ requestUri: idp.network.url + callback, sessionId: expect.any(String) }]);
    expect([...visitor.cookies.keys()].sort()).toEqual([SESSION, "soziIdRefresh"]);
    expect((await visitor.get("/natsume")).text).toContain("のメニュー");
  });

  test.each(["google", "apple", "x", "line"])("offers %s, and the page's policy allows it", async (slug) => {
    const visitor = idp.newBrowser();
    expect((await leave(visitor, slug)).asked.host).toMatch(/\.example$/);
    const { headers, text } = await visitor.get("/login");
    expect(text).toContain(`action="/login/with/${slug}"`);
    expect(headers.get("content-security-policy")).toMatch(/form-action 'self' https:\/\/accounts\.google\.com /);
    expect((await visitor.get("/natsume")).headers.get("content-security-policy")).toContain("form-action 'self';");
  });

  test("works once with the same answer", async () => {
    const visitor = idp.newBrowser();
    const { callback } = await leave(visitor);
    const departed = visitor.cookies.get("soziIdDeparture") ?? "";
    await visitor.get(callback);
    await visitor.post("/logout");
    const again = await visitor.get(callback);
    expect([again.status, again.location]).toEqual([403, null]);
    expect(departed).not.toBe("");
    expect(visitor.cookies.has(SESSION)).toBe(false);
  });

  test("begun in one browser opens no session in another", async () => {
    const [mine, theirs] = [idp.newBrowser(), idp.newBrowser()];
    const { callback } = await leave(theirs);
    expect((await mine.get(callback)).status).toBe(403);
    // A browser that has begun another sign-in does not work either.
    await leave(mine);
    const page = await mine.get(callback);
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining("はじめからお試しください") });
    expect(mine.cookies.has(SESSION)).toBe(false);
    expect(idp.calls).toEqual([]);
  });

  test("begun with one provider cannot be finished with another", async () => {
    const visitor = idp.newBrowser();
    const { state } = await leave(visitor, "google");
    expect((await visitor.get(`/login/callback/line?state=${state}&code=abc`)).status).toBe(403);
    expect(idp.calls).toEqual([]);
  });

  test("cancelled at the provider shows a page that says so and links back", async () => {
    const visitor = idp.newBrowser();
    const { state } = await leave(visitor, "x");
    const page = await visitor.get(`/login/callback/x?state=${state}&error=access_denied`);
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining("Xでの確認は取りやめられました") });
    expect(page.text).toContain('href="/login?to=%2Fnatsume"');
  });

  test.each([
    ["INVALID_IDP_RESPONSE", 401, "確認を完了できませんでした"],
    ["USER_DISABLED", 403, "このアカウント"],
    ["TOO_MANY_ATTEMPTS_TRY_LATER", 429, "時間をおいて"],
    ["SOMETHING_NEW", 401, "確認を完了できませんでした"],
  ])("refused by the identity provider with %s shows the reason", async (code, status, words) => {
    const visitor = idp.newBrowser();
    const { callback } = await leave(visitor);
    idp.answer = code;
    const page = await visitor.get(callback);
    expect(page).toMatchObject({ status, text: expect.stringContaining(words) });
    expect(visitor.cookies.has(SESSION)).toBe(false);
  });

  test("requires a known provider", async () => {
    const visitor = idp.newBrowser();
    expect((await visitor.post("/login/with/nobody")).status).toBe(404);
    expect((await visitor.get("/login/callback/nobody?state=a&code=b")).status).toBe(404);
    expect((await visitor.get("/login/callback/google.com?state=a&code=b")).status).toBe(404);
  });
});

test("with an external identity provider, only a page that sends codes loads reCAPTCHA", async () => {
  const visitor = idp.newBrowser();
  const page = await visitor.get("/login/phone");
  const [field] = /<input[^>]*name="recaptcha_token"[^>]*>/.exec(page.text) ?? [];
  expect(field).toMatch(/data-api-key="[^"]+" data-project-id="demo-ofuse"/);
  expect(page.text).toMatch(/<noscript>.*JavaScriptを有効にしてください/s);
  const [, script = ""] = /<script type="module" src="(\/assets\/recaptcha-[^"]+)"/.exec(page.text) ?? [];
  expect((await visitor.get(script)).status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("https://www.google.com/recaptcha/");
  const login = await visitor.get("/login");
  expect(login.text).not.toContain("recaptcha");
  expect(login.headers.get("content-security-policy")).not.toContain("recaptcha");
  const { text } = await visitor.get("/external-transmission");
  expect(text).toMatch(/<section id="direct">.*とき（reCAPTCHA）/s);
  expect(text).not.toContain("ログアウト用の番号");
});

describe("Apple's cross-site post", () => {
  const posted = async (visitor: Browser, path: string, fields: Record<string, string>) =>
    visitor.send(path, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { origin: "https://appleid.apple.com", "sec-fetch-site": "cross-site" },
    });

  test("is redirected to our own GET, encrypted in the URL, and signs in there", async () => {
    const visitor = idp.newBrowser();
    const { state } = await leave(visitor, "apple");
    const stranger = idp.newBrowser();
    const led = await posted(stranger, "/login/callback/apple", { state, code: "secret-code", user: "{}" });
    expect(led.status).toBe(303);
    expect(led.location).not.toContain("secret-code");
    expect(led.headers.getSetCookie()).toEqual([]);
    // A stranger who sees the URL cannot use it.
    expect((await stranger.get(led.location ?? "")).status).toBe(403);
    const page = await visitor.get(led.location ?? "");
    expect([page.status, page.location]).toEqual([303, "/natsume"]);
    expect(idp.calls).toMatchObject([
      { requestUri: `${idp.network.url}/login/callback/apple`, postBody: expect.stringContaining("code=secret-code") },
    ]);
    expect((await visitor.get(led.location ?? "")).status).toBe(403);
  });

  test.each(["/login/callback/google", "/login/callback/apple/", "/login", "/login/with/apple"])(
    "is accepted at no other path: %s",
    async (path) => {
      expect((await posted(idp.newBrowser(), path, { state: "a", code: "b" })).status).toBe(403);
    },
  );

  test("is limited in size", async () => {
    const page = await posted(idp.newBrowser(), "/login/callback/apple", { code: "x".repeat(20_000) });
    expect((page.location ?? "").length).toBeLessThan(1000);
  });
});

describe("an address that already has an account", () => {
  const vouched = () => ({ needConfirmation: true, email: demoEmail("fan_hana"), pendingToken: "pending" });

  test("is reported, and linked when its owner has signed in", async () => {
    const visitor = idp.newBrowser();
    const { callback } = await leave(visitor);
    idp.answer = vouched();
    expect((await visitor.get(callback)).location).toBe("/login/join");
    const { text } = await visitor.get("/login/join");
    expect(text).toContain(demoEmail("fan_hana"));
    expect(text).toContain('href="/login?to=%2Fnatsume"');
    expect((await visitor.get("/login?to=%2Fnatsume")).text).toContain("Googleがログイン方法として連携されます");

    idp.answer = hana;
    const page = await visitor.signIn({ email: demoEmail("fan_hana"), password: DEMO_PASSWORD, token: "" }, "/natsume");
    expect([page.status, page.location]).toEqual([303, "/natsume"]);
    expect(idp.calls[1]).toMatchObject({ pendingToken: "pending", idToken: expect.any(String) });
    expect((await visitor.get("/natsume")).text).toContain("ログイン方法を連携しました");
  });

  test("is not linked to another member who signs in on that browser", async () => {
    const visitor = idp.newBrowser();
    const { callback } = await leave(visitor);
    idp.answer = vouched();
    await visitor.get(callback);
    await visitor.signIn("fan_taro");
    expect(idp.calls).toHaveLength(1);
    expect(visitor.cookies.has("soziIdJoin")).toBe(false);
  });
});

test("a custom token of an account with a second factor shows the account after that factor, before it signs in", async () => {
  const credentials = { email: "two.steps@mail.example", password: "correct horse battery" };
  const { idToken = "" } = await idp.account("signUp", { ...credentials, returnSecureToken: true });
  await idp.account("sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
  const outbox = await fetch(`${idp.network.url}/emulator/v1/projects/demo-ofuse/oobCodes`);
  const { oobCodes } = (await outbox.json()) as { oobCodes: { email: string; oobCode: string }[] };
  await idp.account("update", { idToken, oobCode: oobCodes.find(({ email }) => email === credentials.email)?.oobCode });
  const proven = await idp.account("signInWithPassword", { ...credentials, returnSecureToken: true });
  const secret = await enrolApp(idp.network, proven.idToken ?? "");
  // Our own provider asks for no second factor.
  idp.answer = await idp.account("signInWithPassword", { ...credentials, returnSecureToken: true });

  const visitor = idp.newBrowser();
  await visitor.get("/login/token?token=made-elsewhere&to=/natsume");
  expect((await visitor.post("/login/token")).location).toBe("/login/factor");
  expect(idp.calls).toMatchObject([{ token: "made-elsewhere" }]);
  expect((await visitor.post("/login/factor", { code: codeOf(secret, 1) })).location).toBe("/login/token");
  expect(visitor.cookies.has(SESSION)).toBe(false);
  const { text } = await visitor.get("/login/token");
  expect(text).toContain(credentials.email);
  const [, mark = ""] = /name="mark" value="([^"]+)"/.exec(text) ?? [];
  expect((await visitor.post("/login/token", { mark })).location).toBe("/signup/registration?to=%2Fnatsume");
  expect(visitor.cookies.has(SESSION)).toBe(true);
});

describe("confirming the identity", () => {
  test("opens a new session for the same account, and for no other", async () => {
    const member = idp.newBrowser();
    await member.signIn("fan_hana");
    const before = member.cookies.get(SESSION);
    const { callback } = await leave(member, "google", { to: "/my/settings", purpose: "confirm" });
    expect((await member.get(callback)).location).toBe("/my/settings");
    expect(member.cookies.get(SESSION)).not.toBe(before);

    const other = idp.newBrowser();
    await other.signIn("fan_taro");
    const taro = other.cookies.get(SESSION);
    const begun = await leave(other, "google", { to: "/my/settings", purpose: "confirm" });
    const page = await other.get(begun.callback);
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining("別のアカウント") });
    expect(other.cookies.get(SESSION)).toBe(taro);
    // The session opened for it has ended.
    expect(await idp.account("lookup", { idToken: hana.idToken })).toMatchObject({
      error: { message: "TOKEN_EXPIRED" },
    });
  });

  test("creates no account for a person without one", async () => {
    const member = idp.newBrowser();
    await member.signIn("fan_hana");
    const { callback } = await leave(member, "google", { to: "/my/settings", purpose: "confirm" });
    idp.answer = "USER_NOT_FOUND";
    const page = await member.get(callback);
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining("別のアカウント") });
    expect(idp.calls).toMatchObject([{ autoCreate: false }]);
  });

  test("requires a sign-in", async () => {
    const visitor = idp.newBrowser();
    expect((await visitor.get("/login/confirm?to=/my/settings")).location).toBe("/login?to=%2Fmy%2Fsettings");
    const page = await visitor.post("/login/with/google", { to: "/my/settings", purpose: "link" });
    expect(page.location).toBe("/login?to=%2Fmy%2Fsettings");
  });

  test("links a sign-in method only to the account that requested it", async () => {
    const member = idp.newBrowser();
    await member.signIn("fan_hana");
    const { callback } = await leave(member, "line", { to: "/my/settings", purpose: "link" });
    await member.post("/logout", { scope: "this_device" });
    await member.signIn("fan_taro");
    expect((await member.get(callback)).status).toBe(403);
    expect(idp.calls).toEqual([]);
  });
});
