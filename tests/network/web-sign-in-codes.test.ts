import { beforeAll, describe, expect, test } from "vitest";
import { type Browser, browser, database, freshMember, type Member, network } from "../support/network.ts";
import { tampered } from "../support/tampered.ts";
import { codeOf, enrolApp } from "../support/totp.ts";
import { waitUntil } from "../support/wait.ts";
import { codeIn, linkIn, mailsTo } from "./support/outbox.ts";

const SESSION = "soziIdAuth";

let numbers = 0;
/** Returns an unused number, as typed and in E.164. */
function freshNumber() {
  numbers += 1;
  const tail = `${Date.now() % 1000}`.padStart(3, "0") + `${numbers}`.padStart(2, "0");
  return { typed: `090-55${tail.slice(0, 2)}-0${tail.slice(2)}`, e164: `+819055${tail.slice(0, 2)}0${tail.slice(2)}` };
}

/** Returns a wrong code. */
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

  test("redirects a new person to the registration, and back to the requested page", async () => {
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

  test("makes a new person a member, after asking first for a name and then for an address", async () => {
    const { typed, e164 } = freshNumber();
    const { visitor, code } = await asked(typed, e164);
    await visitor.post("/login/phone/code", { code });
    const form = await visitor.get("/signup/registration?to=%2Fnatsume");
    const first = `/signup/register_email?${new URLSearchParams({ to: "/signup/registration?to=%2Fnatsume" })}`;
    expect(form.text).toContain(`href="${first}"`);
    // The terms can be read before agreeing, and so can a demo's mail.
    expect((await visitor.get("/dev/outbox")).status).toBe(200);
    for (const name of ["terms", "privacy"]) {
      const [path = ""] = new RegExp(`/signup/${name}\\?to=[^"]*`).exec(form.text) ?? [];
      expect((await visitor.get(path)).text).toMatch(/<a href="\/signup\/registration\?to=%2Fnatsume"[^>]*>前の/);
      expect((await visitor.get(`/signup/${name}?to=https://evil.example`)).text).toContain(
        'href="/signup/registration"',
      );
      expect((await visitor.get(`/signup/${name}`)).status).toBe(200);
    }
    const named = await visitor.post("/signup/registration", {
      default_name: "電話の人",
      birth_year: "1998",
      to: "/natsume",
    });
    expect(named.location).toBe("/signup/register_email?to=%2Fnatsume");
    // Every page redirects to the one missing step.
    expect((await visitor.get("/my/box")).location).toBe("/signup/registration");
    expect((await visitor.get("/signup/registration")).location).toBe("/signup/register_email?to=%2F");
    const page = await visitor.get(named.location ?? "");
    expect(page.text).not.toContain("もとのページへ戻る");
    const new_email = `${crypto.randomUUID()}@example.com`;
    await visitor.post(named.location ?? "", { operation: "change", new_email });
    const [mail] = await mailsTo(new_email);
    expect((await visitor.post(mail ? linkIn(mail) : "")).location).toBe("/natsume");
    const there = await visitor.get("/natsume");
    expect([there.status, there.text]).toEqual([200, expect.stringContaining("電話の人")]);
  });

  test("leaves no account behind if the new person gives up the registration", async () => {
    const { typed, e164 } = freshNumber();
    const { visitor, code } = await asked(typed, e164);
    await visitor.post("/login/phone/code", { code });
    const born = String(new Date().getFullYear() - 9);
    const child = await visitor.post("/signup/registration", { default_name: "こども", birth_year: born });
    expect([child.status, child.text]).toEqual([403, expect.stringContaining("アカウントを削除する")]);
    expect((await visitor.post("/signup/registration", { operation: "give_up" })).location).toBe("/goodbye");
    expect(visitor.cookies.has(SESSION)).toBe(false);
    const accounts = await database("identity");
    const left = await accounts.prepare("SELECT 1 FROM accounts WHERE phone_number = ?").bind(e164).first();
    expect(left).toBeNull();
  });

  test("does not work in another browser, and is replaced by a newer code", async () => {
    const { typed, e164 } = freshNumber();
    const { visitor, code } = await asked(typed, e164);
    const stranger = await browser();
    expect((await stranger.post("/login/phone/code", { code })).location).toBe("/login/phone");
    const again = await visitor.post("/login/phone/code", { operation: "send" });
    expect(again).toMatchObject({ status: 200, text: expect.stringContaining("新しい") });
    const newest = codeIn((await mailsTo(e164))[0] ?? { text: "", channel: "sms", recipient: "" });
    expect((await visitor.post("/login/phone/code", { code: newest })).status).toBe(303);
  });

  test("can be sent to another number for the same purpose", async () => {
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

  test("keeps its purpose when a member mistypes the number to link", async () => {
    const member = await browser();
    await member.signIn(await freshMember("打ちまちがえた人"));
    const own = `/login/phone?${new URLSearchParams({ to: "/my/settings/providers", purpose: "link" })}`;
    const [, action = own] =
      /<form method="post"(?: action="([^"]*)")? id="phone"/.exec((await member.get(own)).text) ?? [];
    const page = await member.post(action, { to: "/my/settings/providers", purpose: "link", phone_number: "123" });
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining("SMSを受け取れる電話番号を") });
    expect(page.text).toMatch(/name="purpose" value="link"/);
    const { text } = await member.get("/login/confirm?to=/my/settings");
    expect(text).toContain('action="/login/link?to=%2Fmy%2Fsettings&amp;purpose=confirm"');
  });

  test("for confirming the identity goes to the account's own number, without asking for one", async () => {
    const [own, other] = [freshNumber(), freshNumber()];
    const member = await browser();
    await member.signIn(await freshMember("番号で確かめる人"));
    const newest = async () => codeIn((await mailsTo(own.e164))[0] ?? { text: "", channel: "sms", recipient: "" });
    await member.post("/login/phone", { purpose: "link", to: "/my/settings/providers", phone_number: own.typed });
    expect((await member.post("/login/phone/code", { code: await newest() })).location).toBe("/my/settings/providers");

    const aim = { to: "/my/settings/password", purpose: "confirm" };
    const path = `/login/phone?${new URLSearchParams(aim)}`;
    expect((await member.get(path)).text).not.toContain('name="phone_number"');
    const before = member.cookies.get(SESSION);
    expect((await member.post(path, { ...aim, phone_number: other.typed })).location).toBe("/login/phone/code");
    expect(await mailsTo(other.e164)).toEqual([]);
    expect((await member.post("/login/phone/code", { code: await newest() })).location).toBe(aim.to);
    expect(member.cookies.get(SESSION)).not.toBe(before);
    expect((await (await browser()).get(path)).location).toBe("/login?to=%2Fmy%2Fsettings%2Fpassword");
  });

  test("requested by one member neither links nor creates an account for the next user of that browser", async () => {
    const { typed, e164 } = freshNumber();
    const [asking, other] = [await freshMember("番号を足す人"), await freshMember("あとから使う人")];
    const shared = await browser();
    for (const next of [other, null]) {
      await shared.signIn(asking);
      const aim = { purpose: "link", to: "/my/settings/providers" };
      expect((await shared.post("/login/phone", { phone_number: typed, ...aim })).status).toBe(303);
      const [message] = await mailsTo(e164);
      await shared.post("/logout");
      if (next) await shared.signIn(next);
      const code = codeIn(message ?? { text: "", channel: "sms", recipient: "" });
      const page = await shared.post("/login/phone/code", { code });
      expect(page).toMatchObject({ status: 403, text: expect.stringContaining("ログインの状態が変わった") });
      await shared.post("/logout");
    }
    const accounts = await database("identity");
    const found = accounts.prepare("SELECT COUNT(*) AS count FROM accounts WHERE phone_number = ?").bind(e164);
    expect(await found.first("count")).toBe(0);
  });

  test.each(["090-1234-567", "03-1234-5678", "110", "abc", "", "+0123456789"])(
    "is not sent to %j, which stays in its field",
    async (phone_number) => {
      const page = await (await browser()).post("/login/phone", { phone_number });
      expect(page).toMatchObject({ status: 422, text: expect.stringMatching(/電話番号を入力してください/) });
      if (phone_number) expect(page.text).toContain(`value="${phone_number}"`);
    },
  );
});

