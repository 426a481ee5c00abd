import { once } from "node:events";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SESSION_COOKIE, type Session, SessionKeys } from "../../app/session/session.ts";
import { DEMO_PASSWORD } from "../../scripts/demo/seed.ts";
import { HAS_UNREAD, NEW_NOTIFICATION } from "../../workers/contract/notification-watch.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { SIGNED_OUT_MESSAGE, WATCHED_ELSEWHERE, WITHOUT_SESSION } from "../../workers/contract/sign-out-watch.ts";
import {
  api,
  Browser,
  browser,
  database,
  demoToken,
  freshMember,
  type Member,
  type Network,
  network,
  openBrowserAs,
  startTestNetwork,
  tick,
} from "../support/network.ts";
import { decryptPush, newPushReceiver, newVapidKeys } from "../support/push-receiver.ts";
import { waitUntil } from "../support/wait.ts";
import { ask } from "./support/calls.ts";
import { type RunningPushService, startPushService } from "./support/push-service.ts";

beforeAll(async () => void (await network()));

async function signedIn(who: Member): Promise<Browser> {
  const someone = await browser();
  expect((await someone.signIn(who)).status).toBe(303);
  return someone;
}

async function sessionOf(someone: Browser): Promise<Session> {
  const keys = new SessionKeys((await network()).secrets.SESSION_KEYS);
  return (await keys.open(someone.cookies.get(SESSION_COOKIE) ?? "")) as Session;
}

