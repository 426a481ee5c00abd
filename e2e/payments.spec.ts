import { expect, type Person, test } from "./support/test.ts";

/** Paying for a letter, from the form to the receipt, on our pages and on the gateway's. */

async function fillCard({ page }: Person, number: string): Promise<void> {
  await page.getByLabel("メールアドレス").fill("hana@mail.example");
  await page.getByLabel("カード番号").fill(number);
  await page.getByLabel("有効期限").fill("12/40");
  await page.getByLabel("セキュリティコード").fill("123");
  await page.getByLabel("お名前").fill("山田 花");
  await page.getByRole("button", { name: "550円を支払う" }).click();
}

test("a fan's card is declined once; she pays with another and reads the receipt, the creator reads the letter", async ({
  someone,
}) => {
  const [fan, creator] = await Promise.all([someone(), someone()]);
  await fan.openAs("fan_hana", "/natsume/ofuse/paid");
  const { page } = fan;
  await page.getByLabel(/^100円（税込）/).check();
  await page.getByLabel("メッセージ").fill("ひ".repeat(60));
  await page.getByRole("button", { name: "内容を確認する" }).click();
  await expect(page.getByRole("alert")).toHaveText(
    "メッセージは、100円なら50文字までです（現在60文字、絵文字は2文字）。",
  );
  await page.getByLabel(/^550円（税込）/).check();
  await page.getByRole("button", { name: "内容を確認する" }).click();

  await expect(page.getByRole("heading", { name: "お支払いの前の確認" })).toBeVisible();
  await expect(page.getByText("手数料などの追加の料金はかかりません。")).toBeVisible();
  await page.getByRole("link", { name: "550円（税込）の支払いに進む" }).click();
  await fillCard(fan, "4000000000000002");
  await expect(page.getByRole("alert")).toBeVisible();
  await fillCard(fan, "4242424242424242");

  await expect(page.getByRole("heading", { name: "お支払いが完了しました" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "領収書" })).toBeVisible();
  await page.getByRole("link", { name: "送った手紙を見る" }).click();
  await expect(page.getByText("ひ".repeat(60))).toBeVisible();

  await creator.openAs("natsume", "/my/box?type=received&price=paid");
  await expect(creator.page.getByText("550円")).toBeVisible();
});

test("a guest goes back to correct the letter, pays, and claims it after signing in", async ({ someone }) => {
  const guest = await someone();
  const { page } = guest;
  await page.goto("/natsume/ofuse");
  await page.getByRole("link", { name: /^有料のofuseを送る/ }).click();
  await page.getByLabel("メッセージ").fill("通りすがりですが、とても好きです。");
  await page.getByLabel("お名前（任意）").fill("旅人");
  await page.getByRole("button", { name: "内容を確認する" }).click();
  await page.getByRole("link", { name: "550円（税込）の支払いに進む" }).click();
  await page.getByRole("link", { name: "戻る" }).click();
  await page.getByRole("link", { name: "内容を直す" }).click();
  await expect(page.getByLabel("メッセージ")).toHaveValue("通りすがりですが、とても好きです。");
  await page.getByLabel("メッセージ").fill("通りすがりですが、とても好きです。また来ます。");
  await page.getByRole("button", { name: "内容を確認する" }).click();
  await page.getByRole("link", { name: "550円（税込）の支払いに進む" }).click();
  await fillCard(guest, "4242424242424242");

  await page.getByRole("link", { name: "ログインして残す" }).click();
  await guest.signIn("fan_taro");
  await page.getByRole("button", { name: "アカウントに残す" }).click();
  await expect(page.getByText("通りすがりですが、とても好きです。また来ます。")).toBeVisible();
});
