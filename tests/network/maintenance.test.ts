import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { isOpenUnderMaintenance } from "../../app/middleware/open-pages.ts";
import routes from "../../app/routes.ts";
import { DEMO_PASSWORD, demoEmail } from "../../scripts/demo/seed.ts";
import { maintenanceSubject } from "../../scripts/operator/maintenance.ts";
import { batchReads } from "../../workers/contract/edge.ts";
import { visitEvent } from "../../workers/contract/events.ts";
import { getMaintenance } from "../../workers/contract/maintenance.ts";
import { listUserOfuses, sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { getUser } from "../../workers/contract/users.ts";
import {
  Browser,
  browser,
  database,
  freshMember,
  type Network,
  network,
  type Page,
  signIn,
  startTestNetwork,
} from "../support/network.ts";
import { operatedSite } from "../support/operator.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, NOBODY, refused, send, userId } from "./support/calls.ts";
import { fieldsOf } from "./support/forms.ts";
import { openOperatorBrowser } from "./support/operator-browser.ts";

const VIEW = "ただいまメンテナンス中です";
/** The page that other sites show in a frame. */
const FRAMED = "/natsume/embed";
const SIGNED_IN = /フォロー中 <!-- -->\d|ログアウト|のメニュー"/;

/** Runs the operator's command, which notifies the worker, so that no test waits five minutes. */
async function operate(...args: string[]): Promise<void> {
  await maintenanceSubject.read(args, Date.now())(await operatedSite());
}
const close = (to = "2099/12/01 20:00") => operate("set", "--from", "now", "--to", to);
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const BANNER = /<aside class="maintenance-banner"[^>]*>(.*?)<\/aside>/s;
/** Returns the banner's text. */
const said = (page: Page) => BANNER.exec(page.text)?.[1]?.replace(/<[^>]*>/g, "");
const copyStatus = (page: Page) => page.headers.get("cache-status");
/** The status of a copy, whether or not the busy API told its version within a second. */
const A_COPY = /^ofuse; hit(;|$)/;

beforeAll(async () => void (await network()));
afterEach(() => operate("clear"));

/** Returns every path of the app, with existing names and ids as parameters. */
async function addresses(): Promise<string[]> {
  const { results } = await (await database())
    .prepare(
      "SELECT event_id FROM events JOIN users USING (user_id) WHERE link_id = 'natsume' AND status = 'published'",
    )
    .all<{ event_id: string }>();
  const named: Record<string, string> = { link_id: "natsume", event_id: results[0]?.event_id ?? "" };
  const walk = (list: typeof routes, parent: string): string[] =>
    list.flatMap((route) => {
      const path = route.path ? `${parent}/${route.path}` : parent;
      return [...(route.index || !route.children ? [path || "/"] : []), ...walk(route.children ?? [], path)];
    });
  return walk(routes, "").map((path) =>
    path.replace("*", "nobody/knows/this").replace(/:(\w+)/g, (_, name: string) => named[name] ?? NOBODY),
  );
}

function expectView(page: Page, end = "2099/12/01 20:00"): void {
  expect(page.status).toBe(503);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("cache-control")).toBe("private, no-store");
  expect(Number(page.headers.get("retry-after"))).toBe(86_400);
  expect(page.text).toContain(`<h1>${VIEW}</h1>`);
  expect(page.text).toContain("申し訳ございません");
  expect(page.text).toContain(`>${end}</time>`);
  expect(page.text).not.toMatch(/__reactRouterContext|href="\/(login|signup)/);
  expect(page.text).not.toMatch(SIGNED_IN);
  expect(page.text, "the view says it all").not.toMatch(BANNER);
}

describe("under maintenance", () => {
  test("every page that is not exempt shows the maintenance view, for visitors and members alike", async () => {
    const [visitor, member] = [await browser(), await browser()];
    await member.signIn("fan_hana");
    await close();
    const closed = (await addresses()).filter((path) => !isOpenUnderMaintenance(path) && path !== FRAMED);
    expect(closed.length).toBeGreaterThan(18);
    for (const path of [...closed, "/natsume?page=2", "/natsume?x=1", "/maintenance"]) {
      for (const page of await Promise.all([visitor.get(path), member.get(path)])) expectView(page);
    }
    const head = await visitor.send("/natsume", { method: "HEAD" });
    expect({ status: head.status, text: head.text }).toEqual({ status: 503, text: "" });
  });

  test("the letter form in the frame of another site says that the site is closed", async () => {
    const [visitor, member] = [await browser(), await browser()];
    await member.signIn("fan_hana");
    const open = await visitor.get(FRAMED);
    await close();
    for (const page of [await visitor.get(FRAMED), await member.get(`${FRAMED}?theme=dark`)]) {
      expect([page.status, page.headers.get("retry-after")]).toEqual([503, "86400"]);
      expect(page.headers.get("cache-control")).toBe("private, no-store");
      for (const name of ["content-security-policy", "x-frame-options"]) {
        expect(page.headers.get(name)).toBe(open.headers.get(name));
      }
      expect(page.text).toContain(`<h1>${VIEW}</h1>`);
      expect(page.text).toContain("終了予定 2099/12/01 20:00");
      expect(page.text).toMatch(/href="\/natsume" target="_blank" rel="noopener"/);
      expect(page.text).not.toMatch(/<script|<form/);
    }
    expectView(await visitor.post(FRAMED, { message: "枠の中から" }));
    await operate("clear");
    expect((await visitor.get(FRAMED)).text).toBe(open.text);
  });

  test("the picture of a closed page is not drawn, and those of open pages are served", async () => {
    const visitor = await browser();
    const ask = async () => (await visitor.get("/share-images/natsume.png")).status;
    expect(await ask()).toBe(302);
    await close();
    const { status, headers, text } = await visitor.get("/share-images/natsume.png");
    expect([status, JSON.parse(text).code]).toEqual([503, "under_maintenance"]);
    expect([headers.get("retry-after"), headers.get("cache-control")]).toEqual(["86400", "private, no-store"]);
    expect((await visitor.get("/share.png")).status).toBe(200);
    await operate("clear");
    expect(await ask()).toBe(302);
  });

  test("the exempt pages keep their own status, and show nothing of the member", async () => {
    const [visitor, member] = [await browser(), await browser()];
    await member.signIn("fan_hana");
    expect((await member.get("/")).text).toMatch(SIGNED_IN);
    const before = (await visitor.get("/404")).status;
    await close();
    for (const who of [visitor, member]) {
      const home = await who.get("/");
      expect(home.status).toBe(200);
      expect(home.text).not.toContain(`<h1>${VIEW}`);
      expect(home.text).not.toMatch(SIGNED_IN);
      expect(home.text).not.toMatch(/<header.*(ログイン|新規登録).*<\/header>/s);
      expect(home.text).not.toContain("__reactRouterContext");
      expect((await who.get("/404")).status).toBe(before);
      for (const path of [
        "/robots.txt",
        "/.well-known/security.txt",
        "/sitemap.xml",
        "/favicon.svg",
        "/api/maintenance",
      ]) {
        expect([path, (await who.get(path)).status]).toEqual([path, 200]);
      }
      for (const path of ["/terms", "/transactions", "/usecases"]) {
        expect((await who.get(path)).text, path).not.toContain(`<h1>${VIEW}`);
      }
    }
  });

  test("the exempt pages show the banner with the end, cached copies too, and a changed end shows", async () => {
    const [visitor, member] = [await browser(), await browser()];
    await member.signIn("fan_hana");
    const after = "ログイン中の方も、終了後にそのままご利用いただけます。";
    for (const [args, window] of [
      [["--to", "2099/12/01 20:00"], "（終了予定 2099/12/01 20:00）"],
      [["--to", "2099/12/01 22:30"], "（終了予定 2099/12/01 22:30）"],
      [[], ""],
    ] as const) {
      await operate("set", "--from", "now", ...args);
      for (const path of ["/", "/terms", "/transactions", "/usecases", "/404"]) {
        for (const page of [await visitor.get(path), await visitor.get(path), await member.get(path)]) {
          expect(said(page)?.replaceAll("<!-- -->", ""), path).toBe(`${VIEW}${window}。${after}`);
        }
      }
    }
    expect(copyStatus(await visitor.get("/"))).toMatch(A_COPY);
  });

  test("the operators' pages are open to operators, who end it there, and to nobody else", async () => {
    const [visitor, member] = [await browser(), await browser()];
    await member.signIn("fan_hana");
    const account = await freshMember("とじる人");
    const [operator, without_factor] = await Promise.all([
      openOperatorBrowser(account),
      openOperatorBrowser(await freshMember("要素のない人"), { has_factor: false }),
    ]);
    const stale = await openOperatorBrowser({ token: await signIn("fan_taro") }, { signed_in_s_ago: 700 });
    await close();
    const path = "/operator/maintenance";
    for (const other of [visitor, member, without_factor]) {
      for (const closed of [
        "/operator",
        path,
        "/login/confirm?to=/operator",
        "/login",
        "/login?to=/my/box",
        "/login/factor",
      ]) {
        expectView(await other.get(closed));
      }
      expectView(await other.post(path, { act: "clear" }));
      expect((await other.get("/operator.data")).status, "an open page's own request").toBe(202);
    }
    expectView(await operator.get("/my/box"));
    expect((await operator.get("/")).text, "elsewhere operators are visitors too").not.toMatch(SIGNED_IN);
    const page = await operator.get(path);
    expect([page.status, page.text.includes("メンテナンスの予定")]).toEqual([200, true]);
    expect((await operator.get("/operator/maintenance.data")).status).toBe(200);
    const asked = await stale.post(path, { act: "clear" });
    expect(asked.location).toMatch(/^\/login\/confirm\?to=/);
    expect((await stale.get(asked.location ?? "")).text).toContain("ご本人の確認");
    expect((await operator.post(path, { act: "clear" })).location).toBe(path);
    await waitUntil(async () => {
      await visitor.get("/api/maintenance");
      expect((await visitor.get("/natsume")).status).toBe(200);
    });
  });

  test("a sign-in that leads to the operators' pages is open, and gets a member no further", async () => {
    const member = await browser();
    await close();
    expect((await member.get("/login?to=/operator")).text).toContain("パスワード");
    const signed_in = await member.post("/login?to=/operator", {
      to: "/operator",
      email: demoEmail("fan_hana"),
      password: DEMO_PASSWORD,
    });
    expect([signed_in.status, signed_in.location]).toEqual([303, "/operator"]);
    expectView(await member.get("/operator"));
    expectView(await member.get("/my/box"));
  });

  test("a member is signed in again afterwards, without another sign-in", async () => {
    const member = await browser();
    await member.signIn("fan_hana");
    const cookies = new Map(member.cookies);
    await close();
    expectView(await member.get("/my/box"));
    await member.get("/");
    expect(member.cookies).toEqual(cookies);
    await operate("clear");
    expect((await member.get("/my/box")).status).toBe(200);
  });

  test("a member without a complete account is not redirected", async () => {
    const newcomer = await browser();
    await newcomer.signIn("fan_new");
    expect((await newcomer.get("/")).location).toBe("/signup/registration");
    await close();
    expect((await newcomer.get("/")).status).toBe(200);
  });

  test("an open page's own requests lead to the view", async () => {
    const member = await browser();
    await member.signIn("fan_hana");
    await close();
    for (const path of ["/natsume.data", "/my/box.data?_routes=root", "/_root.data", "/404.data"]) {
      const answer = await member.get(path);
      expect([path, answer.status, answer.headers.get("x-remix-reload-document")]).toEqual([path, 202, "true"]);
    }
    const body = new URLSearchParams({ message: "開いたままのページから" });
    const sent = await member.send("/natsume/ofuse.data", { method: "POST", body, headers: member.sameOrigin() });
    expect(sent.status).toBe(503);
    expect(sent.headers.get("retry-after")).toBe("86400");
    expect(sent.text).toContain("under_maintenance");
  });

  test("a form is refused with its words, and can be sent from that page afterwards", async () => {
    const fan = await freshMember("手紙の人");
    const member = await browser();
    await member.signIn(fan);
    await close();
    const path = "/natsume/ofuse";
    const written = {
      message: "メンテナンスの前に書いた\n大切な手紙 <b>&amp;",
      is_public: "on",
      idempotency_key: crypto.randomUUID(),
      author: fan.user.user_id,
    };
    const page = await member.post(path, written);
    expectView(page);
    const kept = fieldsOf(page.text, path) ?? {};
    expect(kept).toEqual(written);
    const { user_id } = fan.user;
    const letters = async () => {
      const db = await database();
      return db.prepare("SELECT COUNT(*) FROM ofuses WHERE sender_user_id = ?").bind(user_id).first("COUNT(*)");
    };
    expect(await letters()).toBe(0);
    await operate("clear");
    expect((await member.post(path, kept)).location).toBe(path);
    expect(await letters()).toBe(1);
  });

  test("other forms are refused too, a password is not returned, and a cross-site form gets its usual refusal", async () => {
    const visitor = await browser();
    await close();
    const login = await visitor.post("/login?to=%2Fnatsume", { email: "hana@example.jp", password: "秘密の言葉" });
    expectView(login);
    expect(login.text).toContain("hana@example.jp");
    expect(login.text).not.toContain("秘密");
    expect(login.text).not.toContain("もう一度送信する");
    expectView(await visitor.post("/", { keyword: "夏" }));
    expectView(await visitor.post("/logout/all"));
    const elsewhere = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const body = new URLSearchParams({ message: "よそから" });
    expect((await visitor.send("/natsume/ofuse", { method: "POST", body, headers: elsewhere })).status).toBe(403);
  });

  test("calls that would change something are refused by code, and reads continue", async () => {
    const token = await signIn("fan_hana");
    const receiver_user_id = await userId("natsume");
    await close();
    const before = await ask(listUserOfuses, { params: { user_id: receiver_user_id } });
    const call = { token, body: { receiver_user_id, message: "メンテナンス中に" } };
    await refused(sendFreeOfuse, "under_maintenance", call);
    expect((await send(sendFreeOfuse, call)).headers.get("retry-after")).toBe("86400");
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      await refused({ method, path: "/v4/nothing" } as never, "under_maintenance");
    }
    const visit = { params: { event_id: NOBODY }, query: { visit_id: "visit-1" } };
    await refused(visitEvent, "under_maintenance", visit);
    await ask(getUser, { query: { link_id: "natsume" } });
    const { answers } = await ask(batchReads, { body: { reads: [{ address: "/v4/genres/all", is_optional: false }] } });
    expect(answers.map(({ status }) => status)).toEqual([200]);
    expect(await ask(listUserOfuses, { params: { user_id: receiver_user_id } })).toEqual(before);
  });

  test("the theme can still be chosen, without a script too", async () => {
    const visitor = await browser();
    await close();
    const answer = await visitor.post("/theme", { theme: "dark", to: "/natsume" });
    expect([answer.status, answer.location, visitor.cookies.get("theme")]).toEqual([303, "/natsume", "dark"]);
    const view = await visitor.get("/natsume");
    expectView(view);
    expect(view.text).toContain('data-theme="dark"');
  });

  test.each(["/logout", "/logout.data"])("signing out by %s works fully", async (path) => {
    const [member, elsewhere, phone, other] = [await browser(), await browser(), await browser(), await browser()];
    const fan = await freshMember("帰る人");
    await member.signIn(fan);
    await phone.signIn(fan);
    await other.signIn(await freshMember("残る人"));
    for (const [name, value] of member.cookies) elsewhere.cookies.set(name, value);
    await close();
    const answer = await member.post(path);
    const location = path === "/logout" ? answer.location : /"(\/)"/.exec(answer.text)?.[1];
    expect([answer.status, location]).toEqual([path === "/logout" ? 303 : 202, "/"]);
    expect([...member.cookies.keys()]).toEqual(["flash"]);
    expect((await member.get("/")).text).toContain("ログアウトしました");
    await operate("clear");
    expect((await member.get("/my/box")).location).toMatch(/^\/login/);
    // The key was registered: all of the account's sign-ins have ended, in every browser, and nobody else's.
    for (const over of [elsewhere, phone]) expect((await over.get("/my/box")).status).not.toBe(200);
    expect((await other.get("/my/box")).status).toBe(200);
  });

  test("a malformed form is refused, without an internal error", async () => {
    const visitor = await browser();
    await close();
    for (const path of ["/theme", "/natsume/ofuse", "/natsume/ofuse.data"]) {
      // A POST sends a length of 0, which counts as a body; a DELETE sends none.
      for (const method of ["POST", "DELETE"]) {
        const page = await visitor.send(path, { method, headers: visitor.sameOrigin() });
        expect([method, path, page.status]).toEqual([method, path, 400]);
      }
    }
  });

  test("without a known end, the view says so politely", async () => {
    await operate("set", "--from", "now");
    const page = await (await browser()).get("/natsume");
    expect(page.headers.get("retry-after")).toBe("600");
    expect(page.text).toContain("再開の時刻は、まだ決まっていません");
    expect(page.text).not.toContain("終了予定");
  });

  test("the view has no address of its own while the site is open", async () => {
    expect((await (await browser()).get("/maintenance")).status).toBe(404);
  });
});

