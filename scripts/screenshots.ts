/**
 * `npm run screenshots [-- path…]`: takes pictures of every page in a new demo world, at 375 and 1280 px, light and
 * dark, as a visitor, a fan and a creator. They are for people to look at: no test compares them.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright";
import { findBrowser } from "./browser.ts";
import { buildIfStale } from "./build.ts";
import { DEMO_PASSWORD, demoEmail } from "./demo/seed.ts";
import { freePort, startNetwork } from "./network.ts";
import { openPage, pathsFor, people } from "./pages.ts";

const FOLDER = "screenshots";
const widths = [375, 1280];
const themes = ["light", "dark"] as const;

/** Takes the pictures of one person's pages. */
async function takeFor(browser: Browser, origin: string, person: (typeof people)[number], only: string[]) {
  const context = await browser.newContext({ baseURL: origin, locale: "ja-JP", timezoneId: "Asia/Tokyo" });
  const page = await context.newPage();
  if (person.link_id) {
    await page.goto("/login");
    await page.getByLabel("メールアドレス").fill(demoEmail(person.link_id));
    await page.getByLabel("パスワード").fill(DEMO_PASSWORD);
    await page.getByRole("button", { name: "ログイン", exact: true }).click();
    await page.waitForURL("**/");
  }
  for (const path of await pathsFor(page, person)) {
    if (only.length > 0 && !only.includes(path)) continue;
    for (const theme of themes) {
      for (const width of widths) {
        await page.emulateMedia({ colorScheme: theme });
        await page.setViewportSize({ width, height: width === 375 ? 812 : 800 });
        await openPage(page, origin, path);
        // A page whose field took the focus would otherwise be half scrolled under its own header.
        await page.evaluate(() => scrollTo(0, 0));
        const name = `${path.slice(1).replace(/[^\w-]+/g, "_") || "home"}.${person.name}.${width}.${theme}.png`;
        await page.screenshot({ path: join(FOLDER, name), fullPage: true });
        console.log(name);
      }
    }
  }
  await context.close();
}

await buildIfStale();
mkdirSync(FOLDER, { recursive: true });
const data_dir = mkdtempSync(join(tmpdir(), "ofuse-screenshots-"));
const network = await startNetwork({ port: await freePort(), data_dir });
const browser = await chromium.launch({
  executablePath: await findBrowser(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  for (const person of people) await takeFor(browser, network.url, person, process.argv.slice(2));
} finally {
  await browser.close();
  await network.stop();
  rmSync(data_dir, { recursive: true, force: true });
}
