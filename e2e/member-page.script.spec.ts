import type { Locator, Page } from "playwright/test";
import { newPushReceiver } from "../tests/support/push-receiver.ts";
import { expect, type Person, test } from "./support/test.ts";

/** Tests what a member's hydrated page shows beside its content. */

async function openAs(person: Person, who: string, path: string): Promise<Page> {
  await person.openAs(who, path);
  await person.isAlive();
  return person.page;
}

/**
 * Opens a page as the first one after a registration. Sets the storage from a URL where none of our scripts reads it.
 */
async function openGreeted(page: Page, kind: string, path: string): Promise<void> {
  await page.goto("/favicon.svg");
  await page.evaluate((told) => sessionStorage.setItem("showRegisterCompleteModal", told), kind);
  await page.goto(path);
}

test("a progress bar shows while the next page loads, and 200 ms longer", async ({ someone }) => {
  const fan = await someone();
  // Before the page's own timers.
  await fan.page.clock.install();
  const page = await openAs(fan, "fan_hana", "/natsume");
  let letGo = () => {};
  const held = new Promise<void>((done) => {
    letGo = done;
  });
  await page.route("**/*.data*", async (route) => {
    await held;
    await route.continue();
  });
  const bar = page.getByRole("progressbar", { name: "読み込み中" });
  await expect(bar).toHaveCount(0);
  await page.getByRole("link", { name: "プロフィール" }).click();
  await expect(bar).toBeVisible();
  await bar.evaluate((element) => element.setAttribute("data-first", ""));
  await page.clock.pauseAt(Date.now() + 60_000);
  letGo();
  await expect(page).toHaveURL(/\/about$/);
  await expect(page.getByRole("link", { name: "プロフィール" })).toHaveAttribute("aria-current", "page");
  await page.clock.runFor(150);
  await expect(bar, "it was not gone in between").toHaveAttribute("data-first");
  await page.clock.runFor(100);
  await expect(bar).toHaveCount(0);
});

test.describe("a member who has just registered", () => {
  test("sees the welcome dialog once, in readable text, and closes it with the keyboard", async ({ someone }) => {
    const page = await openAs(await someone(), "fan_hana", "/natsume");
    await openGreeted(page, "creator", "/natsume");
    const modal = page.getByRole("dialog", { name: "ファンからの応援を受け取れるようになりました" });
    await expect(modal).toBeVisible();
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem("showRegisterCompleteModal"))).toBeNull();
    // The page behind cannot be focused.
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest("dialog") !== null)).toBe(true);
    await page.keyboard.press("Escape");
    await expect(modal).toHaveCount(0);
    await page.reload();
    await expect(page.locator("html")).toHaveAttribute("data-hydrated", "true");
    // The part of the page that shows the dialog has been rendered.
    await expect(page.locator("p.visually-hidden[aria-live=polite]")).toBeAttached();
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });

  test("is greeted as a fan on their own page, and invited to continue", async ({ someone }) => {
    const page = await openAs(await someone(), "natsume", "/natsume");
    await openGreeted(page, "creator", "/natsume");
    const modal = page.getByRole("dialog", { name: "登録ありがとうございます" });
    await modal.getByRole("link", { name: "レターボックスを開く" }).click();
    await expect(page).toHaveURL(/\/my\/box/);
    await expect(modal).toHaveCount(0);
  });

  test("closes the greeting with its button", async ({ someone }) => {
    const page = await openAs(await someone(), "fan_hana", "/natsume");
    await openGreeted(page, "fan", "/natsume");
    await page.getByRole("dialog").getByRole("button", { name: "はじめる" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });

  test("gets no dialog while registering, but on the next page", async ({ someone }) => {
    const page = await openAs(await someone(), "fan_hana", "/natsume");
    await openGreeted(page, "fan", "/signup/register_email");
    await expect(page.locator("html")).toHaveAttribute("data-hydrated", "true");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.getByRole("link", { name: "もとのページへ戻る" }).click();
    await expect(page.getByRole("dialog", { name: "登録ありがとうございます" })).toBeVisible();
  });

  test("gets no dialog on the step that it recommends, nor over words that wait", async ({ someone }) => {
    const page = await openAs(await someone(), "natsume", "/hibiki/ofuse");
    await page.getByLabel("メッセージ").fill("登録のまえに書いた手紙");
    await expect.poll(() => page.evaluate(() => JSON.stringify({ ...sessionStorage }))).toContain("登録のまえに");
    for (const path of ["/my/settings/bank", "/hibiki/ofuse"]) {
      await openGreeted(page, "creator", path);
      await expect(page.locator("html")).toHaveAttribute("data-hydrated", "true");
      // The part of the page that shows the dialog has been rendered.
      await expect(page.locator("p.visually-hidden[aria-live=polite]")).toBeAttached();
      expect(await page.evaluate(() => sessionStorage.getItem("showRegisterCompleteModal"))).toBe("creator");
    }
    await page.goto("/my/share");
    await expect(page.getByRole("dialog", { name: "ファンからの応援を受け取れるようになりました" })).toBeVisible();
  });
});

