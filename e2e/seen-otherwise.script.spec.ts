import type { Page } from "playwright/test";
import { expect, type Person, test } from "./support/test.ts";

/** Pages for people with other needs: forced colours, much larger text, paper. */

/** Signs in. Returns the path of a post. */
async function signIn(person: Person, link_id: string): Promise<string> {
  await person.openAs(link_id, "/natsume");
  return (await person.page.locator(".event-card a[href*='/events/']").first().getAttribute("href")) ?? "";
}

/** Source: WCAG 2.2, 2.4.11. The low window is a phone's or a zoomed one's: 1280 × 1024 at 400 %. */
test("no bar that stays on the screen covers the focused element", async ({ someone }) => {
  const creator = await someone();
  const { page } = creator;
  await creator.startSession("natsume");
  for (const [width, height] of [
    [375, 667],
    [320, 256],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const path of ["/my/posts/new?content_type=blog", "/my/news_letters/new", "/my/settings"]) {
      await creator.open(path);
      const covered: string[] = [];
      for (let stops = 0; stops < 45; stops++) {
        await page.keyboard.press("Tab");
        const html = await page.evaluate(() => {
          const focused = document.activeElement as HTMLElement;
          const { top, bottom, left, width } = focused.getBoundingClientRect();
          const shown = document.elementFromPoint(
            left + width / 2,
            (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2,
          );
          const is_covered = [...document.querySelectorAll(".header, .post-form-bar, .sticky-bar")].some((bar) => {
            const box = bar.getBoundingClientRect();
            const is_behind = box.top <= top && bottom <= Math.min(box.bottom, innerHeight) && bar.contains(shown);
            return is_behind && !bar.contains(focused);
          });
          return is_covered ? focused.outerHTML.slice(0, 120) : "";
        });
        if (html) covered.push(html);
      }
      expect.soft(covered, `${path} at ${width} × ${height}`).toEqual([]);
    }
  }
});

const samplePaths = (post: string) => ["/", "/natsume", "/natsume/ofuse", post, "/my/box", "/my/notifications"];

test.describe("in forced colours", () => {
  /** Returns the elements that cannot be distinguished from the background in forced colours, by name. */
  const findIndistinct = (page: Page, selector: string) =>
    page.locator(selector).evaluateAll((elements) =>
      elements
        .filter((element) => element.checkVisibility())
        .filter((element) => {
          const { borderTopStyle, borderTopWidth, borderTopColor, outlineStyle } = getComputedStyle(element);
          const ground = getComputedStyle(document.body).backgroundColor;
          const has_border = borderTopStyle !== "none" && Number.parseFloat(borderTopWidth) >= 1;
          return !(has_border && borderTopColor !== ground) && outlineStyle === "none";
        })
        .map((element) => element.outerHTML.slice(0, 120)),
    );
  /** Finds the visible elements that match. The test expects some, because an empty list would prove nothing. */
  const visibleOf = (page: Page, selector: string) => page.locator(selector).filter({ visible: true });

  test("buttons, badges, cards, notices and the current choice keep an edge", async ({ someone }) => {
    const fan = await someone();
    const { page } = fan;
    await signIn(fan, "natsume");
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ forcedColors: "active" });
    for (const [path, selectors] of [
      ["/styleguide", [".button", ".badge", ".card", ".banner", ".form-error", ".control"]],
      ["/my/box", [".badge", ".card", ".drawer [aria-current=page]", ".theme-form [aria-pressed=true]"]],
    ] as const) {
      await fan.open(path);
      for (const selector of selectors) {
        await expect(visibleOf(page, selector), selector).not.toHaveCount(0);
        expect(await findIndistinct(page, selector), `${selector} on ${path}`).toEqual([]);
      }
    }
  });

  test("the legend of the figures keeps the colours of the chart", async ({ someone }) => {
    const creator = await someone();
    const { page } = creator;
    await signIn(creator, "natsume");
    await page.emulateMedia({ forcedColors: "active" });
    await creator.open("/my/stats");
    const swatches = await page
      .locator(".stats-legend span")
      .evaluateAll((entries) => entries.map((entry) => getComputedStyle(entry, "::before").backgroundColor));
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(new Set([...swatches, ground]).size).toBe(3);
  });

  test("a pressed button of the editor has a border", async ({ someone }) => {
    const creator = await someone();
    const { page } = creator;
    await page.emulateMedia({ forcedColors: "active" });
    await creator.openAs("natsume", "/my/posts/new?content_type=blog");
    const heading = page.getByRole("button", { name: "見出し", exact: true });
    await heading.click();
    await expect(heading).toHaveAttribute("aria-pressed", "true");
    await expect(heading).toHaveCSS("border-top-width", "3px");
    await expect(page.getByRole("button", { name: "太字", exact: true })).toHaveCSS("border-top-width", "0px");
  });

  test("only the current tab is underlined", async ({ someone }) => {
    const creator = await someone();
    const { page } = creator;
    await signIn(creator, "natsume");
    await page.emulateMedia({ forcedColors: "active" });
    for (const path of ["/my/box", "/natsume", "/?filter=all"]) {
      await creator.open(path);
      const underlined = await page.locator(".tabs a").evaluateAll((tabs) =>
        tabs.map((tab) => {
          const { borderBottomStyle, borderBottomWidth } = getComputedStyle(tab);
          const is_lined = borderBottomStyle !== "none" && Number.parseFloat(borderBottomWidth) > 0;
          return [tab.getAttribute("aria-current") === "page", is_lined];
        }),
      );
      expect(underlined.length, path).toBeGreaterThan(1);
      expect(underlined.filter(([is_current]) => is_current)).toHaveLength(1);
      for (const [is_current, is_lined] of underlined) expect(is_lined, path).toBe(is_current);
    }
  });

  test("an unread entry has its dot", async ({ someone }) => {
    const creator = await someone();
    const { page } = creator;
    await signIn(creator, "natsume");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ forcedColors: "active", colorScheme });
      await creator.open("/my/notifications");
      for (const unread of [".header .unread-dot", ".notification-dot"]) {
        const [dot, ground] = await page
          .locator(unread)
          .first()
          .evaluate((element) => [
            getComputedStyle(element).backgroundColor,
            getComputedStyle(document.body).backgroundColor,
          ]);
        expect(dot, unread).not.toBe(ground);
        expect(dot, unread).not.toMatch(/, 0\)$/);
      }
      const [rows, dots] = [page.locator(".notification"), page.locator(".notification-dot")];
      expect(await dots.count(), "some are read").toBeLessThan(await rows.count());
    }
  });

  test("the keyboard focus is visible", async ({ someone }) => {
    const fan = await someone();
    const { page } = fan;
    await signIn(fan, "fan_hana");
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ forcedColors: "active" });
    await fan.open("/my/followings");
    for (let step = 0; step < 24; step += 1) {
      await page.keyboard.press("Tab");
      const ring = await page.evaluate(() => {
        const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(document.activeElement as Element);
        const is_seen = outlineColor !== getComputedStyle(document.body).backgroundColor;
        return outlineStyle === "solid" && Number.parseFloat(outlineWidth) >= 2 && is_seen;
      });
      expect(ring, `after ${step + 1} steps`).toBe(true);
    }
  });
});

