import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Runtime, watchRuntime } from "../../scripts/watchdog.ts";

let stop: AbortController;
beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockReturnValue();
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Returns a runtime that works, and a list of what was done to it, with the second of each. */
function runtimeThat(parts: Partial<Runtime> = {}) {
  const began_ms = Date.now();
  const done: [string, number][] = [];
  const note = (what: string) => async () => void done.push([what, Math.round((Date.now() - began_ms) / 1000)]);
  const runtime: Runtime = {
    waitUntilReady: async () => {},
    start: note("start"),
    kill: note("kill"),
    ask: async () => {},
    answered: () => 0,
    ...parts,
  };
  return { runtime, done };
}
const never = () => new Promise<never>(() => {});

test("a runtime that answers is left alone", async () => {
  const { runtime, done } = runtimeThat();
  watchRuntime(runtime, stop.signal);
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(done).toEqual([]);
});

test("a runtime that gives no answer for 20 seconds is ended, once", async () => {
  const { runtime, done } = runtimeThat({ ask: never });
  watchRuntime(runtime, stop.signal);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(done).toEqual([["kill", 20]]);
});

test("a runtime that is too busy for the question, but answers its callers, is left alone", async () => {
  let answers = 0;
  const { runtime, done } = runtimeThat({ ask: never, answered: () => ++answers });
  watchRuntime(runtime, stop.signal);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(done).toEqual([]);
});

test("a start that takes long is left alone for two minutes", async () => {
  const { runtime, done } = runtimeThat({ ask: () => Promise.reject(new Error("refused")), waitUntilReady: never });
  watchRuntime(runtime, stop.signal);
  await vi.advanceTimersByTimeAsync(119_000);
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(done.map(([what]) => what)).toEqual(["kill"]);
});

test("a start that fails is repeated, after twice as long each time and 10 seconds at most, until one succeeds", async () => {
  let failures = 6;
  const waitUntilReady = async () => {
    if (failures-- > 0) throw new Error("it did not start");
  };
  const { runtime, done } = runtimeThat({ waitUntilReady });
  watchRuntime(runtime, stop.signal);
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(done.map(([, second]) => second)).toEqual([1, 3, 7, 15, 25, 35]);
});
