import type { Page } from "playwright/test";
import type { startNetwork } from "../scripts/network.ts";
import { api, demoToken } from "../tests/support/network.ts";
import type { Event } from "../workers/contract/events.ts";
import { expect, test } from "./support/test.ts";

/** Tests the features that scripts add to reading: the picture viewer, counting visits, prefetching. */

type Network = Awaited<ReturnType<typeof startNetwork>>;

const galleryLink = (page: Page) => page.locator(".event-card", { hasText: "雨あがりの帰り道" }).getByRole("link");

async function openGallery(page: Page): Promise<string> {
  await page.goto("/natsume");
  await galleryLink(page).click();
  await expect(page.locator(".gallery")).toBeVisible();
  return new URL(page.url()).pathname;
}

async function visitsOf(path: string, network: Network): Promise<number | null> {
  const token = await demoToken("natsume", network);
  const { json } = await api("GET", `/v4/events/${path.split("/").at(-1)}`, { network, token });
  return (json as { event: Event }).event.visits_count;
}

test("a member views the pictures by keyboard, over the page", async ({ someone }) => {
  const fan = await someone();
  await fan.startSession("fan_hana");
  await openGallery(fan.page);
  await fan.isAlive();
  const { page } = fan;
  const address = page.url();
  const second = page.locator(".gallery a").nth(1);
  await second.focus();
  await page.keyboard.press("Enter");
  const box = page.getByRole("dialog", { name: "雨あがりの帰り道" });
  await expect(box).toBeVisible();
  await expect(box.getByText("2 / 6")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(box.getByText("3 / 6")).toBeVisible();
  await expect.poll(() => box.getByRole("list").evaluate((strip) => strip.scrollLeft / strip.clientWidth)).toBe(2);
  await page.keyboard.press("ArrowRight");
  await expect(box.getByText("4 / 6")).toBeVisible();
  await expect(box.getByAltText("下描きのときの水の色")).toBeInViewport();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowLeft");
  await expect(box.getByText("1 / 6")).toBeVisible();
  await expect(box.getByRole("button", { name: "前の画像" })).toBeDisabled();
  await page.keyboard.press("End");
  await expect(box.getByText("6 / 6")).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await expect(box.getByText("5 / 6")).toBeVisible();
  const next = box.getByRole("button", { name: "次の画像" });
  await next.press("Enter");
  await expect(box.getByRole("status")).toHaveText("6 / 6道ばたの草花");
  await expect(next, "the end of the pictures keeps the focus").toBeFocused();
  await next.press("Enter");
  await expect(box.getByText("6 / 6")).toBeVisible();
  await box.getByRole("button", { name: "拡大" }).click();
  const image = box.getByAltText("道ばたの草花");
  const wide = await page.evaluate(() => innerWidth);
  await expect.poll(async () => (await image.boundingBox())?.width).toBeGreaterThan(1.9 * wide);
  // Zooming keeps the middle in place, and the arrow keys move the picture.
  const findMiddle = async () => {
    const at = await image.boundingBox();
    return at && Math.floor(at.x + at.width / 2);
  };
  await expect.poll(findMiddle).toBe(Math.floor(wide / 2));
  await page.keyboard.press("ArrowRight");
  await expect.poll(findMiddle).toBe(Math.floor(wide / 2) - 120);
  await expect(box.getByText("6 / 6")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(box).toBeHidden();
  await expect(second).toBeFocused();
  await expect(page).toHaveURL(address);
});

test("a swipe shows the next picture, and the counter follows", async ({ someone }) => {
  const fan = await someone();
  await fan.startSession("fan_hana");
  await openGallery(fan.page);
  await fan.isAlive();
  await fan.page.locator(".gallery a").first().click();
  const box = fan.page.getByRole("dialog", { name: "雨あがりの帰り道" });
  await expect(box.getByText("1 / 6")).toBeVisible();
  // A finger scrolls the strip, and so does a mouse wheel.
  await fan.page.mouse.move(180, 400);
  await fan.page.mouse.wheel(375, 0);
  await expect(box.getByText("2 / 6")).toBeVisible();
});

test("a post counts each browser once, of visitors and members", async ({ someone, network }) => {
  const visitor = await someone();
  await visitor.page.goto("/natsume");
  const path = (await galleryLink(visitor.page).getAttribute("href")) ?? "";
  const before = await visitsOf(path, network);
  if (before === null) throw new Error("the owner sees no count");
  const waitForVisit = () => visitor.page.waitForResponse((response) => response.url().endsWith("/visit"));
  for (const again of [path, path, `${path}?picture=2`]) {
    const answer = waitForVisit();
    await visitor.page.goto(again);
    await answer;
    await expect.poll(() => visitsOf(path, network)).toBe(before + 1);
  }

  const fan = await someone();
  await fan.startSession("fan_hana");
  await fan.page.goto(path);
  await expect.poll(() => visitsOf(path, network)).toBe(before + 2);
});

test("a link under the pointer is prefetched, which counts no visit", async ({ someone, network }) => {
  const speculated: string[] = [];
  const visitor = await someone();
  visitor.page.on("requestfinished", async (request) => {
    // The headers of the last requests are unknown after the browser closed.
    const headers = await request.allHeaders().catch(() => null);
    if (headers?.["sec-purpose"]) speculated.push(new URL(request.url()).pathname);
  });
  await visitor.page.goto("/natsume");
  const link = galleryLink(visitor.page);
  const path = (await link.getAttribute("href")) ?? "";
  const before = await visitsOf(path, network);
  await link.hover();
  await expect.poll(() => speculated).toContain(path);
  expect(await visitsOf(path, network)).toBe(before);
  await link.click();
  await expect.poll(() => visitsOf(path, network)).toBe(Number(before) + 1);
});

for (const viewport of [
  { width: 375, height: 812 },
  { width: 1280, height: 800 },
]) {
  test(`the first picture of a post is the largest paint, and preloaded, at ${viewport.width}`, async ({ someone }) => {
    const { page } = await someone();
    await page.setViewportSize(viewport);
    await page.goto("/natsume");
    const card = page.locator(".event-card", { hasText: "雨あがりの帰り道" }).getByRole("link");
    await page.goto((await card.getAttribute("href")) ?? "");
    const findLargestPaint = () =>
      page.evaluate(
        () =>
          new Promise((resolve) => {
            new PerformanceObserver((list) => {
              const { element, url } = list.getEntries().at(-1) as unknown as { element: Element | null; url: string };
              const first = document.querySelector<HTMLImageElement>(".gallery img:not(.blur)");
              const preloads = [...document.head.querySelectorAll<HTMLLinkElement>("link[rel=preload][as=image]")];
              resolve({
                of: element === first ? "the first picture" : element?.outerHTML.slice(0, 160),
                is_shown: url === first?.currentSrc,
                preloaded: preloads.map((link) => [
                  link.fetchPriority,
                  // The page preloads the picture by its sizes, or by its only source.
                  first?.srcset
                    ? link.imageSrcset === first.srcset && link.imageSizes === first.sizes
                    : link.href === first?.src,
                ]),
                fetched: performance.getEntriesByName(url).length,
              });
            }).observe({ type: "largest-contentful-paint", buffered: true });
          }),
      );
    await expect
      .poll(findLargestPaint)
      .toEqual({ of: "the first picture", is_shown: true, preloaded: [["high", true]], fetched: 1 });
  });
}
