import type { BrowserContext, Page, Request } from "playwright/test";
import { expect, test } from "./support/test.ts";

/** Tests the script of visitors' pages, which members' pages load too. */

interface Told {
  build: string;
  events: { type: string; name?: string; path?: string; pattern: string; text?: string }[];
}
const isTold = (request: Request) => request.url().endsWith("/browser-events");

/** Returns a list, to which the page adds every event that it reports from now on. */
function recordEvents(page: Page): Told[] {
  const told: Told[] = [];
  page.on("request", (request) => {
    if (isTold(request)) told.push(JSON.parse(request.postData() ?? "") as Told);
  });
  return told;
}

const viewsOf = (told: Told[]) =>
  told
    .flatMap(({ events }) => events)
    .flatMap(({ type, path, pattern }) => (type === "page_view" ? [[path, pattern]] : []));
const scriptsOf = (page: Page) =>
  page
    .evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname))
    .then((paths) => paths.filter((path) => path.endsWith(".js")).map((path) => path.replace(/-\w+\.js$/, "")));
/** Decides whether monitoring samples the visit. */
const setSampled = (context: BrowserContext, is_sampled: boolean) =>
  context.addInitScript((sampled) => {
    const session = { is_sampled: sampled, ends_at: Date.now() + 1_000_000, events: 0 };
    sessionStorage.setItem("monitoringSession", JSON.stringify(session));
  }, is_sampled);

/** Records the pages' requests in the browser's storage: Playwright misses requests of a page that unloads. */
const recordWhatIsSent = (page: Page) =>
  page.addInitScript(() => {
    const noteSent = (body: unknown) => {
      localStorage.sent = `${localStorage.sent ?? ""}${body}\n`;
    };
    const { fetch, navigator } = window;
    const sendBeacon = navigator.sendBeacon.bind(navigator);
    navigator.sendBeacon = (url, body) => {
      noteSent(body);
      return sendBeacon(url, body);
    };
    window.fetch = (url, init) => {
      if (url === "/browser-events") noteSent(init?.body);
      return fetch(url, init);
    };
  });

test("a visitor's page reports its view, without its query or anything about the visitor", async ({
  someone,
  network,
}) => {
  const { page } = await someone();
  await setSampled(page.context(), false);
  const told = recordEvents(page);
  const answer = page.waitForResponse((response) => isTold(response.request()));
  await page.goto("/natsume?page=2&utm_source=secret");
  expect((await answer).status()).toBe(204);
  expect(told).toEqual([
    {
      build: expect.stringMatching(/^[0-9a-f]{16}$/),
      events: [{ type: "page_view", path: "/natsume", pattern: "/:link_id" }],
    },
  ]);
  expect(await page.context().cookies(network.url)).toEqual([]);
  // This page has the letter's form. A page without one loads only the first script.
  await expect.poll(() => scriptsOf(page)).toEqual(["/assets/visitor", "/assets/later"]);
  const next = page.waitForRequest(isTold);
  await page.goto("/terms");
  await next;
  expect(await scriptsOf(page)).toEqual(["/assets/visitor"]);
});

test("a member's pages report each navigation, once", async ({ someone }) => {
  const member = await someone();
  const { page } = member;
  const told = recordEvents(page);
  await member.openAs("fan_hana", "/natsume");
  await expect.poll(() => viewsOf(told)).toEqual([["/natsume", "/:link_id"]]);
  told.length = 0;
  await member.stayingOnThePage(async () => {
    await page.getByRole("link", { name: "プロフィール" }).click();
    await expect(page).toHaveURL(/\/about$/);
    await expect.poll(() => viewsOf(told)).toEqual([["/natsume/about", "/:link_id/about"]]);
    await page
      .getByRole("banner")
      .getByRole("link", { name: /お知らせ/ })
      .click();
    await expect(page).toHaveURL(/\/my\/notifications$/);
    await expect
      .poll(() => viewsOf(told))
      .toEqual([
        ["/natsume/about", "/:link_id/about"],
        ["/my/notifications", "/my/notifications"],
      ]);
    // The home page applies the filter chosen last, which replaces its address.
    await page.evaluate(() => localStorage.setItem("timelineSettings", JSON.stringify({ filter: "subscribing" })));
    await page.getByRole("banner").locator('a[href="/"]').first().click();
    await expect(page).toHaveURL(/\/\?filter=subscribing$/);
    await expect.poll(() => viewsOf(told).slice(2)).toEqual([["/", "/"]]);
    await page.goBack();
    await expect(page).toHaveURL(/\/my\/notifications$/);
    await expect
      .poll(() => viewsOf(told).slice(2))
      .toEqual([
        ["/", "/"],
        ["/my/notifications", "/my/notifications"],
      ]);
  });
});

