import { follows } from "../scripts/demo/follows.ts";
import { expect, test } from "./support/test.ts";

const followers = follows.filter(([, creator]) => creator === "natsume").length;

test("a visitor learns what the site is, and is invited to continue", async ({ someone }) => {
  const visitor = await someone();
  await visitor.page.goto("/");
  await expect(visitor.page.getByRole("heading", { level: 1 })).toContainText("手紙にして届けよう");
  for (const name of ["手紙が届くまで", "新着の投稿", "おすすめのクリエイター", "ジャンルから探す", "つくる人へ"]) {
    await expect(visitor.page.getByRole("heading", { name, level: 2 })).toBeVisible();
  }
  await expect(visitor.page.getByText(/^\d{3}通以上$/)).toBeVisible();
  await expect(visitor.page.getByRole("link", { name: "イラスト", exact: true })).toHaveAttribute(
    "href",
    "/search?genre_id=illustration",
  );
  await expect(visitor.page.locator("script:not([type='application/ld+json'], [src^='/assets/visitor-'])")).toHaveCount(
    0,
  );

  await visitor.page.getByRole("main").getByRole("link", { name: "なつめ", exact: false }).last().click();
  await expect(visitor.page).toHaveURL(/\/natsume$/);
  await visitor.page.goBack();
  await visitor.page.getByRole("main").getByRole("link", { name: "無料ではじめる" }).first().click();
  await expect(visitor.page).toHaveURL(/\/signup$/);
});

test("a member filters the timeline, and finds it filtered the next time", async ({ someone }) => {
  const fan = await someone();
  await fan.openAs("fan_hana", "/");
  await expect(fan.page.getByRole("heading", { name: "フォロー中の新着" })).toBeVisible();
  const filters = fan.page.getByRole("navigation", { name: "表示する投稿" });
  const posts = fan.page.getByRole("region", { name: "フォロー中の新着" }).getByRole("listitem");

  await test.step("she sees only the posts of her plans", async () => {
    const first = await posts.first().textContent();
    await fan.stayingOnThePage(async () => {
      await filters.getByRole("link", { name: "加入中のプラン" }).click();
      await expect(filters.getByRole("link", { name: "加入中のプラン" })).toHaveAttribute("aria-current", "page");
      await expect(fan.page).toHaveURL(/\/\?filter=subscribing$/);
    });
    await expect(posts).toHaveCount(10);
    await fan.page.getByRole("link", { name: "次のページ" }).click();
    await expect(fan.page).toHaveURL(/\/\?filter=subscribing&page=2$/);
    expect(first).not.toBeNull();
  });

  await test.step("with JavaScript, the filter is still chosen when she returns", async () => {
    await fan.open("/");
    await expect(filters.getByRole("link", { name: fan.has_script ? "加入中のプラン" : "すべて" })).toHaveAttribute(
      "aria-current",
      "page",
    );
  });

  await test.step("the name above a post leads to its creator", async () => {
    const name = posts.first().locator(".byline-name");
    const creator = (await name.textContent()) ?? "nobody";
    await name.click();
    await expect(fan.page.getByRole("heading", { level: 1 })).toContainText(creator);
  });

  await test.step("she reads older activities", async () => {
    await fan.open("/?filter=all");
    const doings = fan.page.getByRole("region", { name: "最近の活動" }).getByRole("listitem");
    await expect(doings).toHaveCount(8);
    const first = (await doings.first().textContent()) ?? "";
    await fan.page.getByRole("link", { name: "以前の活動を見る" }).click();
    await expect(doings.first()).not.toHaveText(first);
  });
});

test("a creator manages her followers, her followings and her own address", async ({ someone }) => {
  const creator = await someone();
  await creator.openAs("natsume", "/my/members");
  const rows = creator.page.getByRole("main").getByRole("listitem");

  await test.step("she sees her followers, and those of them who have joined a plan", async () => {
    // Other journeys on the same data follow her or leave her, and her page shows the number.
    await creator.page.goto("/natsume");
    const shown = Number(await creator.page.locator(".creator-counts b").first().textContent());
    expect(shown).toBeGreaterThan(followers / 2);
    await creator.page.goto("/my/members");
    await expect(rows).toHaveCount(Math.min(shown, 20));
    await creator.page.getByRole("link", { name: "メンバーシップに加入中" }).click();
    await expect(creator.page).toHaveURL(/filter=subscribing$/);
    await expect(creator.page.getByRole("link", { name: /はな/ })).toBeVisible();
  });

  await test.step("she turns off a creator's notifications, and unfollows the creator", async () => {
    await creator.open("/my/followings");
    // A toast is an item of a list too.
    const people = rows.filter({ hasText: "@" });
    const count = await people.count();
    const first = people.first();
    await creator.stayingOnThePage(async () => {
      await first.getByRole("button", { name: "お知らせを止める" }).click();
      await expect(first.getByRole("button", { name: "お知らせを受け取る" })).toBeVisible();
      await expect(creator.page.getByText("お知らせを受け取らないようにしました")).toBeVisible();
      await first.getByRole("button", { name: "フォロー解除" }).click();
      // Their row stays, above the others, and undoes it.
      await expect(first.getByText("フォローを解除しました")).toBeVisible();
      await expect(people).toHaveCount(count);
      await first.getByRole("button", { name: "フォローする" }).click();
      await expect(first.getByRole("button", { name: "フォロー解除" })).toBeVisible();
      await expect(people).toHaveCount(count);
    });
  });

  await test.step("she finds her own address, and copies it with JavaScript", async () => {
    await creator.open("/my/share");
    await expect(creator.page.getByLabel("ページのURL", { exact: true })).toHaveValue(
      /^http:\/\/localhost:\d+\/natsume$/,
    );
    const copy = creator.page.getByRole("button", { name: "コピー" });
    if (!creator.has_script) return expect(copy).toBeHidden();
    await creator.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await copy.click();
    await expect(creator.page.getByText("コピーしました")).toBeVisible();
    expect(await creator.page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/natsume$/);
  });

  await test.step("she changes her bio; an empty name is refused", async () => {
    await creator.open("/my/settings");
    const bio = creator.page.getByLabel("自己紹介");
    const before = await bio.inputValue();
    await creator.stayingOnThePage(async () => {
      await creator.page.getByLabel("表示名").fill("");
      await creator.page.getByRole("button", { name: "保存する" }).click();
      await expect(creator.page.getByText("表示名を入力してください。")).toBeVisible();
      await creator.page.getByLabel("表示名").fill("なつめ");
      await bio.fill(`${before}\n新しい一行。`);
      await creator.page.getByRole("button", { name: "保存する" }).click();
      await expect(creator.page.getByText("設定を保存しました")).toBeVisible();
    });
    await creator.page.goto("/natsume/about");
    await expect(creator.page.getByText("新しい一行。").first()).toBeVisible();
  });
});
