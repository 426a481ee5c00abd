import { test } from "./support/maintenance.ts";
import { expect } from "./support/test.ts";

/** Pages that are open when maintenance is announced, begins and ends. The test moves the browser's clock. */

const VIEW = "ただいまメンテナンス中です";
const END = ["--to", "2099/12/01 20:00"];
const POLL = "05:00";

test("a member's open page announces maintenance, and becomes the maintenance view when it begins", async ({
  someone,
  operate,
}) => {
  const fan = await someone();
  await fan.page.clock.install();
  await fan.openAs("fan_hana", "/my/box");
  await fan.stayingOnThePage(async () => {
    await operate("set", "--from", "2099/12/01 17:00", ...END);
    await fan.page.clock.fastForward(POLL);
    await expect(fan.page.getByText("12/1 17:00〜20:00の間")).toBeVisible();
  });
  await operate("set", "--from", "now", ...END);
  await fan.page.clock.fastForward(POLL);
  await expect(fan.page.getByRole("heading", { name: VIEW })).toBeVisible();
  await expect(fan.page).toHaveURL(/\/my\/box$/);
});

test("a page whose form is untouched becomes the maintenance view, whatever its fields contain", async ({
  someone,
  operate,
}) => {
  const [fan, visitor] = [await someone(), await someone()];
  for (const { page } of [fan, visitor]) await page.clock.install();
  await fan.openAs("fan_taro", "/my/settings");
  await fan.isAlive();
  await visitor.page.goto("/sumire/ofuse");
  await operate("set", "--from", "now", ...END);
  for (const { page } of [fan, visitor]) {
    await page.clock.fastForward(POLL);
    await expect(page.getByRole("heading", { name: VIEW })).toBeVisible();
  }
});

test("a half-written letter stays on the page through maintenance", async ({ someone, operate }) => {
  const fan = await someone();
  const letter = "まだ途中の手紙なのですが";
  await fan.page.clock.install();
  await fan.openAs("fan_taro", "/hibiki/ofuse");
  await fan.stayingOnThePage(async () => {
    await fan.page.getByLabel("メッセージ").fill(letter);
    await operate("set", "--from", "now", ...END);
    await fan.page.clock.fastForward(POLL);
    await expect(fan.page.getByText("メンテナンスが始まりました。")).toBeVisible();
    await fan.page.getByRole("button", { name: "送信する" }).click();
    await expect(fan.page.locator(".form-error").getByText(VIEW)).toBeVisible();
    await expect(fan.page.getByLabel("メッセージ")).toHaveValue(letter);
    await operate("clear");
    await fan.page.clock.fastForward(POLL);
    await expect(fan.page.getByText("メンテナンスが終わりました。")).toBeVisible();
    await fan.page.getByRole("button", { name: "送信する" }).click();
    await expect(fan.page.getByText("送信しました")).toBeVisible();
  });
});

test("a form that maintenance refuses keeps the page and its letter, and says so", async ({ someone, operate }) => {
  const fan = await someone();
  const letter = "フォローの前に書きはじめた手紙";
  await operate("set", "--from", "2099/12/01 17:00", ...END);
  await fan.openAs("fan_taro", "/kanade/ofuse");
  await fan.stayingOnThePage(async () => {
    await expect(fan.page.getByText("12/1 17:00〜20:00の間")).toBeVisible();
    await fan.page.getByLabel("メッセージ").fill(letter);
    await operate("set", "--from", "now", ...END);
    await fan.page.getByRole("button", { name: "フォローする" }).click();
    await expect(fan.page.locator(".toast-alert").getByText(VIEW)).toBeVisible();
    await expect(fan.page.getByText("メンテナンスが始まりました。"), "at once, not with the next poll").toBeVisible();
    await expect(fan.page.getByText("12/1 17:00")).toHaveCount(0);
    await expect(fan.page.getByRole("heading", { name: VIEW })).toHaveCount(0);
    await expect(fan.page.getByLabel("メッセージ")).toHaveValue(letter);
    await operate("clear");
    await fan.page.getByRole("button", { name: "フォローする" }).click();
    await expect(fan.page.getByRole("button", { name: "フォロー中", exact: true })).toBeVisible();
    await expect(fan.page.getByLabel("メッセージ")).toHaveValue(letter);
  });
});