describe("before maintenance", () => {
  test("pages announce it in Japanese time, cached copies too, except the pages that stay open", async () => {
    const [visitor, member] = [await browser(), await browser()];
    await member.signIn("fan_hana");
    await operate("set", "--from", "2099/12/01 17:00", "--to", "2099/12/01 20:00");
    const expected = "メンテナンスのお知らせ12/1 17:00〜20:00の間、メンテナンスのためご利用いただけません。";
    expect(said(await visitor.get("/ren"))).toBe(expected);
    const copy = await visitor.get("/ren");
    expect([copyStatus(copy), said(copy)]).toEqual([expect.stringMatching(A_COPY), expected]);
    expect(said(await member.get("/my/box"))).toBe(expected);
    expect((await visitor.get("/404")).text).not.toMatch(BANNER);

    await operate("set", "--from", "2099/12/01 23:00", "--to", "2099/12/02 02:00");
    expect(said(await visitor.get("/ren")), "no copy with the old time").toContain("12/1 23:00〜02:00の間");
    await operate("set", "--from", "2099/12/01 23:00");
    expect(said(await visitor.get("/ren"))).toContain("12/1 23:00より、");
    await operate("clear");
    expect((await visitor.get("/ren")).text).not.toMatch(BANNER);
  });

  test("its beginning and its end show at once without any write", async () => {
    const [visitor, member] = [await browser(), await browser()];
    await member.signIn("fan_hana");
    const db = await database();
    const set = async (from: string, to: string) => {
      await db.prepare("INSERT OR REPLACE INTO maintenance VALUES (1, ?, ?)").bind(from, to).run();
      await send(getMaintenance);
    };
    const is_announced = ({ text }: Page) => text.includes('<aside class="maintenance-banner"');
    let begins = "";
    let first: Page | null = null;
    // On a slow machine it begins later, so that the page is rendered before.
    for (let ahead_ms = 3000; !first || Date.now() >= Date.parse(begins); ahead_ms *= 2) {
      begins = inMs(ahead_ms);
      await set(begins, inMs(ahead_ms + 57_000));
      first = await visitor.get("/yamato");
    }
    expect([first.status, is_announced(first)]).toEqual([200, true]);
    await waitUntil(async () => expect((await visitor.get("/yamato")).status).toBe(503));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(begins));
    expect((await visitor.get("/yamato")).headers.get("retry-after")).toBe("60");
    expect((await member.get("/yamato")).status).toBe(503);

    const ends = inMs(2000);
    await set(begins, ends);
    await waitUntil(async () => expect((await visitor.get("/yamato")).status).toBe(200));
    expect(Date.now()).toBeGreaterThan(Date.parse(ends));
    expect(is_announced(await visitor.get("/yamato"))).toBe(false);
    expect((await member.get("/yamato")).status).toBe(200);
  });
});

