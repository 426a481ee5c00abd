import { pngOf, quarters } from "../tests/support/pictures.ts";
import { expect, test } from "./support/test.ts";

test("a newsletter is written, scheduled, cancelled and sent; a fan reads it, and stops the mails by its link", async ({
  someone,
}) => {
  const writer = await someone();
  const { page } = writer;
  const main = page.getByRole("main");
  await writer.openAs("hibiki", "/my/news_letters/new");
  await writer.isAlive();
  if (writer.has_script) await main.getByRole("button", { name: "テキストで書く" }).click();
  const saved =
    writer.has_script && page.waitForResponse((response) => response.request().postData()?.includes("三曲目") ?? false);
  await main.getByLabel("タイトル").fill("夜のスタジオから");
  await page.locator("textarea[name=body]").fill("# 録音のこと\n\n**三曲目**ができました。");
  if (writer.has_script) {
    // The page saves by itself, and a reload opens what was saved.
    await saved;
    await expect(main).toContainText("下書きを保存しました");
    await expect(page).toHaveURL(/news_letters\/\w{26}\/edit$/);
    await page.reload();
    await expect(main.getByLabel("タイトル")).toHaveValue("夜のスタジオから");
    await expect(page.locator("textarea[name=body]")).toHaveValue(/三曲目/);
    await writer.isAlive();
  }
  await main.getByLabel("配信する日時（日本時間）").fill("2040-01-10T20:00");
  await main.getByRole("button", { name: "この日時に予約する" }).click();
  await expect(main).toContainText("配信予約");
  await main.getByRole("link", { name: "夜のスタジオから" }).click();
  await expect(main).toContainText("に配信します");
  await writer.isAlive();
  await main.getByRole("button", { name: "予約を取り消す" }).click();
  await main.getByRole("button", { name: "取り消して下書きに戻す" }).click();
  await expect(main.getByRole("button", { name: "この日時に予約する" })).toBeVisible();
  await writer.isAlive();
  await main.getByRole("button", { name: "プレビュー" }).click();
  await expect(main.getByRole("article").getByRole("heading", { name: "録音のこと" })).toBeVisible();
  await expect(main).toContainText("夜のスタジオから｜");
  await main.getByRole("link", { name: "戻る", exact: true }).click();
  await expect(main.getByLabel("タイトル")).toHaveValue("夜のスタジオから");
  await writer.isAlive();
  await main.getByRole("button", { name: "いますぐ配信する" }).click();
  await main.getByRole("button", { name: "配信する", exact: true }).click();
  await expect(main.getByRole("article").getByRole("heading", { name: "夜のスタジオから" })).toBeVisible();

  const fan = await someone();
  await fan.openAs("fan_ryo", "/my/news_letters/received");
  await fan.page.getByRole("main").getByRole("link", { name: "夜のスタジオから" }).first().click();
  await expect(fan.page.getByRole("article").locator("strong")).toHaveText("三曲目");

  // The mail leaves after the answer to its writer.
  const reader = await someone();
  const mail = reader.page.getByRole("listitem").filter({ hasText: "fan_ryo@demo.example" });
  await expect(async () => {
    await reader.page.goto("/dev/outbox");
    expect((await mail.allTextContents())[0]).toContain("夜のスタジオから");
  }).toPass();
  await mail
    .first()
    .getByRole("link", { name: /\/unsubscribe\// })
    .click();
  await reader.page.getByRole("button", { name: "配信を停止する" }).click();
  await expect(reader.page.getByRole("main")).toContainText("メールで受け取っていません");
  await reader.page.getByRole("button", { name: "配信を再開する" }).click();
  await expect(reader.page.getByRole("main")).toContainText("メールで受け取っています");
});

test("a picture is uploaded, described and placed in a newsletter, and taken away again", async ({ someone }) => {
  const writer = await someone();
  const { page } = writer;
  const main = page.getByRole("main");
  await writer.openAs("hibiki", "/my/news_letters/new");
  await writer.isAlive();
  const body = page.locator("textarea[name=body]");
  if (writer.has_script) await main.getByRole("button", { name: "テキストで書く" }).click();
  await main.getByLabel("タイトル").fill("窓の絵のたより");
  await body.fill("はじめ。\n\nおわり。");
  const file = { name: "a.png", mimeType: "image/png", buffer: pngOf(quarters(80, 60)) };
  await main.getByLabel("ファイルを選ぶ").setInputFiles(file);
  if (!writer.has_script) await main.getByRole("button", { name: "アップロード" }).click();
  await main.getByLabel("画像1の説明").fill("窓");
  const mark = await main.locator("#pictures code").first().textContent();
  await main.getByLabel("配信する日時（日本時間）").fill("2040-01-10T20:00");
  await body.fill("はじめ。\n\nおわり。");
  await main.getByRole("button", { name: "この日時に予約する" }).click();
  await expect(main).toContainText("まだ本文に入っていない画像があります");
  await body.fill(`はじめ。\n\n${mark}\n\nおわり。`);
  await main.getByRole("button", { name: "プレビュー" }).click();
  await expect(main.getByRole("article").getByRole("img", { name: "窓" })).toBeVisible();
  await expect(main.locator("iframe")).toHaveAttribute(
    "srcdoc",
    /<img[^>]+src="http[^"]+\/media\/\w{26}\/medium"[^>]+alt="窓"/,
  );
  await main.getByRole("link", { name: "戻る", exact: true }).click();
  await expect(main.getByLabel("画像1の説明")).toHaveValue("窓");
  await writer.isAlive();
  // A scheduled newsletter is changed by its buttons alone, those of its pictures too.
  await main.getByRole("button", { name: "この日時に予約する" }).click();
  await main.getByRole("link", { name: "窓の絵のたより" }).click();
  await expect(main).toContainText("に配信します");
  await writer.isAlive();
  if (writer.has_script) await main.getByRole("button", { name: "テキストで書く" }).click();
  await main.getByRole("button", { name: "画像1を外す" }).click();
  await expect(main.getByLabel("画像1の説明")).toHaveCount(0);
  await expect(body).toHaveValue(/^はじめ。\s+おわり。$/);
});
