/** `npm run dev`: serves the sources with hot reload, on the same data as `npm start`. */
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { claimData } from "./data-claim.ts";
import { endWithNpm } from "./processes.ts";
import { Refusal } from "./refusal.ts";
import { readSecrets } from "./secrets.ts";
import { readDemoSettings, readyLine } from "./settings.ts";
import { prepareData } from "./storage.ts";
import { scheduledWorkers, startTicker } from "./ticker.ts";

/** Calls a worker's scheduled handler, through the explorer that Cloudflare's plugin serves beside the app. */
async function fireScheduled(url: string, worker: string): Promise<string> {
  const response = await fetch(`${url}/cdn-cgi/local/explorer/api/local/scheduled?worker=${worker}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ cron: "* * * * *" }),
  });
  const { result } = (await response.json()) as { result?: { outcome: string } };
  return result?.outcome ?? `status ${response.status}`;
}

endWithNpm();
// `react-router dev` sets this too. It must be set before any module that reads it is loaded.
process.env.NODE_ENV = "development";
// Keeps Miniflare from fetching a sample of Request.cf from the internet.
process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
try {
  const { port, data_dir, world: wanted } = readDemoSettings();
  const claim = await claimData(data_dir);
  const world = await prepareData(data_dir, claim, wanted);
  // Cloudflare's plugin reads the secrets that a wrangler.toml requires from the environment.
  Object.assign(process.env, { ...readSecrets(data_dir), ...process.env });
  // Uses a registry of running workers of our own. The one in the home folder may name workers of a killed run.
  const registry = join(data_dir, "registry");
  rmSync(registry, { recursive: true, force: true });
  process.env.MINIFLARE_REGISTRY_PATH = registry;
  // Runs Vite in this process. `react-router dev` would start another process, and a kill would then leave it running.
  const { createServer } = await import("vite");
  const listening = createServer({ root: resolve(import.meta.dirname, "..") }).then((server) => server.listen());
  await claim.recordDuring(listening);
  // After a change of a wrangler.toml or a config file the plugin starts another workerd.
  setInterval(claim.record, 5_000).unref();
  startTicker(scheduledWorkers(world), (worker) => fireScheduled(`http://localhost:${port}`, worker));
  claim.recordUrl(`http://localhost:${port}`);
  console.log(readyLine(`http://localhost:${port}`, world));
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exit(1);
}
