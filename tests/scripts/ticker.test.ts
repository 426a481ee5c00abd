import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startTicker } from "../../scripts/ticker.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a worker that is busy for long delays no other, and goes on as soon as it is done", async () => {
  const began_ms = Date.now();
  const calls: [string, number][] = [];
  startTicker(["quick", "busy"], async (worker) => {
    calls.push([worker, Math.round((Date.now() - began_ms) / 1000)]);
    if (worker === "busy") await new Promise((done) => setTimeout(done, 50_000));
    return "ok";
  });
  await vi.advanceTimersByTimeAsync(99_000);
  const secondsOf = (name: string) => calls.flatMap(([worker, second]) => (worker === name ? [second] : []));
  expect(secondsOf("quick")).toEqual([0, 30, 60, 90]);
  expect(secondsOf("busy")).toEqual([0, 50]);
});

test("a handler that hangs is called again after five minutes, and delays no other", async () => {
  const error = vi.spyOn(console, "error").mockReturnValue();
  const began_ms = Date.now();
  const calls: number[] = [];
  startTicker(["hanging"], async () => {
    calls.push(Math.round((Date.now() - began_ms) / 1000));
    return new Promise(() => {});
  });
  await vi.advanceTimersByTimeAsync(11 * 60_000);
  expect(calls).toEqual([0, 300, 600]);
  expect(JSON.parse(String(error.mock.calls[0]))).toMatchObject({ level: "error", of: "hanging" });
  error.mockRestore();
});
