/** Measures how long a reader with a slow phone waits, and how many bytes the phone receives. */
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "playwright";
import { findBrowser } from "../browser.ts";
import { medianOf } from "./figures.ts";

/** Slow 4G and a slow phone: 1.6 Mbit/s, 150 ms, a processor slowed down four times. */
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6e6 / 8) | 0,
  uploadThroughput: (750e3 / 8) | 0,
};
const CPU_SLOWDOWN = 4;

type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

export interface PageTarget {
  name: string;
  url: string;
  /** The cookies of a member. Without them a visitor opens the page. */
  storageState?: StorageState;
}

/** Milliseconds since the navigation began; `cls` has no unit. */
export interface PageFigure {
  name: string;
  ttfb_ms: number;
  fcp_ms: number;
  lcp_ms: number;
  cls: number;
  /** The longest task that began after the first paint, such as hydration. 0 when none took 50 ms. */
  task_ms: number;
  /** The element of the largest contentful paint. */
  lcp_of: string;
}

export interface WeightFigure {
  name: string;
  /** Bytes on the wire, headers included, by type. */
  document: number;
  stylesheet: number;
  script: number;
  image: number;
  requests: number;
}

export async function launchBrowser(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  return chromium.launch({ executablePath: await findBrowser(), args });
}

interface Vitals {
  lcp_ms: number;
  lcp_of: string;
  cls: number;
  tasks: { start_ms: number; ms: number }[];
}

/** Runs in the page before the page's own scripts. */
function watchVitals(): void {
  const seen: Vitals = { lcp_ms: 0, lcp_of: "", cls: 0, tasks: [] };
  (globalThis as unknown as { seen: Vitals }).seen = seen;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { element?: Element; url?: string })[]) {
      seen.lcp_ms = entry.startTime;
      seen.lcp_of = entry.url ? `picture.${entry.element?.className}` : `${entry.element?.tagName} text`;
    }
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) seen.cls += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) seen.tasks.push({ start_ms: startTime, ms: duration });
  }).observe({ type: "longtask", buffered: true });
}

/** Opens a page on a slow phone with an empty browser cache, and runs `look` when the network is idle. */
async function onSlowPhone<Seen>(
  browser: Browser,
  { url, storageState }: PageTarget,
  look: (page: Page) => Promise<Seen>,
): Promise<Seen> {
  const context = await browser.newContext({
    viewport: { width: 375, height: 812 },
    deviceScaleFactor: 2,
    locale: "ja-JP",
    storageState,
  });
  try {
    const page = await context.newPage();
    const cdp: CDPSession = await context.newCDPSession(page);
    await cdp.send("Network.enable");
    await cdp.send("Network.emulateNetworkConditions", NETWORK);
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    await page.addInitScript(watchVitals);
    await page.goto(url, { waitUntil: "networkidle" });
    return await look(page);
  } finally {
    await context.close();
  }
}

function visitPage(browser: Browser, target: PageTarget): Promise<PageFigure> {
  return onSlowPhone(browser, target, async (page) => {
    const paints = await page.evaluate(() => {
      const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
      const fcp = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
      return { ttfb_ms: navigation?.responseStart ?? 0, fcp_ms: fcp };
    });
    const { tasks, ...vitals } = await page.evaluate(() => (globalThis as unknown as { seen: Vitals }).seen);
    const late = tasks.filter(({ start_ms }) => start_ms >= paints.fcp_ms).map(({ ms }) => ms);
    return { name: target.name, ...paints, ...vitals, task_ms: Math.max(0, ...late) };
  });
}

/**
 * Follows a link within the app, `runs` times after one to warm up. Returns the median of the milliseconds from the press to the
 * paint of the next page, whose `main` has one element that `shown` selects.
 */
export async function measureMove(
  browser: Browser,
  target: PageTarget,
  { link, shown }: { link: string; shown: string },
  runs: number,
): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run <= runs; run++) {
    const ms = await onSlowPhone(browser, target, async (page) => {
      await page.waitForSelector("html[data-hydrated]", { state: "attached" });
      await page.evaluate((selector) => {
        addEventListener("click", () => performance.mark("press"), { capture: true, once: true });
        new MutationObserver((_, watch) => {
          if (!document.querySelector(selector)) return;
          watch.disconnect();
          // The second frame begins after the first one was painted.
          requestAnimationFrame(() => requestAnimationFrame(() => performance.measure("move", "press")));
        }).observe(document, { childList: true, subtree: true });
      }, shown);
      await page.click(link);
      const measured = await page.waitForFunction(() => performance.getEntriesByName("move")[0]?.duration);
      return (await measured.jsonValue()) ?? 0;
    });
    if (run > 0) times.push(ms);
  }
  return Math.round(medianOf(times));
}

/**
 * Visits every page in turn with an empty browser cache: once to warm up, then `runs` times. Returns the medians of the
 * times, and the largest layout shift.
 */
export async function measurePages(browser: Browser, targets: PageTarget[], runs: number): Promise<PageFigure[]> {
  const visits: PageFigure[] = [];
  for (const target of targets) await visitPage(browser, target);
  for (let run = 0; run < runs; run++) {
    for (const target of targets) visits.push(await visitPage(browser, target));
  }
  return targets.map(({ name }) => {
    const own = visits.filter((figure) => figure.name === name);
    const medianFigure = (key: "ttfb_ms" | "fcp_ms" | "lcp_ms") =>
      Math.round(medianOf(own.map((figure) => figure[key])));
    const cls = Math.max(...own.map((figure) => figure.cls));
    const task_ms = Math.round(medianOf(own.map((figure) => figure.task_ms)));
    return {
      name,
      ttfb_ms: medianFigure("ttfb_ms"),
      fcp_ms: medianFigure("fcp_ms"),
      lcp_ms: medianFigure("lcp_ms"),
      cls,
      task_ms,
      lcp_of: own[0]?.lcp_of ?? "",
    };
  });
}

/** Loads a page. Returns the bytes received, by type. */
export async function weighPage(page: Page, { name, url }: PageTarget): Promise<WeightFigure> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Network.enable");
  const types = new Map<string, string>();
  const weight: WeightFigure = { name, document: 0, stylesheet: 0, script: 0, image: 0, requests: 0 };
  cdp.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type.toLowerCase()));
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    weight.requests += 1;
    const type = types.get(requestId);
    if (type === "document" || type === "stylesheet" || type === "script" || type === "image") {
      weight[type] += encodedDataLength;
    }
  });
  await page.goto(url, { waitUntil: "networkidle" });
  await cdp.detach();
  return weight;
}
