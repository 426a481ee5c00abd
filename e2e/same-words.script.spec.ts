import type { Page } from "playwright/test";
import { expect, test } from "./support/test.ts";

/** A page has the same text with and without JavaScript: no text needs a script, and no script adds text. */

const pages = ["/", "/natsume", "/natsume?page=2", "/natsume/about", "/natsume/plans", "/natsume/ofuse", "/hibiki"];
const members = ["/my/box", "/my/notifications"];

/** Returns the page's visible text. */
// biome-ignore lint/performance/useDomNodeTextContent: textContent includes hidden text.
const wordsOf = async (page: Page) => (await page.evaluate(() => document.body.innerText)).replace(/\s+/g, " ");

test("every word of a page is there without JavaScript", async ({ someone, openEmptyPage, network }) => {
  const fan = await someone();
  await fan.page.goto("/natsume");
  const post = (await fan.page.locator(".event-card a").first().getAttribute("href")) ?? "";
  for (const who of ["a visitor", "a member"]) {
    if (who === "a member") {
      await fan.openAs("natsume", "/my/box");
      await fan.isAlive();
      // Only her browser stores the creator looked at last, and which hints she has read.
      await fan.page.evaluate(() => {
        localStorage.clear();
        localStorage.setItem("tappedTutorials", JSON.stringify(["box"]));
      });
    }
    const storageState = await fan.page.context().storageState();
    const viewport = fan.page.viewportSize();
    const page = await openEmptyPage({ baseURL: network.url, javaScriptEnabled: false, storageState, viewport });
    for (const path of [...pages, post, ...(who === "a member" ? members : [])]) {
      await page.goto(path);
      await fan.open(path);
      const without = await wordsOf(page);
      expect(without.length, path).toBeGreaterThan(60);
      expect(await wordsOf(fan.page), `${path} as ${who}`).toBe(without);
    }
    await page.context().close();
  }
});