test("the button that gives up a registration does not delete a member", async () => {
  const member = await freshMember("会員のままの人");
  const own = await browser();
  await own.signIn(member);
  expect((await own.post("/signup/registration", { operation: "give_up" })).status).toBe(400);
  expect((await own.get("/my/box")).status).toBe(200);
});

describe("a second factor", () => {
  let member: Member;
  let secret: string;
  beforeAll(async () => {
    member = await freshMember("二段階の人");
    secret = await enrolApp(await network(), member.token);
  });

  test("is asked for before there is a session, for any requested page", async () => {
    const visitor = await browser();
    expect((await visitor.signIn(member, "/natsume")).location).toBe("/login/factor");
    expect([...visitor.cookies.keys()]).toEqual(["soziIdFactor"]);
    expect((await visitor.get("/my/box")).location).toMatch(/^\/login\?to=/);
    const refused = await visitor.post("/login/factor", { code: wrong(codeOf(secret, 1)) });
    expect(refused).toMatchObject({ status: 422, text: expect.stringContaining("コードが正しくありません") });
    expect((await visitor.post("/login/factor", { code: "12345" })).text).toContain("6桁の数字");
    const page = await visitor.post("/login/factor", { code: codeOf(secret, 1) });
    expect([page.status, page.location]).toEqual([303, "/natsume"]);
    expect([...visitor.cookies.keys()].sort()).toEqual([SESSION, "soziIdRefresh"]);
  });

  test("may be given as a recovery code, and only in the browser that began the sign-in", async () => {
    const visitor = await browser();
    await visitor.signIn(member);
    const page = await visitor.post("/login/factor?way=recovery", { code: "no-such-code" });
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining("リカバリーコードが正しくない") });
    const stranger = await browser();
    expect((await stranger.get("/login/factor")).location).toBe("/login");
    expect((await stranger.post("/login/factor", { code: codeOf(secret, 1) })).location).toBe("/login");
  });

  test("ends the sign-in after five wrong codes, and says why", async () => {
    const visitor = await browser();
    await visitor.signIn(member);
    let page = await visitor.get("/login/factor");
    for (let tried = 0; tried < 6; tried++) {
      page = await visitor.post("/login/factor?way=recovery", { code: `no-such-code-${tried}` });
    }
    expect(page).toMatchObject({ status: 410, text: expect.stringContaining("まちがったコードが続いた") });
    expect(page.text).toContain("はじめからやり直す");
  });

  test("is not asked for with a modified cookie", async () => {
    const visitor = await browser();
    await visitor.signIn(member);
    visitor.cookies.set("soziIdFactor", tampered(visitor.cookies.get("soziIdFactor") ?? "", -6));
    expect((await visitor.get("/login/factor")).location).toBe("/login");
  });
});

