import { expect, onTestFinished, test, vi } from "vitest";
import { AwaitedSegments, HOLD_MS, NO_SEGMENT } from "../../workers/radio/awaited-segments.ts";

test("a request for a segment that does not come is answered with nothing after five seconds", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const awaited = new AwaitedSegments();
  let answer: Uint8Array | null = null;
  void awaited.wait("opus/3").then((bytes) => {
    answer = bytes;
  });
  await vi.advanceTimersByTimeAsync(HOLD_MS - 1);
  expect([answer, awaited.count]).toEqual([null, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect([answer, awaited.count]).toEqual([NO_SEGMENT, 0]);
});
