import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import { load } from "cheerio";
import type { Page } from "playwright/test";
import { isPublic, openPage, operatorPaths, pathsFor, people } from "../scripts/pages.ts";
import type { Element } from "./support/plain-dom.ts";
import { expect, test } from "./support/test.ts";

/**
 * Tests properties of every page: walks the route table as a visitor, a fan and a creator. axe inspects each kind of
 * element once, because it reports the same for two elements of one kind. Of a page it leaves out the parts without a
 * new kind. A member opens only those of the visitors' pages that hold a kind not met before, and the creator only those of all
 * pages.
 */

/** From the narrowest phone (WCAG 2.2, 1.4.10) to a wide desktop. */
const widths = [320, 768, 1280, 1920];
/** Source: web.dev's "good" is 0.1; ours is a tenth of that. */
const MAX_SHIFT = 0.01;

const axeSource = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

const EVERY_RULE = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] } as const;
/** axe's rules about colours. They suffice for the second theme, because a theme changes nothing else. */
const COLOUR_RULES = { type: "rule", values: ["color-contrast", "link-in-text-block"] } as const;

/**
 * Makes axe describe only violations and preload only films and sounds. By default it also loads style sheets, for
 * rules that are not in `EVERY_RULE`.
 */
const BRIEFLY = { resultTypes: ["violations"], preload: { assets: ["media"], timeout: 10_000 } } as const;

/**
 * Loads axe into a page, and marks the parts that it need not inspect again.
 *
 * @param known the parts without a new kind of element, as selectors.
 */
async function prepareAxe(page: Page, known: string[]): Promise<void> {
  await page.evaluate(axeSource);
  await page.evaluate((selectors) => {
    for (const selector of selectors) document.querySelector(selector)?.setAttribute("data-inspected", "");
  }, known);
}

/** Returns accessibility violations. Source: WCAG 2.2 AA, as far as axe can detect. Call {@link prepareAxe} first. */
async function findViolations(page: Page, rules: typeof EVERY_RULE | typeof COLOUR_RULES): Promise<string[]> {
  const found = await page.evaluate(
    (options) =>
      (window as unknown as { axe: typeof axe }).axe.run(
        { exclude: [["[data-inspected]"]] },
        options as unknown as axe.RunOptions,
      ),
    { ...BRIEFLY, runOnly: rules },
  );
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

/** Returns the page's cumulative layout shift, and the elements that moved. */
function measureShift(page: Page): Promise<{ sum: number; moved: string }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let sum = 0;
        const moved: string[] = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as unknown as { value: number; sources: { node: Node | null }[] }[]) {
            sum += entry.value;
            for (const { node } of entry.sources) {
              moved.push(node instanceof Element ? node.outerHTML.slice(0, 80) : `${node?.textContent}`);
            }
          }
        }).observe({ type: "layout-shift", buffered: true });
        // The buffered entries have arrived two frames later.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve({ sum, moved: moved.join("\n") })));
      }),
  );
}

/** Returns elements that the keyboard reaches without a visible focus. Source: WCAG 2.2, 2.4.7 and 2.4.3. */
function findUnseenStops(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const stops = document.querySelectorAll<HTMLElement>(
      "a[href], button, input, select, textarea, summary, [tabindex]",
    );
    return [...stops]
      .filter((stop) => stop.checkVisibility() && stop.tabIndex !== -1 && !stop.matches(":disabled"))
      .filter((stop) => {
        stop.focus({ focusVisible: true, preventScroll: true } as FocusOptions);
        const ring = [stop, stop.closest(".choice, .body-frame")].some((part) => {
          const style = part && getComputedStyle(part);
          return style?.outlineStyle === "solid" && Number.parseFloat(style.outlineWidth) >= 2;
        });
        return !ring || stop.tabIndex > 0;
      })
      .map((stop) => stop.outerHTML.slice(0, 160));
  });
}

/**
 * Returns faults of the headings' outline: it needs one first heading and skips no level. Source: WCAG 2.2, technique
 * H42.
 */
function findHeadingFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const shown = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(
      (heading) => heading.checkVisibility() && !heading.closest("dialog:not([open])"),
    );
    const levels = shown.map((heading) => Number(heading.tagName[1]));
    const skips = shown.filter((_, index) => (levels[index] ?? 0) > (levels[index - 1] ?? 0) + 1);
    const firsts = levels.filter((level) => level === 1).length;
    return [...(firsts === 1 ? [] : [`${firsts} h1`]), ...skips.map((heading) => heading.outerHTML.slice(0, 160))];
  });
}

/**
 * Returns the faults of a phone's page with text twice as large: header buttons that are cut off or overlap, editor
 * buttons that the toolbar does not scroll to, badges in two lines, and a page that scrolls sideways. Source: WCAG 2.2,
 * 1.4.4.
 */
function findLostInLargeText(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("html { font-size: 200% !important }");
    document.adoptedStyleSheets = [sheet];
    try {
      const parts = [...document.querySelectorAll<HTMLElement>(".header :is(a, button)")].filter((part) =>
        part.checkVisibility(),
      );
      const boxes = parts.map((part) => part.getBoundingClientRect());
      const lost = parts.filter((_, index) => {
        const box = boxes[index] as DOMRect;
        const after = boxes[index + 1];
        const is_covered = after && after.left < box.right - 1 && after.top < box.bottom && box.top < after.bottom;
        return box.left < 0 || box.right > innerWidth || box.width < 24 || is_covered;
      });
      const broken = [...document.querySelectorAll<HTMLElement>(".badge")].filter(
        (badge) => badge.checkVisibility() && badge.offsetHeight > 1.7 * parseFloat(getComputedStyle(badge).lineHeight),
      );
      const tools = [...document.querySelectorAll<HTMLElement>(".rich-tools button, .body-switch")].filter((tool) => {
        if (!tool.checkVisibility()) return false;
        tool.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
        const { left, right, top, bottom, width } = tool.getBoundingClientRect();
        const shown = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return left < 0 || right > innerWidth || width < 24 || !tool.contains(shown);
      });
      scrollTo({ top: 0, behavior: "instant" });
      const over = document.documentElement.scrollWidth - innerWidth;
      const sideways = over > 0 ? [`scrolls sideways by ${over}`] : [];
      return [...sideways, ...[...lost, ...broken, ...tools].map((part) => part.outerHTML.slice(0, 160))];
    } finally {
      document.adoptedStyleSheets = [];
    }
  });
}

/** The forms that name no account: they sign out, set a cookie, or follow (tests/architecture/forms.test.ts). */
const NAMELESS = /^\/(logout|theme|[^/]+\/follow)$/;
/** The pages on which a person proves who they are, and those of mailed links. */
const PROVING = /^\/(login|unsubscribe)\//;

/** Returns the addresses of a member's forms that would act for another account that has signed in meanwhile. */
function findNamelessForms(html: string, path: string): string[] {
  const page = load(html);
  const forms = page("form[method=post]").filter((_, form) => page("[name=owner], [name=author]", form).length === 0);
  const addresses = forms.toArray().map((form) => page(form).attr("action") ?? path);
  return PROVING.test(path) ? [] : addresses.filter((address) => !NAMELESS.test(address));
}

/**
 * The kinds of elements that a walk has met. A kind is an element's tag, classes and attributes with those of all that
 * contain it, without texts, addresses and ids.
 */
class Kinds {
  readonly #numbers = new Map<string, number>();

  /**
   * Adds a page's kinds. Returns the largest parts of the page that hold no new kind, as selectors; null when the whole
   * page holds none. In the nightly run everything counts as new.
   */
  add(html: string): string[] | null {
    const body = load(html)("body").get(0) as unknown as Element;
    const known: string[] = [];
    const has_new = this.#addWithin(body, 0, "body", known);
    if (process.env.EVERY_PAGE === "yes") return [];
    return has_new ? known : null;
  }