describe("while the API is silent", () => {
  let upstream: Server;
  let stated: Network;

  beforeAll(async () => {
    vi.spyOn(console, "error").mockReturnValue();
    upstream = createServer((_, response) => response.destroy());
    await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done));
    const { port } = upstream.address() as AddressInfo;
    stated = await startTestNetwork({
      V4_ORIGIN: `http://127.0.0.1:${port}`,
      MAINTENANCE: '{"status":"UNDER_MAINTENANCE","finished_at":"2099-12-01T20:00:00+09:00"}',
    });
  });
  afterAll(async () => {
    await stated.stop();
    upstream.close();
    vi.restoreAllMocks();
  });

  test("the worker's variable closes the site even so", async () => {
    const visitor = new Browser(stated.url);
    expectView(await visitor.get("/natsume"));
    visitor.cookies.set("soziIdAuth", "x");
    expectView(await visitor.get("/natsume"));
    expectView(await visitor.post("/natsume/ofuse", { message: "閉じている間に" }));
    await refused(sendFreeOfuse, "under_maintenance", { network: stated, body: {} });
    const polled = (await visitor.get("/api/maintenance")).text;
    expect(JSON.parse(polled)).toMatchObject({ finished_at: "2099-12-01T11:00:00.000Z" });
  });
});
