/**
 * Fires the cron triggers of a running Miniflare's workers, with one HTTP request for each. Miniflare's own `getWorker` blocks
 * this process until workerd answers, at the first use since each start. A workerd that hung then was never replaced.
 */
import type { Miniflare, V4WorkerOptions } from "miniflare";
import { askSideWorker, sideWorker } from "./side-worker.ts";

const NAME = "clock";

/** Returns the worker that fires the triggers of the named workers, for {@link fireClock}. */
export function clockWorker(workers: readonly string[]): V4WorkerOptions {
  return sideWorker(NAME, {
    compatibilityFlags: ["service_binding_extra_handlers"],
    serviceBindings: Object.fromEntries(workers.map((worker) => [worker, worker])),
  });
}

/**
 * Calls a worker's scheduled handler, for as long as it takes: the ticker has the limit. Returns its outcome: `ok`, or what
 * workerd calls its end.
 */
export async function fireClock(miniflare: Miniflare, worker: string): Promise<string> {
  const { status, text } = await askSideWorker(miniflare, NAME, worker);
  if (status !== 200) throw new Error(`the clock of ${worker} answered ${status} ${text}`);
  return text;
}
