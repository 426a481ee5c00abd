/** The workers' vars on this machine. vite.config.ts reads this file too. */
import type { World } from "./data-folder.ts";
import { demoSite } from "./demo-site.ts";

export const HOST = "127.0.0.1";

/** Values that win over a worker's own vars and secrets: `process.env`, or a test's values. */
export type Overrides = Record<string, string | undefined>;

/** Where the run listens, and whether its data folder holds a demo or a site. */
interface LocalRun {
  port: number;
  world: World;
}

/**
 * Returns the vars that all workers have on this machine. The demo's helpers (the open outbox, the developer identity
 * provider, the style guide) depend on the project id alone: `isDemoProject`.
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

/** Returns the vars that a worker declares, with their values on this machine. */
export function varsOf(declared: Record<string, unknown>, run: LocalRun, overrides: Overrides): Record<string, string> {
  const local = localVars(run);
  return Object.fromEntries(
    Object.entries(declared).map(([name, value]) => [name, overrides[name] ?? local[name] ?? String(value)]),
  );
}
