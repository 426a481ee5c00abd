import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { demoEmail } from "../../scripts/demo/seed.ts";
import {
  Browser,
  browser,
  database,
  freshAccount,
  freshMember,
  network,
  startTestNetwork,
} from "../support/network.ts";
import { mailedCode } from "./support/identity.ts";
import { linkIn, mailsTo } from "./support/outbox.ts";

const password = "correct horse battery";
const address = () => `${crypto.randomUUID()}@example.com`;

/** The code of the newest mail; it is sent behind the answer, so that its time tells nothing. */
const codeTo = (email: string) =>
  vi.waitFor(async () => {
    const code = await mailedCode(email);
    if (!code) throw new Error(`no mail to ${email}`);
    return code;
  });

describe("signing up", () => {
  test("does not tell by its cookies which addresses have an account", async () => {
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
    "with an address that has an account mails its owner a way in, whoever asked, and opens nothing",
    async (typed) => {
      const member = await freshMember("また登録する人");
      const visitor = await browser();
      const page = await visitor.post("/signup", { email: member.email, password: typed, to: "/natsume" });
      expect([page.status, page.location]).toEqual([303, "/signup/sent"]);
      const mail = await vi.waitFor(async () => {
        const found = (await mailsTo(member.email)).find(({ text }) => text.includes("mode=signIn&"));
        if (!found) throw new Error("no mail yet");
        return found;
      });
      expect(await visitor.post(linkIn(mail), { email: member.email })).toMatchObject({
        status: 303,
        location: "/natsume",
      });
      const identity = await (await network()).miniflare.getD1Database("DB", "ofuse-identity");
      const open = identity.prepare(
        `SELECT COUNT(*) AS count FROM sign_ins JOIN accounts USING (local_id)
          WHERE email = ? AND revoked_at IS NULL AND sign_in_provider = 'password'`,
      );
      // The one of whoever made the account.
      await vi.waitFor(async () => expect(await open.bind(member.email).first("count")).toBe(1));
    },
  );

  test("again with the same password, before the first mail was answered, mails another", async () => {
    const email = address();
    const visitor = await browser();
    await visitor.post("/signup", { email, password });
    const first = await codeTo(email);
    await visitor.post("/signup", { email, password });
    await vi.waitFor(async () => expect(await mailedCode(email)).not.toBe(first));
    const oob_code = await codeTo(email);
    const page = await visitor.post(`/signup/action?mode=verifyEmail&oobCode=${oob_code}`, { oob_code });
    expect(page.location).toMatch(/^\/signup\/registration/);
  });

  test("by somebody else's link signs nobody in whose own address is not proven", async () => {
    const [mine, theirs] = [await browser(), await browser()];
    const other = address();
    await mine.post("/signup", { email: address(), password });
    await theirs.post("/signup", { email: other, password });
    const oob_code = await codeTo(other);
    const page = await mine.post(`/signup/action?mode=verifyEmail&oobCode=${oob_code}`, { oob_code });
    expect(page.location).toBe("/login");
    expect([...mine.cookies.keys()]).toEqual(["flash"]);
  });
});

test("tells what is agreed to where one agrees to it, with the texts at hand", async () => {
  const unnamed = await browser();
  await unnamed.signIn(await freshAccount());
  for (const { text } of [await (await browser()).get("/signup"), await unnamed.get("/signup/registration")]) {
    const [form = ""] = /<form[^>]*class="card form".*?<\/form>/s.exec(text) ?? [];
    expect(form).toMatch(/<a href="\/terms"[^>]*>利用規約<\/a>と<a href="\/privacy"[^>]*>プライバシーポリシー<\/a>/);
    expect(form).toContain("13歳未満の方は登録できません");
  }
});

test("no mail is offered for an address that is proven", async () => {
  const fan = await browser();
  await fan.signIn("fan_hana");
  const { text } = await fan.get("/signup/register_email");
  expect(text).toContain("確認済みです");
  expect(text).not.toContain("確認メールを送る");
});

test("somebody else's mail, confirmed on a member's browser, says nothing of the member's own address", async () => {
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
  test("is refused, with a new mail, while the address is not proven", async () => {
    const email = address();
    await (await browser()).post("/signup", { email, password });
    const visitor = await browser();
    const page = await visitor.signIn({ email, password, token: "" });
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining("確認メールをもう一度お送りしました") });
    expect([...visitor.cookies.keys()]).toEqual([]);
  });

  test("is refused in one sentence whatever the provider's reason", async () => {
    let code = "";
    const provider = createServer((_, response) =>
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error: { message: code } })),
    );
    await new Promise<void>((done) => provider.listen(0, "127.0.0.1", done));
    const { port } = provider.address() as AddressInfo;
    const { url, stop } = await startTestNetwork({ IDENTITY_TOOLKIT_URL: `http://127.0.0.1:${port}` });
    try {
      const pages = new Set<string>();
      for (code of ["INVALID_LOGIN_CREDENTIALS", "EMAIL_NOT_FOUND", "INVALID_PASSWORD", "USER_DISABLED"]) {
        const page = await new Browser(url).post("/login", { email: "a@example.jp", password: "wrong password" });
        expect(page.status).toBe(401);
        pages.add(page.text);
      }
      expect(pages.size).toBe(1);
    } finally {
      await stop();
      provider.close();
    }
  });

  test.each([null, " "])("leads somebody whose address is %j to their registration", async (email) => {
    const fan = await freshMember("無住所");
    const row = (await database()).prepare("UPDATE users SET email = ? WHERE user_id = ?");
    // Signing in takes over an address that was proven meanwhile: this one is lost afterwards.
    const member = await signedIn(fan);
    await row.bind(email, fan.user.user_id).run();
    expect((await member.get("/natsume")).location).toBe("/signup/registration");
  });
});

async function signedIn(who: Parameters<Browser["signIn"]>[0]): Promise<Browser> {
  const someone = await browser();
  await someone.signIn(who);
  return someone;
}