for (const signal of ["doNotTrack", "globalPrivacyControl"] as const) {
  test(`a browser with ${signal} reports nothing`, async ({ someone }) => {
    const { page } = await someone();
    await setSampled(page.context(), true);
    await page.addInitScript((name) => {
      Object.defineProperty(navigator, name, { value: name === "doNotTrack" ? "1" : true });
    }, signal);
    const told = recordEvents(page);
    for (const path of ["/natsume", "/akari"]) {
      await page.goto(path);
      // The first script, which reports, has run: it loads the second.
      await expect.poll(() => scriptsOf(page)).toContain("/assets/later");
    }
    expect(told).toEqual([]);
  });
}

for (const who of [null, "fan_hana"]) {
  test(`in a sampled visit of ${who ?? "a visitor"}, vitals and errors are reported when the page closes`, async ({
    someone,
  }) => {
    const person = await someone();
    const { page } = person;
    await setSampled(page.context(), true);
    if (who) {
      await person.openAs(who, "/");
      await expect(page.getByText("フォロー中の新着")).toBeVisible();
    }
    await recordWhatIsSent(page);
    await page.addInitScript(() => {
      window.addEventListener = new Proxy(window.addEventListener, {
        apply(listen, self, given) {
          if (given[0] === "error") Object.assign(window, { reports_errors: true });
          return Reflect.apply(listen, self, given);
        },
      });
    });
    await page.goto("/natsume");
    await page.waitForFunction(() => "reports_errors" in window);
    // The click ends the measurement of the largest paint.
    await page.getByRole("heading", { level: 1 }).click();
    await page.evaluate(() => {
      window.dispatchEvent(
        new ErrorEvent("error", { message: "planted", filename: "https://x.example/a.js?secret", lineno: 3, colno: 4 }),
      );
    });
    await page.goto("/login");
    const sent = await page.evaluate(() => localStorage.sent as string);
    const told = sent
      .trim()
      .split("\n")
      .map((batch) => JSON.parse(batch) as Told);
    const events = told.flatMap((batch) => batch.events).filter(({ type }) => type !== "page_view");
    const names = events.map(({ name, text }) => name ?? text);
    for (const name of ["TTFB", "FCP", "LCP", "CLS", "planted"]) expect(names).toContain(name);
    for (const { pattern } of events) expect(pattern).toBe("/:link_id");
    expect(events.find(({ text }) => text)).toMatchObject({ place: "https://x.example/a.js:3:4" });
  });
}

test("the creator and the post looked at last are remembered, but not a creator's own page", async ({ someone }) => {
  const readStored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);
  const visitor = await someone();
  await visitor.page.goto("/natsume");
  await expect.poll(() => readStored(visitor.page, "lastViewCreatorId")).toMatch(/^[0-9a-z]{26}$/);
  const natsume = await readStored(visitor.page, "lastViewCreatorId");
  expect(await readStored(visitor.page, "eventVisitId")).toBeNull();
  await visitor.page.locator(".event-card a").first().click();
  await expect.poll(() => readStored(visitor.page, "eventVisitId")).toMatch(/^[0-9a-f-]{36}$/);
  const visit_id = await readStored(visitor.page, "eventVisitId");
  const visited = visitor.page.waitForResponse((response) => response.url().endsWith("/visit"));
  await visitor.page.reload();
  await visited;
  await visitor.page.goto("/akari");
  await expect.poll(() => readStored(visitor.page, "lastViewCreatorId")).not.toBe(natsume);
  expect(await readStored(visitor.page, "eventVisitId")).toBe(visit_id);

  const creator = await someone();
  const viewed = creator.page.waitForRequest(isTold);
  await creator.openAs("natsume", "/natsume");
  await viewed;
  await creator.isAlive();
  expect(await readStored(creator.page, "lastViewCreatorId")).toBeNull();
});

for (const who of [null, "fan_hana"]) {
  test(`${who ?? "a visitor"} who begins their first letter gets an explanation, once`, async ({ someone }) => {
    const person = await someone();
    const { page } = person;
    const about = page.locator(".about-letter");
    const openLetter = async () => {
      const viewed = page.waitForRequest(isTold);
      await page.goto("/natsume/ofuse");
      if (who) await person.isAlive();
      // The page reports its view when the listeners of its first scripts are ready.
      await viewed;
      await expect(about).not.toHaveAttribute("open");
    };
    if (who) await person.startSession(who);
    // Hold back the script with the explanation until the visitor has clicked into the form.
    const begun = Promise.withResolvers<void>();
    await page.route("**/later-*.js", async (route) => {
      await begun.promise;
      await route.continue();
    });
    await openLetter();
    await page.getByLabel("メッセージ").click();
    begun.resolve();
    await expect(about.getByText("なつめさんだけ")).toBeVisible();
    await expect.poll(() => page.evaluate(() => localStorage.hasAboutFanLetterOpened)).toBe("true");
    await openLetter();
    // The visitor's script that explains has arrived: it also shows copy buttons.
    if (!who) await expect(page.locator("html")).toHaveAttribute("data-copies");
    await page.getByLabel("メッセージ").fill("二通目");
    await expect(about.getByText("なつめさんだけ")).toBeHidden();
    await about.getByText("ofuseとは").click();
    await expect(about.getByText("なつめさんだけ")).toBeVisible();
  });
}

