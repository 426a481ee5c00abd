/**
 * The one script of visitors' pages: at most 2 kB as served, nothing of the framework, nothing the page would not work
 * without. Built by scripts/visitor-script.ts. Source: docs/decisions/0010.
 */
import { pageShown } from "../browser/page-shown.ts";
import { startMonitoring } from "../browser/sampling.ts";
import { hasAboutFanLetterOpened, likedEventComments, likedEvents } from "../browser/stored-keys.ts";
import type { MaintenanceWatch } from "./maintenance.ts";
import { keepWatch } from "./maintenance-clock.ts";
import { startTheme } from "./theme.ts";

const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];

startTheme();
// Nobody has seen what a browser only makes ready.
if ("prerendering" in document && document.prerendering) addEventListener("prerenderingchange", shown, { once: true });
else shown();
startWhere("[data-liked]", async () => {
  const lists = { [likedEvents.name]: likedEvents, [likedEventComments.name]: likedEventComments };
  (await import("./post.ts")).startPost(lists);
});
startWhere(".about-letter", async () =>
  (await import("../browser/about-letter.ts")).openAboutLetterOnce(hasAboutFanLetterOpened),
);
startWhere("[data-shows]", async () => (await import("./passwords.ts")).startShowingPasswords());

let watch: MaintenanceWatch | undefined;
keepWatch(async () => {
  const { watchMaintenance } = await import("./maintenance.ts");
  watch ??= watchMaintenance();
  return watch;
});

/** Loads a part where the page has something for it. Without the part the page works as HTML. */
function startWhere(selector: string, start: () => Promise<void>): void {
  if (document.querySelector(selector)) start().catch(() => {});
}

function shown(): void {
  pageShown(navigation?.type === "navigate");
  startMonitoring();
}
