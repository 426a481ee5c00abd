import { expect, test } from "./support/test.ts";

/** What only a page that stays can do wrong. Without JavaScript each form is a page of its own, and the browser keeps it. */

test("following from the letter page, and liking above a reply, leave the words alone", async ({ someone }) => {
  const fan = await someone();
  await fan.page.goto("/login?to=/akari/ofuse");
  await fan.signIn("fan_taro");
  await fan.stayingOnThePage(async () => {
    await fan.page.getByLabel("メッセージ").fill("焼き菓子、家族みんなで");
    await fan.page.getByRole("button", { name: "フォローする" }).click();
    await expect(fan.page.getByText("フォローしました")).toBeVisible();
    await expect(fan.page.getByRole("button", { name: "フォロー中", exact: true })).toBeVisible();
    await expect(fan.page.getByLabel("メッセージ")).toHaveValue("焼き菓子、家族みんなで");
  });

  const creator = await someone();
  await creator.page.goto("/my/box?filter=not_replied");
  await creator.signIn("sumire");
  await creator.page.getByRole("main").getByRole("listitem").first().getByRole("link").click();
  await creator.stayingOnThePage(async () => {
    await creator.page.getByLabel("返信", { exact: true }).fill("書きかけの返事");
    const like = creator.page.getByRole("button", { name: "いいね" });
    const before = await like.getAttribute("aria-pressed");
    await like.click();
    await expect(like).toHaveAttribute("aria-pressed", before === "true" ? "false" : "true");
    await expect(creator.page.getByLabel("返信", { exact: true })).toHaveValue("書きかけの返事");
  });
});

test("a dropped connection leaves the page of every form as it is, and says so", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  const told = page.locator(".toast-alert").getByText("通信できませんでした。");
  const drop = () => page.route("**/*.data*", (route) => route.abort("connectionreset"));
  await page.goto("/login?to=/kanade/ofuse");
  await fan.signIn("fan_hana");
  await fan.stayingOnThePage(async () => {
    await page.getByLabel("メッセージ").fill("電車の中で書いています");
    await drop();
    await page
      .getByRole("button", { name: /^フォロー/ })
      .first()
      .click();
    await expect(told).toBeVisible();
    await page.getByRole("button", { name: "のメニュー" }).click();
    await page.getByRole("button", { name: /^ログアウト/ }).click();
    await expect(told).toHaveCount(2);
    await expect(page.getByLabel("メッセージ")).toHaveValue("電車の中で書いています");
  });
  await page.unroute("**/*.data*");
  await fan.open("/my/followings");
  await fan.stayingOnThePage(async () => {
    await drop();
    await page.getByRole("button", { name: "お知らせを" }).first().click();
    await expect(told).toBeVisible();
    await expect(page.getByRole("heading", { name: "フォロー中" })).toBeVisible();
  });
});

test("offline, a button whose answer was never loaded leaves the page and its words", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  const follow = page.getByRole("button", { name: /^フォロー/ }).first();
  await page.goto("/login?to=/ren/ofuse");
  await fan.signIn("fan_taro");
  // Written by what watches over the page's forms, too.
  await page.waitForFunction(() => localStorage.getItem("lastViewCreatorId"));
  await fan.stayingOnThePage(async () => {
    await page.getByLabel("メッセージ").fill("トンネルの中で書いています");
    const before = await follow.textContent();
    await page.context().setOffline(true);
    await follow.click();
    await expect(page.getByRole("alert").getByText("通信できませんでした。")).toBeInViewport();
    await page.context().setOffline(false);
    await follow.click();
    await expect(follow).not.toHaveText(before ?? "");
    await expect(page.getByLabel("メッセージ")).toHaveValue("トンネルの中で書いています");
  });
});

for (const page of ["/hibiki", "/hibiki/ofuse"]) {
  test(`a dropped connection leaves the letter on ${page}, to be sent once more and only once`, async ({ someone }) => {
    const fan = await someone();
    const letter = `新しい曲、何度も聴いています。${page}`;
    await fan.page.goto(`/login?to=${page}`);
    await fan.signIn("fan_hana");
    await fan.stayingOnThePage(async () => {
      await fan.page.getByLabel("メッセージ").fill(letter);
      await fan.page.route("**/*.data*", (route) => route.abort("connectionreset"));
      await fan.page.getByRole("button", { name: "送信する" }).click();
      await expect(fan.page.getByText("通信できませんでした。")).toBeVisible();
      await expect(fan.page.getByLabel("メッセージ")).toHaveValue(letter);
      await fan.page.unroute("**/*.data*");
      await fan.page.getByRole("button", { name: "送信する" }).click();
      await expect(fan.page.getByText("送信しました")).toBeVisible();
      await expect(fan.page).toHaveURL(/\/hibiki\/ofuse$/);
      await expect(fan.page.getByLabel("メッセージ")).toHaveValue("");
    });
    await fan.open("/my/box?type=sent");
    await expect(fan.page.getByText(letter, { exact: true })).toHaveCount(1);
  });
}