test.describe("the theme", () => {
  test("that a page requires stays, and the reader's choice applies to the other pages", async ({ someone }) => {
    const { page } = await someone();
    await page.emulateMedia({ colorScheme: "dark" });
    // root.tsx renders such a page like this: tests/app/page-shell.test.ts.
    await page.route("**/usecases", async (route) => {
      const response = await route.fetch();
      const html = (await response.text()).replace(
        '<html lang="ja"',
        '$& data-theme="light" data-theme-forced="light"',
      );
      await route.fulfill({ response, body: html });
    });
    await page.goto("/usecases");
    const body = page.locator("body");
    const light = await body.evaluate((element) => getComputedStyle(element).backgroundColor);
    await page.getByRole("button", { name: "ダーク" }).first().click();
    await expect(page.getByRole("button", { name: "ダーク" }).first()).toHaveAttribute("aria-pressed", "true");
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    await expect(body).toHaveCSS("background-color", light);
    await page.goto("/kit");
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expect(body).not.toHaveCSS("background-color", light);
  });

  const readTheme = (page: Page) => page.evaluate(() => [localStorage.theme ?? null, document.cookie]);

  for (const who of [null, "fan_hana"]) {
    test(`of ${who ?? "a visitor"} is stored under its key and in the cookie, and either restores the other`, async ({
      someone,
    }) => {
      const person = await someone();
      const { page } = person;
      if (who) await person.startSession(who);
      await page.goto("/natsume");
      if (who) await person.isAlive();
      await page.getByRole("button", { name: "ダーク" }).first().click();
      await expect.poll(() => readTheme(page)).toEqual(["dark", "theme=dark"]);
      // Simulate an expired cookie.
      await page.context().clearCookies({ name: "theme" });
      await page.reload();
      await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
      await expect.poll(() => readTheme(page)).toEqual(["dark", "theme=dark"]);
      // Choose a theme as the form does before any script has run.
      await page.evaluate(() => {
        // biome-ignore lint/suspicious/noDocumentCookie: the form's answer sets the cookie too.
        document.cookie = "theme=light; path=/";
      });
      await page.reload();
      await expect.poll(() => readTheme(page)).toEqual(["light", "theme=light"]);
      await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
      // Another tab of the same browser changes its theme at once.
      const other = await page.context().newPage();
      await other.goto("/akari");
      if (who) await expect(other.locator("html")).toHaveAttribute("data-hydrated", "true");
      await other.getByRole("button", { name: "ダーク" }).first().click();
      await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
      await expect(page.getByRole("button", { name: "ダーク" }).first()).toHaveAttribute("aria-pressed", "true");
      // Another tab changes it while a page is on its way, so that the server rendered the former one.
      await page.addInitScript(() => {
        // biome-ignore lint/suspicious/noDocumentCookie: as another tab would.
        document.cookie = "theme=light; path=/";
        localStorage.setItem("theme", "light");
      });
      await page.goto("/akari");
      await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    });
  }
});

