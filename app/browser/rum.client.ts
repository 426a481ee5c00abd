import { type Metric, onCLS, onFCP, onINP, onLCP, onTTFB } from "web-vitals";
import type { Collector } from "./collect.ts";
import { DISPATCH_MS, MAX_TEXT, type RumOutlets, RumQueue } from "./rum-queue.ts";

/**
 * Measures web vitals and uncaught errors. Loaded only in the 1 % of sessions that are sampled. Source: spec section 9,
 * Monitoring.
 */
export function startRum(
  continueSession: RumOutlets["continueSession"],
  { path, shownPattern, bodyOf }: Collector,
): void {
  const queue = new RumQueue({
    continueSession,
    send: (events, dropped) =>
      fetch(path, { method: "POST", body: bodyOf(events, dropped), keepalive: true }).then(
        ({ status }) => status,
        () => null,
      ),
    sendAtOnce: (events, dropped) => navigator.sendBeacon(path, bodyOf(events, dropped)),
  });
  // Web vitals are attributed to the page that the document was loaded with.
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
    // A failed image fires an event without a message.
    if (message) onError(message, `${filename.replace(/[?#].*/, "")}:${lineno}:${colno}`);
  });
  window.addEventListener("unhandledrejection", ({ reason, defaultPrevented }) => {
    // The page has passed over it.
    if (!defaultPrevented) onError(reason, "");
  });
  setInterval(() => void queue.dispatch(), DISPATCH_MS);
  // Register this listener after web-vitals, which reports its last values on the same events.
  addEventListener("visibilitychange", () => document.visibilityState === "hidden" && queue.flush());
  addEventListener("pagehide", () => queue.flush());
}
