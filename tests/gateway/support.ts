import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare, Response as MiniflareResponse } from "miniflare";
import Stripe from "stripe";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import { fireClock, insideWorker } from "../../scripts/inside.ts";
import { openSql, sqlWorker } from "../../scripts/sql.ts";
import { printErrors, printRestart } from "../support/logs.ts";
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

/** One worker with its database, and what its endpoint saw since it was last started. */
interface Started {
  miniflare: Miniflare;
  database: D1Database;
  seen: { delivered: Delivered[]; endpoint: { status: number } };
}

/** Shared by test files: bundling and starting take longer than most tests. */
interface Kept {
  bundle?: Promise<string>;
  /** Stopped workers, by their overrides. */
  idle: Map<string, Started[]>;
}
const everything = globalThis as { ofuseGateway?: Kept };
everything.ofuseGateway ??= { idle: new Map() };
const kept = everything.ofuseGateway;

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
  /** What the endpoint answered. */
  status: number;
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

async function startWorker(overrides: Partial<typeof bindings>): Promise<Started> {
  kept.bundle ??= bundleWorker();
  const seen: Started["seen"] = { delivered: [], endpoint: { status: 200 } };
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      handleStructuredLogs: printErrors,
      workers: [
        {
          name: "gateway",
          modules: true,
          script: await kept.bundle,
          compatibilityDate: "2026-10-01",
          compatibilityFlags: ["nodejs_compat"],
          d1Databases: { DB: "gateway" },
          bindings: { ...bindings, ...overrides },
          outboundService: async (request) => {
            const signature = request.headers.get("stripe-signature") ?? "";
            const payload = await request.text();
            const { status } = seen.endpoint;
            seen.delivered.push({ payload, signature, status });
            return new MiniflareResponse(null, { status });
          },
        },
        sqlWorker({ gateway: "gateway" }),
        insideWorker(["gateway"]),
      ],
    }),
    unsafeHandleRuntimeRestart: printRestart,
  });
  await miniflare.ready;
  const database = openSql(miniflare, "gateway");
  await database.batch(migrationStatements().map((statement) => database.prepare(statement)));
  return { miniflare, database, seen };
}

/** Deletes every row, and sets the clock to real time. */
async function emptyDatabase(database: D1Database): Promise<void> {
  const tables = ["objects", "movements", "deliveries", "idempotency_keys"];
  const statements = [...tables.map((table) => `DELETE FROM ${table}`), "UPDATE clock SET ahead_s = 0"];
  await database.batch(statements.map((sql) => database.prepare(sql)));
}

/** Returns a gateway with an empty database, perhaps one that another test stopped. `overrides` replace its variables. */
export async function startGateway(overrides: Partial<typeof bindings> = {}): Promise<RunningGateway> {
  const name = JSON.stringify(overrides);
  const started = kept.idle.get(name)?.pop() ?? (await startWorker(overrides));
  const { miniflare, database, seen } = started;
  await emptyDatabase(database);
  Object.assign(seen, { delivered: [], endpoint: { status: 200 } });
  const { delivered, endpoint } = seen;
  const faults: string[] = [];
  const { origin, hostname, port } = await miniflare.ready;
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
  const visit: RunningGateway["visit"] = async (url, form) => {
    const path = url.replace(SITE_ORIGIN, "");
    const body = form && new URLSearchParams(form);
    const response = await call(path, {
      redirect: "manual",
      ...(body && { method: "POST", body, headers: { origin } }),
    });
    const location = response.headers.get("location");
    // A page that refuses a form leads to itself, and shows why there.
    if (location?.endsWith("?returned")) return { ...(await visit(location)), status: response.status };
    return { status: response.status, text: await response.text(), headers: response.headers, location };
  };
  return {
    stripe,
    faults,
    database,
    delivered,
    endpoint,
    fetch: call,
    visit,
    async advanceTo(moment) {
      await stripe.rawRequest("POST", "/v1/test_helpers/clock/advance", { frozen_time: moment });
    },
    async now() {
      const clock = await stripe.rawRequest("GET", "/v1/test_helpers/clock");
      return (clock as unknown as { now: number }).now;
    },
    async runScheduled() {
      const outcome = await fireClock(miniflare, "gateway");
      if (outcome !== "ok") throw new Error(`the scheduled run ended with ${outcome}`);
    },
    async stop() {
      kept.idle.set(name, [...(kept.idle.get(name) ?? []), started]);
    },
  };
}
