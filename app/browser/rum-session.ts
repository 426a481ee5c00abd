import type { MonitoringSession, Stored } from "./stored-keys.ts";

/** Source: spec section 9, Monitoring. */
const SAMPLE_RATE = 0.01;
export const SESSION_MS = 30 * 60 * 1000;

/** Where the session is kept, and what time and chance are there. */
export interface SessionKeeper {
  kept: Pick<Stored<MonitoringSession | null>, "read" | "write">;
  now: () => number;
  /** From 0 up to 1. */
  random: () => number;
}

/**
 * Goes on with the visit, or begins the next: one lasts until half an hour has passed without a page and without anything
 * to tell. Whether it is looked at is decided once, as it begins.
 *
 * @param more how many events it is to have told from now on.
 */
export function goOnWithSession({ kept, now, random }: SessionKeeper, more = 0): MonitoringSession {
  const now_ms = now();
  const last = kept.read();
  // One that ends later than any could was kept under another clock.
  const is_on = last && last.ends_at > now_ms && last.ends_at <= now_ms + SESSION_MS;
  const session = {
    is_sampled: is_on ? last.is_sampled : random() < SAMPLE_RATE,
    ends_at: now_ms + SESSION_MS,
    events: (is_on ? last.events : 0) + more,
  };
  kept.write(session);
  return session;
}
