const RETRY_MS = [1000, 2000, 5000, 15_000, 60_000];

/**
 * A timer whose delay grows with each failure. The delay is random, so that pages do not all return at once after a
 * deployment. It does not wait longer when the browser comes online.
 */
export function retryTimer(run: () => void) {
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let is_stopped = false;
  let is_waiting = false;
  const cancel = () => {
    clearTimeout(timer);
    is_waiting = false;
  };
  const after = (ms: number, task: () => void) => {
    cancel();
    timer = setTimeout(task, ms);
  };
  const retry = () => {
    cancel();
    run();
  };
  const hurry = () => {
    if (is_waiting) retry();
  };
  addEventListener("online", hurry);
  return {
    after,
    later() {
      if (is_stopped) return;
      const longest = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] as number;
      after(longest / 2 + (Math.random() * longest) / 2, retry);
      is_waiting = true;
    },
    reset() {
      failures = 0;
    },
    cancel,
    /** Makes `later` do nothing from now on. */
    stop() {
      is_stopped = true;
      removeEventListener("online", hurry);
    },
  };
}
