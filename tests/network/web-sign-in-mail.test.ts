import { describe, expect, test } from "vitest";
import { updateNotificationSettings } from "../../workers/contract/notifications.ts";
import { getProfile } from "../../workers/contract/users.ts";
import { api, type Browser, browser, freshAccount, freshMember, network } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask } from "./support/calls.ts";
import { linkIn, mailsTo } from "./support/outbox.ts";

const SESSION = "soziIdAuth";
const address = () => `${crypto.randomUUID()}@example.com`;

/** Returns a page's text without what differs between browsers. */
const bodyOf = (text: string, email: string) => text.replaceAll(email, "").replaceAll(encodeURIComponent(email), "");

/**
 * Returns the link of the newest mail. Waits for it, because it may be sent after the answer so that timing reveals
 * nothing.
 */
const linkTo = (email: string, mode: string) =>
  waitUntil(async () => {
    const link = (await mailsTo(email)).map(linkIn).find((path) => path.includes(`mode=${mode}&`));
    if (!link) throw new Error(`no mail to ${email}`);
    return link;
  });

async function askedLink(email: string, to = "/natsume"): Promise<{ visitor: Browser; path: string }> {
  const visitor = await browser();
  expect((await visitor.post("/login/link", { email, to })).location).toBe("/login/link?sent");
  return { visitor, path: await linkTo(email, "signIn") };
}

describe("a link by mail", () => {
  test("signs in the requesting browser once, by a button and not by being opened", async () => {
    const { email } = await freshMember("リンクの人");
    const { visitor, path } = await askedLink(email);
    for (let n = 0; n < 3; n++) expect((await visitor.get(path)).text).toContain(email);
    expect(visitor.cookies.has(SESSION)).toBe(false);
    expect(await visitor.post(path)).toMatchObject({ status: 303, location: "/natsume" });
    expect(visitor.cookies.has(SESSION)).toBe(true);
    const again = await (await browser()).post(path, { email });
    expect(again).toMatchObject({ status: 410, text: expect.stringContaining("使用済みか、有効期限が切れています") });
    expect(again.text).toContain('href="/login/link"');
  });

  test("asks for the address on another device, and accepts no other", async () => {
    const { email } = await freshMember("別の端末の人");
    const { path } = await askedLink(email);
    const elsewhere = await browser();
    const page = await elsewhere.get(path);
    expect(page.text).not.toContain(email);
    expect(page.text).toContain("もう一度入力してください");
    expect(await elsewhere.post(path, { email: address() })).toMatchObject({
      status: 401,
      text: expect.stringMatching(/class="field-error"[^>]*>このリンクをお送りしたメールアドレスではありません/),
    });
    expect(elsewhere.cookies.has(SESSION)).toBe(false);
    // The page on which it was requested is kept.
    expect(await elsewhere.post(path, { email })).toMatchObject({ status: 303, location: "/natsume" });
  });

  test("creates an account if there is none", async () => {
    const { visitor, path } = await askedLink(address());
    expect((await visitor.post(path)).location).toBe("/signup/registration?to=%2Fnatsume");
  });
});

describe("a link by mail to confirm the identity", () => {
  const aim = { to: "/my/settings/password", purpose: "confirm" };
  const path = `/login/link?${new URLSearchParams(aim)}`;

  test("goes to the signed-in member's address, names it, and returns to the requested page", async () => {
    const { email, ...member } = await freshMember("リンクで確かめる人");
    const signed_in = await browser();
    await signed_in.signIn({ email, ...member });
    const before = signed_in.cookies.get(SESSION);
    const { location } = await signed_in.post(path, { ...aim, email: address() });
    const sent = await signed_in.get(location ?? "");
    expect(sent).toMatchObject({ status: 200, text: expect.stringContaining("メールを送りました") });
    expect(sent.text).toContain(`<b>${email}</b>`);
    expect(await signed_in.post(await linkTo(email, "signIn"))).toMatchObject({ status: 303, location: aim.to });
    expect(signed_in.cookies.get(SESSION)).not.toBe(before);
  });

  test("requires a sign-in", async () => {
    const visitor = await browser();
    const login = "/login?to=%2Fmy%2Fsettings%2Fpassword";
    expect((await visitor.get(path)).location).toBe(login);
    expect((await visitor.post(path, aim)).location).toBe(login);
  });
});

