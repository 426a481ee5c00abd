import { describe, expect, test } from "vitest";
import { demoEmail } from "../../scripts/demo/seed.ts";
import { createIntent } from "../../workers/contract/intents.ts";
import { listOfuses } from "../../workers/contract/ofuses.ts";
import { listRelationships } from "../../workers/contract/relationships.ts";
import { foreignSamples } from "../support/foreign-addresses.ts";
import {
  Browser,
  browser,
  database,
  freshAccount,
  freshMember,
  network,
  startTestNetwork,
} from "../support/network.ts";
import { shareOf } from "../support/share.ts";
import { waitUntil } from "../support/wait.ts";
import { actionPatterns } from "./support/actions.ts";
import { ask, INSIDES, JAPANESE, NOBODY, userId } from "./support/calls.ts";

type Answer = Awaited<ReturnType<Browser["get"]>>;

/** Asserts an error page: in Japanese, with the right status, and without internals. */
function expectRefusalPage(page: Answer, status: number): void {
  expect({ status: page.status, text: page.text.slice(0, 400) }).toMatchObject({ status });
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.text).toContain('<html lang="ja"');
  expect(/<h1>(.*?)<\/h1>/.exec(page.text)?.[1]).toMatch(JAPANESE);
  expect(page.text).not.toMatch(INSIDES);
}

describe.concurrent("an unknown address", () => {
  test.each([
    "/nobody_at_all",
    "/nobody_at_all/ofuse",
    "/nobody_at_all/events/x",
    "/Natsume",
    "/na",
    "/natsume/nothing",
    `/natsume/events/${NOBODY}`,
    "/natsume/events/1",
    "/natsume/events/%01",
    `/natsume/events/${NOBODY.toUpperCase()}`,
    "/natsume/events/",
    "/404",
    "/no/such/page",
    "/.env",
    "/signup/action",
    "/signup/action?mode=verifyEmail",
    "/natsume?page=-1",
    "/natsume?page=0",
    "/natsume?page=abc",
    "/natsume?page=10000",
    "/natsume?page=10001",
    "/natsume?page=",
    "/natsume?page=1e3",
    "/natsume?page=1.0",
  ])("%s is a 404 page", async (path) => {
    expectRefusalPage(await (await browser()).get(path), 404);
  });

  test("of a deleted post is a 404 page, and the post leaves the list", async () => {
    const events = await (await database())
      .prepare(
        `SELECT event_id, title FROM events JOIN users USING (user_id)
         WHERE link_id = 'akari' AND status = 'published' AND publish_target_type = 'public' ORDER BY event_id LIMIT 1`,
      )
      .first<{ event_id: string; title: string }>();
    const visitor = await browser();
    const path = `/akari/events/${events?.event_id}`;
    expect((await visitor.get(path)).status).toBe(200);
    await (await database()).prepare("DELETE FROM events WHERE event_id = ?").bind(events?.event_id).run();
    // The edge caches a page's version for a second.
    await waitUntil(async () => expectRefusalPage(await visitor.get(path), 404));
    expect((await visitor.get("/akari")).text).not.toContain(events?.title);
  });

  test("below a member's own pages is a 404 page too", async () => {
    const member = await browser();
    await member.signIn("fan_taro");
    for (const path of ["/my/box/1", `/my/box/${NOBODY}`, "/my/box?page=99", "/my/nothing"]) {
      expectRefusalPage(await member.get(path), 404);
    }
  });

  test("of a deleted notification is a 404 page", async () => {
    const member = await browser();
    await member.signIn("fan_taro");
    expectRefusalPage(await member.get(`/my/notifications/${NOBODY}`), 404);
  });

  test.each(["/%ff", "/%c0%af", "/%", "/natsume/%ed%a0%80", "/%00", "/natsume%00", "/natsume/events/%00"])(
    "with malformed encoding is a 400 page: %s",
    async (path) => {
      expectRefusalPage(await (await browser()).get(path), 400);
    },
  );
});

