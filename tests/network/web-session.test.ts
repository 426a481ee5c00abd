import { decodeJwt, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { createBlock } from "../../workers/contract/blocks.ts";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { listOfuses } from "../../workers/contract/ofuses.ts";
import { listRelationships } from "../../workers/contract/relationships.ts";
import { getUser } from "../../workers/contract/users.ts";
import {
  type Browser,
  browser,
  database,
  disable,
  freshAccount,
  freshMember,
  network,
  tick,
} from "../support/network.ts";
import { tampered } from "../support/tampered.ts";
import { ask, INSIDES } from "./support/calls.ts";
import { leaveUnproven } from "./support/identity.ts";

const SESSION = "soziIdAuth";
const REFRESH = "soziIdRefresh";

async function member(who: Parameters<Browser["signIn"]>[0]): Promise<Browser> {
  const signed_in = await browser();
  const { status, location } = await signed_in.signIn(who);
  expect({ status, location }).toEqual({ status: 303, location: "/" });
  return signed_in;
}

let taro: Promise<Browser> | undefined;
/** Returns a browser of one signed-in member, for tests that change only its cookies. */
async function anyMember(): Promise<Browser> {
  taro ??= member("fan_taro");
  const copy = await browser();
  for (const [name, value] of (await taro).cookies) copy.cookies.set(name, value);
  return copy;
}

/** Makes a session cookie with the site's own key. */
async function seal(session: Record<string, unknown>, seconds: number, header: { kid?: string } = { kid: "k1" }) {
  const { secrets } = await network();
  const key = new TextEncoder().encode(secrets.SESSION_KEYS.replace(/^k1:/, ""));
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ session })
    .setProtectedHeader({ alg: "HS256", ...header })
    .setIssuedAt(now - 7200)
    .setExpirationTime(now + seconds)
    .sign(key);
}
const sessionIn = (cookie: string | undefined) =>
  decodeJwt<{ session: Record<string, unknown> & { token: string } }>(cookie ?? "").session;
const isMember = (text: string) => text.includes("のメニュー");

describe("signing in", () => {
  test("gives two cookies that no script can read, and the member's page", async () => {
    const visitor = await browser();
    const page = await visitor.signIn("fan_taro");
    const lines = page.headers.getSetCookie();
    expect(lines.map((line) => line.split("=")[0]).sort()).toEqual([SESSION, REFRESH]);
    for (const line of lines) expect(line).toMatch(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    expect(lines.find((line) => line.startsWith(`${SESSION}=`))).toContain("Max-Age=3600");
    const home = await visitor.get("/");
    expect(isMember(home.text)).toBe(true);
    expect(home.headers.get("cache-control")).toBe("private, no-store");
    expect(home.text).not.toContain(sessionIn(visitor.cookies.get(SESSION)).token);
  });

  test("ends with signing out, which deletes the cookies", async () => {
    const signed_in = await member(await freshMember("出る人"));
    const { status, location } = await signed_in.post("/logout");
    expect({ status, location }).toEqual({ status: 303, location: "/" });
    expect([...signed_in.cookies.keys()]).toEqual(["flash"]);
    const home = await signed_in.get("/");
    expect(home.text).toContain("ログアウトしました");
    expect(isMember(home.text)).toBe(false);
    expect([...signed_in.cookies.keys()]).toEqual([]);
  });

  test("redirects an account without a profile to its registration, and back", async () => {
    const account = await freshAccount();
    const visitor = await browser();
    expect((await visitor.signIn(account, "/natsume")).location).toBe("/signup/registration?to=%2Fnatsume");
    expect((await visitor.get("/natsume")).location).toBe("/signup/registration");
    // Only pages redirect: a feed reader or a script could not use a page.
    const resources = ["feed.xml", "feed.atom", "feed.json"].map((feed) => `/natsume/${feed}`);
    for (const path of [
      ...resources,
      "/robots.txt",
      "/.well-known/security.txt",
      "/sitemap.xml",
      "/speculation-rules.json",
    ]) {
      expect([path, (await visitor.get(path)).status]).toEqual([path, 200]);
    }
    expect((await visitor.get("/session/state.json")).status, "signed in, with nothing to tell").toBe(204);
    const done = await visitor.post("/signup/registration", {
      default_name: "新人",
      birth_year: "1998",
      to: "/natsume",
    });
    expect({ status: done.status, location: done.location }).toEqual({ status: 303, location: "/natsume" });
    expect((await visitor.get("/natsume")).text).toContain("アカウント登録が完了しました");
  });

  test("redirects a member whose mail bounced to confirm the address", async () => {
    const fan = await freshMember("不達");
    await (await database())
      .prepare("UPDATE users SET email_invalid = 1 WHERE user_id = ?")
      .bind(fan.user.user_id)
      .run();
    const signed_in = await member(fan);
    expect((await signed_in.get("/natsume?page=1")).location).toBe("/signup/register_email?to=%2Fnatsume%3Fpage%3D1");
    const page = await signed_in.get("/signup/register_email?to=%2Fnatsume");
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining(fan.email) });
  });

  test("says on the settings that the address is not proven, and where to prove it", async () => {
    const fan = await freshMember("未確認");
    const signed_in = await member(fan);
    expect((await signed_in.get("/my/settings")).text).not.toContain("まだ済んでいません");
    await leaveUnproven(fan);
    // The browser learns it by refreshing its session. Before the address is proven, no password signs in.
    signed_in.cookies.delete(SESSION);
    const { text } = await signed_in.get("/my/settings");
    expect(text).toMatch(/確認が、まだ済んでいません。<a [^>]*href="\/my\/settings\/email"/);
  });

  test("from a member's page returns to it", async () => {
    const visitor = await browser();
    for (const path of ["/my/box", "/my/box?type=sent", "/my/notifications"]) {
      const { status, location } = await visitor.get(path);
      expect({ status, location }).toEqual({ status: 302, location: `/login?${new URLSearchParams({ to: path })}` });
    }
  });
});

