import { beforeAll, describe, expect, test } from "vitest";
import { type Browser, browser, freshMember, type Member, network } from "../support/network.ts";
import { codeOf, enrolApp } from "../support/totp.ts";
import { codeIn, mailsTo } from "./support/outbox.ts";

const SESSION = "soziIdAuth";

let numbers = 0;
/** A number nobody else in these tests has, as people type it and in E.164. */
function freshNumber() {
  numbers += 1;
  const tail = `${Date.now() % 1000}`.padStart(3, "0") + `${numbers}`.padStart(2, "0");
  return { typed: `090-55${tail.slice(0, 2)}-0${tail.slice(2)}`, e164: `+819055${tail.slice(0, 2)}0${tail.slice(2)}` };
}

/** What anybody who is not asked for would guess; never the code itself. */
const wrong = (code: string) => (code === "000000" ? "000001" : "000000");

describe("a code to a telephone", () => {
  async function asked(typed: string, e164: string, to = "/natsume"): Promise<{ visitor: Browser; code: string }> {
    const visitor = await browser();
    const { status, location } = await visitor.post("/login/phone", { phone_number: typed, to });
    expect([status, location]).toEqual([303, "/login/phone/code"]);
    const [message] = await mailsTo(e164);
    expect(message?.channel).toBe("sms");
    return { visitor, code: message ? codeIn(message) : "" };
  }

  test("leads who is new to their registration, and back to where they were", async () => {
    const { typed, e164 } = freshNumber();
    const { visitor, code } = await asked(typed, e164);
    expect((await visitor.get("/login/phone/code")).text).toContain(typed);
    const refused = await visitor.post("/login/phone/code", { code: wrong(code) });
    expect(refused).toMatchObject({
      status: 422,
      text: expect.stringMatching(/class="field-error"[^>]*>コードが正しくありません/),
    });
    expect(visitor.cookies.has(SESSION)).toBe(false);
    const { location } = await visitor.post("/login/phone/code", { code: ` ${code.slice(0, 3)} ${code.slice(3)} ` });
    expect(location).toBe("/signup/registration?to=%2Fnatsume");
    expect([...visitor.cookies.keys()].sort()).toEqual([SESSION, "soziIdRefresh"]);
  });

  test("is of no use in another browser, and a new one replaces it", async () => {
    const { typed, e164 } = freshNumber();
    const { visitor, code } = await asked(typed, e164);
    const stranger = await browser();
    expect((await stranger.post("/login/phone/code", { code })).location).toBe("/login/phone");
    const again = await visitor.post("/login/phone/code", { operation: "send" });
    expect(again).toMatchObject({ status: 200, text: expect.stringContaining("新しい") });
    const newest = codeIn((await mailsTo(e164))[0] ?? { text: "", channel: "sms", recipient: "", subject: "" });
    expect((await visitor.post("/login/phone/code", { code: newest })).status).toBe(303);
  });

  test("may go to another number, for what the first was given for", async () => {
    const member = await browser();
    await member.signIn(await freshMember("番号をまちがえた人"));
    const to = "/my/settings/providers";
    const aim = { to, purpose: "link" };
    await member.post("/login/phone", { ...aim, phone_number: freshNumber().typed });
    const [, path = ""] =
      /<a [^>]*href="([^"]+)"[^>]*>電話番号を変更する/.exec((await member.get("/login/phone/code")).text) ?? [];
    const page = await member.get(path.replaceAll("&amp;", "&"));
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("電話番号の登録") });
    expect(page.text).toMatch(/name="purpose" value="link"/);
  });

  test.each(["090-1234-567", "03-1234-5678", "110", "abc", "", "+0123456789"])(
    "goes to no %j, which stays in its field",
    async (phone_number) => {
      const page = await (await browser()).post("/login/phone", { phone_number });
      expect(page).toMatchObject({ status: 422, text: expect.stringMatching(/電話番号を入力してください/) });
      if (phone_number) expect(page.text).toContain(`value="${phone_number}"`);
    },
  );
});

describe("a second factor", () => {
  let member: Member;
  let secret: string;
  beforeAll(async () => {
    member = await freshMember("二段階の人");
    secret = await enrolApp(await network(), member.token);
  });

  test("is asked for before there is a session, by whichever address it is wanted", async () => {
    const visitor = await browser();
    expect((await visitor.signIn(member, "/natsume")).location).toBe("/login/factor");
    expect([...visitor.cookies.keys()]).toEqual(["soziIdFactor"]);
    expect((await visitor.get("/my/box")).location).toMatch(/^\/login\?to=/);
    const refused = await visitor.post("/login/factor", { code: wrong(codeOf(secret)) });
    expect(refused).toMatchObject({ status: 422, text: expect.stringContaining("コードが正しくありません") });
    expect((await visitor.post("/login/factor", { code: "12345" })).text).toContain("6桁の数字");
    const page = await visitor.post("/login/factor", { code: codeOf(secret) });
    expect([page.status, page.location]).toEqual([303, "/natsume"]);
    expect([...visitor.cookies.keys()].sort()).toEqual([SESSION, "soziIdRefresh"]);
  });

  test("may be given as a recovery code, once begun in this browser alone", async () => {
    const visitor = await browser();
    await visitor.signIn(member);
    const page = await visitor.post("/login/factor?way=recovery", { code: "no-such-code" });
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining("リカバリーコードが正しくない") });
    const stranger = await browser();
    expect((await stranger.get("/login/factor")).location).toBe("/login");
    expect((await stranger.post("/login/factor", { code: codeOf(secret) })).location).toBe("/login");
  });

  test("asked for in vain five times leads to the beginning, and says why", async () => {
    const visitor = await browser();
    await visitor.signIn(member);
    let page = await visitor.get("/login/factor");
    for (let tried = 0; tried < 6; tried++) {
      page = await visitor.post("/login/factor?way=recovery", { code: `no-such-code-${tried}` });
    }
    expect(page).toMatchObject({ status: 410, text: expect.stringContaining("まちがったコードが続いた") });
    expect(page.text).toContain("はじめからやり直す");
  });

  test("of a cookie that was changed is not asked for", async () => {
    const visitor = await browser();
    await visitor.signIn(member);
    visitor.cookies.set("soziIdFactor", `${visitor.cookies.get("soziIdFactor")?.slice(0, -6)}AAAAAA`);
    expect((await visitor.get("/login/factor")).location).toBe("/login");
  });
});

describe("proving again who one is", () => {
  test("takes the password of the account that is signed in", async () => {
    const member = await freshMember("確認する人");
    const signed_in = await browser();
    await signed_in.signIn(member);
    const { text } = await signed_in.get("/login/confirm?to=/my/settings");
    expect(text).toContain(member.email);
    const before = signed_in.cookies.get(SESSION);
    const refused = await signed_in.post("/login/confirm", { password: "wrong password", to: "/my/settings" });
    expect(refused).toMatchObject({ status: 401, text: expect.stringContaining("パスワードが正しくありません") });
    expect(signed_in.cookies.get(SESSION)).toBe(before);
    const { location } = await signed_in.post("/login/confirm", { password: member.password, to: "/my/settings" });
    expect(location).toBe("/my/settings");
    expect(signed_in.cookies.get(SESSION)).not.toBe(before);
  });
});
