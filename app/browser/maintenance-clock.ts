import type { MaintenanceWatch } from "./maintenance.ts";

/* Copies of the contract's values, kept equal by a test. The contract's file is loaded only with the watch. Source:
   spec section 9. */
const RECOMPUTE_MS = 60_000;
const POLL_MS = 300_000;

/**
 * Lets an open page notice maintenance: compares the clock with the known schedule every 60 s, and loads the schedule
 * every 5 min. Calls `load` when the first check is due, so that no page waits for it. Returns a function that stops
 * it.
 */
export function keepWatch(load: () => Promise<MaintenanceWatch>): () => void {
  const every = (ms: number, look: keyof MaintenanceWatch) =>
    setInterval(() => {
      // If loading fails, the next check tries again.
      load().then((watch) => watch[look](), ignore);
    }, ms);
  const timers = [every(RECOMPUTE_MS, "recompute"), every(POLL_MS, "check")];
  return () => timers.forEach(clearInterval);
}

const ignore = () => {};
