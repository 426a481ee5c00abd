import type { Page } from "playwright/test";
import { expect, test } from "./support/test.ts";

/** How pages look on a phone: sizes and places that only a browser computes. The window is a phone's (375). */

/**
 * Returns a computed property of each visible element that matches. Waits until there are some, and until the page has
 * loaded with the others and its styles. No page that leads here may have such elements.
 */
async function stylesOf(page: Page, selector: string, property: string): Promise<string[]> {
  const shown = page.locator(selector).filter({ visible: true });
  await expect(shown, selector).not.toHaveCount(0);
  await page.waitForLoadState();
  return shown.evaluateAll(
    (found, name) => found.map((element) => getComputedStyle(element).getPropertyValue(name)),
    property,
  );
}
const sizesOf = async (page: Page, selector: string) =>
  (await stylesOf(page, selector, "font-size")).map(Number.parseFloat);
const widthOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => element.getBoundingClientRect().width);

test("the words of a chart are at least 10 px high and do not touch", async ({ someone }) => {
  const creator = await someone();
  const { page } = creator;
  await creator.openAs("natsume", "/my/transactions");
  for (const path of ["/my/transactions", "/my/stats?range=year&of=revenue"]) {
    await creator.open(path);
    const scale = (await widthOf(page, ".bar-chart")) / 360;
    for (const size of await sizesOf(page, ".bar-chart text")) expect(size * scale, path).toBeGreaterThanOrEqual(10);
    const touching = await page
      .locator(".bar-chart text")
      .filter({ visible: true })
      .evaluateAll((texts) => {
        const boxes = texts.map((text) => text.getBoundingClientRect());
        const isApart = (a: DOMRect, b: DOMRect) =>
          a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        return boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => !isApart(a, b))).length;
      });
    expect(touching, path).toBe(0);
  }
});

test("a heading is smaller than the heading above it, and a date as large as its sentence", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await fan.open("/natsume/radio");
  await page.getByRole("link", { name: "窓辺のオルゴール" }).click();
  await expect(page.getByText("に放送を終えました。")).toBeVisible();
  const [part = 0, ...others] = await sizesOf(page, "#chat h3");
  const [chat = 0] = await sizesOf(page, "#chat h2");
  expect([part < chat, ...others]).toEqual([true, part]);
  const sentence = page.getByText("に放送を終えました。");
  const size = await sentence.evaluate((said) => getComputedStyle(said).fontSize);
  expect(await sentence.locator("time").evaluate((time) => getComputedStyle(time).fontSize)).toBe(size);
});

test("the button that sends a form is as wide as its fields", async ({ someone }) => {
  const creator = await someone();
  const { page } = creator;
  await creator.openAs("natsume", "/my/settings/bank");
  for (const [path, name] of [
    ["/my/settings/bank", "登録番号を保存する"],
    ["/my/settings/reactions", "保存する"],
    ["/my/settings/payments", "上限額を保存する"],
    ["/my/settings/import", "ファイルを送って確認する"],
    ["/my/memberships/new", "募集を始める"],
  ] as const) {
    await creator.open(path);
    const button = page.getByRole("button", { name, exact: true });
    const widths = await button.evaluate((pressed) => {
      const field = pressed.closest("form")?.querySelector(".field");
      return [pressed.getBoundingClientRect().width, field?.getBoundingClientRect().width];
    });
    expect(widths[0], path).toBe(widths[1]);
  }
  await creator.open("/my/news_letters/new");
  const bar = page.locator(".post-buttons .button");
  const [save, preview] = await bar.evaluateAll((buttons) => buttons.map(({ clientWidth }) => clientWidth));
  expect(save).toBeGreaterThan(0);
  expect(save).toBe(preview);
  // In a wide window a button is as wide as its words.
  await page.setViewportSize({ width: 1280, height: 812 });
  await creator.open("/my/streaming");
  expect(await widthOf(page, "[aria-labelledby=address] .button")).toBeLessThan(300);
});

test("a field for a file has the shape of the other uploads", async ({ someone }) => {
  const creator = await someone();
  await creator.openAs("natsume", "/my/settings/import");
  const { page } = creator;
  const shape = await page.getByLabel("ファイル", { exact: true }).evaluate((input) => {
    const { height, borderRadius } = getComputedStyle(input, "::file-selector-button");
    return [getComputedStyle(input).borderTopStyle, Number.parseFloat(height) >= 44, borderRadius];
  });
  expect(shape).toEqual(["dashed", true, "999px"]);
});

