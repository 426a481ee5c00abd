import { vi } from "vitest";

/** Far longer than a test waits on an idle machine. It only ends a wait for something that never happens. */
const LIMIT_MS = 60_000;

/**
 * Repeats the check until it neither throws nor returns false, and returns its result. For work that a worker does after
 * its answer, and for copies that live for a second. Use it and not `vi.waitFor`, which gives up after a second (on a busy
 * machine that is too soon) and takes false for success.
 */
export function waitUntil<T>(check: () => T | Promise<T>, limit_ms = LIMIT_MS): Promise<T> {
  const checkOnce = async () => {
    const result = await check();
    if (result === false) throw new Error(`it is still not so: ${check}`);
    return result;
  };
  return vi.waitFor(checkOnce, { timeout: limit_ms });
}