test("a member who chose English gets English mails, also from the browser of the last log-in", async () => {
  const member = await freshMember("英語の人");
  const { token, email } = member;
  const languagesTo = async (recipient: string) => (await mailsTo(recipient)).map(({ language }) => language);
  const asksFrom = async (person: Browser, recipient: string) => {
    await person.post("/login/link", { email: recipient, to: "/" });
    return (await languagesTo(recipient))[0];
  };
  await ask(updateNotificationSettings, { token, body: { page: [], mail: [], mail_language: "en" } });
  const person = await browser();
  await person.signIn(member);
  await person.post(`/login/link?${new URLSearchParams({ to: "/", purpose: "confirm" })}`, {
    purpose: "confirm",
    to: "/",
  });
  expect(await languagesTo(email), "as the product knows, before a cookie").toEqual(["en"]);
  await waitUntil(async () => {
    const { text } = await person.get("/dev/outbox");
    expect(text.split("<li").find((item) => item.includes(email))).toContain("[ofuse] Your link to log in");
  });

  await person.post("/logout");
  expect(person.cookies.has(SESSION)).toBe(false);
  expect(await asksFrom(person, address()), "from this browser").toBe("en");
  expect(await asksFrom(await browser(), address()), "from another browser").toBe("ja");

  await person.signIn(member);
  await person.post("/my/settings/notifications", { mail_language: "ja", idempotency_key: crypto.randomUUID() });
  await person.get("/my/box");
  expect(person.cookies.has("mailLanguage")).toBe(false);
  const stranger = await browser();
  stranger.cookies.set("mailLanguage", "fr");
  expect(await asksFrom(stranger, address()), "an unknown value").toBe("ja");
});

describe("requesting a mail does not reveal which addresses have an account", () => {
  test.each(["/login/link", "/login/reset"])("%s", async (path) => {
    const { email: known } = await freshAccount();
    const unknown = address();
    const seen = await Promise.all(
      [known, unknown].map(async (email) => {
        const visitor = await browser();
        const { status, location } = await visitor.post(path, { email });
        const { text } = await visitor.get(`${path}?sent`);
        const cookies = [...visitor.cookies].map(([name, value]) => [name, value.length]);
        return { status, location, cookies, body: bodyOf(text, email) };
      }),
    );
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]?.status).toBe(303);
  });
});

