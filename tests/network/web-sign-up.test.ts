import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { SESSION_COOKIE, SessionKeys, sessionOf } from "../../app/session/session.ts";
import { demoEmail } from "../../scripts/demo/seed.ts";
import type { IdentityClaims } from "../../workers/verifier/index.ts";
import {
  api,
  Browser,
  browser,
  database,
  demoToken,
  freshAccount,
  freshMember,
  type Network,
  network,
  startTestNetwork,
} from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { INSIDES } from "./support/calls.ts";
import { mailedCode, textedCode } from "./support/identity.ts";
import { linkIn, mailsTo } from "./support/outbox.ts";

const password = "correct horse battery";
const address = () => `${crypto.randomUUID()}@example.com`;

/**
 * Returns the code of the newest mail. Waits for it, because it is sent after the answer so that timing reveals
 * nothing.
 */
const codeTo = (email: string) =>
  waitUntil(async () => {
    const code = await mailedCode(email);
    if (!code) throw new Error(`no mail to ${email}`);
    return code;
  });

describe("signing up", () => {
  test("does not reveal by its cookies which addresses have an account", async () => {
    const begun = async (email: string) => {
      const visitor = await browser();
      const { status, location } = await visitor.post("/signup", { email, password });
      return { status, location, cookies: [...visitor.cookies].map(([name, value]) => [name, value.length]) };
    };
    const fresh = await begun(address());
    expect(fresh.cookies).toHaveLength(1);
    expect(await begun(demoEmail("natsume"))).toEqual(fresh);
  });

  test.each([password, "not the password of this account"])(
    "with a registered address mails its owner a link to sign in, and opens no session",
    async (typed) => {
      const member = await freshMember("また登録する人");
      const visitor = await browser();
      const page = await visitor.post("/signup", { email: member.email, password: typed, to: "/natsume" });
      expect([page.status, page.location]).toEqual([303, "/signup/sent"]);
      const mail = await waitUntil(async () => {
        const found = (await mailsTo(member.email)).find(({ text }) => text.includes("mode=signIn&"));
        if (!found) throw new Error("no mail yet");
        return found;
      });
      expect(await visitor.post(linkIn(mail), { email: member.email })).toMatchObject({
        status: 303,
        location: "/natsume",
      });
      const identity = await database("identity");
      const open = identity.prepare(
        `SELECT COUNT(*) AS count FROM sign_ins JOIN accounts USING (local_id)
          WHERE email = ? AND revoked_at IS NULL AND sign_in_provider = 'password'`,
      );
      // Only the session of the person who made the account is left.
      await waitUntil(async () => expect(await open.bind(member.email).first("count")).toBe(1));
    },
  );

  test("again with the same password, before the first mail was opened, sends another mail", async () => {
    const email = address();
    const visitor = await browser();
    await visitor.post("/signup", { email, password });
    const first = await codeTo(email);
    await visitor.post("/signup", { email, password });
    await waitUntil(async () => expect(await mailedCode(email)).not.toBe(first));
    const oob_code = await codeTo(email);
    const page = await visitor.post(`/signup/action?mode=verifyEmail&oobCode=${oob_code}`, { oob_code });
    expect(page.location).toMatch(/^\/signup\/registration/);
  });

  test("shows the address, and sends another mail on request, for every address alike", async () => {
    const again = async (email: string) => {
      const visitor = await browser();
      await visitor.post("/signup", { email, password });
      expect((await visitor.get("/signup/sent")).text).toContain(email);
      const before = await waitUntil(async () => {
        const mails = await mailsTo(email);
        if (mails.length === 0) throw new Error("no mail yet");
        return mails.length;
      });
      const { status, location } = await visitor.post("/signup/sent");
      await waitUntil(async () => expect((await mailsTo(email)).length).toBeGreaterThan(before));
      return {
        visitor,
        shown: { status, location, cookies: [...visitor.cookies].map(([name, value]) => [name, value.length]) },
      };
    };
    const email = address();
    const fresh = await again(email);
    expect(fresh.shown).toMatchObject({ status: 303, location: "/signup/sent?again" });
    expect((await again((await freshMember("もう登録した人")).email)).shown).toEqual(fresh.shown);
    // The second mail's link continues this browser's sign-up.
    const oob_code = await codeTo(email);
    const page = await fresh.visitor.post(`/signup/action?mode=verifyEmail&oobCode=${oob_code}`, { oob_code });
    expect(page.location).toMatch(/^\/signup\/registration/);
    expect((await (await browser()).post("/signup/sent")).location).toBe("/signup");
  });

  test("with another person's link does not sign in a browser whose own address is unproven", async () => {
    const [mine, theirs] = [await browser(), await browser()];
    const other = address();
    await mine.post("/signup", { email: address(), password });
    await theirs.post("/signup", { email: other, password });
    const oob_code = await codeTo(other);
    const page = await mine.post(`/signup/action?mode=verifyEmail&oobCode=${oob_code}`, { oob_code });
    expect(page.location).toBe("/login/reset?sent=proven");
    expect([...mine.cookies.keys()]).toEqual(["soziIdPending"]);
  });

  test("can be finished only by the owner of the address: every sign-in method of a stranger who began it is lost", async () => {
    const email = address();
    const { secrets } = await network();
    const accounts = async (method: string, body: object) => {
      const path = `/identitytoolkit.googleapis.com/v1/accounts:${method}?key=${secrets.IDENTITY_API_KEY}`;
      return (await api("POST", path, { body })).json as Record<string, string>;
    };
    const byPhone = async (phoneNumber: string, idToken?: string) => {
      const { sessionInfo } = await accounts("sendVerificationCode", { phoneNumber });
      return accounts("signInWithPhoneNumber", { sessionInfo, code: await textedCode(phoneNumber), idToken });
    };
    const stranger = await accounts("signUp", { email, password, returnSecureToken: true });
    await byPhone("+819011223344", stranger.idToken);
    await accounts("sendOobCode", { requestType: "VERIFY_EMAIL", idToken: stranger.idToken });

    const owner = await browser();
    const link = `/signup/action?mode=verifyEmail&oobCode=${await codeTo(email)}`;
    expect((await owner.get(link)).text).toContain("別のブラウザーで開いています");
    expect((await owner.post(link)).location).toBe("/login/reset?sent=proven");
    expect((await owner.get("/login/reset?sent=proven")).text).toContain(
      "それまでの設定（パスワードやほかのサービスとの連携）は解除",
    );
    const reset = await waitUntil(async () => {
      const found = (await mailsTo(email)).find(({ text }) => text.includes("mode=resetPassword&"));
      if (!found) throw new Error("no mail yet");
      return linkIn(found);
    });
    const own_password = "a password of her own";
    expect((await owner.post(reset, { password: own_password })).location).toBe("/login");
    const registration = await owner.signIn({ email, password: own_password, token: "" });
    expect(registration.location).toMatch(/^\/signup\/registration/);
    const registered = await owner.post("/signup/registration", { default_name: "本人", birth_year: "1990", to: "/" });
    expect(registered.status).toBe(303);

    const again = await (await browser()).signIn({ email, password, token: "" });
    expect(again.status).toBe(401);
    const elsewhere = await byPhone("+819011223344");
    for (const token of [stranger.idToken, elsewhere.idToken]) {
      const profile = await api("GET", "/v4/profile", { token });
      expect((profile.json as { code?: string }).code).toMatch(
        /^(registration_required|token_invalid|unauthenticated)$/,
      );
      const write = await api("PUT", "/v4/profile", { token, body: { email_confirmed: true } });
      expect(write.status).toBeGreaterThanOrEqual(400);
    }
    const lookedUp = (await accounts("lookup", { idToken: elsewhere.idToken })) as unknown as { users: object[] };
    expect(lookedUp.users[0]).not.toHaveProperty("email");
  });
});

