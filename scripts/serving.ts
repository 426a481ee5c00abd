/** What every server of this machine does: builds when the sources have changed, starts the network, and fires the clock. */
import { buildIfStale } from "./build.ts";
import type { Network } from "./network.ts";
import { endWithNpm } from "./processes.ts";
import { Refusal } from "./refusal.ts";
import { reportStep } from "./steps.ts";
import { scheduledWorkers, startTicker } from "./ticker.ts";

function giveUp(error: unknown): never {
  console.error(error instanceof Refusal ? error.message : error);
  process.exit(1);
}

/**
 * Serves until the process ends. Ends it with a sentence when `prepare` or the start throws.
 *
 * @param prepare reads the settings, before the build. Returns the function that starts the network and says that it is up.
 * @param onRun called after each run of a worker's clock.
 */
export async function serve(
  prepare: () => () => Promise<Network>,
  onRun: (worker: string) => void = () => {},
): Promise<void> {
  endWithNpm();
  try {
    const start = prepare();
    const built = await buildIfStale();
    if (built && !built.passed) {
      reportStep(built);
      process.exit(1);
    }
    // Miniflare ends workerd on SIGINT and SIGTERM. The exit of this process releases the data folder.
    const network = await start();
    startTicker(scheduledWorkers(network.world), async (worker) => {
      const outcome = await network.fireClock(worker);
      if (outcome === "ok") onRun(worker);
      return outcome;
    });
  } catch (error) {
    giveUp(error);
  }
}
