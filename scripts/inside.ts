/**
 * Calls workers of a running Miniflare that no address leads to, and fires their cron triggers, with one HTTP request for
 * each. Miniflare's own `getWorker` blocks this process until workerd answers, at the first use since each start. A workerd
 * that hung then was never replaced.
 */
import type { Miniflare, V4WorkerOptions } from "miniflare";
import { askSideWorker, sideWorker } from "./side-worker.ts";

const NAME = "inside";

/** Returns the worker that calls the named workers, for {@link fireClock} and {@link callWorker}. */
export function insideWorker(workers: readonly string[]): V4WorkerOptions {
  return sideWorker(NAME, {
    compatibilityFlags: ["service_binding_extra_handlers"],
    serviceBindings: Object.fromEntries(workers.map((worker) => [worker, worker])),
  });
}

/**
 * Calls a worker's scheduled handler, for as long as it takes: the ticker has the limit. Returns its outcome: `ok`, or what
 * workerd calls its end.
 *
 * @param at_ms the moment for which the handler is called; by default now.
 */
export async function fireClock(miniflare: Miniflare, worker: string, at_ms?: number): Promise<string> {
  const { status, text } = await askSideWorker(miniflare, NAME, JSON.stringify({ worker, at_ms }));
  if (status !== 200) throw new Error(`the clock of ${worker} answered ${status} ${text}`);
  return text;
}

/** A request to a worker. */
export interface WorkerCall {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request to a worker. Returns the status and the text of its answer. */
export const callWorker = (miniflare: Miniflare, worker: string, call: WorkerCall) =>
  askSideWorker(miniflare, NAME, JSON.stringify({ worker, call }));
