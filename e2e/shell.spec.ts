import { expect, test } from "./support/test.ts";

/** What stands around every page: drawer, header, menus, search. The window is a phone's (375) unless a test says otherwise. */

test("the drawer opens over the page, keeps the focus, gives it back and leads on", async ({ someone }) => {
  const { page } = await someone();
  await page.goto("/natsume");
  const button = page.getByRole("button", { name: "メニューを開く" });
  const drawer = page.getByRole("dialog", { name: "メニュー" });
  await expect(drawer).toBeHidden();
  await button.focus();
  await page.keyboard.press("Enter");
  await expect(drawer).toBeVisible();
  // As far as the keyboard goes, there is nothing but the drawer (and the browser's own bar).
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

test("a member's drawer closes on the link that was followed, and names where they are", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await page.goto("/login");
  await fan.signIn("fan_hana");
  await page.waitForURL("/");
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

test("where there is room the drawer stands beside the page, and there is no button for it", async ({ someone }) => {
  const { page } = await someone();
  await page.setViewportSize({ width: 1200, height: 800 });
  await page.goto("/natsume");
  await expect(page.getByRole("navigation", { name: "メインメニュー" })).toBeVisible();
  await expect(page.getByRole("button", { name: "メニューを開く" })).toBeHidden();
  await page.setViewportSize({ width: 1199, height: 800 });
  await expect(page.getByRole("navigation", { name: "メインメニュー" })).toBeHidden();
  await expect(page.getByRole("button", { name: "メニューを開く" })).toBeVisible();
});

test("the search box asks the search page, and on a phone an icon leads there", async ({ someone }) => {
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

test("新規作成 offers what may be made; a newsletter only to creators", async ({ someone }) => {
  for (const [link_id, is_creator] of [
    ["fan_hana", false],
    ["natsume", true],
  ] as const) {
    const member = await someone();
    const { page } = member;
    await page.goto("/login");
    await member.signIn(link_id);
    await page.waitForURL("/");
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

test("the member's own menu: name, followings, log out", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await page.goto("/login");
  await fan.signIn("fan_hana");
  await page.waitForURL("/");
  await fan.isAlive();
  await page.getByRole("button", { name: "はなのメニュー" }).click();
  const menu = page.locator("#user-menu");
  await expect(menu.getByRole("link", { name: /フォロー中 \d+人/ })).toHaveAttribute("href", "/my/followings");
  await fan.stayingOnThePage(async () => {
    await menu.getByRole("link", { name: "設定" }).click();
    await expect(page.getByRole("heading", { name: "設定", level: 1 })).toBeVisible();
  });
  await expect(menu, "a followed link closes the menu").toBeHidden();
  await page.getByRole("button", { name: "はなのメニュー" }).click();
  const box = await menu.boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 375, "the menu is on the screen").toBe(true);
  await menu.getByRole("button", { name: "ログアウト" }).click();
  await expect(page.getByRole("banner").getByRole("link", { name: "ログイン" })).toBeVisible();
});