  /** Returns whether the element or one in it is of a new kind. Adds the parts without one to `known`. */
  #addWithin({ name, attribs, children }: Element, above: number, selector: string, known: string[]): boolean {
    const states = Object.keys(attribs).map((attribute) =>
      STATES.test(attribute) ? `${attribute}=${attribs[attribute]}` : attribute,
    );
    const kind = `${above} ${name} ${states.sort()}`;
    let has_new = !this.#numbers.has(kind);
    const number = this.#numbers.get(kind) ?? this.#numbers.size + 1;
    this.#numbers.set(kind, number);
    const within: string[] = [];
    for (const [index, child] of children.filter((each) => "attribs" in each).entries()) {
      const part = `${selector} > :nth-child(${index + 1})`;
      if (this.#addWithin(child as Element, number, part, within)) has_new = true;
      else within.push(part);
    }
    if (has_new) known.push(...within);
    return has_new;
  }
}
const STATES = /^(class|type|role|style|aria-(current|pressed|expanded|selected|invalid|disabled|hidden|live))$/;

test.describe.configure({ mode: "parallel" });

/** An operator opens the operators' pages alone. */
const OPERATOR = { name: "operator", link_id: "fan_taro" } as const;

const walks = [
  { title: "a visitor", people: people.filter(({ link_id }) => !link_id) },
  {
    title: "a fan, and what a creator and an operator see otherwise",
    people: [...people.filter(({ link_id }) => link_id), OPERATOR],
  },
];
for (const { title, people } of walks) {
  test(`as ${title}, every page opens without errors or shifts, fits every window and is accessible`, async ({
    someone,
    network,
  }) => {
    test.setTimeout(900_000);
    const kinds = new Kinds();
    const opened = new Set<string>();
    for (const { name, link_id } of people) {
      const person = await someone();
      const { page } = person;
      const is_operator = name === OPERATOR.name;
      if (is_operator) await person.startOperatorSession(link_id);
      else if (link_id) await person.startSession(link_id);
      const paths = is_operator ? await operatorPaths(page) : await pathsFor(page, { link_id });
      console.info(`${paths.length} pages as a ${name}`);
      expect(paths.length).toBeGreaterThan(is_operator ? 15 : link_id ? 40 : 25);
      for (const path of paths) {
        await test.step(path, async () => {
          let known: string[] | null = null;
          if (opened.has(path) || (name === "fan" && isPublic(path))) {
            known = kinds.add(await (await page.context().request.get(path)).text());
            if (!known) return;
          }
          opened.add(path);
          // Resize before the page opens, so that the resizing is no shift of its own.
          await page.setViewportSize({ width: 375, height: 812 });
          // Skip transitions: a colour in the middle of one is neither theme's.
          await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
          const response = await openPage(page, network.url, path);
          expect(response?.status(), path).toBe(path === "/404" ? 404 : 200);
          const html = (await response?.text()) ?? "";
          if (link_id) expect.soft(findNamelessForms(html, path), `${path}, forms`).toEqual([]);
          known ??= kinds.add(html);
          await person.waitUntilHydrated();
          const { sum, moved } = await measureShift(page);
          expect.soft(sum, `${path} moves ${moved}`).toBeLessThanOrEqual(MAX_SHIFT);
          if (known) await prepareAxe(page, known);
          if (known) expect.soft(await findViolations(page, EVERY_RULE), `${path}, light`).toEqual([]);
          expect.soft(await findUnseenStops(page), `${path}, by keyboard`).toEqual([]);
          expect.soft(await findHeadingFaults(page), `${path}, headings`).toEqual([]);
          expect.soft(await findLostInLargeText(page), `${path}, large text`).toEqual([]);
          await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
          if (known) expect.soft(await findViolations(page, COLOUR_RULES), `${path}, dark`).toEqual([]);
          for (const width of widths) {
            await page.setViewportSize({ width, height: 800 });
            const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
            expect.soft(over, `${path} at ${width}`).toBeLessThanOrEqual(0);
          }
        });
      }
      await page.context().close();
    }
  });
}
