import type { Locator, Page } from "playwright/test";
import { follows } from "../scripts/demo/follows.ts";
import { people } from "../scripts/demo/people.ts";
import { api, demoToken } from "../tests/support/network.ts";
import type { Event } from "../workers/contract/events.ts";
import { IN_CHROMIUM } from "./support/plain-page.ts";
import { expect, test } from "./support/test.ts";

/** Reading posts: as a visitor without the framework, and as a member with it. */

const cardOf = (page: Page, title: string) => page.locator(".event-card", { hasText: title }).getByRole("link");
const galleryOf = (page: Page) => page.getByRole("main").locator(".gallery a");
const GALLERY = "雨あがりの帰り道";
const stranger = people.find(
  ({ key, is_creator }) => !is_creator && !follows.some(([fan, creator]) => fan === key && creator === "natsume"),
);

test("a visitor views the pictures over the page, by links, arrow keys and the back button", {
  tag: IN_CHROMIUM,
}, async ({ someone }) => {
  const { page, has_script } = await someone();
  await page.goto("/natsume");
  await cardOf(page, GALLERY).click();
  await expect(galleryOf(page)).toHaveCount(6);
  // While a document loads, Chromium scrolls back to the target of its address after each key.
  await page.waitForLoadState();
  const viewer = page.getByRole("region", { name: `${GALLERY}の画像` });
  await expect(viewer).toBeHidden();
  await galleryOf(page).nth(2).click();
  await expect(viewer.getByText("3 / 6")).toBeInViewport();
  await expect(page.locator("#picture-3")).toBeFocused();
  await expect(page.locator("#picture-3")).toBeInViewport({ ratio: 0.9 });
  // Without a script, the focused strip scrolls by one picture.
  await page.keyboard.press("ArrowRight");
  await expect(viewer.getByAltText("下描きのときの水の色")).toBeInViewport({ ratio: 0.9 });
  await page.keyboard.press("ArrowLeft");
  await expect(viewer.getByText("3 / 6")).toBeInViewport();
  await viewer.getByRole("link", { name: "次の画像" }).nth(2).click();
  await expect(viewer.getByText("4 / 6")).toBeInViewport();
  await page.goBack();
  await expect(viewer.getByText("3 / 6")).toBeInViewport();
  await viewer.getByRole("link", { name: "閉じる" }).nth(2).click();
  await expect(viewer).toBeHidden();
  await expect(galleryOf(page).nth(2)).toBeFocused();
  if (has_script) {
    await page.keyboard.press("Enter");
    await expect(viewer).toBeVisible();
    // The script that handles Esc has arrived: it also shows copy buttons.
    await expect(page.locator("html")).toHaveAttribute("data-copies");
    await page.keyboard.press("Escape");
    await expect(viewer).toBeHidden();
  }
});

test("each picture of a post has its own page, with its neighbours and a way back", {
  tag: IN_CHROMIUM,
}, async ({ someone }) => {
  const { page } = await someone();
  await page.goto("/natsume");
  await cardOf(page, GALLERY).click();
  await expect(galleryOf(page)).toHaveCount(6);
  const address = page.url();
  await galleryOf(page).nth(2).click();
  await page.getByRole("link", { name: "この画像だけのページを開く" }).nth(2).click();
  await expect(page).toHaveURL(`${address}?picture=3`);
  await expect(page.getByText("3 / 6")).toBeVisible();
  await page.getByRole("link", { name: "次の画像" }).click();
  await expect(page.getByText("4 / 6")).toBeVisible();
  const shown = page.locator(".picture-page > a img").last();
  await expect(shown).toHaveAttribute("alt", "下描きのときの水の色");
  expect(
    await shown.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
  ).toBeGreaterThan(0);
  await page.getByRole("link", { name: "6枚目" }).click();
  await expect(page.getByText("6 / 6")).toBeVisible();
  await expect(page.getByRole("link", { name: "前の画像" })).toBeVisible();
  await expect(page.getByRole("contentinfo")).toBeVisible();
  await expect(page.getByRole("link", { name: "次の画像" })).toHaveCount(0);
  await page.getByRole("link", { name: "投稿に戻る" }).click();
  await expect(page).toHaveURL(address);
  for (const number of ["0", "7", "x", "01"]) {
    expect((await page.goto(`${address}?picture=${number}`))?.status(), number).toBe(404);
  }
});

