/** Fires the workers' cron triggers, as Cloudflare does in production. */

const workers = ["ofuse-api", "ofuse-identity"];

/**
 * Calls each worker's scheduled handler now and then every 30 seconds, never two rounds at once.
 *
 * @param fire calls the handler of one worker and returns its outcome. The ticker logs its error.
 */
export function startTicker(fire: (worker: string) => Promise<string>): void {
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
