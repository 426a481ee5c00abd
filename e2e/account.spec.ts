import type { Page } from "playwright/test";
import { DEMO_PASSWORD, demoEmail } from "../scripts/demo/seed.ts";
import { codeOf } from "../tests/support/totp.ts";
import { IN_CHROMIUM } from "./support/plain-page.ts";
import { expect, test } from "./support/test.ts";

const WHO = "fan_taro";

/** Does the first half of a sign-in. The next page asks for the second half. */
async function givePassword(page: Page): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("メールアドレス").fill(demoEmail(WHO));
  await page.getByLabel("パスワード").fill(DEMO_PASSWORD);
  await page.getByRole("main").getByRole("button", { name: "ログイン", exact: true }).click();
}

test("a member sets up an authenticator app, signs in with its code, and signs another browser out", async ({
  someone,
}) => {
  const [member, other] = [await someone(), await someone()];
  const main = member.page.getByRole("main");
  let key = "";
  let recovery_code = "";

  await test.step("the settings show a key for the app", async () => {
    await givePassword(member.page);
    await member.page.waitForURL("/");
    await member.open("/my/settings/factors");
    await main.getByRole("link", { name: "認証アプリを使う" }).click();
    await main.getByRole("button", { name: "設定をはじめる" }).click();
    await expect(main.getByRole("img", { name: "認証アプリに登録するためのQRコード" })).toBeVisible();
    key = ((await main.locator(".secret-key").textContent()) ?? "").replaceAll(" ", "");
  });

  await test.step("a wrong code is refused beside its field", async () => {
    const code = String((Number(codeOf(key)) + 1) % 1_000_000).padStart(6, "0");
    await main.getByLabel("6桁のコード").fill(code);
    await main.getByRole("button", { name: "設定を完了する" }).click();
    await expect(main.getByRole("alert")).toContainText("コードが正しくありません");
    await expect(main.getByLabel("6桁のコード")).toHaveValue(code);
  });

  await test.step("the right code is accepted, and the page shows recovery codes", async () => {
    await main.getByLabel("6桁のコード").fill(codeOf(key));
    await main.getByRole("button", { name: "設定を完了する" }).click();
    await expect(main.locator(".recovery-codes li")).toHaveCount(10);
    recovery_code = (await main.locator(".recovery-codes code").first().textContent()) ?? "";
    await main.getByRole("button", { name: "控えました" }).click();
    await expect(main.getByText("残り 10 個")).toBeVisible();
  });

  await test.step("the next sign-in asks for a code", async () => {
    await member.page
      .getByRole("banner")
      .getByRole("button", { name: /のメニュー$/ })
      .click();
    await member.page
      .getByRole("banner")
      .getByRole("button", { name: /^ログアウト/ })
      .click();
    await expect(member.page.getByText("ログアウトしました")).toBeVisible();
    await givePassword(member.page);
    await main.getByLabel(/コード/).fill(codeOf(key, 1));
    await main
      .getByRole("button", { name: /続ける|ログイン|確認/ })
      .first()
      .click();
    await member.page.waitForURL("/");
  });

  await test.step("another browser signs in with a recovery code", async () => {
    await givePassword(other.page);
    // Opening another page would abort a sign-in that has no answer yet.
    await expect(other.page.getByRole("main").getByLabel(/コード/)).toBeVisible();
    await other.page.goto("/login/factor?way=recovery");
    await other.page.getByRole("main").getByLabel("リカバリーコード").fill(recovery_code);
    await other.page
      .getByRole("main")
      .getByRole("button", { name: /続ける|ログイン|確認/ })
      .first()
      .click();
    await other.page.waitForURL("/");
  });

  await test.step("the first browser signs the other browser out", async () => {
    await member.open("/my/settings/sessions");
    // A toast is a list item too.
    const devices = main.locator("li.card");
    await expect(devices).toHaveCount(2);
    await main.getByRole("button", { name: "ログアウトする" }).first().click();
    await expect(devices).toHaveCount(1);
    await expect(devices).toContainText("この端末");
    await expect(async () => {
      await other.page.goto("/my/settings/email");
      expect(other.page.url()).toContain("/login");
    }).toPass();
  });

  await test.step("the app is removed after a confirmation", async () => {
    await member.open("/my/settings/factors");
    await main.getByRole("button", { name: "認証アプリを削除" }).click();
    await main.getByRole("button", { name: "削除する" }).click();
    await expect(main.getByText("二段階認証は、まだ設定されていません。")).toBeVisible();
  });
});

test("an error disappears after a correct submit, and another provider is linked", async ({ someone }) => {
  const member = await someone();
  const { page } = member;
  const main = page.getByRole("main");
  await member.openAs("fan_yuki", "/my/settings/email");
  await member.isAlive();
  const field = main.getByLabel("新しいメールアドレス");
  await field.fill("yuki");
  await main.getByRole("button", { name: "確認メールを送る" }).click();
  await expect(main.getByRole("alert")).toBeVisible();
  await field.fill("yuki@mail.example");
  await main.getByRole("button", { name: "確認メールを送る" }).click();
  await expect(main.getByText("確認メールを送りました。")).toBeVisible();
  await expect(main.getByRole("alert")).toHaveCount(0);
  await expect(field).not.toHaveAttribute("aria-invalid");

  await member.open("/my/settings/providers");
  await main.getByRole("button", { name: "Googleを追加する" }).click();
  await page.getByLabel("名前", { exact: true }).fill("ゆき");
  await page.getByRole("button", { name: "この人としてログイン" }).click();
  await expect(main.getByRole("button", { name: "Googleを解除する" })).toBeVisible();
});

test("the settings open at their top, and their list links to every settings page", { tag: IN_CHROMIUM }, async ({
  someone,
}) => {
  const member = await someone();
  const { page } = member;
  await member.startSession("fan_yuki");
  const list = page.getByRole("navigation", { name: "設定" });
  const links = list.getByRole("link");
  for (const width of [375, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await member.open("/my/settings/leave");
    expect(await page.evaluate(() => scrollY)).toBe(0);
    if (width === 375) await list.getByText("設定の一覧").click();
    await expect(links.first()).toBeVisible();
    for (const link of await links.all()) await expect(link).toBeInViewport({ ratio: 0.9 });
    await expect(list.getByRole("link", { name: "退会" })).toHaveAttribute("aria-current", "page");
  }
  await page.setViewportSize({ width: 375, height: 800 });
  await member.open("/my/settings");
  await expect(page.getByRole("button", { name: "保存する" }), "of a long form").toBeInViewport({ ratio: 1 });
  await list.getByText("設定の一覧").click();
  await links.filter({ hasText: "ブロック" }).click();
  await expect(page).toHaveURL("/my/settings/blocks");
  await expect(links.first()).toBeHidden();
});
