import { openSql } from "../scripts/sql.ts";
import { IN_CHROMIUM } from "./support/plain-page.ts";
import { expect, test } from "./support/test.ts";

/** Parts around every page: drawer, header, menus, search. The window is a phone's (375) unless a test sets another. */

test("the drawer opens over the page, traps the focus, returns it, and its links work", { tag: IN_CHROMIUM }, async ({
  someone,
}) => {
  const { page } = await someone();
  await page.goto("/natsume");
  const button = page.getByRole("button", { name: "メニューを開く" });
  const drawer = page.getByRole("dialog", { name: "メニュー" });
  await expect(drawer).toBeHidden();
  await button.focus();
  await page.keyboard.press("Enter");
  await expect(drawer).toBeVisible();
  // The keyboard reaches only the drawer (and the browser's own bar).
  for (let step = 0; step < 14; step += 1) {
    await page.keyboard.press("Tab");
    const is_inside = await page.evaluate(
      () => document.activeElement === document.body || !!document.activeElement?.closest("dialog"),
    );
    expect(is_inside, `after ${step + 1} steps`).toBe(true);
  }
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await expect(button).toBeFocused();
  await button.click();
  await drawer.getByRole("button", { name: "閉じる" }).click();
  await expect(drawer).toBeHidden();
  await button.click();
  await drawer.getByRole("link", { name: "トップ", exact: true }).click();
  await expect(page).toHaveURL("/");
  await expect(drawer).toBeHidden();
});

test("a visitor is offered to sign in and to sign up, and both lead to the sign-in page and back", async ({
  someone,
}) => {
  const { page } = await someone();
  for (const name of ["ログイン", "新規登録"]) {
    await page.goto("/natsume");
    await page.getByRole("banner").getByRole("link", { name }).click();
    await expect(page).toHaveURL(/\/login\?to=%2Fnatsume(#signup)?$/);
  }
  await page.getByRole("main").getByRole("link", { name: "新規登録" }).click();
  await expect(page).toHaveURL(/\/signup\?to=%2Fnatsume$/);
});

test("a member's drawer closes when a link is followed, and marks the current page", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await fan.openAs("fan_hana", "/");
  await fan.isAlive();
  const button = page.getByRole("button", { name: "メニューを開く" });
  const drawer = page.getByRole("dialog", { name: "メニュー" });
  await button.click();
  await expect(drawer.getByText("はな", { exact: true })).toBeVisible();
  await fan.stayingOnThePage(async () => {
    await drawer.getByRole("link", { name: "レターボックス" }).click();
    await expect(page.getByRole("heading", { name: "レターボックス", level: 1 })).toBeVisible();
  });
  await expect(drawer).toBeHidden();
  await button.click();
  await expect(drawer.getByRole("link", { name: "レターボックス" })).toHaveAttribute("aria-current", "page");
});

test("in a wide window the drawer is beside the page, without a button", {
  tag: IN_CHROMIUM,
}, async ({ someone }) => {
  const { page } = await someone();
  await page.setViewportSize({ width: 1200, height: 800 });
  await page.goto("/natsume");
  await expect(page.getByRole("navigation", { name: "メインメニュー" })).toBeVisible();
  await expect(page.getByRole("button", { name: "メニューを開く" })).toBeHidden();
  await page.setViewportSize({ width: 1199, height: 800 });
  await expect(page.getByRole("navigation", { name: "メインメニュー" })).toBeHidden();
  await expect(page.getByRole("button", { name: "メニューを開く" })).toBeVisible();
});

test("the search box leads to the search page, and on a phone an icon does", { tag: IN_CHROMIUM }, async ({
  someone,
}) => {
  const { page } = await someone();
  await page.goto("/natsume");
  await expect(page.getByPlaceholder("クリエイター検索")).toBeHidden();
  await page.getByRole("link", { name: "クリエイター検索" }).click();
  await expect(page).toHaveURL("/search");
  await page.setViewportSize({ width: 768, height: 800 });
  await page.goto("/natsume");
  await page.getByRole("banner").getByPlaceholder("クリエイター検索").fill("水彩");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/search\?keyword=%E6%B0%B4%E5%BD%A9$/);
});

test("新規作成 offers what the member may create; a newsletter only to creators", { tag: IN_CHROMIUM }, async ({
  someone,
}) => {
  for (const [link_id, is_creator] of [
    ["fan_hana", false],
    ["natsume", true],
  ] as const) {
    const member = await someone();
    const { page } = member;
    await member.openAs(link_id, "/");
    await member.isAlive();
    await page.getByRole("button", { name: "新規作成" }).click();
    const menu = page.locator("#create-menu");
    await expect(menu.getByRole("link", { name: "ブログ・文章" })).toHaveAttribute(
      "href",
      "/my/posts/new?content_type=blog",
    );
    await expect(menu.getByRole("link", { name: "画像" })).toBeVisible();
    await expect(menu.getByRole("link", { name: "動画" })).toBeVisible();
    await expect(menu.getByRole("link", { name: /ニュースレター/ })).toHaveCount(is_creator ? 1 : 0);
    if (is_creator) await expect(menu.getByText(/今月残り \d回/)).toBeVisible();
    else await expect(menu.getByRole("link", { name: "収益化登録へ" })).toHaveAttribute("href", "/signup/monetize");
    await page.keyboard.press("Escape");
    await expect(menu).toBeHidden();
  }
});

