/** What the workers' vars are on this machine. vite.config.ts reads it too. */
import type { World } from "./data-folder.ts";
import { demoSite } from "./demo-site.ts";

export const HOST = "127.0.0.1";

/** Values by name that win over a worker's own vars and secrets: `process.env`, or what a test needs. */
export type Overrides = Record<string, string | undefined>;

/** Of a run on this machine: where it listens, and whose world its data folder holds. */
interface LocalRun {
  port: number;
  world: World;
}

/**
 * What the vars of every worker are on this machine. Whatever only a demo may do (the open outbox, the developers' ways in,
 * the styleguide) depends on the project's name alone: `isDemoProject`.
 */
function localVars({ port, world }: LocalRun): Record<string, string> {
  return {
    ENVIRONMENT: "local",
    PROJECT_ID: world === "demo" ? "demo-ofuse" : "ofuse-site",
    IDENTITY_TOOLKIT_URL: "http://identity.internal/identitytoolkit.googleapis.com",
    SECURE_TOKEN_URL: "http://identity.internal/securetoken.googleapis.com",
    JWKS_URL: "http://identity.internal/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    LOCAL_CLIENT_ADDRESS: HOST,
    SITE: JSON.stringify(demoSite),
    ACTION_URL: `http://localhost:${port}/signup/action`,
  };
}

/** The vars a worker declares, each with its value here. */
export function varsOf(declared: Record<string, unknown>, run: LocalRun, overrides: Overrides): Record<string, string> {
  const local = localVars(run);
  return Object.fromEntries(
    Object.entries(declared).map(([name, value]) => [name, overrides[name] ?? local[name] ?? String(value)]),
  );
}