describe("a forgotten password", () => {
  test("is reset by a mailed link, once, and every sign-in ends", async () => {
    const member = await freshMember("忘れた人");
    const signed_in = await browser();
    await signed_in.signIn(member);
    const visitor = await browser();
    await visitor.post("/login/reset", { email: member.email });
    const link = await linkTo(member.email, "resetPassword");
    expect((await visitor.get(link)).text).toContain(member.email);
    const short = await visitor.post(link, { password: "short" });
    expect(short).toMatchObject({ status: 422, text: expect.stringContaining("8文字以上") });
    expect(short.text).not.toContain('value="short"');
    const password = "another horse battery";
    expect(await visitor.post(link, { password })).toMatchObject({ status: 303, location: "/login" });
    expect((await visitor.get("/login")).text).toContain("新しいパスワードを設定しました");
    expect((await visitor.post(link, { password })).status).toBe(410);
    expect((await visitor.get(link)).status).toBe(410);
    expect((await (await browser()).signIn(member)).status).toBe(401);
    expect((await (await browser()).signIn({ ...member, password })).status).toBe(303);
    await waitUntil(async () => expect((await signed_in.get("/my/box")).location).toMatch(/^\/login/));
  });

  test.each([
    ["/natsume/ofuse?x=1", "/login?to=%2Fnatsume%2Fofuse%3Fx%3D1"],
    ["https://evil.example/", "/login"],
    ["//evil.example", "/login"],
  ])("reset on the way to %s is followed by a sign-in that leads there, if it is a page of ours", async (to, led) => {
    const { email } = await freshAccount();
    const visitor = await browser();
    // Follow the links page by page; the mail may be opened on another device.
    const login = await visitor.get(`/login?${new URLSearchParams({ to })}`);
    const [, reset = ""] = /href="(\/login\/reset[^"]*)"/.exec(login.text) ?? [];
    const [, kept = ""] = /name="to" value="([^"]*)"/.exec((await visitor.get(reset)).text) ?? [];
    const { location } = await visitor.post("/login/reset", { email, to: kept });
    expect((await visitor.get(location ?? "")).text).toContain(`href="${led}"`);
    const link = await linkTo(email, "resetPassword");
    const done = await (await browser()).post(link, { password: "another horse battery" });
    expect(done).toMatchObject({ status: 303, location: led });
    expect((await visitor.get(link)).text).toContain(`href="${led.replace("/login", "/login/reset")}"`);
  });

  test("never leads to another site, whatever its mail's link contains", async () => {
    const { email } = await freshAccount();
    await (await browser()).post("/login/reset", { email, to: "/natsume" });
    const link = new URL(await linkTo(email, "resetPassword"), "https://ours.invalid");
    link.searchParams.set("continueUrl", "https://evil.example/natsume");
    const done = await (await browser()).post(link.pathname + link.search, { password: "another horse battery" });
    expect(done.location).toBe("/login");
  });

  test("keeps the typed words if they are not an address", async () => {
    const page = await (await browser()).post("/login/reset", { email: "なつめ" });
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining('value="なつめ"') });
  });
});

test("the account's owner changes the address, and the product gets it at the next sign-in", async () => {
  const member = await freshMember("引っ越した人");
  const email = address();
  const { secrets } = await network();
  const key = secrets.IDENTITY_API_KEY;
  const asked = await api("POST", `/identitytoolkit.googleapis.com/v1/accounts:sendOobCode?key=${key}`, {
    body: { requestType: "VERIFY_AND_CHANGE_EMAIL", idToken: member.token, newEmail: email },
  });
  expect(asked.status).toBe(200);
  const visitor = await browser();
  const path = await linkTo(email, "verifyAndChangeEmail");
  // A stranger may have asked for the mail.
  const [first, refused] = [await visitor.get(path), await visitor.post(path)];
  expect(refused.status).toBe(403);
  for (const { text } of [first, refused]) {
    expect(text).toContain(`href="/login?${new URLSearchParams({ to: path }).toString().replaceAll("&", "&amp;")}"`);
    expect(text).not.toContain("このメールアドレスを登録する");
  }
  const somebody = await browser();
  await somebody.signIn(await freshMember("よその人"));
  expect(await somebody.post(path)).toMatchObject({ status: 403, text: expect.stringContaining("ではありません") });
  expect((await visitor.signIn(member, path)).location).toBe(path);
  expect((await visitor.get(path)).text).toContain("このメールアドレスを登録する");
  expect((await visitor.post(path)).location).toBe("/login");
  const signed_in = await visitor.signIn({ ...member, email }, "/natsume");
  expect(signed_in.location).toBe("/natsume");
  const tokens = await api("POST", `/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${key}`, {
    body: { email, password: member.password, returnSecureToken: true },
  });
  const { user } = await ask(getProfile, { token: (tokens.json as { idToken: string }).idToken });
  expect(user.email).toBe(email);

  // A person who did not ask for the change undoes it, which removes the password, and sets another.
  const notice = await linkTo(member.email, "recoverEmail");
  expect(await visitor.post(notice)).toMatchObject({ status: 303, location: "/login/reset" });
  const owner = await browser();
  expect((await owner.signIn(member)).status).toBe(401);
  await owner.post("/login/reset", { email: member.email });
  const password = "another horse battery";
  expect((await owner.post(await linkTo(member.email, "resetPassword"), { password })).location).toBe("/login");
  expect((await owner.signIn({ ...member, password })).status).toBe(303);
});