test("the sign-up forms name the terms and link to them, and the second one says who may register", async () => {
  const unnamed = await browser();
  await unnamed.signIn(await freshAccount());
  for (const [who, path, beside] of [
    [await browser(), "/signup", ""],
    [unnamed, "/signup/registration", "/signup"],
  ] as const) {
    const [form = ""] = /<form[^>]*class="card form".*?<\/form>/s.exec((await who.get(path)).text) ?? [];
    expect(form.includes("登録できるのは、今年13歳以上になる方です")).toBe(beside !== "");
    for (const [text, name] of [
      ["terms", "利用規約"],
      ["privacy", "プライバシーポリシー"],
    ]) {
      const [, href = "no link"] =
        new RegExp(`<a href="(${beside}/${text}(?:\\?[^"]*)?)"[^>]*>${name}</a>`).exec(form) ?? [];
      const page = await who.get(href);
      expect(page).toMatchObject({ status: 200, text: expect.stringContaining(`${name}</h1>`) });
      // A person who may see no other page yet is led back to the form.
      expect(page.text.includes("前のページへ戻る</a>"), href).toBe(beside !== "");
    }
  }
});

test("a proven address gets no offer of another mail", async () => {
  const fan = await browser();
  await fan.signIn("fan_hana");
  const { text } = await fan.get("/signup/register_email");
  expect(text).toContain("確認済みです");
  expect(text).not.toContain("確認メールを送る");
});