/**
 * Returns the chips that nobody can reach. A row of chips scrolls by itself, so chips may be outside the window: the
 * keyboard and scrolling must bring each into view.
 */
function findUnreachedChips(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isInView = (element: Element) => {
      const { left, right } = element.getBoundingClientRect();
      return left >= -1 && right <= innerWidth + 1;
    };
    return [...document.querySelectorAll<HTMLElement>(".chips")].flatMap((row) => {
      const chips = [...row.querySelectorAll<HTMLElement>("a")];
      const missed = chips.filter((chip) => {
        chip.focus();
        return document.activeElement !== chip || !isInView(chip);
      });
      const [first, last] = [chips[0], chips.at(-1)];
      row.scrollLeft = row.scrollWidth;
      if (last && !isInView(last)) missed.push(last);
      row.scrollLeft = 0;
      if (first && !isInView(first)) missed.push(first);
      if (row.getBoundingClientRect().right > innerWidth + 1) missed.push(row);
      return missed.map((element) => element.outerHTML.slice(0, 120));
    });
  });
}

test("at 200 % and 400 % nothing is cut off and nothing scrolls sideways", async ({ someone }) => {
  const visitor = await someone();
  const creator = await someone();
  const post = await signIn(creator, "natsume");
  for (const [person, paths] of [
    [visitor, samplePaths(post).filter((path) => !path.startsWith("/my/"))],
    [creator, samplePaths(post)],
  ] as const) {
    const { page } = person;
    for (const [zoom, width, height] of [
      [200, 640, 400],
      [400, 320, 256],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const path of paths) {
        await page.goto(path);
        if (person === creator) await person.isAlive();
        const { over, cut } = await page.evaluate(() => {
          const text = [...document.querySelectorAll<HTMLElement>("h1, h2, h3, p, a, button, label, small, b, dt, dd")];
          return {
            over: document.documentElement.scrollWidth - innerWidth,
            cut: text
              .filter(
                (element) =>
                  element.checkVisibility() && !element.closest(".visually-hidden, .skip-link, .tabs, .chips"),
              )
              .filter((element) => {
                const { left, right } = element.getBoundingClientRect();
                const { overflow, textOverflow, webkitLineClamp } = getComputedStyle(element);
                const is_shortened = textOverflow === "ellipsis" || webkitLineClamp !== "none";
                const hides = overflow !== "visible" && element.scrollWidth > element.clientWidth + 1;
                return right > innerWidth + 1 || left < -1 || (hides && !is_shortened);
              })
              .map((element) => element.outerHTML.slice(0, 120)),
          };
        });
        expect.soft({ path, zoom, over, cut }).toEqual({ path, zoom, over: 0, cut: [] });
        expect.soft({ path, zoom, unreached: await findUnreachedChips(page) }).toEqual({ path, zoom, unreached: [] });
      }
    }
  }
});

