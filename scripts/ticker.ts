/** Fires the workers' cron triggers, as Cloudflare does in production. */
import type { World } from "./data-folder.ts";

/** Returns the workers that have cron triggers. Only a demo has the payment gateway. */
export function scheduledWorkers(world: World): string[] {
  return ["ofuse-api", "ofuse-identity", "ofuse-mails", ...(world === "demo" ? ["ofuse-gateway"] : [])];
}

const PERIOD_MS = 30_000;

/**
 * Calls each worker's scheduled handler now and then every 30 seconds, never the same twice at once. A handler that takes longer is
 * called again at once, and delays no other worker's: that of mails sends a newsletter for most of a minute.
 *
 * @param workers from {@link scheduledWorkers}.
 * @param fire calls the handler of one worker and returns its outcome. The ticker logs its error.
 */
export function startTicker(workers: readonly string[], fire: (worker: string) => Promise<string>): void {
  async function runHandler(worker: string): Promise<void> {
    const began_ms = Date.now();
    try {
      const outcome = await fire(worker);
      if (outcome !== "ok") console.error(`${worker}: the scheduled handler ended with "${outcome}"`);
    } catch (error) {
      console.error(`${worker}: the scheduled handler failed:`, error instanceof Error ? error.message : error);
    }
    setTimeout(runHandler, Math.max(0, began_ms + PERIOD_MS - Date.now()), worker);
  }
  for (const worker of workers) void runHandler(worker);
}
