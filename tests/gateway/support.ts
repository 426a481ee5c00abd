import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare, Response as MiniflareResponse } from "miniflare";
import Stripe from "stripe";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import { faultsOfAnswer } from "./declarations.ts";

/** The gateway worker as deployed: bundled, in workerd, with a D1 of its own, and called by the official package. */

const worker = new URL("../../workers/gateway/", import.meta.url).pathname;

export const GATEWAY_KEY = "sk_test_gateway_key_of_the_tests_0000001";
export const WEBHOOK_SECRET = "whsec_webhook_secret_of_the_tests_00001";
export const WEBHOOK_URL = "http://product.test/webhooks";
/** The origin of the hosted pages: where a browser reaches the worker. */
export const SITE_ORIGIN = "http://gateway.test";

const bindings = {
  ENVIRONMENT: "local",
  PROJECT_ID: "demo-ofuse",
  SITE_ORIGIN,
  GATEWAY_WEBHOOK_URL: "",
  GATEWAY_WEBHOOK_SEED: "",
  GATEWAY_AFTER_RETRIES: "canceled",
  GATEWAY_KEY,
  GATEWAY_WEBHOOK_SECRET: WEBHOOK_SECRET,
};

/** Shared by test files. */
const shared = globalThis as { gatewayBundle?: Promise<string> };

async function bundleWorker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(worker, "index.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "error",
  });
  const [output] = outputFiles;
  if (!output) throw new Error("esbuild wrote nothing");
  return output.text;
}

/** Returns the statements of every migration, in order. */
function migrationStatements(): string[] {
  const folder = join(worker, "storage/migrations");
  return readdirSync(folder)
    .sort()
    .flatMap((file) => splitSqlQuery(readFileSync(join(folder, file), "utf8")));
}

/** A webhook as the product received it. */
export interface Delivered {
  payload: string;
  signature: string;
}

export interface Visit {
  status: number;
  text: string;
  headers: Headers;
  location: string | null;
}

export interface RunningGateway {
  /** The official package. Every answer that it gets is checked against the package's declarations. */
  stripe: Stripe;
  /** What the declarations found wrong so far. */
  faults: string[];
  database: D1Database;
  /** Every webhook so far, also those that the endpoint refused. */
  delivered: Delivered[];
  /** What the endpoint answers. */
  endpoint: { status: number };
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Opens a hosted page, or posts its form as a browser does. */
  visit(url: string, form?: Record<string, string>): Promise<Visit>;
  /** Moves the billing clock to a moment, in seconds. */
  advanceTo(moment: number): Promise<void>;
  now(): Promise<number>;
  runScheduled(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a gateway with an empty database. `overrides` replace its variables. */
export async function startGateway(overrides: Partial<typeof bindings> = {}): Promise<RunningGateway> {
  shared.gatewayBundle ??= bundleWorker();
  const delivered: Delivered[] = [];
  const faults: string[] = [];
  const endpoint = { status: 200 };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          name: "gateway",
          modules: true,
          script: await shared.gatewayBundle,
          compatibilityDate: "2026-10-01",
          compatibilityFlags: ["nodejs_compat"],
          d1Databases: { DB: "gateway" },
          bindings: { ...bindings, ...overrides },
          outboundService: async (request) => {
            delivered.push({ payload: await request.text(), signature: request.headers.get("stripe-signature") ?? "" });
            return new MiniflareResponse(null, { status: endpoint.status });
          },
        },
      ],
    }),
  );
  const { origin, hostname, port } = await miniflare.ready;
  const database = (await miniflare.getD1Database("DB")) as unknown as D1Database;
  await database.batch(migrationStatements().map((statement) => database.prepare(statement)));
  const stripe = new Stripe(GATEWAY_KEY, {
    host: hostname,
    port,
    protocol: "http",
    httpClient: Stripe.createFetchHttpClient(async (input: RequestInfo | URL, init?: RequestInit) => {
      const response = await fetch(input, init);
      const found = faultsOfAnswer(await response.clone().json());
      faults.push(...found.map((fault) => `${init?.method} ${new URL(String(input)).pathname}: ${fault}`));
      return response;
    }),
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const call = (path: string, init?: RequestInit) => fetch(new URL(path, origin), init);
  return {
    stripe,
    faults,
    database,
    delivered,
    endpoint,
    fetch: call,
    async visit(url, form) {
      const path = url.replace(SITE_ORIGIN, "");
      const body = form && new URLSearchParams(form);
      const response = await call(path, {
        redirect: "manual",
        ...(body && { method: "POST", body, headers: { origin } }),
      });
      const location = response.headers.get("location");
      return { status: response.status, text: await response.text(), headers: response.headers, location };
    },
    async advanceTo(moment) {
      await stripe.rawRequest("POST", "/v1/test_helpers/clock/advance", { frozen_time: moment });
    },
    async now() {
      const clock = await stripe.rawRequest("GET", "/v1/test_helpers/clock");
      return (clock as unknown as { now: number }).now;
    },
    async runScheduled() {
      const { outcome } = await (await miniflare.getWorker()).scheduled({ cron: "* * * * *" });
      if (outcome !== "ok") throw new Error(`the scheduled run ended with ${outcome}`);
    },
    stop: () => miniflare.dispose(),
  };
}
