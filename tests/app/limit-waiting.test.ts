import { afterEach, expect, test, vi } from "vitest";
import { limitWaiting } from "../../app/shell/limit-waiting.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Starts the limit over a network that never answers. Returns a function that lets the time pass. */
function startSilentNetwork() {
  const limit = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(limit.signal);
  const fetch = (_: unknown, init?: RequestInit) =>
    new Promise((_, fail) => init?.signal?.addEventListener("abort", () => fail(init.signal?.reason)));
  const window = { fetch };
  vi.stubGlobal("window", window);
  const stop = limitWaiting();
  const send = (address: string, init: RequestInit = {}) => window.fetch(address, init);
  const expectOver = () => limit.abort(new DOMException("over", "TimeoutError"));
  return { send, stop, passTime: expectOver };
}

test("a form without an answer fails after the limit, and still when the router cancels it", async () => {
  const { send, passTime } = startSilentNetwork();
  const canceled = new AbortController();
  const one = send("/hibiki/ofuse.data", { method: "POST", signal: canceled.signal });
  const other = send("/my/transactions/payout.data?amount=1100", { method: "POST" });
  const third = send("/hibiki/ofuse.data", { method: "POST", signal: new AbortController().signal });
  canceled.abort(new DOMException("canceled", "AbortError"));
  await expect(one).rejects.toThrow("canceled");
  passTime();
  await expect(other).rejects.toThrow("over");
  await expect(third).rejects.toThrow("over");
});

test.each([
  ["a load of a page's data", "/hibiki/ofuse.data", { method: "GET" }],
  ["an upload or another request of a script", "/my/uploads/file", { method: "POST" }],
])("%s keeps its own limit", async (_, address, init) => {
  const { send, passTime } = startSilentNetwork();
  const ended = vi.fn();
  send(address, { ...init, signal: new AbortController().signal }).catch(ended);
  passTime();
  await Promise.resolve();
  expect(ended).not.toHaveBeenCalled();
});
