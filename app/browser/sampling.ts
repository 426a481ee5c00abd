import { asksNotToBeTracked, collector } from "./collect.ts";
import { continueSession } from "./rum-session.ts";
import { monitoringSession } from "./stored-keys.ts";

/** Loads the monitoring script if this session is sampled. Other sessions never load it. */
export function startMonitoring(): void {
  if (asksNotToBeTracked()) return;
  const continueVisit = (more: number) =>
    continueSession({ kept: monitoringSession, now: Date.now, random: Math.random }, more);
  // If the script cannot be loaded, this page is not monitored.
  if (continueVisit(0).is_sampled)
    import("./rum.client.ts").then(({ startRum }) => startRum(continueVisit, collector)).catch(() => {});
}
