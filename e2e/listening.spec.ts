import { IN_CHROMIUM } from "./support/plain-page.ts";
import { goOnAir, playing, pressPlay } from "./support/radio.ts";
import { expect, test } from "./support/test.ts";

/** Listeners of radio, with scripts and without. */

test("a visitor hears a live radio, and then its recording", { tag: IN_CHROMIUM }, async ({ someone, network }) => {
  const radio = await goOnAir(network, "akari", "静かなラジオ");
  const visitor = await someone();
  const { page, has_script } = visitor;
  await page.goto("/akari");
  await page
    .getByRole("main")
    .getByRole("link", { name: /放送中/ })
    .click();
  await expect(page).toHaveURL(radio.path);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("静かなラジオ");
  const time = async () => (await playing(visitor)).time_s;
  await page.waitForLoadState();
  await expect(page.locator("script[src]"), "the visitors' script alone").toHaveCount(1);
  await expect
    .poll(async () => (await playing(visitor)).source, "thousands may press at once, and caches have HLS")
    .toMatch(has_script ? /\.m3u8$/ : /\.aac$/);
  await pressPlay(visitor);
  await expect.poll(time).toBeGreaterThan(1);
  if (has_script) {
    await expect(page.getByText(/^放送中（約\d+秒遅れ）$/)).toBeVisible();
    expect((await playing(visitor)).is_by_script).toBe(true);
  }
  const heard = await time();
  await expect.poll(time, "it goes on").toBeGreaterThan(heard + 1);
  await page.goto(radio.path);
  await expect(page.getByText(/いま\d+人が聴いています。/)).toBeVisible();

  await radio.finish();
  await expect(async () => {
    await page.goto(radio.path);
    await expect(page.getByText(/録音の長さ：/)).toBeVisible({ timeout: 1000 });
  }).toPass();
  await pressPlay(visitor);
  await expect.poll(time).toBeGreaterThan(0.5);
  await page.getByText("文字起こし", { exact: true }).click();
  await expect(page.getByText("今夜は静かな放送です。")).toBeVisible();
  const faster = page.getByRole("button", { name: "1.5倍" });
  if (!has_script) return expect(faster).toBeHidden();
  await faster.click();
  await expect(faster).toHaveAttribute("aria-pressed", "true");
  expect((await playing(visitor)).rate).toBe(1.5);
});

test("a member asks to be told of a start, and takes it back", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await fan.openAs("fan_hana", "/natsume/radio");
  await page.getByRole("link", { name: "窓辺の夜ふかしラジオ" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "窓辺の夜ふかしラジオ" })).toBeVisible();
  await fan.isAlive();
  await fan.stayingOnThePage(async () => {
    await page.getByRole("button", { name: "始まったら知らせる", exact: true }).click();
    await expect(page.getByText("放送が始まったら、お知らせします。")).toBeVisible();
    await page.getByRole("button", { name: "お知らせを取り消す", exact: true }).click();
    await expect(page.getByRole("button", { name: "始まったら知らせる", exact: true })).toBeVisible();
  });
});
