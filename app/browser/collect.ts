import { type BrowserEvent, EVENTS_PATH, type EventBatch, type PageView } from "./events.ts";

/** Whether this browser asks not to be counted. Source: Global Privacy Control; Do Not Track. */
export function isAskedNotTo(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === "1" || globalPrivacyControl === true;
}

/** The page shown, as the server named it. */
export const shownPattern = () => document.body.dataset.pattern ?? "";

/** The way to the collector; monitoring is handed it, so that its file and the one that loads it share no third. */
export const collector = {
  path: EVENTS_PATH,
  shownPattern,
  bodyOf(events: BrowserEvent[], dropped?: number): string {
    const build = document.body.dataset.build ?? "";
    return JSON.stringify({ build, events, dropped } satisfies EventBatch);
  },
};
export type Collector = typeof collector;

/** Source: spec section 2, Analytics: page_view. Whose it is the server takes from the session. */
export function sendPageView(): void {
  if (isAskedNotTo()) return;
  const view: PageView = { type: "page_view", path: location.pathname, pattern: shownPattern() };
  navigator.sendBeacon(EVENTS_PATH, collector.bodyOf([view]));
}