for (const [path, button] of [
  ["/kanade/about", "フォロー"],
  ["/my/followings", "お知らせを"],
] as const) {
  test(`${button} on ${path} leads to the maintenance view when no words would be lost, without the member's data`, async ({
    someone,
    operate,
  }) => {
    const fan = await someone();
    await operate("set", "--from", "2099/12/01 17:00", ...END);
    await fan.openAs("fan_hana", path);
    await fan.isAlive();
    const menu = fan.page.getByRole("button", { name: "のメニュー" });
    await operate("set", "--from", "now", ...END);
    await fan.page
      .getByRole("button", { name: new RegExp(`^${button}`) })
      .first()
      .click();
    await expect(fan.page.getByRole("heading", { name: VIEW })).toBeVisible();
    await expect(fan.page).toHaveURL(new RegExp(`${path}$`));
    await expect(menu).toHaveCount(0);
    await expect(fan.page.getByRole("button", { name: "メニューを開く" })).toHaveCount(0);
    await expect(fan.page.locator(".maintenance-banner")).toHaveCount(0);
  });
}

test("a member who signs out of an already open page stays signed out after maintenance", async ({
  someone,
  operate,
}) => {
  const fan = await someone();
  await fan.openAs("fan_hana", "/my/box");
  await fan.isAlive();
  await fan.page.getByRole("button", { name: "のメニュー" }).click();
  await operate("set", "--from", "now", ...END);
  await fan.page
    .getByRole("button", { name: /^ログアウト/ })
    .first()
    .click();
  await expect(fan.page).toHaveURL("/");
  await operate("clear");
  await fan.page.goto("/my/box");
  await expect(fan.page).toHaveURL("/login?to=%2Fmy%2Fbox");
});

test("a link followed under maintenance leads to the maintenance view", async ({ someone, operate }) => {
  const fan = await someone();
  await fan.openAs("fan_hana", "/my/box");
  await fan.isAlive();
  await operate("set", "--from", "now", ...END);
  await fan.page.getByRole("link", { name: "お知らせ", exact: false }).first().click();
  await expect(fan.page.getByRole("heading", { name: VIEW })).toBeVisible();
  await expect(fan.page).toHaveURL(/\/my\/notifications$/);
});

for (const who of [null, "fan_hana"]) {
  test(`the open page of ${who ?? "a visitor"} asks every 300,000 ms, and on the minute when its clock says so`, async ({
    someone,
    operate,
  }) => {
    const person = await someone();
    const { page } = person;
    if (who) await person.startSession(who);
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/api/maintenance")) asked += 1;
    });
    // The browser's time passes only when the test moves it.
    const begun = Date.now();
    await page.clock.install({ time: begun });
    await page.clock.pauseAt(begun + 60_000);
    await page.goto("/sumire");
    if (who) await person.isAlive();
    const waitForPoll = () => page.waitForResponse(/\/api\/maintenance$/);
    for (const poll of [1, 2]) {
      await page.clock.runFor(299_999);
      expect(asked, "not before").toBe(poll - 1);
      const answer = waitForPoll();
      await page.clock.runFor(1);
      await answer;
      expect(asked).toBe(poll);
    }
    // Maintenance begins half a minute after the page asked. The page uses the site's time and checks at the end of the
    // minute, without waiting for the next poll.
    const soon = new Date(Date.now() + 30_000).toISOString();
    await operate("set", "--from", soon, ...END);
    let answer = waitForPoll();
    await page.clock.runFor(300_000);
    await answer;
    await expect(page.locator(".maintenance-banner")).toBeVisible();
    await page.clock.runFor(59_999);
    expect(asked).toBe(3);
    answer = waitForPoll();
    await page.clock.runFor(1);
    await answer;
    expect(asked).toBe(4);
  });
}

test("a visitor's open page announces maintenance, keeps their words through it, and reloads when it is over", async ({
  someone,
  operate,
}) => {
  const visitor = await someone();
  const { page } = visitor;
  await page.clock.install();
  await page.goto("/sumire/ofuse");
  await operate("set", "--from", "2099/12/01 17:00", ...END);
  await page.clock.fastForward(POLL);
  await expect(page.getByText("12/1 17:00〜20:00の間")).toBeVisible();
  await page.getByLabel("メッセージ").fill("書きかけ");
  await operate("set", "--from", "now", ...END);
  await page.clock.fastForward(POLL);
  await expect(page.getByText("メンテナンスが始まりました。")).toBeVisible();
  await expect(page.getByText("12/1 17:00")).toHaveCount(0);
  await expect(page.getByLabel("メッセージ")).toHaveValue("書きかけ");
  await page.getByLabel("メッセージ").fill("");
  await operate("clear");
  await page.clock.fastForward(POLL);
  await expect(page.getByText("メンテナンスが始まりました。"), "loaded again").toHaveCount(0);
  await expect(page.getByRole("heading", { name: "ofuseを送る" })).toBeVisible();
});
