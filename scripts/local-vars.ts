/** What the workers' vars are on this machine. vite.config.ts reads it too. */
import { demoSite } from "./demo-site.ts";

export const HOST = "127.0.0.1";

/** Values by name that win over a worker's own vars and secrets: `process.env`, or what a test needs. */
export type Overrides = Record<string, string | undefined>;

/** What the vars of every worker are on this machine. */
function localVars(port: number): Record<string, string> {
  return {
    ENVIRONMENT: "local",
    PROJECT_ID: "demo-ofuse",
    IDENTITY_TOOLKIT_URL: "http://identity.internal/identitytoolkit.googleapis.com",
    SECURE_TOKEN_URL: "http://identity.internal/securetoken.googleapis.com",
    JWKS_URL: "http://identity.internal/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    LOCAL_CLIENT_ADDRESS: HOST,
    SITE: JSON.stringify(demoSite),
    ACTION_URL: `http://localhost:${port}/signup/action`,
  };
}

/** The vars a worker declares, each with its value here. */
export function varsOf(declared: Record<string, unknown>, port: number, overrides: Overrides): Record<string, string> {
  const local = localVars(port);
  return Object.fromEntries(
    Object.entries(declared).map(([name, value]) => [name, overrides[name] ?? local[name] ?? String(value)]),
  );
}
