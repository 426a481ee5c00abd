import { IN_CHROMIUM } from "./support/plain-page.ts";
import { expect, test } from "./support/test.ts";

test("a visitor searches for a creator, finds her, and searches without a result", async ({ someone }) => {
  const { page } = await someone();
  const form = page.getByRole("form", { name: "検索の条件" });
  const results = page.locator("#results");

  await test.step("without a search word the page shows creators and genres", async () => {
    await page.goto("/search");
    await expect(page.getByRole("heading", { name: "クリエイターを探す", level: 1 })).toBeVisible();
    await expect(results.getByRole("listitem").first()).toBeVisible();
    await page.getByRole("navigation", { name: "ジャンルから探す" }).getByRole("link", { name: "小説・文芸" }).click();
    await expect(results.getByRole("heading", { name: "ジャンル「小説・文芸」の検索結果" })).toBeVisible();
    await expect(results.getByRole("link", { name: "菫野すみれ" })).toBeVisible();
    await expect(form.getByLabel("ジャンル")).toHaveValue("novel");
  });

  await test.step("a search for two words keeps them in the form", async () => {
    await form.getByLabel("ジャンル").selectOption("すべて");
    await form.getByLabel("キーワード").fill("ネコ　水彩");
    await form.getByRole("button", { name: "検索する" }).click();
    await expect(results.getByRole("heading", { name: "「ネコ　水彩」の検索結果" })).toBeVisible();
    await expect(form.getByLabel("キーワード")).toHaveValue("ネコ　水彩");
  });

  await test.step("no creator has both words: the page offers a search for one", async () => {
    await expect(results.getByText("条件に合うクリエイターは見つかりませんでした")).toBeVisible();
    await expect(page.getByRole("region", { name: "人気のクリエイター" }).getByRole("listitem").first()).toBeVisible();
    await results.getByRole("link", { name: "「水彩」だけで探す" }).click();
    await expect(results.getByRole("heading", { name: "「水彩」の検索結果" })).toBeVisible();
    await expect(results.getByText(/^\d+人のクリエイターが見つかりました。$/)).toBeVisible();
    await expect(form.getByLabel("キーワード")).toHaveValue("水彩");
  });

  await test.step("she opens the page of the creator", async () => {
    await results.getByRole("link", { name: "なつめ" }).click();
    await expect(page.getByRole("heading", { name: "なつめ", level: 1 })).toBeVisible();
  });
});

test("the header's search box leads to the results, for a member too", { tag: IN_CHROMIUM }, async ({ someone }) => {
  const fan = await someone();
  await fan.page.setViewportSize({ width: 1280, height: 800 });
  await fan.openAs("fan_hana", "/");
  await fan.isAlive();
  const box = fan.page.getByRole("search").getByRole("searchbox", { name: "クリエイター検索" });
  const results = fan.page.locator("#results");
  for (const [typed, found] of [
    ["ナツメ", "なつめ"],
    ["ひびき", "ひびき"],
  ] as const) {
    await box.fill(typed);
    await box.press("Enter");
    await expect(results.getByRole("heading", { name: `「${typed}」の検索結果` })).toBeVisible();
    await expect(results.getByRole("link", { name: found, exact: true })).toBeVisible();
    await expect(fan.page.getByRole("form", { name: "検索の条件" }).getByLabel("キーワード")).toHaveValue(typed);
  }
});
