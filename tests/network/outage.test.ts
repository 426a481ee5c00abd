import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../scripts/network.ts";
import { Browser, openBrowserAs, type Page, startTestNetwork } from "../support/network.ts";
import { actionPatterns } from "./support/actions.ts";
import { INSIDES, JAPANESE, NOBODY } from "./support/calls.ts";
import { fieldsOf, shownFields } from "./support/forms.ts";

/** A fake product API behind the web worker, which fails as the test asks. */
let upstream: Server;
let port: number;
let network: Awaited<ReturnType<typeof startTestNetwork>>;
let answer: RequestListener = (_, response) => response.destroy();
const listen = () => new Promise<void>((done) => upstream.listen(port, "127.0.0.1", done));
const close = () =>
  new Promise<void>((done) => {
    upstream.close(() => done());
    upstream.closeAllConnections();
  });

beforeAll(async () => {
  // Every outage is logged, which is noise here.
  vi.spyOn(console, "error").mockReturnValue();
  upstream = createServer((request, response) => answer(request, response));
  // An ephemeral port might be given to somebody else while nobody listens.
  port = await freePort();
  await listen();
  network = await startTestNetwork({ V4_ORIGIN: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  await network.stop();
  await close();
  vi.restoreAllMocks();
});

const says = (status: number, type: string, body: string): RequestListener => {
  return (_, response) => response.writeHead(status, { "content-type": type }).end(body);
};
const html = "<!doctype html><title>nginx</title><h1>502 Bad Gateway</h1>";
const outages: [string, RequestListener | "down"][] = [
  ["is down", "down"],
  ["hangs up", (_, response) => response.destroy()],
  [
    "hangs up in the middle",
    (_, response) => response.writeHead(200, { "content-length": 100 }).write("{", () => response.destroy()),
  ],
  ["answers 500 in HTML", says(500, "text/html", html)],
  ["answers 502 with nothing", says(502, "text/plain", "")],
  ["answers 503 with a problem of its own", says(503, "application/problem+json", '{"code":"elsewhere","detail":"x"}')],
  ["answers 200 in HTML", says(200, "text/html", html)],
  ["answers 200 with nothing", says(200, "application/json", "")],
  ["never answers", () => {}],
];

/** Returns the content of the page's text fields. */
const typed = (text: string) => [...text.matchAll(/<textarea[^>]*>([^<]*)<\/textarea>/g)].map(([, words]) => words);

describe.each(outages)("when the API %s", (_, how) => {
  beforeAll(async () => {
    if (how === "down") await close();
    else answer = how;
  });
  afterAll(async () => {
    if (how === "down") await listen();
    answer = (_request, response) => response.destroy();
  });
  test.concurrent("pages that do not need it are served as usual", async () => {
    const visitor = new Browser(network.url);
    const paths = ["/terms", "/transactions", "/help", "/kit", "/news", "/usecases", "/privacy"];
    const pages = await Promise.all(paths.map((path) => visitor.get(path)));
    expect(pages.map(({ status }) => status)).toEqual(paths.map(() => 200));
    for (const { text } of pages) expect(text).toMatch(/<h1[^>]*>[^<]+<\/h1>/);
  });

  const expectOutage = (page: Awaited<ReturnType<Browser["get"]>>) => {
    expect(page.status).toBe(503);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(/<h1>(.*?)<\/h1>/.exec(page.text)?.[1]).toMatch(JAPANESE);
    expect(page.text).not.toMatch(INSIDES);
    expect(page.text).not.toContain("nginx");
    expect(page.text).toContain(`お問い合わせ番号：<!-- -->${page.headers.get("x-request-id")}`);
  };

  test.concurrent("a visitor gets an error page with a request id", async () => {
    const visitor = new Browser(network.url);
    const pages = await Promise.all(["/natsume", "/natsume/about", "/natsume/ofuse"].map((path) => visitor.get(path)));
    for (const page of pages) expectOutage(page);
    expect((await visitor.get("/login")).status).toBe(200);
  });

  test.concurrent("the search words stay in the form, with the reason under them", async () => {
    const page = await new Browser(network.url).get(`/search?${new URLSearchParams({ keyword: "水彩　ねこ" })}`);
    expect(page.status).toBe(503);
    expect(page.text).not.toMatch(INSIDES);
    expect(page.text).toMatch(/name="keyword"[^>]* value="水彩　ねこ"/);
    expect(/<section id="results"[\s\S]*?<\/section>/.exec(page.text)?.[0]).toContain("ただいま混み合っています。");
  });

  test.concurrent("the first page shows the parts that need no API, and is not cached", async () => {
    const [visitor, member] = await Promise.all([
      new Browser(network.url).get("/"),
      openBrowserAs("fan_taro", network).then((browser) => browser.get("/")),
    ]);
    for (const page of [visitor, member]) {
      expect(page.status).toBe(200);
      expect(page.headers.get("cache-control")).toBe("private, no-store");
      expect(page.headers.get("cache-status")).toBeNull();
      expect(page.text).not.toMatch(INSIDES);
    }
    expect(visitor.text).toContain("手紙にして届けよう");
    expect(visitor.text).toContain("手紙が届くまで");
    expect(visitor.text).toContain("ただいま一覧の一部を表示できません");
    expect(visitor.text).not.toContain("新着の投稿");
    expect(visitor.text).not.toContain('home-figures"');
    expect(member.text).toContain("ただいま投稿を読み込めません");
  });

  test.concurrent("a member's letter stays on the page, and can be sent again", async () => {
    const signing_in = new Browser(network.url).signIn("fan_taro", "/natsume");
    const member = await openBrowserAs("fan_taro", network);
    const message = "何度も書き直した大切な言葉";
    const idempotency_key = crypto.randomUUID();
    const page = await member.post("/natsume/ofuse", { message, idempotency_key, is_public: "on" });
    expectOutage(page);
    expect(typed(page.text)).toContain(message);
    expect(page.text).toContain(`name="idempotency_key" value="${idempotency_key}"`);
    expect(page.text).toContain('action="/natsume/ofuse"');
    expect(await signing_in).toMatchObject({ status: 303, location: "/natsume" });
  });

  test.concurrent("a visitor's letter stays on the page too", async () => {
    const page = await new Browser(network.url).post("/natsume/ofuse", { message: "ログイン前の大切な言葉" });
    expectOutage(page);
    expect(typed(page.text)).toContain("ログイン前の大切な言葉");
  });

  test.concurrent("a creator's reply stays on the page too", async () => {
    const member = await openBrowserAs("natsume", network);
    const idempotency_key = crypto.randomUUID();
    const page = await member.post(`/my/box/${NOBODY}`, { reply: "大切な返信", idempotency_key });
    expectOutage(page);
    expect(typed(page.text)).toContain("大切な返信");
    expect(page.text).toContain(`name="idempotency_key" value="${idempotency_key}"`);
  });

  test.concurrent("a pending follow stays pending over the sign-in", async () => {
    const visitor = new Browser(network.url);
    visitor.cookies.set("soziIdFollowIntent", `${NOBODY}.secret`);
    await visitor.signIn("fan_taro", "/natsume");
    expect(visitor.cookies.has("soziIdFollowIntent")).toBe(true);
  });

  test.concurrent("a follow is refused with an error page", async () => {
    expectOutage(await new Browser(network.url).post("/natsume/follow", { operation: "follow" }));
  });
});

/**
 * What people type into the forms of each route. Null if it is nothing, only a secret or a code, or if the API is not
 * called.
 */
const forms: Record<string, { typed: Record<string, string>; sent?: Record<string, string>; path?: string } | null> = {
  "/login": { typed: { email: "fan_hana@demo.example" }, sent: { password: "not the password" } },
  "/login/link": null,
  "/login/phone": { typed: { phone_number: "not a number" } },
  "/login/phone/code": null,
  "/login/factor": null,
  "/login/with/:provider": null,
  "/login/join": null,
  "/login/token": null,
  "/login/reset": { typed: { email: "nobody" } },
  "/login/confirm": null,
  "/logout": null,
  "/theme": null,
  "/404": null,
  "/nothing": null,
  "/signup": { typed: { email: "nobody" }, sent: { password: "correct horse battery" } },
  "/signup/action": null,
  "/signup/sent": null,
  "/signup/registration": { typed: { default_name: "なまえ", birth_year: "1990" } },
  "/signup/register_email": { typed: { new_email: "nobody" }, sent: { operation: "change" } },
  "/my/box/:ofuse_id": { typed: { reply: "大切な返信" } },
  "/my/box/:ofuse_id/report": { typed: { detail: "困っていること" }, sent: { reason: "slander" } },
  "/my/removals/:removal_id": { typed: { message: "納得できない理由" } },
  "/my/notifications": null,
  "/my/posts": null,
  "/my/comments": { typed: { message: "コメントへの返信" }, sent: { event_id: NOBODY, parent_comment_id: NOBODY } },
  "/my/posts/new": {
    typed: { title: "朝の海", body: "五時に起きて、海まで歩きました。" },
    sent: { kind: "blog", draft_id: NOBODY, do: "publish", when: "now", visibility: "public" },
    path: `/my/posts/new?content_type=blog&draft_id=${NOBODY}`,
  },
  "/my/posts/:event_id/edit": {
    typed: { title: "直した題", body: "直した本文。" },
    sent: { kind: "blog", draft_id: NOBODY, do: "save" },
  },
  "/my/posts/drafts/:draft_id/save.json": null,
  "/my/news_letters/save.json": null,
  "/my/memberships": null,
  "/my/transactions": null,
  "/my/transactions/payout": null,
  "/my/transactions/payouts": null,
  "/my/stats": null,
  "/signup/monetize": null,
  "/my/news_letters/new": { typed: { title: "窓辺だより", body: "こんにちは。" } },
  "/my/news_letters/:newsletter_id/edit": { typed: { title: "窓辺だより", body: "書き足した言葉" } },
  "/unsubscribe/:token": null,
  "/operator/first": null,
  "/my/radio/new": { typed: { title: "夜ふかし缶詰", description: "眠れない夜のおしゃべりです。" } },
  "/my/radio/:radio_id/picture": null,
  "/my/radio/:radio_id/recording": null,
  "/my/radio/:radio_id": null,
  "/my/radio/:radio_id/sound.json": null,
  "/my/radio/:radio_id/edit": { typed: { title: "夜ふかし缶詰", description: "書き足した説明" } },
  "/my/memberships/new": { typed: { title: "窓辺の席", description: "月に一枚、壁紙を届けます。", amount: "500" } },
  "/my/memberships/:membership_id/edit": { typed: { title: "窓辺の席", description: "書き足した説明" } },
  "/my/memberships/:membership_id/picture": null,
  "/my/subscriptions/join/:membership_id": null,
  "/my/subscriptions/:subscription_id": null,
  "/my/subscriptions/:subscription_id/cancel": null,
  "/my/subscriptions/:subscription_id/change/:membership_id": null,
  "/my/settings/notifications": null,
  "/my/settings/payments": { typed: { monthly_limit: "3000" }, sent: { do: "limit" } },
  "/my/settings/bank": { typed: { invoice_number: "T1234567890123" } },
  "/my/posts/categories": { typed: { title: "制作日記" } },
  "/my/settings": { typed: { name: "あたらしい名前", bio: "自己紹介", link_url_0: "https://natsume.example/" } },
  "/my/settings/link_id": { typed: { link_id: "natsume_new" } },
  "/my/settings/email": { typed: { new_email: "nobody" } },
  "/my/settings/password": null,
  "/my/settings/providers": null,
  "/my/settings/factors": null,
  "/my/settings/factors/totp": null,
  "/my/settings/factors/phone": { typed: { phone_number: "not a number" }, sent: { operation: "send" } },
  "/my/settings/factors/recovery-codes": null,
  "/my/settings/sessions": null,
  "/my/settings/bank/edit": {
    typed: { account_number: "1234567", account_holder_kana: "ナツメ ハナコ" },
    sent: { account_type: "futsu" },
    path: "/my/settings/bank/edit?bank_code=0001&branch_code=004",
  },
  "/my/settings/leave": null,
  "/my/settings/reactions": { typed: { free_ofuse_message: "手紙をありがとう", paid_ofuse_message: "ありがとう" } },
  "/my/share/links": null,
  "/my/followings": null,
  "/my/members": null,
  "/my/uploads": {
    typed: { title: "絵のある投稿", body: "本文です。" },
    sent: { kind: "blog", draft_id: NOBODY },
  },
  "/my/uploads/file": null,
  "/my/uploads/profile": { typed: { name: "絵のある名前", bio: "絵のある自己紹介" } },
  "/:link_id/events/:event_id/visit": null,
  "/:link_id/ofuse": { typed: { message: "大切な手紙" } },
  "/:link_id/ofuse/begin": { typed: { message: "ほかのサイトで書いた手紙" } },
  "/checkout/:session_id": null,
  "/:link_id/ofuse/paid": { typed: { message: "大切な長い手紙" }, sent: { price: "550" } },
  "/:link_id/ofuse/:ofuse_id/report": { typed: { detail: "困っていること" }, sent: { reason: "slander" } },
  "/:link_id/events/:event_id/like": null,
  "/:link_id/events/:event_id/report": { typed: { detail: "困っていること" }, sent: { reason: "slander" } },
  "/:link_id/events/:event_id/paid-comments": { typed: { message: "大切な言葉" }, sent: { price: "550" } },
  "/:link_id/events/:event_id/comments": { typed: { message: "大切なコメント" } },
  "/:link_id/events/:event_id/comments/:comment_id": null,
  "/:link_id/events/:event_id/comments/:comment_id/like": null,
  "/:link_id/events/:event_id/comments/:comment_id/report": {
    typed: { detail: "困っていること" },
    sent: { reason: "slander" },
  },
  "/my/radio/:radio_id/chat": { typed: { ng_words: "大切な設定" }, sent: { slow_mode_seconds: "10" } },
  "/my/radio/:radio_id/captions": { typed: { words: "大切な字幕" } },
  "/my/radio/restrictees": null,
  "/:link_id/radios/:radio_id/chat": { typed: { message: "大切な発言" } },
  "/:link_id/radios/:radio_id/chat/:message_id": null,
  "/:link_id/radios/:radio_id/reactions": null,
  "/:link_id/radios/:radio_id/comments": { typed: { message: "大切なコメント" } },
  "/:link_id/radios/:radio_id/like": null,
  "/:link_id/radios/:radio_id/listen": null,
  "/:link_id/radio/podcast": null,
  "/my/settings/podcasts": null,
  "/my/streaming": { typed: { ng_words: "大切なNGワード" } },
  "/overlay/:overlay_token/news.json": null,
  "/my/settings/import": null,
  "/my/settings/import/:import_id": null,
  "/:link_id/radios/:radio_id/reminder": null,
  "/:link_id/radios/:radio_id/comments/:comment_id": null,
  "/:link_id/radios/:radio_id/comments/:comment_id/like": null,
  "/:link_id/radios/:radio_id/comments/:comment_id/report": {
    typed: { detail: "困っていること" },
    sent: { reason: "slander" },
  },
  // The operators' pages do not read the form of another member (web-operator.test.ts).
  "/operator": null,
  "/operator/reports": null,
  "/operator/reports/:report_id": null,
  "/operator/appeals": null,
  "/operator/appeals/:removal_id": null,
  "/operator/removals": null,
  "/operator/people": null,
  "/operator/people/:uid": null,
  "/operator/payments": null,
  "/operator/payouts": null,
  "/operator/ledger": null,
  "/operator/outbox": null,
  "/operator/mails": null,
  "/operator/mails/suppressions": null,
  "/operator/maintenance": null,
  "/operator/news": null,
  "/operator/news/new": null,
  "/operator/news/:news_id": null,
  "/operator/news/:news_id/preview": null,
  "/operator/features": null,
  "/operator/limits": null,
  "/operator/campaigns": null,
  "/operator/search": null,
  "/operator/acts": null,
  "/:link_id/follow": null,
  "/:link_id/block": null,
};

/** Sends what people type into the form of a route. */
async function sendTyped(pattern: string, form: (typeof forms)[string]): Promise<Page> {
  const named: Record<string, string> = { link_id: "natsume" };
  const path = form?.path ?? pattern.replace(/:(\w+)/g, (_, name: string) => named[name] ?? NOBODY);
  const { typed: words = {}, sent = {} } = form ?? {};
  // Visitors get these forms; the others need a sign-in, as their pages say.
  const is_for_visitors = /^\/(?:login|signup$)/.test(pattern);
  const member = is_for_visitors ? new Browser(network.url) : await openBrowserAs("natsume", network);
  const fields = { author: NOBODY, idempotency_key: crypto.randomUUID(), ...sent, ...words };
  const body = pattern.startsWith("/my/uploads") ? new FormData() : new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return member.send(path, { method: "POST", body, headers: member.sameOrigin() });
}

describe("while the API is silent", () => {
  test("the table above has every route with a form", () => {
    const unknown = actionPatterns().filter((pattern) => !(pattern in forms));
    expect(unknown, "say above what is typed in the forms of these routes, or null where nothing is").toEqual([]);
  });

  beforeAll(() => {
    answer = (_, response) => response.destroy();
  });

  test("a draft that its page saves waits for the API, and its writer is not mistaken for another account", async () => {
    const member = await openBrowserAs("natsume", network);
    const path = `/my/posts/drafts/${NOBODY}/save.json`;
    const { status, text } = await member.post(path, { author: NOBODY, draft_id: NOBODY, body: "朝の海" });
    expect([status, JSON.parse(text).code]).toEqual([503, "unavailable"]);
  });

  test.each([
    ["a reply", `/my/box/${NOBODY}`, "reply", /^[0-9a-f-]{36}$/],
    ["a comment on a page that visitors share", `/yamato/events/${NOBODY}/comments`, "message", /^words-/],
  ])(
    "%s without a key is kept with the key it was sent under, so that sending it again sends it once",
    async (_, path, name, form_of_key) => {
      const keys: unknown[] = [];
      const silent = answer;
      onTestFinished(() => {
        answer = silent;
      });
      answer = (request, response) => {
        if (request.headers["idempotency-key"]) keys.push(request.headers["idempotency-key"]);
        silent(request, response);
      };
      const member = await openBrowserAs("natsume", network);
      const page = await member.post(path, { [name]: "大切な言葉" });
      expect(keys).toEqual([expect.stringMatching(form_of_key)]);
      expect(fieldsOf(page.text, path)).toEqual({ [name]: "大切な言葉", idempotency_key: keys[0] });
    },
  );

  test.concurrent.each(Object.entries(forms).filter(([, form]) => form))(
    "the words typed at %s stay on the page",
    async (pattern, form) => {
      const page = await sendTyped(pattern, form);
      const { typed: words = {} } = form ?? {};
      expect(shownFields(page.text)).toEqual(
        expect.arrayContaining(Object.entries(words).map((word) => word.join("="))),
      );
      expect(page.text).not.toMatch(INSIDES);
      expect(page.text).not.toContain("別のアカウント");
    },
  );
});

describe.each([
  ["an empty object", "{}"],
  ["a null", "null"],
  ["a list", "[]"],
])("when the API answers 200 with %s", (_, body) => {
  test("a visitor gets an error page with a request id", async () => {
    answer = says(200, "application/json", body);
    const page = await new Browser(network.url).get("/natsume");
    expect(page.status).toBeGreaterThanOrEqual(500);
    expect(/<h1>(.*?)<\/h1>/.exec(page.text)?.[1]).toMatch(JAPANESE);
    expect(page.text).not.toMatch(INSIDES);
    expect(page.text).toContain(page.headers.get("x-request-id"));
  });

  test("the first page leaves out the parts that it cannot read", async () => {
    answer = says(200, "application/json", body);
    const page = await new Browser(network.url).get("/");
    expect(page.status).toBe(200);
    expect(page.text).toContain("ただいま一覧の一部を表示できません");
  });
});

test.each(Object.entries(forms).filter(([, form]) => form))(
  "the words typed at %s stay on the page when the API answers 200 with an empty object",
  async (pattern, form) => {
    answer = says(200, "application/json", "{}");
    const page = await sendTyped(pattern, form);
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect(shownFields(page.text)).toEqual(
      expect.arrayContaining(Object.entries(form?.typed ?? {}).map((word) => word.join("="))),
    );
    expect(page.text).not.toMatch(INSIDES);
  },
);

test("the search page is not cached while it lacks the genres", async () => {
  const real: RequestListener = async ({ url = "" }, response) => {
    const asked = await fetch(network.url + url);
    response.writeHead(asked.status, { "content-type": "application/json" }).end(await asked.text());
  };
  answer = (request, response) => {
    if (request.url?.startsWith("/v4/genres")) says(500, "text/html", html)(request, response);
    else real(request, response);
  };
  const look = () => new Browser(network.url).get("/search");
  const page = await look();
  expect([page.status, page.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
  expect(page.text).not.toContain("ジャンルから探す");
  expect(page.text).toContain("人気のクリエイター");
  answer = real;
  expect((await look()).headers.get("cache-control")).toMatch(/^public/);
});

test("a letter that the API stored too late to answer stays on the page, and sending it again does not duplicate it", async () => {
  let letters_taken = 0;
  // Call it directly and not through its network, whose web worker would send unknown paths here again in a loop.
  const api = await network.miniflare.getWorker("ofuse-api");
  // The real API, but the answer to the first letter waits until the page has given up.
  const pass: (...passed: Parameters<RequestListener>) => Promise<void> = async (request, response) => {
    const { method, url, headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const kept = Object.entries(headers).filter(([name]) =>
      /^(authorization|content-type|idempotency-key)$/.test(name),
    );
    const body = method === "GET" ? null : Buffer.concat(chunks);
    const taken = await api.fetch(`http://api.internal${url}`, { method, headers: kept as [string, string][], body });
    const text = await taken.text();
    if (url === "/v4/free_ofuses" && ++letters_taken === 1) await once(response, "close");
    else response.writeHead(taken.status, { "content-type": "application/json" }).end(text);
  };
  const passed: Promise<void>[] = [];
  answer = (request, response) => void passed.push(pass(request, response));
  const path = "/natsume/ofuse";
  const member = new Browser(network.url);
  await member.signIn("fan_taro", path);
  const written = { message: "届いたのに返事のなかった手紙", idempotency_key: crypto.randomUUID(), is_public: "on" };
  const page = await member.post(path, written);
  expect(page.status).toBe(503);
  expect(page.text).not.toMatch(INSIDES);
  const kept = fieldsOf(page.text, path);
  expect(kept).toMatchObject(written);

  expect((await member.post(path, kept ?? {})).location).toBe(path);
  expect(letters_taken).toBe(2);
  // Read as a visitor: a member's page contains the text a second time, for the scripts.
  expect((await new Browser(network.url).get(path)).text.split(written.message)).toHaveLength(2);
  // Close open requests, so that nothing fails when the network stops.
  answer = (_request, response) => response.destroy();
  await Promise.all(passed);
});
