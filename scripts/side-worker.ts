/** Small workers that Miniflare runs beside the product's, and that this process asks over HTTP (scripts/sql.ts, scripts/inside.ts). */
import { join } from "node:path";
import type { Miniflare, V4WorkerOptions } from "miniflare";
import { Agent, request } from "undici";

/** Only this process may ask: others on this machine reach the port too. */
const SECRET = crypto.randomUUID();
/**
 * Opens a connection for each request. workerd closes a connection after five idle seconds, and a busy process, which
 * has not noticed, would send its next request into the closed one. A statement or a cron trigger may take minutes.
 */
const agent = new Agent({ pipelining: 0, headersTimeout: 0, bodyTimeout: 0 });

/** Returns the worker of `scripts/<name>-worker.mjs`, which refuses requests without the binding `SECRET`. */
export function sideWorker(name: string, options: Partial<V4WorkerOptions>): V4WorkerOptions {
  return {
    ...options,
    name,
    compatibilityDate: "2026-10-01",
    modules: [{ type: "ESModule", path: join(import.meta.dirname, `${name}-worker.mjs`) }],
    modulesRoot: import.meta.dirname,
    bindings: { SECRET },
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
}

/** Sends a body to a {@link sideWorker} of a running Miniflare. Returns the status and the text of its answer. */
export async function askSideWorker(
  miniflare: Miniflare,
  name: string,
  body: string,
): Promise<{ status: number; text: string }> {
  const answer = await request(await miniflare.unsafeGetDirectURL(name), {
    dispatcher: agent,
    method: "POST",
    headers: { authorization: SECRET },
    body,
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}