describe("a session cookie", () => {
  const broken: [string, (good: string) => string | Promise<string>][] = [
    ["tampered with", (good) => tampered(good, -4)],
    [
      "with changed contents",
      (good) => {
        const [header, , signature] = good.split(".");
        const session = { ...sessionIn(good), id: "demo0000" };
        return `${header}.${Buffer.from(JSON.stringify({ session, exp: 9e9 })).toString("base64url")}.${signature}`;
      },
    ],
    [
      "with alg none",
      (good) => `${Buffer.from('{"alg":"none","kid":"k1"}').toString("base64url")}.${good.split(".")[1]}.`,
    ],
    ["of garbage", () => "garbage"],
    ["of three dots", () => "..."],
    ["with nothing in it", () => ""],
    ["of odd characters", () => "%00%ff'\"<script>"],
    ["with an unknown key", (good) => seal(sessionIn(good), 600, { kid: "k2" })],
    ["with no key named", (good) => seal(sessionIn(good), 600, {})],
    ["past its hour and with nothing to renew it", (good) => seal(sessionIn(good), -1)],
    [
      "with a token of somebody else's making",
      async (good) => {
        const { privateKey } = await generateKeyPair("RS256");
        const claims = decodeJwt(sessionIn(good).token);
        const token = await new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(privateKey);
        return seal({ ...sessionIn(good), token }, 600);
      },
    ],
  ];

  test.each(broken)("%s counts as no session and is removed", async (_, breakIt) => {
    const signed_in = await anyMember();
    const good = signed_in.cookies.get(SESSION) ?? "";
    signed_in.cookies.set(SESSION, await breakIt(good));
    signed_in.cookies.delete(REFRESH);
    const page = await signed_in.get("/natsume");
    expect(page.status).toBe(200);
    expect(isMember(page.text)).toBe(false);
    expect(page.text).not.toMatch(/<script(?! type="(?:application.ld.json"|module" src=".assets.visitor-))/);
    expect(page.text).not.toMatch(INSIDES);
    expect(signed_in.cookies.has(SESSION)).toBe(false);
  });

  test("is refreshed after its hour while the browser has its refresh cookie", async () => {
    const signed_in = await anyMember();
    signed_in.cookies.set(SESSION, await seal(sessionIn(signed_in.cookies.get(SESSION)), -1));
    expect(isMember((await signed_in.get("/natsume")).text)).toBe(true);
    expect(sessionIn(signed_in.cookies.get(SESSION))).toMatchObject({ hasEmailProvider: true });
    signed_in.cookies.delete(SESSION);
    expect(isMember((await signed_in.get("/natsume")).text)).toBe(true);
  });

  test("is not refreshed by a malformed refresh cookie", async () => {
    const signed_in = await anyMember();
    signed_in.cookies.delete(SESSION);
    for (const garbage of ["garbage", "....", tampered(signed_in.cookies.get(REFRESH) ?? "", -5)]) {
      signed_in.cookies.set(REFRESH, garbage);
      const page = await signed_in.get("/natsume");
      expect({ status: page.status, is_member: isMember(page.text) }).toEqual({ status: 200, is_member: false });
      expect(signed_in.cookies.has(REFRESH)).toBe(false);
    }
  });

  test("of a deleted account counts as no session", async () => {
    const account = await freshMember("退会");
    const signed_in = await member(account);
    await (await database()).prepare("DELETE FROM users WHERE user_id = ?").bind(account.user.user_id).run();
    expect((await signed_in.get("/natsume")).location).toBe("/signup/registration");
  });
});

