/**
 * Fires the cron triggers of a running Miniflare's workers, with one HTTP request for each. Miniflare's own `getWorker` blocks
 * this process until workerd answers, at the first use since each start. A workerd that hung then was never replaced.
 */
import { join } from "node:path";
import type { Miniflare, V4WorkerOptions } from "miniflare";
import { Agent, request } from "undici";

const NAME = "clock";
/** Only this process may ask: others on this machine reach the port too. */
const SECRET = crypto.randomUUID();
/** Opens a connection for each request, as in scripts/sql.ts. The ticker limits the time that a handler may take. */
const agent = new Agent({ pipelining: 0, headersTimeout: 0, bodyTimeout: 0 });

/** Returns the worker that fires the triggers of the named workers, for {@link fireClock}. */
export function clockWorker(workers: readonly string[]): V4WorkerOptions {
  return {
    name: NAME,
    compatibilityDate: "2026-10-01",
    compatibilityFlags: ["service_binding_extra_handlers"],
    modules: [{ type: "ESModule", path: join(import.meta.dirname, "clock-worker.mjs") }],
    modulesRoot: import.meta.dirname,
    bindings: { SECRET },
    serviceBindings: Object.fromEntries(workers.map((worker) => [worker, worker])),
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
}

/** Calls a worker's scheduled handler. Returns its outcome: `ok`, or what workerd calls its end. */
export async function fireClock(miniflare: Miniflare, worker: string): Promise<string> {
  const { statusCode, body } = await request(await miniflare.unsafeGetDirectURL(NAME), {
    dispatcher: agent,
    method: "POST",
    headers: { authorization: SECRET },
    body: worker,
  });
  const answer = await body.text();
  if (statusCode !== 200) throw new Error(`the clock of ${worker} answered ${statusCode} ${answer}`);
  return answer;
}
