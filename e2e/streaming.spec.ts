import { keepCards, keptCards } from "./support/overlay.ts";
import { expect, test } from "./support/test.ts";

/** Overlays of a stream. With JavaScript, letters appear on the stage; without, the timeline lists them. */

test("a creator sets up an overlay, and a fan's letter appears on it", async ({ someone }) => {
  const [creator, fan] = [await someone(), await someone()];
  const { page } = creator;
  await creator.openAs("akari", "/my/streaming");
  await page.getByRole("button", { name: /^アドレスを作/ }).click();
  const address = new URL(await page.getByLabel("OBSに入れるアドレス", { exact: true }).inputValue());

  await page.getByLabel("目標の名前").fill("新しい窯");
  await page.getByLabel("目標の金額（円）").fill("三万");
  await page.getByRole("button", { name: "保存する" }).click();
  await expect(page.getByText("目標の金額は、数字だけで入力してください。")).toBeVisible();
  await expect(page.getByLabel("目標の名前")).toHaveValue("新しい窯");
  await page.getByLabel("目標の金額（円）").fill("30000");
  await page.getByLabel("NGワード").fill("ネタバレ");
  await page.getByRole("button", { name: "保存する" }).click();
  await expect(page.getByText("設定を保存しました")).toBeVisible();

  const stream = await someone();
  const path = creator.has_script ? address.pathname : `${address.pathname}/timeline`;
  const opened = creator.has_script ? stream.page.waitForResponse((each) => each.url().includes("/events?")) : null;
  // On the stage, a letter that should not come would be gone when the next one is seen.
  if (creator.has_script) await keepCards(stream.page);
  await stream.page.goto(path);
  await opened;
  await expect(stream.page.getByText("新しい窯")).toBeVisible();

  await fan.openAs("fan_hana", "/akari/ofuse");
  for (const message of ["これはネタバレです", "今日の配信も楽しみにしていました。"]) {
    await fan.page.getByLabel("メッセージ").fill(message);
    await fan.page.getByLabel(/さんのページで公開する/).check();
    await fan.page.getByRole("button", { name: "送信する" }).click();
    await expect(fan.page.getByText("送信しました").first()).toBeVisible();
    await fan.page.goto("/akari/ofuse");
  }

  if (creator.has_script) {
    await expect
      .poll(() => keptCards(stream.page))
      .toEqual([[expect.stringContaining("今日の配信も楽しみにしていました。")]]);
  } else {
    await stream.page.reload();
    await expect(stream.page.getByText("今日の配信も楽しみにしていました。")).toBeVisible();
    await expect(stream.page.getByText("これはネタバレです")).toHaveCount(0);
  }
});