/** Lets time pass until the toast is there. A busy machine would use up the time of a toast if the clock ran by itself. */
const waitForToast = (toast: Locator) =>
  expect
    .poll(async () => {
      await toast.page().clock.runFor(100);
      return toast.count();
    })
    .toBe(1);

test("a toast has the specified place, width, time and key", async ({ someone }) => {
  const page = await openAs(await someone(), "fan_hana", "/mio");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.clock.install();
  // From here on, time passes only when the test moves it.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page
    .getByRole("button", { name: "フォローする" })
    .or(page.getByRole("button", { name: "フォロー中", exact: true }))
    .first()
    .click();
  const toast = page.locator(".toast");
  await waitForToast(toast);
  await expect(toast).toHaveText(/フォロー/);
  await expect(toast).toHaveAttribute("data-mounted", "true");
  const box = await toast.boundingBox();
  expect(box?.width).toBe(356);
  expect((box?.x ?? 0) + 178).toBeCloseTo(640, 0);
  expect(box?.y).toBeGreaterThan(600);
  // A toast under the pointer stays.
  await toast.hover();
  await page.clock.runFor(10_000);
  await expect(toast).toBeVisible();
  await page.mouse.move(10, 10);
  await page.clock.runFor(3000);
  await expect(toast).toBeVisible();
  await page.keyboard.press("Alt+t");
  await expect(page.getByRole("region", { name: /お知らせ/ }).locator("ol")).toBeFocused();
  await page.keyboard.press("Escape");
  await page.clock.resume();
  await page.clock.runFor(5000);
  await expect(toast).toHaveCount(0);
});

test("the member's home shows the creator looked at last, unless the creator is gone", async ({ someone }) => {
  const page = await openAs(await someone(), "fan_hana", "/mio");
  await expect.poll(() => page.evaluate(() => localStorage.lastViewCreatorId)).toBeTruthy();
  await page.goto("/");
  const recent = page.getByRole("heading", { name: "最近見たクリエイター" }).locator("..").getByRole("link");
  await expect(recent).toHaveAttribute("href", "/mio");
  for (const user_id of ["01k00000000000000000000000", "no id"]) {
    await page.evaluate((gone) => localStorage.setItem("lastViewCreatorId", gone), user_id);
    // The name of the route's script begins like this, too.
    const asked = page.waitForResponse(/recent-creator\.json/);
    await page.reload();
    await asked;
    await expect(page.locator("html")).toHaveAttribute("data-hydrated", "true");
    await expect(recent).toHaveCount(0);
  }
});

test("a hint shows until the member has read it, and never again", async ({ someone }) => {
  const page = await openAs(await someone(), "natsume", "/my/settings");
  await page.getByRole("button", { name: "新規作成" }).click();
  const hint = page.getByRole("complementary", { name: "ヒント" });
  await hint.getByRole("button", { name: "わかりました" }).click();
  await expect(hint).toHaveCount(0);
  await expect.poll(() => page.evaluate(() => localStorage.getItem("tappedTutorials"))).toBe('["create"]');
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-hydrated", "true");
  await page.getByRole("button", { name: "新規作成" }).click();
  await expect(page.getByRole("link", { name: "動画" })).toBeVisible();
  await expect(hint).toHaveCount(0);
});