test("another person's link, opened in a member's browser, does not mark the member's own address as proven", async () => {
  const fan = await freshMember("届かない人");
  await (await database()).prepare("UPDATE users SET email_invalid = 1 WHERE user_id = ?").bind(fan.user.user_id).run();
  const other = address();
  await (await browser()).post("/signup", { email: other, password });
  const confirm = async (email: string) => {
    const oob_code = await codeTo(email);
    return member.post(`/signup/action?mode=verifyEmail&oobCode=${oob_code}`, { oob_code });
  };
  const member = await signedIn(fan);
  expect((await confirm(other)).location).toBe("/");
  expect((await member.get("/natsume")).location).toMatch(/^\/signup\/register_email/);

  await member.post("/signup/register_email?to=/natsume");
  expect((await confirm(fan.email)).location).toBe("/");
  expect((await member.get("/natsume")).status).toBe(200);
});

describe("signing in", () => {
  test("is refused while the address is unproven, and sends a new mail", async () => {
    const email = address();
    await (await browser()).post("/signup", { email, password });
    const visitor = await browser();
    const page = await visitor.signIn({ email, password, token: "" });
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining("確認メールをもう一度お送りしました") });
    expect([...visitor.cookies.keys()]).toEqual([]);
  });

  test.each([null, " "])("redirects an account whose address is %j to its registration", async (email) => {
    const fan = await freshMember("無住所");
    const row = (await database()).prepare("UPDATE users SET email = ? WHERE user_id = ?");
    // Signing in takes over an address that was proven meanwhile, so this account is lost afterwards.
    const member = await signedIn(fan);
    await row.bind(email, fan.user.user_id).run();
    expect((await member.get("/natsume")).location).toBe("/signup/registration");
  });
});

describe("when the identity provider", () => {
  let provider: Server;
  let refusing: Network;
  let answer: (response: ServerResponse) => void;
  beforeAll(async () => {
    vi.spyOn(console, "error").mockReturnValue();
    provider = createServer((_, response) => answer(response));
    await new Promise<void>((done) => provider.listen(0, "127.0.0.1", done));
    const { port } = provider.address() as AddressInfo;
    refusing = await startTestNetwork({ IDENTITY_TOOLKIT_URL: `http://127.0.0.1:${port}` });
  });
  afterAll(async () => {
    await refusing.stop();
    provider.close();
    vi.restoreAllMocks();
  });

  test("refuses a sign-in, every reason shows the same page", async () => {
    const pages = new Set<string>();
    for (const message of ["INVALID_LOGIN_CREDENTIALS", "EMAIL_NOT_FOUND", "INVALID_PASSWORD", "USER_DISABLED"]) {
      answer = (response) => response.writeHead(400).end(JSON.stringify({ error: { message } }));
      const page = await new Browser(refusing.url).post("/login", {
        email: "a@example.jp",
        password: "wrong password",
      });
      expect(page.status).toBe(401);
      pages.add(page.text);
    }
    expect(pages.size).toBe(1);
  });

  const email = "hana@example.jp";
  const ways: [path: string, fields: Record<string, string>][] = [
    ["/login", { email, password }],
    ["/signup", { email, password }],
    ["/login/link", { email }],
    ["/login/reset", { email }],
    ["/login/phone", { phone_number: "090-1234-5678" }],
    ["/login/with/google", {}],
  ];
  describe.each<[string, (response: ServerResponse) => void]>([
    ["is down", (response) => response.destroy()],
    ["answers 503 in HTML", (response) => response.writeHead(503).end("<!doctype html>")],
    ["answers JSON of another kind", (response) => response.writeHead(200).end("null")],
  ])("%s", (_, how) => {
    test.each(ways)("%s says so, and keeps the typed words except a password", async (path, fields) => {
      answer = how;
      const page = await new Browser(refusing.url).post(path, fields);
      expect(page.status).toBe(503);
      expect(page.text).toMatch(/role="alert".*ただいま.*時間をおいて/s);
      const { password: secret, ...typed } = fields;
      for (const words of Object.values(typed)) expect(page.text).toContain(`value="${words}"`);
      expect(page.text).not.toMatch(INSIDES);
      if (secret) expect(page.text).not.toContain(secret);
    });

    test("a member stays signed in, and sees an error only on pages that need the provider", async () => {
      answer = how;
      const token = await demoToken("fan_hana", refusing);
      const member = new Browser(refusing.url);
      const session = sessionOf(decodeJwt<IdentityClaims>(token), token);
      member.cookies.set(SESSION_COOKIE, await new SessionKeys(refusing.secrets.SESSION_KEYS).seal(session));
      expect((await member.get("/my/box")).status).toBe(200);
      expect((await member.get("/my/settings/email")).status).toBe(503);
      expect((await member.get("/login/confirm?to=/my/box")).status).toBe(200);
      expect(member.cookies.has(SESSION_COOKIE)).toBe(true);
    });
  });
});

async function signedIn(who: Parameters<Browser["signIn"]>[0]): Promise<Browser> {
  const someone = await browser();
  await someone.signIn(who);
  return someone;
}
