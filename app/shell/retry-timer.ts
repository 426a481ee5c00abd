const RETRY_MS = [1000, 2000, 5000, 15_000, 60_000];

/**
 * A timer whose delay grows with each failure. The delay is random, so that pages do not all return at once after a
 * deployment.
 */
export function retryTimer(run: () => void) {
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let is_stopped = false;
  const after = (ms: number, task: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(task, ms);
  };
  return {
    after,
    later() {
      if (is_stopped) return;
      const longest = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] as number;
      after(longest / 2 + (Math.random() * longest) / 2, run);
    },
    reset() {
      failures = 0;
    },
    cancel: () => clearTimeout(timer),
    /** Makes `later` do nothing from now on. */
    stop() {
      is_stopped = true;
    },
  };
}
