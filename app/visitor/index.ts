/**
 * The one script of visitors' pages: at most 2 kB as served, nothing of the framework, nothing the page would not work
 * without. Built by scripts/visitor-script.ts. Source: docs/decisions/0010.
 */
import { pageShown } from "../browser/page-shown.ts";
import { startMonitoring } from "../browser/sampling.ts";
import { startTheme } from "./theme.ts";

const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];

startTheme();
pageShown(navigation?.type === "navigate");
startMonitoring();
// The watch over maintenance (./maintenance.ts, `watchMaintenance`) starts here, too.
