import type { Page } from "playwright/test";
import { demoEmail } from "../scripts/demo/seed.ts";
import { codeOf, enrolApp } from "../tests/support/totp.ts";
import { IN_CHROMIUM } from "./support/plain-page.ts";
import { expect, test } from "./support/test.ts";

test("a new member signs up with a provider that reveals no address, returns to her page, and deletes her account", async ({
  someone,
}) => {
  const fan = await someone();
  const { page } = fan;
  const main = page.getByRole("main");
  const email = "haruka@mail.example";

  await test.step("the registration already has her name", async () => {
    await page.goto("/login?to=/hibiki");
    await page.getByRole("button", { name: "Xでログイン" }).click();
    await page.getByLabel("名前", { exact: true }).fill("はるか");
    await page.getByRole("button", { name: "この人としてログイン" }).click();
    await expect(page.getByRole("heading", { name: "アカウント登録" })).toBeVisible();
    await fan.isAlive();
    await expect(page.getByLabel("表示名")).toHaveValue("はるか");
    await page.getByLabel("生まれた年").fill("1998");
    await page.getByRole("button", { name: "登録する" }).click();
  });

  await test.step("the site asks for her address, and she confirms it by mail", async () => {
    await expect(page.getByRole("heading", { name: "メールアドレスの登録" })).toBeVisible();
    await fan.isAlive();
    await main.getByLabel("メールアドレス").fill(email);
    await main.getByRole("button", { name: "確認メールを送る" }).click();
    await expect(main.getByText("確認メールを送りました。")).toBeVisible();
    await openMail(page, email, "新しいメールアドレスの確認");
    await main.getByRole("button", { name: "このメールアドレスを登録する" }).click();
  });

  await test.step("she returns to her page, where JavaScript opens a greeting", async () => {
    await expect(page).toHaveURL("/hibiki");
    const welcome = page.getByRole("dialog", { name: "登録ありがとうございます" });
    await expect(welcome).toHaveCount(fan.has_script ? 1 : 0);
  });

  await test.step("she deletes her account, and no cookie stays on this browser", async () => {
    await fan.open("/my/settings/leave");
    await expect(main.getByRole("link", { name: "データをダウンロード" })).toBeVisible();
    await main.getByLabel(/退会する/).fill("退会する");
    await main.getByRole("button", { name: "退会する" }).click();
    await expect(page.getByRole("heading", { name: "退会の手続きが終わりました" })).toBeVisible();
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual([]);
  });
});

test("a callback that Apple posts from its own site continues the sign-in of this browser", {
  tag: IN_CHROMIUM,
}, async ({ someone }) => {
  const { page } = await someone();
  await page.goto("/login?to=/hibiki");
  await page.getByRole("button", { name: "Appleでサインイン" }).click();
  await page.getByRole("button", { name: /^開発 花子/ }).click();
  await expect(page.getByRole("heading", { name: "Appleでの確認が終わりました" })).toBeVisible();
  // The imitated provider is on our own site, so send the same form from another.
  const form = page.locator("form");
  const body = `<form method="post" action="${await form.getAttribute("action")}">${await form.innerHTML()}</form>`;
  await page.route("http://appleid.test/", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto("http://appleid.test/");
  await page.getByRole("button").click();
  await expect(page).toHaveURL(/\/signup\/registration\?to=%2Fhibiki$/);
});

test("a mailed link signs in the browser that requested it", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await page.goto("/login?to=/hibiki");
  await page.getByRole("main").getByRole("link", { name: "メールでログインリンクを受け取る" }).click();
  await page.getByLabel("メールアドレス").fill(demoEmail("fan_hana"));
  await page.getByRole("button", { name: "リンクを受け取る" }).click();
  await expect(page.getByText("にログイン用のリンクを送りました。")).toBeVisible();
  await openMail(page, demoEmail("fan_hana"), "ログイン用リンクのお知らせ");
  await page.getByRole("button", { name: "ログイン", exact: true }).click();
  await expect(page).toHaveURL("/hibiki");
  await expect(page.getByRole("contentinfo")).toBeVisible();
  await expect(page.getByRole("banner").getByRole("link", { name: "ログイン" })).toHaveCount(0);
});

test("a member who forgot the password sets a new one by mail, and returns to the page", async ({
  someone,
  network,
}) => {
  const { page } = await someone();
  const { email } = await signUpMember(network, "わすれ");
  await page.goto("/login?to=/hibiki");
  await page.getByRole("link", { name: "パスワードをお忘れの方" }).click();
  await page.getByLabel("メールアドレス").fill(email);
  await page.getByRole("button", { name: "再設定のメールを受け取る" }).click();
  await expect(page.getByRole("heading", { name: "メールを送りました" })).toBeVisible();
  await openMail(page, email, "パスワードの再設定のご案内");
  await page.getByLabel("新しいパスワード").fill("a new horse battery");
  await page.getByRole("button", { name: "パスワードを設定する" }).click();
  await expect(page.getByText("新しいパスワードを設定しました")).toBeVisible();
  await signIn(page, email, "a new horse battery");
  await expect(page).toHaveURL("/hibiki");
  await expect(page.getByRole("contentinfo")).toBeVisible();
  await expect(page.getByRole("banner").getByRole("link", { name: "ログイン" })).toHaveCount(0);
});