test("the hint of a place shows once, moves nothing, and shows again when the settings are asked", async ({
  someone,
}) => {
  const page = await openAs(await someone(), "natsume", "/my/share");
  const hint = page.getByRole("complementary", { name: "ヒント" });
  await expect(hint).toContainText("ページのURLを");
  // It lies over the page.
  expect(await hint.evaluate((element) => getComputedStyle(element).position)).toBe("fixed");
  await hint.getByRole("button", { name: "わかりました" }).click();
  await expect(hint).toHaveCount(0);
  await page.goto("/my/settings/display");
  await expect(page.locator("html")).toHaveAttribute("data-hydrated", "true");
  await page.getByRole("button", { name: "もう一度見る" }).click();
  await expect(page.getByText("もう一度表示します")).toBeVisible();
  await page.goto("/my/share");
  await expect(hint).toBeVisible();
});

test("a hint on a phone waits until the toast over it is gone", async ({ someone }) => {
  const page = await openAs(await someone(), "natsume", "/my/posts");
  await page.setViewportSize({ width: 375, height: 800 });
  await page.clock.install();
  const hint = page.locator(".hint-floating");
  await expect(hint).toBeVisible();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page
    .locator(".post-row")
    .first()
    .getByRole("button", { name: /非公開にする|公開する/ })
    .click();
  await waitForToast(page.locator(".toast"));
  await expect(page.locator(".toast")).toBeVisible();
  await expect(hint).toBeHidden();
  await page.clock.resume();
  await page.clock.runFor(10_000);
  await expect(page.locator(".toast")).toHaveCount(0);
  await expect(hint).toBeVisible();
});

test("the creators' menu stays folded until the member opens it again", async ({ someone }) => {
  const page = await openAs(await someone(), "fan_hana", "/my/box");
  await page.setViewportSize({ width: 1280, height: 900 });
  const ways = page.getByRole("navigation", { name: "クリエイター" });
  const way = ways.getByRole("link", { name: "ラジオ" });
  for (const [is_open, role] of [
    [true, "fan"],
    [false, "creator"],
  ] as const) {
    await expect(way).toBeVisible({ visible: is_open });
    await ways.getByText("クリエイター", { exact: true }).click();
    await expect(way).toBeVisible({ visible: !is_open });
    await expect.poll(() => page.evaluate(() => localStorage.sideMenuRole)).toBe(role);
    await page.reload();
    await expect(page.locator("html")).toHaveAttribute("data-hydrated", "true");
    await expect(way).toBeVisible({ visible: !is_open });
  }
});

/**
 * Stands in for the browser's prompt and its push service, which no test can reach. The service worker is the real one.
 */
const answerPushPrompt = (address: object) => {
  const push = { permission: "default", answer: "default", is_offline: true };
  Object.assign(window, { push });
  Object.defineProperty(Notification, "permission", { get: () => push.permission });
  Notification.requestPermission = async () => push.answer as NotificationPermission;
  const subscription = { toJSON: () => address, unsubscribe: async () => true } as unknown as PushSubscription;
  PushManager.prototype.getSubscription = async () => null;
  PushManager.prototype.subscribe = async () => {
    if (push.is_offline) throw new DOMException("no answer", "AbortError");
    return subscription;
  };
};

test("push notifications are asked for on the press alone, and are turned off again", async ({ someone }) => {
  const fan = await someone();
  const { endpoint, ...keys } = (await newPushReceiver(crypto.randomUUID())).address;
  await fan.page.addInitScript(answerPushPrompt, { endpoint, keys });
  await openAs(fan, "fan_taro", "/my/settings/notifications");
  const decide = (change: object) =>
    fan.page.evaluate((decided) => Object.assign((window as never as { push: object }).push, decided), change);
  const countWorkers = () => fan.page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  const turnOn = fan.page.getByRole("button", { name: "この端末で受け取る" });
  await turnOn.click();
  await expect(fan.page.getByText("通知が許可されませんでした。")).toBeVisible();
  expect(await countWorkers()).toBe(0);
  await decide({ answer: "granted" });
  await turnOn.click();
  await expect(fan.page.getByText("この端末を登録できませんでした。")).toBeVisible();
  await decide({ is_offline: false });
  await turnOn.click();
  await expect(fan.page.getByText("この端末で受け取っています。")).toBeVisible();
  expect(await countWorkers()).toBe(1);
  await fan.page.getByRole("button", { name: "この端末での受け取りをやめる" }).click();
  await expect(turnOn).toBeVisible();
  await expect.poll(countWorkers).toBe(0);
});
