import { type BrowserEvent, EVENTS_PATH, type EventBatch, type PageView } from "./events.ts";

/** Whether this browser asks not to be tracked. Source: Global Privacy Control; Do Not Track. */
export function asksNotToBeTracked(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === "1" || globalPrivacyControl === true;
}

/** The route pattern of the current page, set by the server. */
export const shownPattern = () => document.body.dataset.pattern ?? "";

/**
 * Sends events to the collector. app/browser/sampling.ts passes this object to rum.client.ts as an argument, so that the
 * bundler creates no third chunk that both share.
 */
export const collector = {
  path: EVENTS_PATH,
  shownPattern,
  bodyOf(events: BrowserEvent[], dropped?: number): string {
    const build = document.body.dataset.build ?? "";
    return JSON.stringify({ build, events, dropped } satisfies EventBatch);
  },
};
export type Collector = typeof collector;

/** Sends a page view. The server adds the member from the session. Source: spec section 2, Analytics: page_view. */
export function sendPageView(): void {
  if (asksNotToBeTracked()) return;
  const view: PageView = { type: "page_view", path: location.pathname, pattern: shownPattern() };
  navigator.sendBeacon(EVENTS_PATH, collector.bodyOf([view]));
}
