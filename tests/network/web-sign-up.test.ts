import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { demoEmail } from "../../scripts/demo/seed.ts";
import { api, Browser, browser, database, freshAccount, freshMember, startTestNetwork } from "../support/network.ts";

const password = "correct horse battery";
const address = () => `${crypto.randomUUID()}@example.com`;

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

  test("by somebody else's link signs nobody in whose own address is not proven", async () => {
    const [mine, theirs] = [await browser(), await browser()];
    const other = address();
    await mine.post("/signup", { email: address(), password });
    await theirs.post("/signup", { email: other, password });
    const { oobCodes } = (await api("GET", "/emulator/v1/projects/demo-ofuse/oobCodes")).json as {
      oobCodes: { email: string; oobCode: string }[];
    };
    const oob_code = oobCodes.findLast((each) => each.email === other)?.oobCode ?? "";
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

test.each(["/terms", "/privacy", "/help", "/dev/outbox", "/login/confirm?to=/signup/register_email"])(
  "who is not registered yet can open %s, where completing the account leads",
  async (path) => {
    const unnamed = await signedIn(await freshAccount());
    expect([(await unnamed.get(path)).status, (await unnamed.get("/natsume")).location]).toEqual([
      200,
      "/signup/registration",
    ]);
  },
);

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
    const { json } = await api("GET", "/emulator/v1/projects/demo-ofuse/oobCodes");
    const { oobCodes } = json as { oobCodes: { email: string; oobCode: string }[] };
    const oob_code = oobCodes.findLast((each) => each.email === email)?.oobCode ?? "";
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