test("on paper there is only the page, dark on white in either theme", async ({ someone }) => {
  const visitor = await someone();
  const creator = await someone();
  const post = await signIn(creator, "natsume");
  for (const [person, paths] of [
    [visitor, samplePaths(post).filter((path) => !path.startsWith("/my/"))],
    [creator, samplePaths(post)],
  ] as const) {
    const { page } = person;
    await page.setViewportSize({ width: 1280, height: 900 });
    for (const path of paths) {
      await page.emulateMedia({ media: "screen", colorScheme: "dark" });
      await page.goto(path);
      if (person === creator) await person.isAlive();
      await page.evaluate(() => {
        document.documentElement.dataset.theme = "dark";
      });
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      const found = await page.evaluate(() => {
        /** Relative luminance. Source: WCAG 2.2. */
        const luminanceOf = (colour: string) => {
          const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
            const value = Number(part) / 255;
            return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const findVisible = (selector: string) =>
          [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
        const texts = findVisible("main :is(h1, h2, h3, p, a, li, dt, dd, time, b, small)");
        return {
          ground: getComputedStyle(document.body).backgroundColor,
          around: findVisible(
            ".header, .footer, .drawer, .sheet, .tabs, .button, .loading-bar, [data-sonner-toaster]",
          ).map((element) => element.className),
          fixed: findVisible("body *")
            .filter((element) => /fixed|sticky/.test(getComputedStyle(element).position))
            .map((element) => element.className),
          texts: texts.length,
          faint: texts
            .filter((element) => 1.05 / (luminanceOf(getComputedStyle(element).color) + 0.05) < 4.5)
            .map((element) => element.outerHTML.slice(0, 120)),
        };
      });
      expect.soft(found.texts, path).toBeGreaterThan(3);
      expect
        .soft({ path, ...found, texts: 0 })
        .toEqual({ path, ground: "rgb(255, 255, 255)", around: [], fixed: [], texts: 0, faint: [] });
    }
  }
});

test("on paper a document shows its folded answers, and a post nothing that only a screen needs", async ({
  someone,
}) => {
  const fan = await someone();
  const { page } = fan;
  const countUnfolded = () =>
    page
      .locator("main details:not([open]) > :not(summary)")
      .evaluateAll((parts) => parts.filter((part) => part.checkVisibility({ contentVisibilityAuto: true })).length);
  await page.emulateMedia({ media: "print" });
  const post = await signIn(fan, "fan_hana");
  await fan.open("/help");
  expect(await countUnfolded()).toBeGreaterThan(0);
  await fan.open(post);
  await expect(page.locator("details.share")).toHaveCount(1);
  expect(await countUnfolded()).toBe(0);
});

test("the excerpt on a card takes three lines at most, in a narrow and in a wide window", async ({ someone }) => {
  const visitor = await someone();
  for (const width of [375, 1280]) {
    await visitor.page.setViewportSize({ width, height: 800 });
    await visitor.open("/natsume");
    const lines = await visitor.page
      .locator(".event-card-lead")
      .evaluateAll((leads) => leads.map((lead) => lead.clientHeight / parseFloat(getComputedStyle(lead).lineHeight)));
    expect(lines.length).toBeGreaterThan(4);
    expect(Math.max(...lines)).toBeLessThan(3.1);
  }
});