test("the drawer leads to new posts and newsletters; a member who is not a creator learns what a newsletter needs", {
  tag: IN_CHROMIUM,
}, async ({ someone }) => {
  for (const [link_id, is_creator] of [
    ["fan_hana", false],
    ["natsume", true],
  ] as const) {
    const member = await someone();
    const { page } = member;
    await page.setViewportSize({ width: 1280, height: 800 });
    await member.openAs(link_id, "/my/box");
    await member.isAlive();
    const ways = page.getByRole("navigation", { name: "クリエイター" });
    const newsletter = ways.getByRole("link", { name: "ニュースレターを作る" });
    await expect(newsletter).toHaveCount(is_creator ? 1 : 0);
    if (is_creator) {
      await newsletter.click();
      await expect(page).toHaveURL(/\/my\/news_letters\/new$/);
    } else {
      const said = ways.getByText("ニュースレターの配信には収益化登録が必要です。");
      await expect(said).toBeHidden();
      await ways.getByRole("button", { name: "ニュースレターを作る（収益化登録が必要です）" }).click();
      await expect(said).toBeVisible();
      await ways.getByRole("link", { name: "収益化登録へ" }).click();
      await expect(page).toHaveURL(/\/signup\/monetize$/);
    }
    await page.goto("/my/box");
    await member.isAlive();
    await ways.getByRole("link", { name: "投稿を作る" }).click();
    await expect(page).toHaveURL(/\/my\/posts\/new$/);
    // On a phone the sheet has the same links, and closes for the drawer.
    await page.setViewportSize({ width: 375, height: 812 });
    await page.goto("/my/box");
    await member.isAlive();
    await page.getByRole("button", { name: "メニューを開く" }).click();
    const sheet = page.getByRole("dialog", { name: "メニュー" });
    if (!is_creator) {
      await sheet.getByRole("button", { name: /^ニュースレターを作る/ }).click();
      await sheet.getByRole("link", { name: "収益化登録へ" }).click();
      await expect(page).toHaveURL(/\/signup\/monetize$/);
    } else {
      await sheet.getByRole("link", { name: "ニュースレターを作る" }).click();
      await expect(page).toHaveURL(/\/my\/news_letters\/new$/);
    }
    await expect(sheet).toBeHidden();
  }
});

test("in a wide window the header shows the member and their followings, however long the name", {
  tag: IN_CHROMIUM,
}, async ({ someone, network }) => {
  const fan = await someone();
  const { page } = fan;
  const header = page.getByRole("banner");
  await page.setViewportSize({ width: 768, height: 800 });
  await fan.openAs("fan_hana", "/my/box");
  const name = header.locator(".header-user b");
  await expect(name).toHaveText("はな");
  await expect(header.locator(".header-user").getByText(/^フォロー中 \d+人$/)).toBeVisible();
  await page.setViewportSize({ width: 767, height: 800 });
  await expect(name).toBeHidden();
  const renameMember = async (to: string) => {
    const product = openSql(network.miniflare, "api");
    await product.prepare("UPDATE users SET name = ? WHERE link_id = 'fan_hana'").bind(to).run();
  };
  const long = "とても長い名前の人".repeat(5);
  await renameMember(long);
  try {
    for (const width of [320, 768, 1200, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto("/my/box");
      await fan.isAlive();
      const { over, cut } = await page.evaluate(() => {
        const b = document.querySelector(".header-user b") as HTMLElement;
        return { over: document.documentElement.scrollWidth - innerWidth, cut: b.scrollWidth > b.clientWidth };
      });
      expect([width, over, cut]).toEqual([width, 0, width >= 768]);
      await expect(
        header.getByRole("button", { name: new RegExp(`^${long} フォロー中 \\d+人のメニュー$`) }),
      ).toBeInViewport({ ratio: 1 });
      await expect(name).toHaveAttribute("title", long);
    }
    await header.getByRole("button", { name: "のメニュー" }).click();
    await expect(page.locator("#user-menu").getByRole("button", { name: /^ログアウト/ })).toBeVisible();
  } finally {
    await renameMember("はな");
  }
});

test("the member's own menu has name, followings and sign-out", { tag: IN_CHROMIUM }, async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await fan.openAs("fan_hana", "/");
  await fan.isAlive();
  await page.getByRole("button", { name: /^はな フォロー中 \d+人のメニュー$/ }).click();
  const menu = page.locator("#user-menu");
  await expect(menu.getByRole("link", { name: /フォロー中 \d+人/ })).toHaveAttribute("href", "/my/followings");
  await fan.stayingOnThePage(async () => {
    await menu.getByRole("link", { name: "設定" }).click();
    await expect(page.getByRole("heading", { name: "プロフィール", level: 1 })).toBeVisible();
  });
  await expect(menu, "a followed link closes the menu").toBeHidden();
  await page.getByRole("button", { name: /^はな フォロー中 \d+人のメニュー$/ }).click();
  await expect(menu).toBeVisible();
  const box = await menu.boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 375, "the menu is on the screen").toBe(true);
  await menu.getByRole("button", { name: /^ログアウト/ }).click();
  await expect(page.getByRole("banner").getByRole("link", { name: "ログイン" })).toBeVisible();
});
