/**
 * The one script of visitors' pages: at most 2 kB as served, nothing of the framework, nothing the page would not work
 * without. Built by scripts/visitor-script.ts. Source: docs/decisions/0010.
 */
import { pageShown } from "../browser/page-shown.ts";
import { startMonitoring } from "../browser/sampling.ts";
import { startTheme } from "./theme.ts";

/** Source: spec section 9. Not imported: the file that has it is loaded later. */
const RECOMPUTE_MS = 60_000;

const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];

startTheme();
// Nobody has seen what a browser only makes ready.
if ("prerendering" in document && document.prerendering) addEventListener("prerenderingchange", shown, { once: true });
else shown();
// Where none is announced there is nothing to say yet, and the first page somebody reads is not kept waiting for it.
if (document.documentElement.dataset.maintenance) watch();
else setTimeout(watch, RECOMPUTE_MS);

function shown(): void {
  pageShown(navigation?.type === "navigate");
  startMonitoring();
}

function watch(): void {
  import("./maintenance.ts").then(({ watchMaintenance }) => watchMaintenance()).catch(() => {});
}
