/** Fires the workers' cron triggers, as Cloudflare does in production. */
import { log } from "../workers/kernel/log.ts";
import { withTimeLimit } from "../workers/kernel/time-limit.ts";
import type { World } from "./data-folder.ts";

/** Returns the workers that have cron triggers. Only a demo has the payment gateway. */
export function scheduledWorkers(world: World): string[] {
  return ["ofuse-api", "ofuse-identity", "ofuse-mails", ...(world === "demo" ? ["ofuse-gateway"] : [])];
}

const PERIOD_MS = 30_000;
/** A handler that takes longer hangs. That of mails sends a newsletter for most of a minute. */
const LIMIT_MS = 5 * 60_000;

/**
 * Calls each worker's scheduled handler now and then every 30 seconds. A handler that takes longer is called again when it
 * is done, and delays no other worker's. A handler that hangs is called again after five
 * minutes: two runs at once do the work once.
 *
 * @param workers from {@link scheduledWorkers}.
 * @param fire calls the handler of one worker and returns its outcome. The ticker logs its error.
 */
export function startTicker(workers: readonly string[], fire: (worker: string) => Promise<string>): void {
  async function runHandler(worker: string): Promise<void> {
    const began_ms = Date.now();
    try {
      const outcome = await withTimeLimit(fire(worker), LIMIT_MS);
      if (outcome !== "ok") log("error", { message: "the clock of a worker failed", of: worker, outcome });
    } catch (error) {
      log("error", { message: "the clock of a worker failed", of: worker, error: String(error) });
    }
    setTimeout(runHandler, Math.max(0, began_ms + PERIOD_MS - Date.now()), worker);
  }
  for (const worker of workers) void runHandler(worker);
}