/** Form addresses of signing in and of the account's settings. */
const IDENTITY_FORMS = [
  "/login",
  "/login/link",
  "/login/phone",
  "/login/phone/code",
  "/login/factor",
  "/login/with/google",
  "/login/join",
  "/login/token",
  "/login/reset",
  "/login/confirm",
  "/logout",
  "/signup",
  "/signup/action?mode=verifyEmail&oobCode=x",
  "/signup/registration",
  "/signup/register_email",
  "/my/settings",
  "/my/settings/link_id",
  "/my/settings/leave",
  "/my/settings/sessions",
];

describe("an unacceptable form", () => {
  test.each(["/login", "/login/phone", "/signup", "/natsume/ofuse", "/natsume/follow", "/nothing"])(
    "of a megabyte is refused with an explanation: %s",
    async (path) => {
      const page = await (await browser()).post(path, { message: "x".repeat(1_000_000) });
      expectRefusalPage(page, 413);
      expect(page.text).toContain("大きすぎます");
    },
  );

  test("is refused without an internal error when it is no form", async () => {
    const visitor = await browser();
    const no_forms: [type: string, body: string][] = [
      ["application/json", '{"email":"a@example.jp"}'],
      ["text/plain", "email=a"],
      ["multipart/form-data; boundary=x", "--y\r\n\r\nnothing"],
      ["multipart/form-data", "--x--"],
      ["", "x"],
    ];
    const paths = [...IDENTITY_FORMS, "/natsume/ofuse", "/natsume/follow"];
    await Promise.all(
      paths.flatMap((path, index) =>
        shareOf(no_forms, index, 2).map(async ([type, body]) => {
          const headers = { ...visitor.sameOrigin(), "content-type": type };
          const page = await visitor.send(path, { method: "POST", body, headers });
          expect(page.status, `${path} as ${type}`).toBeGreaterThanOrEqual(400);
          expect(page.status, `${path} as ${type}`).toBeLessThan(500);
          expectRefusalPage(page, page.status);
        }),
      ),
    );
  });

  test("is refused without a body, and accepted when a browser's form is empty", async () => {
    const visitor = await browser();
    const paths = [...IDENTITY_FORMS, "/theme", "/natsume/ofuse", "/natsume/follow.data", "/nothing"];
    await Promise.all(
      paths.flatMap((path, index) =>
        shareOf(["POST", "PUT", "DELETE"], index, 1).map(async (method) => {
          expectRefusalPage(await visitor.send(path, { method, headers: visitor.sameOrigin() }), 400);
        }),
      ),
    );
    const headers = { ...visitor.sameOrigin(), "content-type": "application/x-www-form-urlencoded" };
    const empty = await visitor.send("/theme", { method: "POST", headers });
    expect([empty.status, empty.location]).toEqual([303, "/"]);
    expect((await visitor.send("/login", { method: "POST", headers })).status).toBe(422);
  });

  test("shows errors for missing fields and for files in place of text", async () => {
    const [member, newcomer] = [await browser(), await browser()];
    await member.signIn(await freshMember("添付"));
    await newcomer.signIn(await freshAccount());
    const files = new FormData();
    const names = "message email password default_name operation idempotency_key birth_year guardian_consent to";
    for (const name of `${names} phone_number new_email link_id confirmation purpose`.split(" ")) {
      files.set(name, new File(["x"], "x.png", { type: "image/png" }));
    }
    for (const [path, visitor] of [
      ["/natsume/ofuse", member],
      ["/my/settings/email", member],
      ["/my/settings/password", member],
      ["/my/settings/link_id", member],
      ["/my/settings/leave", member],
      ["/login/confirm", member],
      ["/signup/registration", newcomer],
      ["/login", await browser()],
      ["/login/link", await browser()],
      ["/login/phone", await browser()],
      ["/login/reset", await browser()],
      ["/signup", await browser()],
    ] as const) {
      for (const body of [files, new URLSearchParams()]) {
        const page = await visitor.send(path, { method: "POST", body, headers: visitor.sameOrigin() });
        expect({ path, status: page.status }).toEqual({ path, status: 422 });
        expect(page.text).not.toMatch(INSIDES);
      }
    }
  });
});

