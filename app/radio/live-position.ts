/** A player that loads the playlist within this time is on a fast network. */
const FAST_S = 0.4;

/** Returns how many segments before the end of the playlist a player begins: on a slow network it needs more in store. */
export const startSegments = (network_s: number): number => (network_s <= FAST_S ? 2 : 4);

/**
 * Behind this, the player plays faster: a segment of a second, and a second in store when the next one arrives. On a slow
 * network, and after each interruption, it stays further behind, up to the bound.
 */
const CATCH_UP_S = 2;
const MAX_CATCH_UP_S = 8;
/** 5 % faster is not heard in speech. */
const CATCH_UP_RATE = 1.05;
/** Behind this, for example after a pause, the player skips to the present: to catch up would take minutes. */
const SKIP_S = 15;

export type LiveMove = { kind: "skip" } | { kind: "play"; rate: number };

/**
 * Returns how to go on playing.
 *
 * @param behind_s the time between what is heard and the newest sound that could have arrived.
 * @param interruptions how often the sound has stopped because nothing more had arrived.
 * @param network_s how long the playlist took to load.
 */
export function nextMove(behind_s: number, interruptions: number, network_s: number): LiveMove {
  if (behind_s > SKIP_S) return { kind: "skip" };
  const allowed_s = Math.min(CATCH_UP_S + interruptions + network_s, MAX_CATCH_UP_S);
  return { kind: "play", rate: behind_s > allowed_s ? CATCH_UP_RATE : 1 };
}
