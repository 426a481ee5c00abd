import type { MonitoringSession, Stored } from "./stored-keys.ts";

/** How many sessions are sampled, and how long a session lasts. Source: spec section 9, Monitoring. */
const SAMPLE_RATE = 0.01;
export const SESSION_MS = 30 * 60 * 1000;

/** The storage, clock and random numbers, so that tests can replace them. */
export interface SessionKeeper {
  kept: Pick<Stored<MonitoringSession | null>, "read" | "write">;
  now: () => number;
  /** A random number from 0 (inclusive) to 1 (exclusive). */
  random: () => number;
}

/**
 * Continues the monitoring session, or starts a new one after half an hour without a page or an event. Whether it is
 * sampled is decided at its start.
 * @param more how many events to add to the session's count.
 */
export function continueSession({ kept, now, random }: SessionKeeper, more = 0): MonitoringSession {
  const now_ms = now();
  const last = kept.read();
  // A session that ends later than possible was stored before the clock was changed.
  const is_on = last && last.ends_at > now_ms && last.ends_at <= now_ms + SESSION_MS;
  const session = {
    is_sampled: is_on ? last.is_sampled : random() < SAMPLE_RATE,
    ends_at: now_ms + SESSION_MS,
    events: (is_on ? last.events : 0) + more,
  };
  kept.write(session);
  return session;
}