describe("a form made to be expensive", () => {
  const named: Record<string, string> = { link_id: "natsume", provider: "google" };
  const actions = actionPatterns().map((path) => path.replace(/:(\w+)/g, (_, name) => named[name] ?? NOBODY));
  /** Every field name of the app's forms, names that a path parser interprets, and names that every object has. */
  const names = [
    ...["message", "reply", "detail", "body", "title", "bio", "name", "default_name", "email", "new_email", "password"],
    ...["link_id", "phone_number", "code", "birth_year", "confirmation", "display_name", "free_ofuse_message"],
    ...[
      "operation",
      "do",
      "one",
      "change",
      "event_ids",
      "is_liked",
      "visit_id",
      "link_url_0",
      "id",
      "provider_id",
      "way",
    ],
    ...[
      "email[20000000]",
      "message[99999999]",
      "__intent__",
      "__state__",
      "__proto__",
      "constructor.prototype",
      "a..b[[",
    ],
  ];
  const long = "e\u0301".repeat(2000);
  const shortWords = () => new URLSearchParams(names.map((name) => [name, "1"]));
  const longWords = () => new URLSearchParams(names.map((name) => [name, long]));
  const filesAndWords = () => {
    const form = new FormData();
    for (const name of names) form.append(name, new File(["x"], "x.png", { type: "image/png" }));
    for (const name of names) form.append(name, "x");
    return form;
  };

  const AT_ONCE = 10;

  test("gets an answer from every action without an internal error", async () => {
    const [visitor, member, fan] = [await browser(), await browser(), await freshMember("攻撃")];
    await member.signIn(fan);
    const statuses: Record<string, number> = {};
    const send = async (path: string) => {
      const index = actions.indexOf(path);
      const post = async (who: Browser, body: BodyInit) =>
        (await who.send(path, { method: "POST", body, headers: who.sameOrigin() })).status;
      for (const bodyOf of shareOf([shortWords, longWords, filesAndWords], index, 1)) {
        statuses[`member ${path} ${bodyOf.name}`] = await post(member, bodyOf());
      }
      for (const bodyOf of shareOf([filesAndWords, longWords], index, 1)) {
        statuses[`visitor ${path} ${bodyOf.name}`] = await post(visitor, bodyOf());
      }
    };
    // Sign out last: the other actions would otherwise be a visitor's.
    const others = actions.filter((path) => path !== "/logout");
    // A hundred at once would wait for each other for longer than the web worker waits for the API.
    while (others.length > 0) await Promise.all(others.splice(0, AT_ONCE).map(send));
    await send("/logout");
    expect(Object.keys(statuses).length).toBeGreaterThan(100);
    expect(Object.entries(statuses).filter(([, status]) => status >= 500)).toEqual([]);
  });

  test.each([
    ["one name 60,000 times", 413, "email=1&".repeat(60_000)],
    ["a name nested 20,000 deep", 400, `a${".a".repeat(20_000)}=1`],
  ])("is refused before any action reads it: %s", async (_, status, body) => {
    const member = await browser();
    await member.signIn(await freshMember("攻撃"));
    const headers = { ...member.sameOrigin(), "content-type": "application/x-www-form-urlencoded" };
    for (const path of ["/login", "/my/posts/new", "/my/comments.data"]) {
      expectRefusalPage(await member.send(path, { method: "POST", body, headers }), status);
    }
  });

  test("holds as many words in either encoding", async () => {
    const fan = await browser();
    await fan.signIn(await freshMember("長文"));
    const send = (length: number, Form: typeof FormData | typeof URLSearchParams) => {
      const body = new Form();
      body.set("message", "<".repeat(length));
      return fan.send("/natsume/ofuse", { method: "POST", body, headers: fan.sameOrigin() });
    };
    for (const Form of [URLSearchParams, FormData]) {
      const page = await send(125_000, Form);
      expect([page.status, page.text.includes("&lt;".repeat(125_000))]).toEqual([422, true]);
      expectRefusalPage(await send(135_000, Form), 413);
    }
  });

  test("of 22 bytes has the one field that it says", async () => {
    const visitor = await browser();
    for (const name of ["email[20000000]", "email[99999999]", "__intent__"]) {
      const page = await visitor.post("/login", { [name]: "1" });
      expect([page.status, page.text.includes("メールアドレスを入力してください")]).toEqual([422, true]);
    }
  });
});

