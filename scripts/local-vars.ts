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
function localVars({ port, world }: LocalRun, overrides: Overrides): Record<string, string> {
  return {
    ENVIRONMENT: "local",
    PROJECT_ID: world === "demo" ? "demo-ofuse" : "ofuse-site",
    IDENTITY_TOOLKIT_URL: "http://identity.internal/identitytoolkit.googleapis.com",
    SECURE_TOKEN_URL: "http://identity.internal/securetoken.googleapis.com",
    JWKS_URL: "http://identity.internal/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    LOCAL_CLIENT_ADDRESS: HOST,
    SITE: JSON.stringify(demoSite),
    ACTION_URL: `http://localhost:${port}/signup/action`,
    SITE_ORIGIN: `http://localhost:${port}`,
    // A site sends mails when the environment of its start says how (docs/operations.md, "Mail").
    MAIL_END: world === "demo" ? "kept" : "",
    // A demo has the embedded gateway, a site has Stripe or none.
    MONEY: world === "demo" || overrides.STRIPE_SECRET_KEY ? "on" : "off",
    GATEWAY_WEBHOOK_URL: `http://${HOST}:${port}/v4/webhooks/gateway`,
  };
}

/** Returns the vars that a worker declares, with their values on this machine. */
export function varsOf(declared: Record<string, unknown>, run: LocalRun, overrides: Overrides): Record<string, string> {
  const local = localVars(run, overrides);
  return Object.fromEntries(
    Object.entries(declared).map(([name, value]) => [name, overrides[name] ?? local[name] ?? String(value)]),
  );
}

/** The workers that call the payment gateway, and those of its secrets that they need. */
const gatewayCallers: Readonly<Record<string, readonly string[]>> = {
  "ofuse-web": [],
  "ofuse-api": ["GATEWAY_KEY", "GATEWAY_WEBHOOK_SECRET"],
};

/** Returns the binding by which a worker of a demo calls the payment gateway; none for a worker that does not. */
export function gatewayServices(worker = ""): { binding: string; service: string }[] {
  return Object.hasOwn(gatewayCallers, worker) ? [{ binding: "GATEWAY", service: "ofuse-gateway" }] : [];
}

/** Returns the names of the gateway's secrets that a worker of a demo gets. */
export function gatewaySecrets(worker = ""): readonly string[] {
  return gatewayCallers[worker] ?? [];
}

/** The secrets of a mail server or provider. A network has them only when the environment of `npm start` does. */
const MAIL_SECRETS = ["SMTP_PASSWORD", "RESEND_API_KEY", "RESEND_WEBHOOK_SECRET"] as const;

/** Returns the secrets of the mail server that are set, for the worker that sends mails. */
export function mailSecrets(worker: string | undefined, overrides: Overrides): Record<string, string> {
  if (worker !== "ofuse-mails") return {};
  return Object.fromEntries(MAIL_SECRETS.flatMap((name) => (overrides[name] ? [[name, overrides[name]]] : [])));
}

/** The secrets of a Stripe account. A network has them only when the environment of `npm start` does. */
const STRIPE_SECRETS = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"] as const;

/** Returns the secrets of a Stripe account that are set, for the worker that calls Stripe. */
export function stripeSecrets(worker: string | undefined, overrides: Overrides): Record<string, string> {
  if (worker !== "ofuse-api") return {};
  return Object.fromEntries(STRIPE_SECRETS.flatMap((name) => (overrides[name] ? [[name, overrides[name]]] : [])));
}

/** Returns the key of /api/metrics if it is set, for the worker that checks it. */
export function metricsSecrets(worker: string | undefined, { METRICS_KEY }: Overrides): Record<string, string> {
  return worker === "ofuse-web" && METRICS_KEY ? { METRICS_KEY } : {};
}

/** The keys of push notifications. A network has them only when the environment of `npm start` does. */
const PUSH_SETTINGS = ["WEB_PUSH_PUBLIC_KEY", "WEB_PUSH_PRIVATE_KEY", "WEB_PUSH_SUBJECT", "WEB_PUSH_LOOPBACK"] as const;

/** Returns the settings of push notifications that are set, for the worker that sends them. */
export function pushSettings(worker: string | undefined, overrides: Overrides): Record<string, string> {
  if (worker !== "ofuse-api") return {};
  return Object.fromEntries(PUSH_SETTINGS.flatMap((name) => (overrides[name] ? [[name, overrides[name]]] : [])));
}
