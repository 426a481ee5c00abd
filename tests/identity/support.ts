import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { convertV4MiniflareOptions, Miniflare, Response as MiniflareResponse } from "miniflare";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import { fireClock, insideWorker } from "../../scripts/inside.ts";
import { openSql, sqlWorker } from "../../scripts/sql.ts";
import { printErrors, printRestart } from "../support/logs.ts";

/** The identity worker as deployed: bundled, in workerd, with a D1 of its own. Only its password hashes are cheap. */

const worker = new URL("../../workers/identity/", import.meta.url).pathname;
const migrations = join(worker, "storage/migrations");

export const API_KEY = "AIza-identity-api-key-of-the-tests-0001";
export const PIB_API_KEY = "pib-api-key-of-the-tests-00000000001";
export const PROJECT_ID = "demo-ofuse";
export const ACTION_URL = "http://localhost:8788/auth/action";

export const bindings = {
  ENVIRONMENT: "local",
  PROJECT_ID,
  JWKS_URL: "http://identity.test/keys",
  ACTION_URL,
  // High, so that only the tests of the limits reach them.
  SIGN_IN_FAILURES_PER_ACCOUNT_HOUR: "1000",
  SIGN_IN_FAILURES_PER_ADDRESS_10_MIN: "1000",
  SIGN_UPS_PER_ADDRESS_HOUR: "1000",
  MAILS_PER_RECIPIENT_HOUR: "1000",
  MAILS_PER_ADDRESS_HOUR: "1000",
  LINK_FAILURES_PER_ADDRESS_10_MIN: "1000",
  SECOND_FACTOR_FAILURES_PER_ACCOUNT_HOUR: "1000",
  CODES_PER_NUMBER_HOUR: "1000",
  CODES_PER_NUMBER_AND_ADDRESS_HOUR: "1000",
  CODES_PER_ADDRESS_HOUR: "1000",
  IDENTITY_API_KEY: API_KEY,
  PIB_API_KEY,
  ENCRYPTION_KEY: "encryption-key-of-the-tests-000000001",
  OPERATOR_KEY: "operator-key-of-the-tests-00000000001",
};

export type Bindings = typeof bindings;

/** Bindings that only a running worker has, for tests that call its functions directly. */
export const unbound = {
  SIGN_OUT_WATCH: undefined as unknown as IdentityEnv["SIGN_OUT_WATCH"],
  MAILS: undefined as unknown as IdentityEnv["MAILS"],
};

/** Shared by test files: bundling and starting take longer than most tests. */
interface Kept {
  bundle?: Promise<string>;
  idle: RunningIdentity[];
}
const everything = globalThis as { ofuseIdentity?: Kept };
everything.ofuseIdentity ??= { idle: [] };
const kept = everything.ofuseIdentity;

const REAL_COST = "N: 16_384";

/** Gives scrypt its lowest cost. A real hash takes 50 ms; the network tests and accounts.test.ts compute those. */
const cheapPasswords: Plugin = {
  name: "cheap passwords",
  setup({ onLoad }) {
    onLoad({ filter: /\/provider\/passwords\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      if (!source.includes(REAL_COST)) throw new Error(`${path} has another cost than ${REAL_COST}`);
      return { contents: source.replace(REAL_COST, "N: 2"), loader: "ts" };
    });
  },
};

async function bundleWorker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(worker, "index.ts")],
    bundle: true,
    write: false,
    plugins: [cheapPasswords],
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
export function migrationStatements(): string[] {
  return readdirSync(migrations)
    .sort()
    .flatMap((file) => splitSqlQuery(readFileSync(join(migrations, file), "utf8")));
}

export interface RunningIdentity {
  /** The URL for an SDK, without a trailing slash. */
  origin: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Runs the scheduled handler as of this moment. */
  runScheduled(at_ms?: number): Promise<void>;
  database: D1Database;
  bindings: Bindings;
  stop(): Promise<void>;
}

/** Answers the worker's network requests. */
type Outside = (request: { url: string; text(): Promise<string> }) => Response | Promise<Response>;

/** Deletes every row but the signing keys, which the worker caches. */
async function emptyDatabase(database: D1Database): Promise<void> {
  const { results } = await database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '*[_]cf[_]*' AND name NOT GLOB 'sqlite*' AND name <> 'signing_keys'",
    )
    .all<{ name: string }>();
  await database.batch(
    ["PRAGMA defer_foreign_keys = ON", ...results.map(({ name }) => `DELETE FROM "${name}"`)].map((sql) =>
      database.prepare(sql),
    ),
  );
}

/**
 * Returns a worker with an empty database. `overrides` replace its variables and secrets. `outside` answers its network
 * requests, which otherwise fail. Without either, it may return the worker of an earlier file.
 */
export async function startIdentity(overrides?: Partial<Bindings>, outside?: Outside): Promise<RunningIdentity> {
  if (overrides ?? outside) return startWorker(overrides, outside);
  const identity = kept.idle.pop() ?? (await startWorker());
  await emptyDatabase(identity.database);
  const stop = async () => {
    if (!kept.idle.includes(identity)) kept.idle.push(identity);
  };
  return { ...identity, stop };
}

/** Stands in for the mails worker. */
const takeMails = () => new MiniflareResponse(null, { status: 204 });

async function startWorker(
  overrides: Partial<Bindings> = {},
  outside: Outside = () => new Response(null, { status: 502 }),
): Promise<RunningIdentity> {
  kept.bundle ??= bundleWorker();
  const used = { ...bindings, ...overrides };
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      handleStructuredLogs: printErrors,
      workers: [
        {
          name: "identity",
          modules: true,
          script: await kept.bundle,
          compatibilityDate: "2026-10-01",
          compatibilityFlags: ["nodejs_compat"],
          d1Databases: { DB: "identity" },
          durableObjects: { SIGN_OUT_WATCH: { className: "SignOutWatch", useSQLite: true } },
          bindings: used,
          serviceBindings: { MAILS: takeMails },
          outboundService: async (request) => {
            const answer = await outside(request);
            return new MiniflareResponse(await answer.text(), { status: answer.status });
          },
        },
        sqlWorker({ identity: "identity" }),
        insideWorker(["identity"]),
      ],
    }),
    unsafeHandleRuntimeRestart: printRestart,
  });
  const origin = (await miniflare.ready).origin;
  const database = openSql(miniflare, "identity");
  await database.batch(migrationStatements().map((statement) => database.prepare(statement)));
  return {
    origin,
    database,
    bindings: used,
    fetch: (path, init) => fetch(new URL(path, origin), init),
    async runScheduled(at_ms = Date.now()) {
      const outcome = await fireClock(miniflare, "identity", at_ms);
      if (outcome !== "ok") throw new Error(`the scheduled run ended with ${outcome}`);
    },
    stop: () => miniflare.dispose(),
  };
}