test.describe("after a search", () => {
  const results =
    '<div style="height:3000px"></div><section id="results">結果</section><div style="height:3000px"></div>';
  const topOf = (page: Page) =>
    page.evaluate(() => document.getElementById("results")?.getBoundingClientRect().top ?? -1);

  /** Opens a results page, as long as one with many results. */
  async function openResults(page: Page, address: string): Promise<void> {
    await page.goto("/natsume");
    const src = await page.locator('script[type="module"]').getAttribute("src");
    await page.route("**/search*", (route) =>
      route.fulfill({ contentType: "text/html", body: `<body>${results}<script type="module" src="${src}"></script>` }),
    );
    await page.goto(address);
  }

  test("the page scrolls smoothly to the results", async ({ someone }) => {
    const { page } = await someone();
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await page.addInitScript(() => {
      const tops: number[] = [];
      Object.assign(window, { tops });
      addEventListener("scroll", () => tops.push(scrollY));
      // A busy machine shows fewer frames in the same time, so the time goes by frames.
      const { requestAnimationFrame } = window;
      let now = 0;
      window.requestAnimationFrame = (step) => {
        return requestAnimationFrame(() => {
          now += 16;
          step(now);
        });
      };
    });
    await openResults(page, "/search?keyword=x");
    await expect.poll(() => topOf(page)).toBeCloseTo(0, 0);
    const tops = await page.evaluate(() => (window as unknown as { tops: number[] }).tops);
    expect(tops.length).toBeGreaterThan(3);
    expect([...tops].sort((a, b) => a - b)).toEqual(tops);
  });

  test("a visitor and a member get the results of the real page below its header", async ({ someone }) => {
    for (const link_id of [null, "fan_hana"]) {
      const person = await someone();
      const { page } = person;
      if (link_id) {
        await person.openAs(link_id, "/search");
        await person.isAlive();
      } else {
        await page.goto("/search");
      }
      await page.getByRole("main").getByLabel("キーワード").fill("の");
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(/keyword=/);
      await expect.poll(() => topOf(page).then(Math.round)).toBe(72);
      // The same words again, and then none.
      const scrollBack = async () => {
        await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
        await expect.poll(() => topOf(page)).toBeGreaterThan(100);
      };
      await scrollBack();
      await page.getByRole("main").getByLabel("キーワード").press("Enter");
      await expect.poll(() => topOf(page).then(Math.round)).toBe(72);
      await scrollBack();
      await page.getByRole("main").getByLabel("キーワード").fill("");
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL("/search#searched");
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
    }
  });

  test("it jumps for a reader who prefers reduced motion", async ({ someone }) => {
    const { page } = await someone();
    await page.addInitScript(() => {
      window.requestAnimationFrame = () => {
        throw new Error("something moves");
      };
    });
    await openResults(page, "/search?keyword=x");
    await expect.poll(() => topOf(page)).toBeCloseTo(0, 0);
  });

  test("the page stays at its top without a search, and keeps its position on the way back", async ({ someone }) => {
    const { page } = await someone();
    const waitForView = () =>
      page.waitForRequest((request) => isTold(request) && !!request.postData()?.includes('"/search"'));
    let told = waitForView();
    await openResults(page, "/search");
    await told;
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.goto("/search?keyword=x");
    await expect.poll(() => topOf(page)).toBeCloseTo(0, 0);
    await page.mouse.wheel(0, -1500);
    await expect.poll(() => topOf(page)).toBeGreaterThan(1000);
    told = waitForView();
    await page.reload();
    await told;
    await expect.poll(() => topOf(page)).toBeGreaterThan(1000);
  });
});

test("a like pressed before its script has loaded is set, and stays set", async ({ someone }) => {
  const { page } = await someone();
  await page.route("**/later-*.js", (route) => route.abort());
  await page.goto("/natsume");
  await page.goto((await page.locator(".event-card a[href*='/events/']").first().getAttribute("href")) ?? "");
  const heart = page.locator(".post-actions").getByRole("button", { name: "いいね" });
  const countLikes = async () => Number(await heart.locator("data").getAttribute("value"));
  const before = await countLikes();
  await page.unroute("**/later-*.js");
  await heart.click();
  await expect(page.getByRole("status")).toContainText("「いいね」しました");
  await expect(heart).toHaveAttribute("aria-pressed", "true");
  await expect.poll(countLikes).toBe(before + 1);
  await expect.poll(() => page.evaluate(() => localStorage.getItem("like-event"))).toMatch(/^\["\w{26}"\]$/);
  await page.reload();
  await expect(heart).toHaveAttribute("aria-pressed", "true");
  await heart.click();
  await expect(heart).toHaveAttribute("aria-pressed", "false");
  await expect(heart).toHaveAttribute("aria-busy", "false");
});

test("a visitor's password is visible on request, and is sent as a password", async ({ someone }) => {
  const { page } = await someone();
  const tick = page.getByLabel("入力した文字を表示する");
  await page.route("**/later-*.js", (route) => route.abort());
  await page.goto("/login");
  await expect(tick, "the script that handles it has not arrived").toBeHidden();
  await page.unroute("**/later-*.js");
  await page.reload();
  const password = page.getByLabel("パスワード", { exact: true });
  await password.fill("見たい合言葉");
  await tick.check();
  await expect(password).toHaveAttribute("type", "text");
  await tick.uncheck();
  await expect(password).toHaveAttribute("type", "password");
  await tick.check();
  await expect(password).toHaveAttribute("type", "text");
  await page.evaluate(() => addEventListener("submit", (event) => event.preventDefault()));
  await password.press("Enter");
  await expect(password).toHaveAttribute("type", "password");
});

for (const who of [null, "natsume"]) {
  test(`${who ?? "a visitor"} copies a text of the kit by its button`, async ({ someone }) => {
    const visitor = await someone();
    const { page } = visitor;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    if (who) await visitor.startSession(who);
    await visitor.open("/kit");
    const template = page.locator(".template").first();
    await template.getByRole("button", { name: "コピー" }).click();
    await expect(template.getByRole("button")).toHaveText("コピーしました");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await template.locator("pre").textContent());
  });
}
