/** Keeps workerd running: replaces one that hangs, and repeats a start that failed. */
import { log } from "../workers/kernel/log.ts";

/** What the watchdog does with the runtime: Miniflare and its workerd. */
export interface Runtime {
  /** Resolves when workerd is ready. Waits for a start that is under way, and rejects after a failed one. */
  waitUntilReady(): Promise<unknown>;
  start(): Promise<unknown>;
  /** Ends workerd. Miniflare then starts another. */
  kill(): Promise<void>;
  /** Asks workerd for a sign of life. */
  ask(): Promise<unknown>;
  /** How many requests workerd has answered. */
  answered(): number;
}

/** How often the watchdog looks. It counts looks and not time, so that after a pause of the runner nobody seems late. */
const PERIOD_MS = 2000;
/** A workerd without an answer for more than 20 seconds hangs: the busiest request takes a part of that. */
const SILENT_LOOKS = 10;
/** A start takes seconds, and on a busy machine half a minute. */
const SILENT_LOOKS_OF_START = 60;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;

const sleep = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms).unref());

/** Watches the runtime until `stop` is aborted. Its first start is over. */
export function watchRuntime(runtime: Runtime, stop: AbortSignal): void {
  let is_ready = true;

  /** Starts workerd again after a failed start: first after a second, then after twice as long each time. */
  async function repeatFailedStarts(): Promise<void> {
    for (let pause_ms = FIRST_PAUSE_MS; !stop.aborted; ) {
      is_ready = false;
      try {
        await runtime.waitUntilReady();
        is_ready = true;
        pause_ms = FIRST_PAUSE_MS;
        await sleep(PERIOD_MS);
      } catch (error) {
        if (stop.aborted) return;
        const { message, cause } = error as Error;
        log("error", { message: "workerd did not start", again_in_ms: pause_ms, error: message, cause: String(cause) });
        await sleep(pause_ms);
        pause_ms = Math.min(2 * pause_ms, LONGEST_PAUSE_MS);
        // The next turn learns how it ended.
        if (!stop.aborted) await runtime.start().catch(() => {});
      }
    }
  }

  async function replaceHanging(): Promise<void> {
    let [silent_looks, answered, is_asked, has_answered] = [0, runtime.answered(), false, false];
    for (; !stop.aborted; await sleep(PERIOD_MS)) {
      silent_looks = has_answered || runtime.answered() > answered ? 0 : silent_looks + 1;
      [answered, has_answered] = [runtime.answered(), false];
      if (silent_looks > (is_ready ? SILENT_LOOKS : SILENT_LOOKS_OF_START)) {
        log("error", { message: "workerd hangs and is replaced", silent_ms: silent_looks * PERIOD_MS });
        silent_looks = 0;
        await runtime.kill().catch((error) => log("error", { message: "workerd was not ended", error: String(error) }));
      }
      if (is_asked) continue;
      is_asked = true;
      runtime
        .ask()
        .then(() => {
          has_answered = true;
        })
        // Nobody listens: it is being started.
        .catch(() => {})
        .finally(() => {
          is_asked = false;
        });
    }
  }

  void repeatFailedStarts();
  void replaceHanging();
}