/** Opens the socket as a page of this browser does; `headers` replace the browser's own. */
async function watch(
  someone: Browser,
  headers: Record<string, string> = {},
  path = "/session/watch",
): Promise<WebSocket> {
  const { url } = await network();
  const cookie = [...someone.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  // Node's WebSocket also accepts headers; a browser's does not.
  const Opened = WebSocket as unknown as new (url: string, options: object) => WebSocket;
  return new Opened(url.replace("http", "ws") + path, { headers: { cookie, origin: url, ...headers } });
}

/** Returns the socket's first message. */
const told = async (socket: WebSocket) => ((await once(socket, "message")) as [MessageEvent])[0].data;
const closed = async (socket: WebSocket) => ((await once(socket, "close")) as [CloseEvent])[0].code;

describe("a page that watches", () => {
  test("learns of a sign-out on any device of its account, and of a sign-out of one device only on that device", async () => {
    const member = await freshMember("見ている人");
    const [phone, desk, tablet] = [await signedIn(member), await signedIn(member), await signedIn(member)];
    const bystander = await signedIn(await freshMember("別の人"));
    const [on_phone, on_desk, elsewhere] = [await watch(phone), await watch(desk), await watch(bystander)];
    await Promise.all([on_phone, on_desk, elsewhere].map((socket) => once(socket, "open")));
    const said_on_phone = told(on_phone);
    const only_here = await phone.post("/logout", { scope: "this_device" });
    expect([only_here.status, only_here.location]).toEqual([303, "/"]);
    expect((await phone.get("/")).text).toContain("この端末からログアウトしました");
    expect(await said_on_phone).toBe(SIGNED_OUT_MESSAGE);
    on_desk.send("ping");
    expect(((await once(on_desk, "message")) as [MessageEvent])[0].data).toBe("pong");
    expect((await desk.get("/my/box")).status).toBe(200);
    const said_on_desk = told(on_desk);
    await tablet.post("/logout");
    expect((await tablet.get("/")).text).toContain("ほかの端末もログアウトしました");
    expect(await said_on_desk).toBe(SIGNED_OUT_MESSAGE);
    elsewhere.send("ping");
    const [{ data }] = (await once(elsewhere, "message")) as [MessageEvent];
    expect(data).toBe("pong");
    elsewhere.close();
  });

  test("learns when every sign-in is revoked, and when the account is deleted", async () => {
    const revoke = ["DELETE", "/v2/general/auth/refresh-token"] as const;
    const leave = ["POST", "/v4/unsubscribe"] as const;
    const remove = ["POST", "/v2/general/users/unsubscribe"] as const;
    for (const calls of [[revoke], [leave, remove]]) {
      const member = await freshMember("見ている人");
      const [one, other] = [await signedIn(member), await signedIn(member)];
      const sockets = [await watch(one), await watch(other)];
      await Promise.all(sockets.map((socket) => once(socket, "open")));
      const said = Promise.all(sockets.map(told));
      const { token } = await sessionOf(one);
      for (const [method, path] of calls) expect((await api(method, path, { token })).status).toBe(204);
      expect(await said).toEqual([SIGNED_OUT_MESSAGE, SIGNED_OUT_MESSAGE]);
    }
  });

  test("learns of an operator's change at the next scheduled run", async () => {
    const member = await freshMember("止められる人");
    const someone = await signedIn(member);
    const socket = await watch(someone);
    await once(socket, "open");
    const said = told(socket);
    const identity = await database("identity");
    await identity.prepare("UPDATE accounts SET disabled = 1 WHERE email = ?").bind(member.email).run();
    expect(await (await network()).fireClock("ofuse-identity")).toBe("ok");
    expect(await said).toBe(SIGNED_OUT_MESSAGE);
  });

  test("learns of an earlier sign-out when it opens its socket", async () => {
    const member = await freshMember("遅れて見る人");
    const someone = await signedIn(member);
    const { token, keyForGlobalSignOut: key } = await sessionOf(someone);
    await api("PUT", "/v2/general/auth/key-for-global-sign-out", { token, body: { key } });
    expect(await closed(await watch(someone))).toBe(WITHOUT_SESSION);
    expect((await someone.get("/session/state.json")).status).toBe(401);
  });

  test("keeps the cookies in answers to scripts, because a newer sign-in may have replaced them meanwhile", async () => {
    const member = await freshMember("番号を足す人");
    const someone = await signedIn(member);
    const { token, keyForGlobalSignOut: key } = await sessionOf(someone);
    await api("PUT", "/v2/general/auth/key-for-global-sign-out", { token, body: { key } });
    for (const path of ["/session/state.json", "/my/box.data"]) {
      const { headers } = await someone.get(path);
      expect([path, headers.getSetCookie().filter((cookie) => cookie.startsWith("soziId"))]).toEqual([path, []]);
    }
    await someone.get("/my/box");
    expect(someone.cookies.has(SESSION_COOKIE), "the page removes them").toBe(false);
  });

  test("without a valid session is closed with the reason, and with a refreshed session it is accepted", async () => {
    const someone = await signedIn(await freshMember("一時間後の人"));
    someone.cookies.delete(SESSION_COOKIE);
    expect(await closed(await watch(someone))).toBe(WITHOUT_SESSION);
    expect((await someone.get("/session/state.json")).status).toBe(204);
    const socket = await watch(someone);
    await once(socket, "open");
    socket.close();
  });

  test("of another site, or without an origin, is refused despite the member's cookies", async () => {
    const someone = await signedIn(await freshMember("ねらわれた人"));
    const attacks: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "" },
      { origin: (await network()).url, "sec-fetch-site": "cross-site" },
      { origin: (await network()).url, "sec-fetch-site": "same-site" },
    ];
    for (const headers of attacks) {
      const socket = await watch(someone, headers);
      let opened = false;
      socket.addEventListener("open", () => {
        opened = true;
      });
      await once(socket, "close");
      expect(opened, JSON.stringify(headers)).toBe(false);
    }
    expect((await someone.get("/session/watch")).status).toBe(426);
  });
});

describe("a page that waits for notifications", () => {
  const PATH = "/session/notifications";

  test("gets a message for its member's alone, and learns on connecting whether any is unread", async () => {
    const [artist, fan] = [await freshMember("待っている人"), await freshMember("書く人")];
    const [own, other] = [await signedIn(artist), await signedIn(fan)];
    const [waiting, elsewhere] = [await watch(own, {}, PATH), await watch(other, {}, PATH)];
    await Promise.all([waiting, elsewhere].map((socket) => once(socket, "open")));
    const said = told(waiting);
    await ask(follow, { token: fan.token, body: { following_id: artist.user.user_id } });
    expect(await said).toBe(NEW_NOTIFICATION);
    expect(await told(await watch(own, {}, PATH))).toBe(HAS_UNREAD);
    elsewhere.send("ping");
    expect(await told(elsewhere)).toBe("pong");
  });

  test("needs the member's session, and a page of this site", async () => {
    const someone = await signedIn(await freshMember("ねらわれた人"));
    const attack = await watch(someone, { origin: "https://evil.example" }, PATH);
    expect(await closed(attack)).not.toBe(WITHOUT_SESSION);
    someone.cookies.delete(SESSION_COOKIE);
    expect(await closed(await watch(someone, {}, PATH))).toBe(WITHOUT_SESSION);
    expect((await someone.get(PATH)).status).toBe(426);
    expect((await someone.get("/watch")).status).toBe(404);
  });
});

