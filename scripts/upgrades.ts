/**
 * `npm run test:upgrades -- <commit> ...`: serves the demo world of each older commit as that commit did, then starts this version
 * on its data. Fails when a row or a member's sign-in is lost, a page does not answer, or the books are unsound.
 *
 * The commits must be in this repository's history. Each takes some minutes: it is installed, built and filled.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { registry } from "../workers/api/domains.ts";
import { storageFile } from "./data-folder.ts";
import { DEMO_PASSWORD, demoEmail } from "./demo/seed.ts";
import { findBrokenInvariants } from "./faults/books.ts";
import { endWorkerds, workerdsOf } from "./processes.ts";
import { readSecrets } from "./secrets.ts";

const root = resolve(import.meta.dirname, "..");
/** An older commit is installed, built and filled in this time. */
const PATIENCE_MS = 15 * 60_000;
/** Tables of the product whose rows expire. */
const EXPIRING = new Set(registry.expiries.map(({ table }) => `api.${table}`));

interface Served {
  origin: string;
  stop(): Promise<void>;
}

/** Serves a data folder with the code of a folder, as its README says. */
async function serveWith(folder: string, data_dir: string): Promise<Served> {
  const port = randomInt(20_000, 30_000);
  const server = spawn("npm", ["start"], {
    cwd: folder,
    env: { ...process.env, PORT: String(port), DATA_DIR: data_dir },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let said = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
    });
  }
  const origin = `http://localhost:${port}`;
  for (const began_ms = Date.now(); !(await answers(origin)); await sleep(500)) {
    if (hasEnded(server) || Date.now() - began_ms > PATIENCE_MS) {
      if (!hasEnded(server)) stopGroup(server);
      throw new Error(`${folder} does not serve ${data_dir}:\n${said.slice(-4000)}`);
    }
  }
  return {
    origin,
    async stop() {
      const [runner] = pidsBelow(server.pid ?? 0).filter((pid) => workerdsOf(pid).length > 0);
      const workerds = runner ? workerdsOf(runner) : [];
      stopGroup(server);
      while (!hasEnded(server)) await sleep(50);
      await endWorkerds(workerds);
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;
const stopGroup = ({ pid }: ChildProcess) => process.kill(-(pid ?? 0), "SIGTERM");
const answers = (origin: string) =>
  fetch(`${origin}/natsume`, { signal: AbortSignal.timeout(5000) }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** Returns a process and all that it started. */
function pidsBelow(pid: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const rows = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] => [
    parent,
    ...rows.filter(([, above]) => above === parent).flatMap(([child = 0]) => below(child)),
  ];
  return below(pid);
}

type Rows = Map<string, Set<string>>;

/** Returns the primary keys of every row, by the names of database and table. */
function readKeys(data_dir: string): Rows {
  const keys: Rows = new Map();
  for (const name of ["api", "identity"] as const) {
    const database = new DatabaseSync(storageFile(data_dir, name), { readOnly: true });
    const tables = database
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
      )
      .all() as { name: string }[];
    for (const { name: table } of tables) {
      const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`).all();
      const key = columns.map((column) => `"${column.name}"`).join(" || ' ' || ") || "rowid";
      const rows = database.prepare(`SELECT ${key} AS key FROM "${table}"`).all();
      keys.set(`${name}.${table}`, new Set(rows.map((row) => String(row.key))));
    }
    database.close();
  }
  return keys;
}

/** Returns a sentence for each table with rows that are gone. */
function findGone(before: Rows, after: Rows): string[] {
  return [...before].flatMap(([table, keys]) => {
    if (EXPIRING.has(table)) return [];
    const kept = after.get(table);
    if (!kept) return keys.size > 0 ? [`${table} is gone, with ${keys.size} rows`] : [];
    const gone = [...keys].filter((key) => !kept.has(key));
    return gone.length > 0 ? [`${gone.length} of ${keys.size} rows of ${table} are gone: ${gone.slice(0, 3)}`] : [];
  });
}

function findFaultsOfLedger(data_dir: string): string[] {
  const database = new DatabaseSync(storageFile(data_dir, "api"), { readOnly: true });
  const faults = findBrokenInvariants(database);
  database.close();
  return faults;
}

/** Signs a member of the demo in, and reads the letters. Returns what went wrong. */
async function findFaultsOfPages({ origin }: Served, data_dir: string): Promise<string[]> {
  const faults: string[] = [];
  for (const path of ["/", "/natsume", "/login", "/natsume/feed.xml", "/sitemap.xml", "/api/health/ready"]) {
    const { status } = await fetch(`${origin}${path}`);
    if (status !== 200) faults.push(`${path} answers ${status}`);
  }
  const signIn = `/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${readSecrets(data_dir).IDENTITY_API_KEY}`;
  const signed_in = await fetch(`${origin}${signIn}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: demoEmail("natsume"), password: DEMO_PASSWORD, returnSecureToken: true }),
  });
  const { idToken } = (await signed_in.json()) as { idToken?: string };
  const read = await fetch(`${origin}/v4/ofuses`, { headers: { authorization: `Bearer ${idToken}` } });
  if (read.status !== 200) faults.push(`the letters of natsume answer ${read.status} ${await read.text()}`);
  return faults;
}

const scratch = mkdtempSync(join(tmpdir(), "ofuse-upgrades-"));
try {
  for (const commit of process.argv.slice(2)) {
    const [old, data_dir] = [join(scratch, commit), join(scratch, `data-${commit}`)];
    execFileSync("git", ["worktree", "add", "--detach", "--quiet", old, commit], { cwd: root });
    try {
      await (await serveWith(old, data_dir)).stop();
      if (!existsSync(storageFile(data_dir, "api"))) throw new Error(`${commit} keeps its data elsewhere`);
      const before = readKeys(data_dir);
      const served = await serveWith(root, data_dir);
      const faults = await findFaultsOfPages(served, data_dir);
      await served.stop();
      faults.push(...findGone(before, readKeys(data_dir)), ...findFaultsOfLedger(data_dir));
      const rows = [...before.values()].reduce((sum, keys) => sum + keys.size, 0);
      console.log(`${commit}: ${rows} rows in ${before.size} tables; ${faults.length} faults`);
      for (const fault of faults) console.log(`  ${fault}`);
      if (faults.length > 0) process.exitCode = 1;
    } catch (error) {
      console.log(`${commit}: ${(error as Error).message}`);
      process.exitCode = 1;
    } finally {
      execFileSync("git", ["worktree", "remove", "--force", old], { cwd: root });
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
