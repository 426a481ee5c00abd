import { resolve } from "node:path";
import { build } from "esbuild";
import { test } from "./support/maintenance.ts";
import { expect } from "./support/test.ts";

/** Pages that are open when maintenance is announced, begins and ends. The browser's clock is moved by hand. */

const VIEW = "ただいまメンテナンス中です";
const END = ["--to", "2099/12/01 20:00"];
const POLL = "05:00";

test("a member's open page announces maintenance, and becomes the view when it begins", async ({
  someone,
  operate,
}) => {
  const fan = await someone();
  await fan.page.clock.install();
  await fan.page.goto("/login?to=/my/box");
  await fan.signIn("fan_hana");
  await expect(fan.page).toHaveURL(/\/my\/box$/);
  await fan.stayingOnThePage(async () => {
    await operate("set", "--from", "2099/12/01 17:00", ...END);
    await fan.page.clock.fastForward(POLL);
    await expect(fan.page.getByText("12/1 17:00〜20:00の間")).toBeVisible();
  });
  await operate("set", "--from", "now", ...END);
  await fan.page.clock.fastForward(POLL);
  await expect(fan.page.getByRole("heading", { name: VIEW })).toBeVisible();
  await expect(fan.page).toHaveURL(/\/my\/box$/);
});

test("a half-written letter stays on the page through maintenance", async ({ someone, operate }) => {
  const fan = await someone();
  const letter = "まだ途中の手紙なのですが";
  await fan.page.clock.install();
  await fan.page.goto("/login?to=/hibiki/ofuse");
  await fan.signIn("fan_taro");
  await fan.stayingOnThePage(async () => {
    await fan.page.getByLabel("メッセージ").fill(letter);
    await operate("set", "--from", "now", ...END);
    await fan.page.clock.fastForward(POLL);
    await expect(fan.page.getByText("メンテナンスが始まりました。")).toBeVisible();
    await fan.page.getByRole("button", { name: "送信する" }).click();
    await expect(fan.page.locator(".form-error").getByText(VIEW)).toBeVisible();
    await expect(fan.page.getByLabel("メッセージ")).toHaveValue(letter);
    await operate("clear");
    await fan.page.clock.fastForward(POLL);
    await expect(fan.page.getByText("メンテナンスが終わりました。")).toBeVisible();
    await fan.page.getByRole("button", { name: "送信する" }).click();
    await expect(fan.page.getByText("送信しました")).toBeVisible();
  });
});

test("a button that maintenance refuses leaves the page and the letter on it, and says so", async ({
  someone,
  operate,
}) => {
  const fan = await someone();
  const letter = "フォローの前に書きはじめた手紙";
  await operate("set", "--from", "2099/12/01 17:00", ...END);
  await fan.page.goto("/login?to=/kanade/ofuse");
  await fan.signIn("fan_taro");
  await fan.stayingOnThePage(async () => {
    await expect(fan.page.getByText("12/1 17:00〜20:00の間")).toBeVisible();
    await fan.page.getByLabel("メッセージ").fill(letter);
    await operate("set", "--from", "now", ...END);
    await fan.page.getByRole("button", { name: "フォローする" }).click();
    await expect(fan.page.locator(".toast-alert").getByText(VIEW)).toBeVisible();
    await expect(fan.page.getByText("メンテナンスが始まりました。"), "at once, not with the next poll").toBeVisible();
    await expect(fan.page.getByText("12/1 17:00")).toHaveCount(0);
    await expect(fan.page.getByRole("heading", { name: VIEW })).toHaveCount(0);
    await expect(fan.page.getByLabel("メッセージ")).toHaveValue(letter);
    await operate("clear");
    await fan.page.getByRole("button", { name: "フォローする" }).click();
    await expect(fan.page.getByRole("button", { name: "フォロー中" })).toBeVisible();
    await expect(fan.page.getByLabel("メッセージ")).toHaveValue(letter);
  });
});

for (const [path, button] of [
  ["/kanade/about", "フォロー"],
  ["/my/followings", "お知らせを"],
  ["/my/box", "ログアウト"],
] as const) {
  test(`${button} on ${path} leads to the view where no words are lost, with nothing of a member on it`, async ({
    someone,
    operate,
  }) => {
    const fan = await someone();
    await operate("set", "--from", "2099/12/01 17:00", ...END);
    await fan.page.goto(`/login?to=${path}`);
    await fan.signIn("fan_hana");
    await expect(fan.page).toHaveURL(new RegExp(`${path}$`));
    await fan.isAlive();
    const menu = fan.page.getByRole("button", { name: "のメニュー" });
    if (button === "ログアウト") await menu.click();
    await operate("set", "--from", "now", ...END);
    await fan.page.getByRole("button", { name: button }).first().click();
    await expect(fan.page.getByRole("heading", { name: VIEW })).toBeVisible();
    await expect(fan.page).toHaveURL(new RegExp(`${path}$`));
    await expect(menu).toHaveCount(0);
    await expect(fan.page.getByRole("button", { name: "メニューを開く" })).toHaveCount(0);
    await expect(fan.page.locator(".maintenance-banner")).toHaveCount(0);
  });
}

test("a link followed under maintenance leads to the view", async ({ someone, operate }) => {
  const fan = await someone();
  await fan.page.goto("/login?to=/my/box");
  await fan.signIn("fan_hana");
  await fan.isAlive();
  await operate("set", "--from", "now", ...END);
  await fan.page.getByRole("link", { name: "お知らせ", exact: false }).first().click();
  await expect(fan.page.getByRole("heading", { name: VIEW })).toBeVisible();
  await expect(fan.page).toHaveURL(/\/my\/notifications$/);
});

test("a visitor's page follows by the function their script has", async ({ someone, operate }) => {
  const { outputFiles } = await build({
    entryPoints: [resolve(import.meta.dirname, "../app/visitor/maintenance.ts")],
    bundle: true,
    minify: true,
    format: "iife",
    globalName: "visitor",
    write: false,
  });
  const watch = `${outputFiles[0]?.text} visitor.watchMaintenance();`;
  const visitor = await someone();
  const { page } = visitor;
  await page.clock.install();
  await page.goto("/sumire/ofuse");
  await page.evaluate(watch);
  await operate("set", "--from", "2099/12/01 17:00", ...END);
  await page.clock.fastForward(POLL);
  await expect(page.getByText("12/1 17:00〜20:00の間")).toBeVisible();
  await page.getByLabel("メッセージ").fill("書きかけ");
  await operate("set", "--from", "now", ...END);
  await page.clock.fastForward(POLL);
  await expect(page.getByText("メンテナンスが始まりました。")).toBeVisible();
  await expect(page.getByText("12/1 17:00")).toHaveCount(0);
  await expect(page.getByLabel("メッセージ")).toHaveValue("書きかけ");
  await page.getByLabel("メッセージ").fill("");
  await operate("clear");
  await page.clock.fastForward(POLL);
  await expect(page.getByText("メンテナンスが始まりました。"), "loaded anew").toHaveCount(0);
  await expect(page.getByRole("heading", { name: "ofuseを送る" })).toBeVisible();
});
