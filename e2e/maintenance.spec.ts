import { test } from "./support/maintenance.ts";
import { expect } from "./support/test.ts";

const VIEW = "ただいまメンテナンス中です";
const END = ["--to", "2099/12/01 20:00"];

test("a visitor learns what is happening and until when, and the first page stays open", async ({
  someone,
  operate,
}) => {
  const visitor = await someone();
  await operate("set", "--from", "now", ...END);
  await visitor.page.goto("/natsume");
  await expect(visitor.page.getByRole("heading", { name: VIEW })).toBeVisible();
  await expect(visitor.page.getByText("申し訳ございません")).toBeVisible();
  await expect(visitor.page.getByText("2099/12/01 20:00")).toBeVisible();
  await visitor.page.getByRole("link", { name: "トップへ戻る" }).click();
  await expect(visitor.page).toHaveURL("/");
  await visitor.page.waitForLoadState();
  await expect(visitor.page.getByRole("heading", { name: VIEW })).toHaveCount(0);
  await expect(visitor.page.getByRole("banner").getByRole("link", { name: "ログイン" })).toHaveCount(0);
});

test("maintenance is announced before it begins", async ({ someone, operate }) => {
  const visitor = await someone();
  await operate("set", "--from", "2099/12/01 17:00", ...END);
  await visitor.page.goto("/natsume");
  await expect(visitor.page.getByRole("complementary", { name: "メンテナンスのお知らせ" })).toContainText(
    "12/1 17:00〜20:00の間",
  );
});

test("a letter sent during maintenance is returned, and can be sent afterwards", async ({ someone, operate }) => {
  const fan = await someone();
  const letter = "メンテナンスをこえて届く手紙";
  await fan.openAs("fan_taro", "/ren/ofuse");
  await fan.isAlive();
  await fan.page.getByLabel("メッセージ").fill(letter);
  await operate("set", "--from", "now", ...END);
  await fan.page.getByRole("button", { name: "送信する" }).click();
  await expect(fan.page.getByText("ただいまメンテナンス中")).toBeVisible();
  await expect(fan.page.locator("textarea")).toHaveValue(letter);

  await operate("clear");
  await fan.page.getByRole("button", { name: "送信する" }).click();
  await expect(fan.page.getByText("送信しました")).toBeVisible();
  await fan.open("/my/box?type=sent");
  await expect(fan.page.getByText(letter, { exact: true })).toHaveCount(1);
});

test("a member is treated as a visitor during maintenance, and is signed in again afterwards", async ({
  someone,
  operate,
}) => {
  const fan = await someone();
  await fan.openAs("fan_hana", "/my/box");
  await operate("set", "--from", "now", ...END);
  await fan.page.goto("/my/box");
  await expect(fan.page.getByRole("heading", { name: VIEW })).toBeVisible();
  await fan.page.goto("/");
  await expect(fan.page.getByText("ログアウト")).toHaveCount(0);
  await operate("clear");
  await fan.open("/my/box");
  await expect(fan.page.getByRole("heading", { name: "レターボックス" })).toBeVisible();
});
