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
  // A name, as on the invoice of a plan.
  await expect(page.getByText(/^\S+ 様$/)).toBeVisible();
  await page.getByRole("link", { name: "送ったofuseを見る" }).click();
  await expect(page.getByText("ひ".repeat(60))).toBeVisible();

  await creator.openAs("natsume", "/my/box?type=received&price=paid");
  const letter = creator.page.getByRole("listitem").filter({ hasText: "ひ".repeat(60) });
  await expect(letter).toContainText("550円");
});

test("a guest goes back to correct the letter, pays, and claims it by the mailed link elsewhere", async ({
  someone,
}) => {
  const [guest, elsewhere] = await Promise.all([someone(), someone()]);
  const { page } = guest;
  const address = `tabi.${guest.has_script ? "script" : "plain"}@mail.example`;
  await page.goto("/natsume/ofuse");
  // Too long for a free letter: the button carries the words to the paid form.
  const words = "通りすがりですが、とても好きです。".repeat(14);
  await page.getByLabel("メッセージ").fill(words);
  await page.getByRole("button", { name: /^有料のofuseを送る/ }).click();
  await expect(page).toHaveURL(/\/natsume\/ofuse\/paid$/);
  await expect(page.getByLabel("メッセージ")).toHaveValue(words);
  await page.getByLabel("メッセージ").fill("通りすがりですが、とても好きです。");
  await page.getByLabel("お名前（任意）").fill("旅人");
  await page.getByLabel("メールアドレス（任意）").fill(address);
  await page.getByRole("button", { name: "内容を確認する" }).click();
  await page.getByRole("link", { name: "550円（税込）の支払いに進む" }).click();
  await expect(page.getByLabel("カード番号")).toBeVisible();
  await page.getByRole("link", { name: "戻る" }).click();
  await page.getByRole("link", { name: "内容を直す" }).click();
  await expect(page.getByLabel("メッセージ")).toHaveValue("通りすがりですが、とても好きです。");
  await page.getByLabel("メッセージ").fill("通りすがりですが、とても好きです。また来ます。");
  await page.getByRole("button", { name: "内容を確認する" }).click();
  await page.getByRole("link", { name: "550円（税込）の支払いに進む" }).click();
  await fillCard(guest, "4242424242424242");
  await expect(page.getByRole("heading", { name: "領収書" })).toBeVisible();
  await expect(page.getByText("宛名は、印刷した紙に書き入れてください。")).toBeVisible();

  const mail = elsewhere.page.getByRole("listitem").filter({ hasText: address });
  await expect(async () => {
    await elsewhere.page.goto("/dev/outbox");
    await expect(mail).not.toHaveCount(0, { timeout: 1 });
  }).toPass();
  await mail.getByRole("link").first().click();
  await elsewhere.page.getByRole("link", { name: "ログインして残す" }).click();
  await elsewhere.signIn("fan_taro");
  await elsewhere.page.getByRole("button", { name: "アカウントに残す" }).click();
  await expect(elsewhere.page.getByText("通りすがりですが、とても好きです。また来ます。")).toBeVisible();
});
