import { expect, Person, test } from "./support/test.ts";

/** Tests what a member's browser loads at first, and what it loads on demand. */

const FIRST_LOAD_BYTES = 120_000;
const MANIFEST = /\/assets\/manifest-/;
const TOASTS = /\/assets\/toasts-/;

test("a member's page has at most 120 kB of scripts, and loads toasts only when it needs one", async ({ someone }) => {
  const fan = await someone();
  // One visit in a hundred is sampled, and also loads the measuring script.
  await fan.page.addInitScript(() => {
    const session = { is_sampled: false, ends_at: Date.now() + 1_000_000, events: 0 };
    sessionStorage.setItem("monitoringSession", JSON.stringify(session));
  });
  await fan.startSession("fan_hana");
  const coming = new Set<string>();
  fan.page.on("request", (request) => request.url().endsWith(".js") && coming.add(request.url()));
  fan.page.on("requestfinished", (request) => coming.delete(request.url()));
  // The next page aborts requests that have no answer yet.
  fan.page.on("requestfailed", (request) => coming.delete(request.url()));
  for (const path of ["/", "/my/box", "/my/posts", "/akari", "/akari/ofuse"]) {
    await fan.open(path);
    // Wait for what the page loads when it is idle.
    await fan.page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
    await expect.poll(() => [...coming]).toEqual([]);
    const scripts = await fan.page.evaluate(() =>
      (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
        .filter(({ name }) => name.endsWith(".js"))
        .map(({ name, encodedBodySize }) => ({ name, bytes: encodedBodySize })),
    );
    expect(scripts.filter(({ name }) => TOASTS.test(name))).toEqual([]);
    expect(scripts.filter(({ name }) => MANIFEST.test(name))).toEqual([]);
    const bytes = scripts.reduce((sum, script) => sum + script.bytes, 0);
    expect(bytes, path).toBeGreaterThan(FIRST_LOAD_BYTES / 2);
    expect(bytes, path).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
  }
});

test("a message that cannot be a toast is shown on the page", async ({ someone }) => {
  const fan = await someone();
  await fan.openAs("fan_hana", "/kanade");
  await fan.page.route(TOASTS, (route) => route.abort("connectionreset"));
  await fan.stayingOnThePage(async () => {
    const following = fan.page.getByRole("button", { name: /^フォロー(する|中)$/ });
    const says = (await following.textContent())?.includes("する") ? "フォローしました" : "フォローを解除しました";
    await following.click();
    await expect(fan.page.getByRole("main").getByRole("status")).toHaveText(says);
  });
});

test("a followed link to a post requests its data and all its scripts at once", async ({ someone }) => {
  const fan = await someone();
  await fan.openAs("fan_hana", "/natsume");
  await fan.isAlive();
  const scriptOf = (name: string) => new RegExp(`/assets/${name}-[\\w-]{8}\\.js`);
  const scripts = ["lock-panel", "post-body", "comments", "document", "embeds", "comment-form"].map(scriptOf);
  const requested = Promise.all([/\.data$/, ...scripts].map((file) => fan.page.waitForRequest(file)));
  // Until the module of the post's route arrives, the browser cannot read what it imports.
  await fan.page.route(scriptOf("event"), async (route) => {
    await requested;
    await route.continue();
  });
  const post = fan.page.getByRole("main").locator('a[href^="/natsume/events/"]').first();
  const title = await post.textContent();
  await post.click();
  await expect(fan.page.getByRole("heading", { level: 1 })).toHaveText(title ?? "");
});

test("a link leads to its page in a tab that was open during a deployment", async ({ openEmptyPage, network }) => {
  // Not `someone`, whose pages may miss no script.
  const page = await openEmptyPage({ baseURL: network.url });
  const fan = new Person(page, true, network);
  // A deployment removes the scripts of the build before. The document of the next page has those of the new one.
  const loseScriptsUntil = async (path: RegExp) => {
    let is_gone = true;
    await page.route(path, async (route) => {
      if (route.request().isNavigationRequest()) is_gone = false;
      await route.continue();
    });
    await page.route("**/assets/*.js", (route) => (is_gone ? route.fulfill({ status: 404 }) : route.continue()));
  };
  for (const [start, path, link] of [
    ["/natsume", /\/natsume\/events\/\w+$/, "main a[href^='/natsume/events/']"],
    ["/natsume", /\/natsume\/ofuse$/, "a[href='/natsume/ofuse']"],
    ["/my/box", /\/my\/notifications$/, "header a[href='/my/notifications']"],
  ] as const) {
    await fan.openAs("fan_hana", start);
    await fan.isAlive();
    await loseScriptsUntil(path);
    await page.locator(`${link}:visible`).first().click();
    await expect(page).toHaveURL(path);
    await fan.isAlive();
    await page.unrouteAll();
  }
  await page.context().close();
});

test("a page is hydrated although the page before had a part whose script is still loading", async ({ someone }) => {
  const fan = await someone();
  const left = Promise.withResolvers<void>();
  await fan.page.route(/\/assets\/block-menu-/, async (route) => {
    await left.promise;
    await route.continue();
  });
  await fan.openAs("fan_hana", "/natsume");
  const post = fan.page.getByRole("main").locator('a[href^="/natsume/events/"]').first();
  const title = await post.textContent();
  await post.click();
  await expect(fan.page.getByRole("heading", { level: 1 })).toHaveText(title ?? "");
  await expect(fan.page.getByRole("article").first()).toBeVisible();
  await expect(fan.page).toHaveURL(/\/events\//);
  left.resolve();
  await fan.isAlive();
});
