import type { MaintenanceWatch } from "./maintenance.ts";

/* Source: spec section 9; a test holds them to the contract's, whose file is loaded only with the watch itself. */
const RECOMPUTE_MS = 60_000;
const POLL_MS = 300_000;

/**
 * Lets an open page look at maintenance: whether its moment has come every 60 s, and at the record every 5 min, both counted
 * from now. The watch is asked for when first it is due: no page waits for it. Gives what ends it.
 */
export function keepWatch(load: () => Promise<MaintenanceWatch>): () => void {
  const every = (ms: number, look: keyof MaintenanceWatch) =>
    setInterval(() => {
      // What cannot be loaded now may be the next time.
      load().then((watch) => watch[look](), ignore);
    }, ms);
  const timers = [every(RECOMPUTE_MS, "recompute"), every(POLL_MS, "check")];
  return () => timers.forEach(clearInterval);
}

const ignore = () => {};