test("a flash message is kept while the next page redirects", async () => {
  const member = await browser();
  await member.signIn("fan_hana");
  member.cookies.set("flash", "followed");
  expect((await member.get("/login?to=/hibiki")).location).toBe("/hibiki");
  expect(member.cookies.get("flash")).toBe("followed");
  expect((await member.get("/hibiki")).text).toContain("フォローしました");
  expect(member.cookies.has("flash")).toBe(false);
});

test.each(["nonsense", "toString", "__proto__"])("an unknown flash code shows no message: %s", async (code) => {
  const visitor = await browser();
  visitor.cookies.set("flash", code);
  const page = await visitor.get("/hibiki");
  expect(page.status).toBe(200);
  expect(page.text).not.toContain('role="status"');
  expect(visitor.cookies.has("flash")).toBe(false);
});

describe("a member whose account was disabled", () => {
  const { detail } = errorCatalogue.account_disabled;
  const disabled = async () => {
    const account = await freshMember("利用停止");
    const signed_in = await member(account);
    expect(isMember((await signed_in.get("/natsume")).text)).toBe(true);
    await disable(account);
    return { account, signed_in };
  };

  test.each(["/natsume", "/my/box", "/"])("is signed out when opening %s, and sees the reason once", async (path) => {
    const { signed_in } = await disabled();
    const { status, location } = await signed_in.get(path);
    expect({ status, location }).toEqual({ status: 302, location: "/" });
    expect([...signed_in.cookies.keys()]).toEqual(["flash"]);
    const home = await signed_in.get("/");
    expect(home).toMatchObject({ status: 200, text: expect.stringContaining(detail) });
    expect(isMember(home.text)).toBe(false);
    expect([...signed_in.cookies.keys()]).toEqual([]);
    expect((await signed_in.get("/natsume")).text).not.toContain(detail);
  });

  test("cannot send a form, and keeps the typed words", async () => {
    const { signed_in } = await disabled();
    const artist = await freshMember("作家");
    const path = `/${artist.user.link_id}/ofuse`;
    const { location } = await signed_in.post(path, { message: "止められる前に書いた言葉" });
    expect(location).toBe(`/login?${new URLSearchParams({ to: path })}`);
    expect((await signed_in.get("/login")).text).toContain(detail);
    expect((await ask(listOfuses, { token: artist.token })).ofuses).toEqual([]);
    await signed_in.signIn(await freshMember("別の人"), path);
    expect((await signed_in.get(path)).text).toContain("止められる前に書いた言葉");
  });

  test("cannot sign in, sees the reason, and can sign in once the account is enabled", async () => {
    const { account } = await disabled();
    const visitor = await browser();
    const page = await visitor.signIn(account, "/natsume");
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining(detail) });
    expect([...visitor.cookies.keys()]).toEqual([]);
    await disable(account, null);
    expect((await visitor.signIn(account, "/natsume")).location).toBe("/natsume");
    expect(isMember((await visitor.get("/natsume")).text)).toBe(true);
  });

  test("has no public page", async () => {
    const { account } = await disabled();
    const page = await (await browser()).get(`/${account.user.link_id}`);
    expect(page.status).toBe(404);
    expect(page.text).not.toContain("利用停止");
  });
});

