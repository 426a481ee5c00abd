import { collector, isAskedNotTo } from "./collect.ts";
import { goOnWithSession } from "./rum-session.ts";
import { monitoringSession } from "./stored-keys.ts";

/** Loads the monitoring where this visit is one of those looked at; the others pay for the decision alone. */
export function startMonitoring(): void {
  if (isAskedNotTo()) return;
  const goOn = (more: number) => goOnWithSession({ kept: monitoringSession, now: Date.now, random: Math.random }, more);
  // Lost with the connection it would have told of: nothing to say to anybody.
  if (goOn(0).is_sampled) import("./rum.ts").then(({ startRum }) => startRum(goOn, collector)).catch(() => {});
}