test("on a phone a creator's posts begin within a screen and a half, and a post's title in the first third", {
  tag: IN_CHROMIUM,
}, async ({ someone }) => {
  const { page } = await someone();
  await page.setViewportSize({ width: 375, height: 812 });
  const topOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((part) => part.getBoundingClientRect().top);
  await page.goto("/natsume");
  expect(await topOf(".event-card")).toBeLessThan(1.5 * 812);
  const wordBreakOf = (part: Locator) => part.evaluate((element) => getComputedStyle(element).wordBreak);
  expect(await wordBreakOf(page.getByRole("heading", { level: 1 }))).toBe("auto-phrase");
  expect(await wordBreakOf(page.locator(".creator-bio")), "a text breaks anywhere").toBe("normal");
  // The rest of the bio opens in place.
  const measureHeight = () => page.locator(".creator-bio").evaluate((bio) => bio.clientHeight);
  const clamped = await measureHeight();
  await page.getByText("続きを読む").click();
  await expect.poll(measureHeight).toBeGreaterThan(clamped);
  await page.getByText("閉じる").click();
  await expect.poll(measureHeight).toBe(clamped);
  await cardOf(page, GALLERY).click();
  await expect(page.getByRole("heading", { level: 1, name: GALLERY })).toBeVisible();
  await page.waitForLoadState();
  expect(await topOf("h1")).toBeLessThan(812 / 3);
});