test("a member links a provider that verified the same address, and can sign in with both", async ({
  someone,
  network,
}) => {
  const { email, password } = await signUpMember(network, "ふたみち");
  const byGoogle = async (page: Page) => {
    await page.goto("/login?to=/hibiki");
    await page.getByRole("button", { name: "Googleでログイン" }).click();
    await page.getByLabel("名前", { exact: true }).fill("ふたみち");
    await page.getByLabel("メールアドレス（任意）").fill(email);
    await page.getByRole("button", { name: "この人としてログイン" }).click();
  };
  const { page } = await someone();
  await byGoogle(page);
  await expect(page.getByRole("heading", { name: "このメールアドレスは登録済みです" })).toBeVisible();
  await page.getByRole("link", { name: "いつもの方法でログイン" }).click();
  await signIn(page, email, password);
  await expect(page).toHaveURL("/hibiki");
  await expect(page.getByText("ログイン方法を連携しました")).toBeVisible();

  const { page: elsewhere } = await someone();
  await byGoogle(elsewhere);
  await expect(elsewhere).toHaveURL("/hibiki");
  await expect(elsewhere.getByRole("contentinfo")).toBeVisible();
  await expect(elsewhere.getByRole("banner").getByRole("link", { name: "ログイン" })).toHaveCount(0);
});

test("a member with a second factor is asked for its code", async ({ someone, network }) => {
  const fan = await someone();
  const { page } = fan;
  const { email, password, token } = await signUp(network);
  const secret = await enrolApp(network, token);
  await page.goto("/login?to=/hibiki");
  await signIn(page, email, password);
  await expect(page.getByRole("heading", { name: "二段階認証" })).toBeVisible();
  await giveCode(page, "000000");
  await expect(page.getByText("コードが正しくありません")).toBeVisible();
  await giveCode(page, codeOf(secret, 1));
  await expect(page.getByRole("heading", { name: "アカウント登録" })).toBeVisible();
});

/** Creates an account with a confirmed address through the provider's API. */
async function signUp({ url, secrets }: { url: string; secrets: { IDENTITY_API_KEY: string } }) {
  const callAccounts = async (method: string, body: object) => {
    const path = `/identitytoolkit.googleapis.com/v1/accounts:${method}?key=${secrets.IDENTITY_API_KEY}`;
    const headers = { "content-type": "application/json" };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as Record<string, string>;
  };
  const credentials = { email: `${crypto.randomUUID()}@mail.example`, password: "correct horse battery" };
  const { idToken } = await callAccounts("signUp", { ...credentials, returnSecureToken: true });
  await callAccounts("sendOobCode", { requestType: "VERIFY_EMAIL", idToken });
  const answer = await (await fetch(`${url}/emulator/v1/projects/demo-ofuse/oobCodes`)).json();
  const { oobCodes } = answer as { oobCodes: { email: string; oobCode: string }[] };
  await callAccounts("update", {
    idToken,
    oobCode: oobCodes.findLast(({ email }) => email === credentials.email)?.oobCode,
  });
  const signedIn = await callAccounts("signInWithPassword", { ...credentials, returnSecureToken: true });
  return { ...credentials, token: signedIn.idToken ?? "" };
}

/** Creates such an account and completes its registration. */
async function signUpMember(network: Parameters<typeof signUp>[0], default_name: string) {
  const account = await signUp(network);
  const headers = { "content-type": "application/json", authorization: `Bearer ${account.token}` };
  const body = JSON.stringify({ default_name });
  const response = await fetch(`${network.url}/v4/profile`, { method: "POST", headers, body });
  if (response.status !== 201) throw new Error(`POST /v4/profile answered ${response.status}`);
  return account;
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("メールアドレス").fill(email);
  await page.getByLabel("パスワード").fill(password);
  await page.getByRole("button", { name: "ログイン", exact: true }).click();
}

/** Opens the link of the newest mail on a subject. Waits for the mail: the provider sends it after its answer. */
async function openMail(page: Page, email: string, about: string): Promise<void> {
  const mail = page.getByRole("listitem").filter({ hasText: email }).filter({ hasText: about });
  await expect(async () => {
    await page.goto("/dev/outbox");
    await expect(mail).not.toHaveCount(0, { timeout: 1 });
  }).toPass();
  await mail.first().getByRole("link").first().click();
}

async function giveCode(page: Page, code: string): Promise<void> {
  await page.getByLabel("6桁のコード").fill(code);
  await page.getByRole("button", { name: "続ける" }).click();
}
