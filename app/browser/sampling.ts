import { collector, isAskedNotTo } from "./collect.ts";
import { goOnWithSession } from "./rum-session.ts";
import { monitoringSession } from "./stored-keys.ts";

/** Loads the monitoring if this session is sampled. The other sessions only make that decision. */
export function startMonitoring(): void {
  if (isAskedNotTo()) return;
  const continueSession = (more: number) =>
    goOnWithSession({ kept: monitoringSession, now: Date.now, random: Math.random }, more);
  // If loading fails, this page is not monitored.
  if (continueSession(0).is_sampled)
    import("./rum.ts").then(({ startRum }) => startRum(continueSession, collector)).catch(() => {});
}