test.each([
  ["OPTIONS", "/", "GET, HEAD"],
  ["PUT", "/", "GET, HEAD"],
  ["POST", "/terms", "GET, HEAD"],
  ["POST", "/robots.txt", "GET, HEAD"],
  ["OPTIONS", "/login", "GET, HEAD, POST"],
])("a refused method names those that the address takes: %s %s", async (method, path, allowed) => {
  const visitor = await browser();
  const body = method === "OPTIONS" ? undefined : new URLSearchParams({ name: "1" });
  const page = await visitor.send(path, { method, headers: visitor.sameOrigin(), body });
  expectRefusalPage(page, 405);
  expect(page.headers.get("allow")).toBe(allowed);
});

describe("a cross-site form", () => {
  const paths = [
    ...IDENTITY_FORMS,
    "/natsume/follow",
    "/natsume/ofuse",
    "/natsume/ofuse/begin",
    "/my/notifications",
    "/nothing",
  ];
  const elsewhere: [string, Record<string, string>][] = [
    ["no origin", {}],
    ["a foreign origin", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["a foreign origin from an old browser", { origin: "https://evil.example" }],
    ["no origin of its own", { origin: "null", "sec-fetch-site": "cross-site" }],
    ["our origin's name under another port", { origin: "http://localhost:1", "sec-fetch-site": "same-site" }],
    ["an origin that begins like ours", { origin: "http://localhost.evil.example" }],
  ];

  test.each(elsewhere)("does nothing by %s, whatever the method", async (_, headers) => {
    const fan = await freshMember("被害者");
    const member = await browser();
    await member.signIn(fan);
    const cookies = new Map(member.cookies);
    const statuses: Record<string, number> = {};
    const send = async (path: string, method: string) => {
      const body = new URLSearchParams({ operation: "follow", message: "なりすまし" });
      statuses[`${method} ${path}`] = (await member.send(path, { method, body, headers })).status;
    };
    await Promise.all(
      paths.flatMap((path, index) => [
        send(path, "POST"),
        ...shareOf(["PUT", "PATCH", "DELETE"], index, 1).map((method) => send(path, method)),
      ]),
    );
    expect(member.cookies).toEqual(cookies);
    expect((await ask(listRelationships, { token: fan.token })).relationships).toEqual([]);
    expect((await ask(listOfuses, { token: fan.token, query: { type: "sent" } })).ofuses).toEqual([]);
    expect(Object.entries(statuses).filter(([, status]) => status !== 403)).toEqual([]);
  });

  test.each(["cross-site", "same-site", "none"])("is refused when the browser says %s", async (site) => {
    const visitor = await browser();
    const headers = { ...visitor.sameOrigin(), "sec-fetch-site": site };
    await Promise.all(
      paths.map(async (path) => {
        const { status } = await visitor.send(path, { method: "POST", body: new URLSearchParams(), headers });
        expect({ path, status }).toEqual({ path, status: 403 });
      }),
    );
  });

  test("is explained to its sender on a page", async () => {
    const visitor = await browser();
    await Promise.all(
      paths.flatMap((path, index) =>
        shareOf(elsewhere, index, 2).map(async ([, headers]) => {
          expectRefusalPage(await visitor.send(path, { method: "POST", body: new URLSearchParams(), headers }), 403);
        }),
      ),
    );
  });

  test("is refused for the pages' data requests too", async () => {
    const member = await browser();
    await member.signIn(await freshMember("被害者"));
    const body = new URLSearchParams({ operation: "follow" });
    const page = await member.send("/natsume/follow.data", { method: "POST", body });
    expect(page.status).toBe(403);
    expect(page.text).not.toMatch(INSIDES);
  });
});

describe("opening a URL", () => {
  test("never follows, sends or signs out", async () => {
    const fan = await freshMember("見ているだけ");
    const member = await browser();
    await member.signIn(fan);
    for (const path of [
      "/natsume/follow",
      "/natsume/follow?operation=follow",
      "/natsume/ofuse?message=%E3%81%82",
      "/natsume/ofuse/begin?message=%E3%81%82",
      "/logout",
      "/my/notifications?operation=open",
      "/my/settings/leave?confirmation=%E9%80%80%E4%BC%9A%E3%81%99%E3%82%8B",
      "/my/settings/sessions?operation=end_all",
      "/signup/registration?operation=give_up",
    ]) {
      expect((await member.get(path)).status).toBeLessThan(400);
    }
    expect((await member.get("/my/box")).status).toBe(200);
    expect((await ask(listRelationships, { token: fan.token })).relationships).toEqual([]);
    expect((await ask(listOfuses, { token: fan.token, query: { type: "sent" } })).ofuses).toEqual([]);
  });

  test("with another person's intent does nothing", async () => {
    const fan = await freshMember("だまされない");
    const following_id = await userId("natsume");
    const { intent_id, secret } = await ask(createIntent, { body: { kind: "follow", following_id } });
    const member = await browser();
    for (const query of [`intent=${intent_id}`, `intent_id=${intent_id}&secret=${secret}`, `to=/natsume/follow`]) {
      await member.get(`/login?${query}`);
      await member.get(`/natsume?${query}`);
    }
    await member.signIn(fan, `/natsume?intent_id=${intent_id}&secret=${secret}`);
    await member.get(`/login?intent_id=${intent_id}&secret=${secret}`);
    expect((await ask(listRelationships, { token: fan.token })).relationships).toEqual([]);
  });

  test("with a guessed intent in a cookie signs nobody in and does nothing else", async () => {
    const fan = await freshMember("推測");
    const following_id = await userId("natsume");
    const { intent_id } = await ask(createIntent, { body: { kind: "follow", following_id } });
    for (const intent of [`${intent_id}.guess`, `${NOBODY}.guess`, "x.y", "a/b.c", "..", "%00", "guess", ""]) {
      const member = await browser();
      for (const kind of ["Follow", "Form"]) member.cookies.set(`soziId${kind}Intent`, intent);
      expect((await member.signIn(fan, "/natsume/ofuse")).status).toBe(303);
      expect((await member.get("/natsume/ofuse")).status).toBe(200);
    }
    expect((await ask(listRelationships, { token: fan.token })).relationships).toEqual([]);
  });
});

describe("the redirect after a sign-in", () => {
  const staysHere = async (location: string | null) => {
    const { url } = await network();
    expect(location).not.toBeNull();
    expect(new URL(location ?? "", `${url}/login`).origin).toBe(url);
    expect(location).not.toMatch(/^[\\/]{2}|evil/);
  };

  const locationOf = async (who: Browser, path: string) => (await who.get(path)).location;
  const keptBy = async (who: Browser, path: string) =>
    /name="to" value="([^"]*)"/.exec((await who.get(path)).text)?.[1] ?? null;

  test("stays on this site, whatever `to` the form was sent with", async () => {
    const member = await browser();
    for (const to of foreignSamples) await staysHere((await member.signIn("fan_taro", to)).location);
  });

  test.each([
    ["/login", "fan_taro", locationOf],
    ["/login/link", "fan_taro", locationOf],
    ["/login/phone", "fan_taro", locationOf],
    ["/login/confirm", null, locationOf],
    ["/login/confirm", "fan_taro", keptBy],
    ["/signup", "fan_taro", locationOf],
    ["/signup/registration", "fan_taro", locationOf],
  ] as const)("stays on this site from %s with %s, however another origin is spelt", async (path, link_id, leadsTo) => {
    const who = await browser();
    if (link_id) await who.signIn(link_id);
    const check = async (to: string) => staysHere(await leadsTo(who, `${path}?${new URLSearchParams({ to })}`));
    await Promise.all(foreignSamples.map(check));
  });

  test.each([
    "/%5Cevil.example",
    "/login@evil",
    "/natsume?page=2#x",
    "/my/box?type=sent",
    "/natsume?to=//evil.example",
  ])("%j reaches that page of ours", async (to) => {
    const member = await browser();
    const { url } = await network();
    const { location } = await member.signIn("fan_taro", to);
    expect(new URL(location ?? "", url).href).toBe(new URL(to, url).href);
  });

  test("a raw %5C, as a browser sends it, stays on this site", async () => {
    const member = await browser();
    await member.signIn("fan_taro");
    for (const raw of ["/%5Cevil.example", "%2F%2Fevil.example", "%2f%5cevil.example", "/%09/evil.example"]) {
      await staysHere((await member.get(`/login?to=${raw}`)).location);
    }
  });
});