describe("a letter from the page", () => {
  const send = async (fan: Browser, link_id: string, fields: Record<string, string>) =>
    fan.post(`/${link_id}/ofuse`, fields);

  test("is sent once when the form is sent twice", async () => {
    const [fan, artist] = [await freshMember("ファン"), await freshMember("作家")];
    const signed_in = await member(fan);
    const { link_id } = artist.user;
    const form = await signed_in.get(`/${link_id}`);
    const [, idempotency_key = ""] = /name="idempotency_key" value="([^"]+)"/.exec(form.text) ?? [];
    expect(idempotency_key).not.toBe("");
    const fields = { idempotency_key, message: "二度押しました", is_public: "on" };
    const answers = await Promise.all([send(signed_in, link_id, fields), send(signed_in, link_id, fields)]);
    answers.push(await send(signed_in, link_id, fields));
    for (const { status, location } of answers) {
      expect({ status, location }).toEqual({ status: 303, location: `/${link_id}/ofuse` });
    }
    const { ofuses } = await ask(listOfuses, { token: artist.token });
    expect(ofuses.map(({ message, is_public }) => [message, is_public])).toEqual([["二度押しました", true]]);
    const page = await signed_in.get(`/${link_id}/ofuse`);
    expect(page.text).toContain("送信しました");
    expect(page.text).toContain("二度押しました");
  });

  test("keeps the typed words when it is refused", async () => {
    const signed_in = await member(await freshMember("ファン"));
    for (const [message, status] of [
      ["長".repeat(201), 422],
      ["", 422],
    ] as const) {
      const page = await send(signed_in, "natsume", { message });
      expect(page.status).toBe(status);
      expect(page.text).toContain('role="alert"');
      expect(/<textarea[^>]*>([^<]*)<\/textarea>/.exec(page.text)?.[1]).toBe(message);
    }
  });

  test("is refused after three a day, and keeps its words", async () => {
    const [fan, artist] = [await freshMember("ファン"), await freshMember("作家")];
    const signed_in = await member(fan);
    for (let n = 0; n < 3; n++) await send(signed_in, artist.user.link_id, { message: `${n}通目` });
    const page = await send(signed_in, artist.user.link_id, { message: "四通目の言葉" });
    expect(page.status).toBe(429);
    expect(page.text).toContain("1日3通");
    expect(page.text).toContain("四通目の言葉");
  });

  test("can be sent again from the returned page if its key was used for other words", async () => {
    const [fan, artist] = [await freshMember("ファン"), await freshMember("作家")];
    const signed_in = await member(fan);
    const idempotency_key = crypto.randomUUID();
    await send(signed_in, artist.user.link_id, { idempotency_key, message: "一通目" });
    const page = await send(signed_in, artist.user.link_id, { idempotency_key, message: "書き直し" });
    expect(page.status).toBe(409);
    const [, key = ""] = /name="idempotency_key" value="([^"]+)"/.exec(page.text.split('id="letter"')[1] ?? "") ?? [];
    expect((await send(signed_in, artist.user.link_id, { idempotency_key: key, message: "書き直し" })).status).toBe(
      303,
    );
    expect((await ask(listOfuses, { token: artist.token })).ofuses).toHaveLength(2);
  });

  test("by a visitor waits for the sign-in, and only that visitor sends it", async () => {
    const fan = await freshMember("ファン");
    const visitor = await browser();
    const asked = await visitor.post("/hibiki/ofuse", { message: "ログイン前に書いた言葉", is_public: "on" });
    expect(asked).toMatchObject({ location: "/login?to=%2Fhibiki%2Fofuse" });
    expect((await visitor.get("/login")).text).toContain("書きかけの内容に戻れます");
    expect((await visitor.signIn(fan, "/hibiki/ofuse")).location).toBe("/hibiki/ofuse");
    expect((await visitor.get("/hibiki/ofuse")).text).toContain("ログイン前に書いた言葉");
    expect((await ask(listOfuses, { token: fan.token, query: { type: "sent" } })).ofuses).toEqual([]);
    expect((await send(visitor, "hibiki", { message: "ログイン前に書いた言葉" })).status).toBe(303);
    expect((await visitor.get("/hibiki/ofuse")).text.match(/<textarea[^>]*>([^<]*)</)?.[1]).toBe("");
  });

  test("by a visitor waits for the sign-in even if it is too long, and then shows the error", async () => {
    const visitor = await browser();
    await visitor.post("/hibiki/ofuse", { message: "長".repeat(500) });
    await visitor.signIn(await freshMember("ファン"), "/hibiki/ofuse");
    const page = await visitor.get("/hibiki/ofuse");
    expect(page.text).toContain("長".repeat(500));
    expect(page.text).toContain("200文字以内");
  });
});

test("the sign-in page mentions the typed words before other pending intents", async () => {
  const visitor = await browser();
  await visitor.post("/hibiki/follow", { operation: "follow" });
  await visitor.post("/hibiki/ofuse", { message: "ログイン前に書いた言葉" });
  const { text } = await visitor.get("/login");
  expect(text).toContain("書きかけの内容に戻れます");
  expect(text).not.toContain("フォローが完了します");
});

