import { type Metric, onCLS, onFCP, onINP, onLCP, onTTFB } from "web-vitals";
import type { Collector } from "./collect.ts";
import { DISPATCH_MS, MAX_TEXT, type RumOutlets, RumQueue } from "./rum-queue.ts";

/**
 * Watches how a page does for somebody: web vitals and errors nobody caught. Loaded only in the one session in a
 * hundred that is looked at. Source: spec section 9, Monitoring.
 */
export function startRum(
  goOnWithSession: RumOutlets["goOnWithSession"],
  { path, shownPattern, bodyOf }: Collector,
): void {
  const queue = new RumQueue({
    goOnWithSession,
    send: (events, dropped) =>
      fetch(path, { method: "POST", body: bodyOf(events, dropped), keepalive: true }).then(
        ({ status }) => status,
        () => null,
      ),
    sendAtOnce: (events, dropped) => navigator.sendBeacon(path, bodyOf(events, dropped)),
  });
  // What is measured of a document belongs to the page it was loaded with.
  const pattern = shownPattern();
  const onVital = ({ name, value }: Metric) => {
    if (name !== "FID") queue.record({ type: "web_vital", name, value, pattern });
  };
  for (const watch of [onLCP, onCLS, onINP, onFCP, onTTFB]) watch(onVital);
  const onError = (text: unknown, place: string) =>
    queue.record({
      type: "script_error",
      text: String(text).slice(0, MAX_TEXT),
      place: place.slice(-MAX_TEXT),
      pattern: shownPattern(),
    });
  window.addEventListener("error", ({ message, filename, lineno, colno }) => {
    // A picture that failed is an event without a message.
    if (message) onError(message, `${filename.replace(/[?#].*/, "")}:${lineno}:${colno}`);
  });
  window.addEventListener("unhandledrejection", ({ reason }) => onError(reason, ""));
  setInterval(() => void queue.dispatch(), DISPATCH_MS);
  // After those of web-vitals, which say their last word at the same moments.
  addEventListener("visibilitychange", () => document.visibilityState === "hidden" && queue.flush());
  addEventListener("pagehide", () => queue.flush());
}
