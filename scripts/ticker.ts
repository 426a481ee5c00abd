/** Fires the workers' cron triggers, as Cloudflare does in production. */
import type { World } from "./data-folder.ts";

/** Returns the workers that have cron triggers. Only a demo has the payment gateway. */
export function scheduledWorkers(world: World): string[] {
  return ["ofuse-api", "ofuse-identity", "ofuse-mails", ...(world === "demo" ? ["ofuse-gateway"] : [])];
}

/**
 * Calls each worker's scheduled handler now and then every 30 seconds, never two rounds at once.
 *
 * @param workers from {@link scheduledWorkers}.
 * @param fire calls the handler of one worker and returns its outcome. The ticker logs its error.
 */
export function startTicker(workers: readonly string[], fire: (worker: string) => Promise<string>): void {
  async function runHandlers(): Promise<void> {
    for (const worker of workers) {
      try {
        const outcome = await fire(worker);
        if (outcome !== "ok") console.error(`${worker}: the scheduled handler ended with "${outcome}"`);
      } catch (error) {
        console.error(`${worker}: the scheduled handler failed:`, error instanceof Error ? error.message : error);
      }
    }
    setTimeout(runHandlers, 30_000);
  }
  void runHandlers();
}
