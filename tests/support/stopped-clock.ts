import { onTestFinished, vi } from "vitest";

/**
 * Stops the date until the end of the test, also for other code in the worker. A limit of some seconds then counts what is
 * done, however slow the machine is.
 */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
}
