/**
 * The only script of visitors' pages. Limits: 2 kB as served, no framework, and every page works without it. Built by
 * scripts/visitor-script.ts. Source: docs/decisions/0010.
 */

import type { MaintenanceWatch } from "../browser/maintenance.ts";
import { keepWatch } from "../browser/maintenance-clock.ts";
import { countVisit, pageShown } from "../browser/page-shown.ts";
import { likedRadioComments, likedRadioRecordings } from "../browser/radio-keys.ts";
import { startMonitoring } from "../browser/sampling.ts";
import { hasAboutFanLetterOpened, likedEventComments, likedEvents } from "../browser/stored-keys.ts";
import { startTheme } from "./theme.ts";

const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];

startTheme();
// Count a prerendered page only when it is shown.
if ("prerendering" in document && document.prerendering)
  addEventListener("prerenderingchange", startShownPage, { once: true });
else startShownPage();
const loadLater = () => {
  const keys = {
    liked: [likedEvents, likedEventComments, likedRadioComments, likedRadioRecordings],
    about_letter: hasAboutFanLetterOpened,
    countVisit,
  };
  import("./later.ts").then(({ startLater }) => startLater(keys)).catch(() => {});
};
if (document.querySelector("[data-liked],[data-copy],[data-shows],[data-speeds],[data-captions],.about-letter"))
  loadLater();
// A live radio needs nothing more before its sound is played.
else addEventListener("play", loadLater, { capture: true, once: true });

let watch: MaintenanceWatch | undefined;
keepWatch(async () => {
  const { watchMaintenance } = await import("../browser/maintenance.ts");
  watch ??= watchMaintenance();
  return watch;
});

function startShownPage(): void {
  pageShown(navigation?.type === "navigate");
  startMonitoring();
}