test("a category filters the list, and its posts link only to each other", { tag: IN_CHROMIUM }, async ({
  someone,
}) => {
  const { page } = await someone();
  await page.goto("/natsume");
  const filter = page.getByRole("navigation", { name: "カテゴリー" });
  await filter.getByRole("link", { name: /らくがき/ }).click();
  await expect(filter.getByRole("link", { name: /らくがき/ })).toHaveAttribute("aria-current", "page");
  // The list is in view, below the header.
  await expect.poll(() => filter.evaluate((part) => part.getBoundingClientRect().top)).toBeLessThan(120);
  const count = Number(
    await filter
      .getByRole("link", { name: /らくがき/ })
      .locator("small")
      .textContent(),
  );
  await expect(page.locator(".event-card")).toHaveCount(count);
  await page.waitForLoadState();
  const titles = await page.locator(".event-card h3").allTextContents();
  await cardOf(page, titles[1] ?? "").click();
  const neighbours = page.getByRole("navigation", { name: "「らくがき」の前後の投稿" });
  await expect(neighbours.getByRole("link")).toHaveText([`前の投稿${titles[2]}`, `次の投稿${titles[0]}`]);
  await neighbours.getByRole("link", { name: /前の投稿/ }).click();
  await expect(page.getByRole("heading", { level: 1, name: titles[2] })).toBeVisible();
  await expect(neighbours).toBeVisible();
  // Without a category, the neighbours are those of all posts.
  await page.goto(page.url().replace(/\?.*/, ""));
  await expect(page.getByRole("navigation", { name: "前後の投稿", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "らくがき", exact: true }).click();
  await expect(page.locator(".event-card")).toHaveCount(count);
});

test("an external film is loaded when the reader plays it, and not before", { tag: IN_CHROMIUM }, async ({
  someone,
}) => {
  const { page } = await someone();
  const asked: string[] = [];
  await page.route(/^https:/, async (route) => {
    asked.push(route.request().url());
    await route.fulfill({ contentType: "text/html", body: "<p>the player</p>" });
  });
  await page.goto("/natsume?page=2");
  await cardOf(page, "夕焼けを塗る八分間").click();
  const player = page.frameLocator("iframe[title='YouTubeの動画']");
  await expect(player.getByRole("link", { name: "YouTubeの動画を再生する" })).toBeVisible();
  expect(asked).toEqual([]);
  await player.getByRole("link", { name: "YouTubeの動画を再生する" }).click();
  await expect(player.getByText("the player")).toBeVisible();
  expect(asked).toEqual(["https://www.youtube-nocookie.com/embed/M7lc1UVf-VE?autoplay=1"]);
  await page.getByRole("link", { name: "YouTubeで開く" }).click();
  await expect(page.getByRole("heading", { name: "外部サイトへ移動します" })).toBeVisible();
});

test("a reader without access learns why, and reads the rest after following", async ({ someone }) => {
  const fan = await someone();
  await fan.page.goto("/natsume");
  await cardOf(fan.page, "ラフのまとめ").click();
  const panel = fan.page.getByRole("region", { name: "この投稿はフォロワー限定です" });
  await expect(panel).toBeVisible();
  await expect(fan.page.getByRole("contentinfo")).toBeVisible();
  await expect(fan.page.getByText("三枚目のきつね")).toHaveCount(0);
  await panel.getByRole("button", { name: "フォローする" }).click();
  await fan.signIn(stranger?.link_id ?? "");
  await expect(fan.page.getByText("三枚目のきつね")).toBeVisible();
  await expect(galleryOf(fan.page)).toHaveCount(5);
});

test("a post can be shared in several ways, and its address copied by hand", async ({ someone }) => {
  const { page } = await someone();
  await page.goto("/natsume");
  await cardOf(page, GALLERY).click();
  await expect(page).toHaveURL(/\/events\//);
  await expect(page.getByRole("contentinfo")).toBeVisible();
  const address = page.url();
  await expect(page.getByRole("link", { name: "LINE", exact: true })).toBeHidden();
  await page.getByText("シェア", { exact: true }).click();
  await expect(page.getByLabel("このページのURL")).toHaveValue(address);
  for (const [name, host] of [
    ["X", "x.com"],
    ["LINE", "social-plugins.line.me"],
    ["はてなブックマーク", "b.hatena.ne.jp"],
  ] as const) {
    const href = new URL((await page.getByRole("link", { name, exact: true }).getAttribute("href")) ?? "");
    expect([href.host, href.searchParams.get("url")]).toEqual([host, address]);
  }
});

test("a visitor sees a post as soon as it is published, and not after it is locked or withdrawn", async ({
  someone,
  network,
}) => {
  const { page } = await someone();
  const token = await demoToken("natsume", network);
  const words = "灯台の階段は百七段ありました。";
  const body = {
    kind: "blog",
    title: `灯台の階段 ${crypto.randomUUID().slice(0, 8)}`,
    document: [{ type: "paragraph", content: [{ type: "text", text: words }] }],
    status: "published",
    publish_target_type: "public",
  };
  const sendEvent = async (method: string, path: string, sent: object) => {
    const { status, json, text } = await api(method, path, { network, token, body: sent, key: crypto.randomUUID() });
    if (status >= 300) throw new Error(`${method} ${path} answered ${text}`);
    return (json as { event: Event }).event;
  };
  /** Reloads until the page shows the value: a cached page may be a second old. */
  const expectEventually = (path: string, seen: () => Promise<unknown>, wanted: unknown) =>
    expect
      .poll(async () => {
        await page.goto(path);
        return seen();
      })
      .toEqual(wanted);
  const countCards = () => cardOf(page, body.title).count();
  const countWords = () => page.getByText(words).count();

  await page.goto("/natsume");
  expect(await countCards()).toBe(0);
  const { event_id } = await sendEvent("POST", "/v4/events", body);
  const path = `/natsume/events/${event_id}`;
  await expectEventually("/natsume", countCards, 1);
  await expectEventually(path, countWords, 1);
  await sendEvent("PUT", `/v4/events/${event_id}`, { ...body, publish_target_type: "fans" });
  await expectEventually(path, countWords, 0);
  await expect(page.getByRole("heading", { name: "この投稿はフォロワー限定です" })).toBeVisible();
  await expectEventually("/natsume", countWords, 0);
  await sendEvent("PUT", `/v4/events/${event_id}`, { ...body, status: "private" });
  await expectEventually("/natsume", countCards, 0);
  await expectEventually(path, () => page.getByText("404").count(), 1);
});
