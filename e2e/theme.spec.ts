import { IN_CHROMIUM } from "./support/plain-page.ts";
import { expect, test } from "./support/test.ts";

const DARK = "rgb(18, 24, 27)";
const DARK_HEX = "#12181b";

for (const who of [null, "fan_hana"]) {
  test(`${who ?? "a visitor"} chooses a theme, and has it on every page from its first paint`, {
    tag: IN_CHROMIUM,
  }, async ({ someone }) => {
    const reader = await someone();
    const { page } = reader;
    const body = page.locator("body");
    if (who) await reader.startSession(who);
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto("/natsume");
    if (who) await reader.isAlive();
    await expect(body).not.toHaveCSS("background-color", DARK);
    await page.evaluate(() => {
      document.documentElement.dataset.document = "the same";
    });
    const dark = page.getByRole("button", { name: "ダーク" }).first();
    await dark.click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expect(dark).toHaveAttribute("aria-pressed", "true");
    await expect(page).toHaveURL(/\/natsume$/);
    await expect(body).toHaveCSS("background-color", DARK);
    await expect(page.locator('meta[name="color-scheme"]')).toHaveAttribute("content", "dark");
    for (const meta of await page.locator('meta[name="theme-color"]').all()) {
      await expect(meta).toHaveAttribute("content", DARK_HEX);
    }
    // With a script, the theme changes without a page load.
    await expect(page.locator("html[data-document]")).toHaveCount(reader.has_script ? 1 : 0);

    // The HTML itself has the theme: no script needs to run first.
    const html = await (await page.goto("/natsume/about"))?.text();
    expect(html).toContain('<html lang="ja" data-theme="dark">');
    if (who) await reader.isAlive();
    await expect(body).toHaveCSS("background-color", DARK);
    await page.getByRole("button", { name: "端末に合わせる" }).first().click();
    await expect(page.locator("html[data-theme]")).toHaveCount(0);
    await expect(body).not.toHaveCSS("background-color", DARK);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect(body).toHaveCSS("background-color", DARK);
  });
}

test("a theme is chosen also when its script cannot be loaded", { tag: IN_CHROMIUM }, async ({ someone }) => {
  const reader = await someone();
  const { page } = reader;
  await reader.startSession("fan_hana");
  const failing = Promise.withResolvers<void>();
  await page.route(/\/assets\/theme-(?!form)[^/]*\.js$/, async (route) => {
    await failing.promise;
    await route.abort("connectionreset");
  });
  await page.goto("/my/settings/display", { waitUntil: "commit" });
  if (reader.has_script) {
    // React handles the form now.
    await page.waitForFunction(() =>
      Object.keys(document.querySelector("main .theme-form") ?? {}).some((key) => key.startsWith("__reactProps")),
    );
  }
  await page.getByRole("main").getByRole("button", { name: "ダーク" }).click();
  failing.resolve();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});
