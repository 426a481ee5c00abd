/** Cron triggers do not fire on this machine: this does. */

const workers = ["ofuse-api", "ofuse-identity"];

/**
 * Has each worker's scheduled handler called now and then every 30 seconds, never two rounds at once.
 *
 * @param fire calls the handler of one worker and gives its outcome. What it throws is logged.
 */
export function startTicker(fire: (worker: string) => Promise<string>): void {
  async function tick(): Promise<void> {
    for (const worker of workers) {
      try {
        const outcome = await fire(worker);
        if (outcome !== "ok") console.error(`${worker}: the scheduled handler ended with "${outcome}"`);
      } catch (error) {
        console.error(`${worker}: the scheduled handler failed:`, error instanceof Error ? error.message : error);
      }
    }
    setTimeout(tick, 30_000);
  }
  void tick();
}