describe("with Firestore's watch and push notifications", () => {
  let deployed: Network;
  let service: RunningPushService;
  beforeAll(async () => {
    const keys = await newVapidKeys();
    service = await startPushService();
    deployed = await startTestNetwork({
      SIGN_OUT_WATCH: "firestore",
      WEB_PUSH_PUBLIC_KEY: keys.public_key,
      WEB_PUSH_PRIVATE_KEY: keys.private_key,
      WEB_PUSH_SUBJECT: "mailto:operator@ofuse.example",
      WEB_PUSH_LOOPBACK: service.origin,
    });
  });
  afterAll(async () => {
    await deployed.stop();
    await service.stop();
  });

  test("a page gets the address of its socket, and a token for its own member alone", async () => {
    const { url, secrets } = deployed;
    const someone = new Browser(url);
    await someone.signIn("fan_hana");
    const session = (await new SessionKeys(secrets.SESSION_KEYS).open(
      someone.cookies.get(SESSION_COOKIE) ?? "",
    )) as Session;
    const cookie = `${SESSION_COOKIE}=${someone.cookies.get(SESSION_COOKIE)}`;
    const Opened = WebSocket as unknown as new (url: string, options: object) => WebSocket;
    const socket = new Opened(`${url.replace("http", "ws")}/session/watch`, { headers: { cookie, origin: url } });
    expect(await closed(socket)).toBe(WATCHED_ELSEWHERE);
    const { text, headers } = await someone.get("/session/state.json?watch=1");
    const { apiKey, projectId, token, path } = JSON.parse(text);
    expect([apiKey, projectId]).toEqual([secrets.IDENTITY_API_KEY, "demo-ofuse"]);
    expect(path).toBe(`users/${session.id}/keys_for_global_sign_out/${session.keyForGlobalSignOut}`);
    expect(decodeJwt(token)).toMatchObject({ uid: session.id });
    expect(headers.get("cache-control")).toBe("private, no-store");
    const policy = async (who: Browser) => (await who.get("/natsume")).headers.get("content-security-policy");
    expect(await policy(someone)).toContain("connect-src 'self' https://firestore.googleapis.com");
    expect(await policy(someone)).toContain("img-src 'self' data: https://www.google.com/images/cleardot.gif;");
    expect(await policy(new Browser(url))).not.toContain("google");
    expect((await new Browser(url).get("/session/state.json?watch=1")).status).toBe(401);
    const { text: told } = await new Browser(url).get("/external-transmission");
    expect(told).toMatch(/<section id="direct">.*とき（Firebase）.*ログアウト用の番号/s);
    expect(told).not.toContain("reCAPTCHA");
  });

  test("a browser gets push notifications from the form of its settings until its sign-in ends", async () => {
    const page = await openBrowserAs("natsume", deployed);
    const path = "/my/settings/notifications";
    const receiver = await newPushReceiver("browser-of-natsume");
    expect((await page.get(path)).text).toContain("この端末では受け取っていません。");
    expect((await page.post(path, { do: "push_on", ...receiver.address })).location).toBe(path);
    expect((await page.get(path)).text).toContain("この端末で受け取っています。");
    const token = await demoToken("natsume", deployed);
    await api("PUT", "/v4/profile", { token, body: { accepts_free_ofuses: true }, network: deployed });
    const fan = await openBrowserAs("fan_hana", deployed);
    await fan.post("/natsume/ofuse", { message: "窓辺の絵が好きです" });
    await waitUntil(async () => {
      await tick(deployed);
      expect(service.requests).toHaveLength(1);
    });
    const [request] = service.requests;
    expect(request?.path).toBe(new URL(receiver.address.endpoint).pathname);
    expect(await decryptPush(receiver, request?.body ?? new Uint8Array())).toMatchObject({
      title: "無料のofuse",
      path: expect.stringMatching(/^\/my\/notifications\/\w{26}$/),
    });
    const proven = await page.post("/login/confirm", { password: DEMO_PASSWORD, to: path });
    expect(proven.location).toBe(path);
    expect((await page.get(path)).text, "after a confirmation").toContain("この端末で受け取っています。");
    await page.post("/logout", { scope: "this_device" });
    await fan.post("/natsume/ofuse", { message: "二通目です" });
    const d1 = await database("api", deployed);
    await waitUntil(async () => {
      await tick(deployed);
      expect(await d1.prepare("SELECT COUNT(*) AS n FROM push_subscriptions").first()).toEqual({ n: 0 });
    });
    expect(service.requests).toHaveLength(1);
  });
});

