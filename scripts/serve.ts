/** `npm run serve`, the last part of `npm start`: serves the production build in workerd, on the data folder. */
import { buildIfStale } from "./build.ts";
import { startNetwork } from "./network.ts";
import { endWithNpm } from "./processes.ts";
import { Refusal } from "./refusal.ts";
import { readSettings, readyLine } from "./settings.ts";
import { reportStep } from "./steps.ts";
import { scheduledWorkers, startTicker } from "./ticker.ts";

function giveUp(error: unknown): never {
  console.error(error instanceof Refusal ? error.message : error);
  process.exit(1);
}

endWithNpm();
try {
  const settings = readSettings();
  const built = await buildIfStale();
  if (built && !built.passed) {
    reportStep(built);
    process.exit(1);
  }
  // Miniflare ends workerd on SIGINT and SIGTERM. The exit of this process releases the data folder.
  const network = await startNetwork({ ...settings, overrides: process.env });
  startTicker(scheduledWorkers(network.world), async (worker) => {
    // Rejects when Miniflare could not restart a dead workerd.
    await network.miniflare.ready.catch(giveUp);
    return (await (await network.miniflare.getWorker(worker)).scheduled({ cron: "* * * * *" })).outcome;
  });
  console.log(readyLine(network.url, network.world));
} catch (error) {
  giveUp(error);
}
