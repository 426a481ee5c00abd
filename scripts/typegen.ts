/**
 * Generates types: each worker's bindings, the Workers runtime, and the app's routes. Also writes the list of route
 * names into the contract, which may not import the app.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { experimental_generateTypes as generateTypes } from "wrangler";
import { routeNames, routeNamesSource } from "./route-names.ts";

const workers = [
  { config: "wrangler.toml", env: "WebEnv", types: "workers/web/env.d.ts" },
  { config: "workers/api/wrangler.toml", env: "ApiEnv", types: "workers/api/env.d.ts" },
  { config: "workers/identity/wrangler.toml", env: "IdentityEnv", types: "workers/identity/env.d.ts" },
  { config: "workers/mails/wrangler.toml", env: "MailsEnv", types: "workers/mails/env.d.ts" },
  { config: "workers/radio/wrangler.toml", env: "RadioEnv", types: "workers/radio/env.d.ts" },
  { config: "workers/gateway/wrangler.toml", env: "GatewayEnv", types: "workers/gateway/env.d.ts" },
];
const runtimeTypes = "workers/runtime.d.ts";

function writeIfChanged(path: string, content: string): void {
  if (!existsSync(path) || readFileSync(path, "utf8") !== content) writeFileSync(path, content);
}

for (const [index, worker] of workers.entries()) {
  const generated = await generateTypes({
    config: worker.config,
    path: worker.types,
    envInterface: worker.env,
    includeRuntime: index === 0,
    strictVars: false,
  });
  // Takes only the bindings from the generated file. Its ambient declarations would collide with those of the other
  // workers.
  const bindings = generated.env?.match(/^interface __BaseEnv_\w+ \{[\s\S]*?^\}/m)?.[0];
  if (!bindings) throw new Error(`no bindings were generated for ${worker.config}`);
  writeIfChanged(worker.types, `${bindings.replace(/__BaseEnv_\w+/, worker.env)}\n`);
  if (generated.runtime) writeIfChanged(runtimeTypes, generated.runtime);
}

writeIfChanged("workers/contract/route-names.ts", routeNamesSource(routeNames()));

const typegen = spawnSync("react-router", ["typegen"], { stdio: "inherit" });
process.exit(typegen.status ?? 1);