describe("without scripts", () => {
  test("a browser that was signed out elsewhere sees a message on its next page, as a visitor", async () => {
    const member = await freshMember("もう一台の人");
    const [phone, desk] = [await signedIn(member), await signedIn(member)];
    expect((await desk.get("/my/box")).status).toBe(200);
    await phone.post("/logout", { scope: "this_device" });
    // Signing out on one device must not affect the other.
    expect((await desk.get("/my/box")).status).toBe(200);
    await (await signedIn(member)).post("/logout");
    await waitUntil(async () => expect((await desk.get("/natsume?page=2")).location).toBe("/natsume?page=2"));
    expect(desk.cookies.has(SESSION_COOKIE)).toBe(false);
    const page = await desk.get("/natsume?page=2");
    expect(page.text).toContain("ほかの端末での操作により、ログアウトしました");
    expect(page.text).not.toContain("のメニュー");
  });

  test("a member's page redirects to the sign-in, and back afterwards", async () => {
    const member = await freshMember("もどる人");
    const someone = await signedIn(member);
    const { token, keyForGlobalSignOut: key } = await sessionOf(someone);
    await api("PUT", "/v2/general/auth/key-for-global-sign-out", { token, body: { key } });
    await waitUntil(async () => expect((await someone.get("/my/box")).location).toBe("/my/box"));
    expect((await someone.get("/my/box")).location).toBe("/login?to=%2Fmy%2Fbox");
    expect((await someone.get("/login?to=%2Fmy%2Fbox")).text).toContain("ほかの端末での操作により、ログアウトしました");
  });
});

describe("the list of devices", () => {
  const list = async (token: string) => {
    const { status, json } = await api("GET", "/v2/general/auth/sign-ins", { token });
    expect(status).toBe(200);
    return (json as { signIns: { signInId: string; device: string; isCurrent: boolean }[] }).signIns;
  };

  test("names each browser, marks the present one, and ends only the chosen one", async () => {
    const member = await freshMember("端末の多い人");
    const phone = await browser();
    await phone.send("/login", {
      method: "POST",
      body: new URLSearchParams({ email: member.email, password: member.password, to: "/" }),
      headers: { ...phone.sameOrigin(), "user-agent": "Mozilla/5.0 (iPhone)" },
    });
    const desk = await signedIn(member);
    const { token } = await sessionOf(desk);
    const before = await list(token);
    expect(before.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    const chosen = before.find(({ device }) => device === "Mozilla/5.0 (iPhone)");
    expect(chosen?.isCurrent).toBe(false);
    const path = `/v2/general/auth/sign-ins?id=${chosen?.signInId}`;
    const stranger = await freshMember("他人");
    expect((await api("DELETE", path, { token: stranger.token })).status).toBe(404);
    const socket = await watch(phone);
    await once(socket, "open");
    const said = told(socket);
    expect((await api("DELETE", path, { token })).status).toBe(204);
    expect(await said).toBe(SIGNED_OUT_MESSAGE);
    expect((await api("DELETE", path, { token })).status).toBe(404);
    const left = (await list(token)).map(({ signInId }) => signInId);
    expect(left).toEqual(before.map(({ signInId }) => signInId).filter((id) => id !== chosen?.signInId));
    expect((await desk.get("/my/box")).status).toBe(200);
  });
});