test("no line of a row begins within a phrase or has a single character", async ({ someone }) => {
  const creator = await someone();
  await creator.openAs("natsume", "/my/notifications");
  const { page } = creator;
  for (const [path, selector] of [
    ["/my/notifications", ".notification-text > :first-child"],
    ["/my/posts", ".post-row-title"],
    ["/my/news_letters", ".rows .card-link"],
    ["/my/comments", ".letter-state a"],
    ["/my/stats", ".stats-figure"],
  ] as const) {
    await creator.open(path);
    expect(new Set(await stylesOf(page, selector, "text-wrap-style")), path).toEqual(new Set(["pretty"]));
    expect(new Set(await stylesOf(page, selector, "word-break")), path).toEqual(new Set(["auto-phrase"]));
  }
  const change = page.locator(".stats-figure span span");
  for (const lines of await change.evaluateAll((brackets) => brackets.map((each) => each.getClientRects().length))) {
    expect(lines).toBe(1);
  }
});

test("the title of the share tools is above their tabs", async ({ someone }) => {
  const creator = await someone();
  await creator.openAs("natsume", "/my/share");
  const { page } = creator;
  for (const [path, title] of [
    ["/my/share", "シェア"],
    ["/my/share/site", "サイトに置く"],
    ["/my/share/links", "リンクの順番"],
  ] as const) {
    await creator.open(path);
    await expect(page.locator("h1 + .tabs")).toBeVisible();
    await expect(page.locator("h1")).toHaveText(title);
  }
});

test("no word of an empty list and no plan's name in the title of a lock is broken", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await fan.open("/search?keyword=zzzzqqqq");
  for (const part of [".empty-state-title", ".search-hints li"]) {
    expect(new Set(await stylesOf(page, part, "word-break")), part).toEqual(new Set(["auto-phrase"]));
  }
  expect(new Set(await stylesOf(page, ".search-hints li", "text-wrap-style"))).toEqual(new Set(["pretty"]));
  await fan.open("/natsume/plans");
  await page.getByRole("link", { name: "となりの椅子", exact: true }).click();
  await page.getByRole("region", { name: "このプランで読める投稿" }).getByRole("link").first().click();
  const name = page.locator(".locked-title span");
  await expect(name).toHaveText("「となりの椅子」");
  await page.waitForLoadState();
  expect(await name.evaluate((span) => span.getClientRects().length)).toBe(1);
});

test("the form for a paid letter shows only the fields that apply", async ({ someone }) => {
  const guest = await someone();
  const { page } = guest;
  await guest.open("/natsume/ofuse/paid");
  const own = page.getByLabel("自分で決める金額（円）");
  const share = page.getByRole("group", { name: "寄付に回す割合" });
  await expect(own).toBeHidden();
  await expect(share).toBeHidden();
  await page.getByRole("group", { name: "寄付（任意）" }).getByRole("radio").nth(1).check();
  await expect(share).toBeVisible();
  await page.getByLabel("金額を自分で決める").check();
  await own.fill("3000");
  await page.getByLabel(/^550円（税込）/).check();
  // The server refuses a typed amount beside a chosen price, so it stays until it is cleared.
  await expect(own).toBeVisible();
  await own.fill("");
  await page.getByLabel("メッセージ").focus();
  await expect(own).toBeHidden();
});

test("every plan to change to has its price on a line of its own", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await fan.openAs("fan_hana", "/my/subscriptions");
  await page.locator(".plan-title a").first().click();
  const rows = page.locator(".invoice-rows li");
  await expect(rows).not.toHaveCount(0);
  await page.waitForLoadState();
  const is_beside = await rows.evaluateAll((all) =>
    all.map(({ firstElementChild, lastElementChild }) => {
      const [name, price] = [firstElementChild, lastElementChild].map((each) => each?.getBoundingClientRect());
      return name && price ? price.top < name.bottom : null;
    }),
  );
  expect(new Set(is_beside)).toEqual(new Set([false]));
});

test("nothing of a creator's page moves when the member follows", async ({ someone }) => {
  const fan = await someone();
  const { page } = fan;
  await fan.openAs("fan_ryo", "/akari");
  const button = page.locator(".creator > .creator-actions form[action$='/follow'] button");
  for (const width of [320, 375, 599]) {
    await page.setViewportSize({ width, height: 800 });
    const top = () =>
      page.locator(".creator-counts").evaluate((counts) => counts.getBoundingClientRect().top + scrollY);
    const rows = () =>
      page.locator(".creator > .creator-actions > *").evaluateAll((parts) => {
        const shown = parts.filter((part) => part.getClientRects().length > 0);
        return new Set(shown.map((part) => Math.round(part.getBoundingClientRect().top))).size;
      });
    await fan.open("/akari");
    const [before, name = ""] = [await top(), (await button.textContent()) ?? ""];
    expect(await rows(), `${name} at ${width}`).toBe(1);
    await button.click();
    await expect(button).not.toHaveText(name);
    expect([await top(), await rows()], `after ${name} at ${width}`).toEqual([before, 1]);
    // The server has answered. The message is shown now, and not on the next page.
    await expect(page.locator(".toast").first()).toBeVisible();
    expect([await top(), await rows()], `after the answer at ${width}`).toEqual([before, 1]);
  }
});