describe("confirming the identity", () => {
  test("accepts the password of the signed-in account alone", async () => {
    const member = await freshMember("確認する人");
    const signed_in = await browser();
    await signed_in.signIn(member);
    const { text } = await signed_in.get("/login/confirm?to=/my/settings");
    expect(text).toContain(member.email);
    const before = signed_in.cookies.get(SESSION);
    const refused = await signed_in.post("/login/confirm", { password: "wrong password", to: "/my/settings" });
    expect(refused).toMatchObject({
      status: 401,
      text: expect.stringMatching(/class="field-error"[^>]*>パスワードが正しくありません/),
    });
    expect(signed_in.cookies.get(SESSION)).toBe(before);
    const { location } = await signed_in.post("/login/confirm", { password: member.password, to: "/my/settings" });
    expect(location).toBe("/my/settings");
    expect(signed_in.cookies.get(SESSION)).not.toBe(before);
  });

  test("replaces the old sign-in with the new one, and the browser's other pages continue", async () => {
    const member = await freshMember("一台の人");
    const [own, another] = [await browser(), await browser()];
    await own.signIn(member);
    await another.signIn(member);
    const before = own.cookies.get(SESSION) ?? "";
    const devices = async () => (await own.get("/my/settings/sessions")).text.match(/<li class="card row">/g)?.length;
    const known = await devices();
    await own.post("/login/confirm", { password: member.password, to: "/my/settings" });
    // A page requested before the answer arrived still has the old cookies, and must not undo the sign-in.
    const late = await browser();
    late.cookies.set(SESSION, before);
    expect((await late.get("/my/settings/email")).status).toBe(200);
    expect(await devices()).toBe(known);
    await waitUntil(async () => expect((await late.get("/my/settings/email")).status).toBe(302));
    for (const someone of [own, another]) expect((await someone.get("/my/settings/email")).status).toBe(200);
    expect([...own.cookies.keys()].sort()).toEqual([SESSION, "soziIdRefresh"]);
  });
});
