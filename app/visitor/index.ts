/**
 * The one script of visitors' pages: at most 2 kB as served, nothing of the framework, nothing the page would not work
 * without. Built by scripts/visitor-script.ts. Source: docs/decisions/0010.
 */
import { rememberLike } from "../browser/liked.ts";
import { pageShown } from "../browser/page-shown.ts";
import { startMonitoring } from "../browser/sampling.ts";
import { likedEventComments, likedEvents } from "../browser/stored-keys.ts";
import { startTheme } from "./theme.ts";

/** Source: spec section 9. Not imported: the file that has it is loaded later. */
const RECOMPUTE_MS = 60_000;

const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];

startTheme();
pageShown(navigation?.type === "navigate");
startMonitoring();
if (document.querySelector("[data-liked]")) {
  const lists = { [likedEvents.name]: likedEvents, [likedEventComments.name]: likedEventComments };
  import("./likes.ts").then(({ startLikes }) => startLikes(lists, rememberLike)).catch(() => {});
}
// Where none is announced there is nothing to say yet, and the first page somebody reads is not kept waiting for it.
if (document.documentElement.dataset.maintenance) watch();
else setTimeout(watch, RECOMPUTE_MS);

function watch(): void {
  import("./maintenance.ts").then(({ watchMaintenance }) => watchMaintenance()).catch(() => {});
}
