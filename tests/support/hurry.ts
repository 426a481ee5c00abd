import { afterAll, beforeAll } from "vitest";

/** The package of the gateway pauses for so long at most before it repeats a call. Time limits are longer. */
const LONGEST_PAUSE_MS = 5_000;
/** How many times longer a time limit is: a busy machine does not reach it, and it ends before the limit of a test. */
const PATIENCE = 10;

/** Leaves out the pauses before repeated calls of the gateway and of the radio engine. Call it at the top of a test file. */
export function skipPauses(): void {
  const wait = globalThis.setTimeout;
  const hurry = (work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
    wait(work, ms < LONGEST_PAUSE_MS ? 0 : PATIENCE * ms, ...given);
  beforeAll(() => {
    globalThis.setTimeout = hurry as unknown as typeof setTimeout;
  });
  afterAll(() => {
    globalThis.setTimeout = wait;
  });
}
