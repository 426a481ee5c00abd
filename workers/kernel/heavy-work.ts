/** How often a request in the line looks whether it may begin. */
const LOOK_MS = 20;

const pause = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms));

/**
 * Lets the event loop answer other requests. Long work calls it between its steps, also work that waits for D1 or R2:
 * where they are in the same process, as on one machine, their answers come before what arrives from outside.
 */
export const letOthersRun = (): Promise<void> => pause(0);

/**
 * Returns a function that runs one piece of heavy work at a time. Without it, a worker that got many requests at once would compute
 * for all of them before any other worker of the process answers, and would hold the memory of all of them. The function returns
 * null when `line` requests wait already, or when one has waited for `patience_ms`.
 *
 * No request waits for a promise of another request, which may be cut off. A piece that did not end after `longest_ms` counts as
 * cut off.
 */
export function oneAtATime({ line, patience_ms, longest_ms }: Record<"line" | "patience_ms" | "longest_ms", number>) {
  let waiting = 0;
  let held_until_ms = 0;
  let holder = 0;
  return async function run<T>(work: () => Promise<T>): Promise<T | null> {
    const give_up_ms = Date.now() + patience_ms;
    if (Date.now() < held_until_ms) {
      if (waiting >= line) return null;
      waiting += 1;
      try {
        while (Date.now() < held_until_ms) {
          if (Date.now() > give_up_ms) return null;
          await pause(LOOK_MS);
        }
      } finally {
        waiting -= 1;
      }
    }
    held_until_ms = Date.now() + longest_ms;
    const own = ++holder;
    try {
      return await work();
    } finally {
      // A piece that counted as cut off must not give up the place of the next one.
      if (holder === own) held_until_ms = 0;
    }
  };
}