test("a page never shows the host that a forwarding header claims", async () => {
  const visitor = await browser();
  const headers = { ...visitor.sameOrigin(), "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
  const page = await visitor.send("/login", { method: "POST", body: new URLSearchParams(), headers });
  expect(page.text).not.toContain("evil.example");
});

test("a client cannot lift the limit on guessing by claiming another address", async () => {
  const { url, secrets, stop } = await startTestNetwork({ SIGN_IN_FAILURES_PER_ADDRESS_10_MIN: "3" });
  const claimed = (n: number) => ({ "cf-connecting-ip": `203.0.113.${n}`, "x-forwarded-for": `1.1.1.${n}` });
  const guess = (n: number) => ({ email: `guess${n}@example.jp`, password: "wrong password" });
  try {
    const guesser = new Browser(url);
    const answers: [number, string | null][] = [];
    for (let n = 0; n < 5; n++) {
      const headers = { ...guesser.sameOrigin(), ...claimed(n) };
      const body = new URLSearchParams(guess(n));
      const page = await guesser.send("/login", { method: "POST", body, headers });
      answers.push([page.status, page.headers.get("retry-after")]);
    }
    // The provider does not say which limit was reached: the longest window is an hour.
    const [wrong, locked] = [
      [401, null],
      [429, "3600"],
    ];
    expect(answers).toEqual([wrong, wrong, wrong, locked, locked]);
    // The identity service alone has no limit that a claimed address avoids.
    const path = `/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${secrets.IDENTITY_API_KEY}`;
    const headers = { "content-type": "application/json", ...claimed(9) };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(guess(9)) });
    expect(await answer.json()).toMatchObject({
      error: { message: expect.stringMatching(/^TOO_MANY_ATTEMPTS_TRY_LATER/) },
    });
  } finally {
    await stop();
  }
});

test("signing in does not reveal which addresses have an account", async () => {
  const visitor = await browser();
  const guess = (email: string) => visitor.post("/login", { email, password: "wrong password" });
  const [known, unknown] = [await guess(demoEmail("natsume")), await guess(demoEmail("nobody0"))];
  const same = (page: Answer) => page.text.replaceAll(/nobody0|natsume/g, "");
  expect([known.status, unknown.status]).toEqual([401, 401]);
  expect(same(known)).toBe(same(unknown));
  expect(known.text).not.toContain("wrong password");
});