describe("following from the page", () => {
  test("happens once for a visitor, after the sign-in", async () => {
    const fan = await freshMember("ファン");
    const visitor = await browser();
    const { status, location } = await visitor.post("/yamato/follow", { operation: "follow" });
    expect({ status, location }).toEqual({ status: 302, location: "/login?to=%2Fyamato" });
    expect((await visitor.get("/login")).text).toContain("フォローが完了します");
    await visitor.signIn(fan, "/yamato");
    expect((await visitor.get("/yamato")).text).toContain("フォローしました");
    const { relationships } = await ask(listRelationships, { token: fan.token });
    expect(relationships.map(({ user }) => user.link_id)).toEqual(["yamato"]);
    expect([...visitor.cookies.keys()].sort()).toEqual([SESSION, REFRESH]);
  });

  test("says after the sign-in why it did not happen", async () => {
    const [creator, fan] = [await freshMember("作家"), await freshMember("ファン")];
    await ask(createBlock, { token: creator.token, body: { blocking_id: fan.user.user_id } });
    const page = `/${creator.user.link_id}`;
    for (const [who, code] of [
      [creator, "cannot_follow_yourself"],
      [fan, "blocked"],
    ] as const) {
      const visitor = await browser();
      await visitor.post(`${page}/follow`, { operation: "follow" });
      await visitor.signIn(who, page);
      const { text } = await visitor.get(page);
      expect(text).toContain(errorCatalogue[code].detail);
      expect(text).not.toContain("フォローしました");
    }
    expect((await ask(listRelationships, { token: fan.token })).relationships).toEqual([]);
  });

  test("starts and stops for a member", async () => {
    const fan = await freshMember("ファン");
    const signed_in = await member(fan);
    const followed = async () =>
      (await ask(getUser, { query: { link_id: "akari" }, token: fan.token })).user.is_followed;
    await signed_in.post("/akari/follow", { operation: "follow" });
    expect(await followed()).toBe(true);
    expect((await signed_in.get("/akari")).text).toContain("フォロー中");
    await signed_in.post("/akari/follow", { operation: "unfollow" });
    expect(await followed()).toBe(false);
  });
});

describe("the letter box", () => {
  test("opens, likes and answers a letter", async () => {
    const [fan, artist] = [await freshMember("ファン"), await freshMember("作家")];
    const sender = await member(fan);
    await sender.post(`/${artist.user.link_id}/ofuse`, { message: "読んでください" });
    const receiver = await member(artist);
    expect((await receiver.get("/my/box")).text).toContain("未読");
    const [letter] = (await ask(listOfuses, { token: artist.token })).ofuses;
    const path = `/my/box/${letter?.ofuse_id}`;
    expect((await receiver.get(path)).text).toContain("読んでください");
    await receiver.post(path, { operation: "like", is_liked: "true" });
    expect((await receiver.post(path, { reply: "" })).status).toBe(422);
    expect((await receiver.post(path, { reply: "読みました" })).status).toBe(303);
    const again = await receiver.post(path, { reply: "もう一度の返事" });
    expect(again.status).toBe(409);
    const [answered] = (await ask(listOfuses, { token: artist.token })).ofuses;
    expect(answered).toMatchObject({ is_opened: true, is_liked: true, reply: { message: "読みました" } });
    expect((await sender.get(path)).text).toContain("読みました");
    expect((await (await anyMember()).get(path)).status).toBe(404);
  });

  test("names the other member in the title of a letter", async () => {
    const [fan, artist] = [await freshMember("ファン"), await freshMember("作家")];
    const sender = await member(fan);
    await sender.post(`/${artist.user.link_id}/ofuse`, { message: "題のための手紙" });
    const [letter] = (await ask(listOfuses, { token: artist.token })).ofuses;
    for (const [own, title] of [
      [sender, "作家さんへのofuse｜ofuse"],
      [await member(artist), "ファンさんからのofuse｜ofuse"],
    ] as const) {
      expect((await own.get(`/my/box/${letter?.ofuse_id}`)).text).toContain(`<title>${title}</title>`);
    }
  });

  test("opens from a notification, which is then marked as seen", async () => {
    const [fan, artist] = [await freshMember("ファン"), await freshMember("作家")];
    await (await member(fan)).post(`/${artist.user.link_id}/ofuse`, { message: "お知らせします" });
    await tick();
    const receiver = await member(artist);
    expect((await receiver.get("/")).text).toContain("未読あり");
    const { notifications } = await ask(listNotifications, { token: artist.token });
    const { location } = await receiver.get(`/my/notifications/${notifications[0]?.notification_id}`);
    expect(location).toBe(notifications[0]?.path);
    expect((await receiver.get("/")).text).not.toContain("未読あり");
  });
});
