/** The three ways to the product's database: a folder nobody serves, the runner that serves it, and production. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { claimData } from "../data-claim.ts";
import { persistencePath } from "../data-folder.ts";
import { Refusal } from "../refusal.ts";
import { withStorage } from "../storage.ts";
import { findRunner } from "./runner.ts";
import type { Database, Product } from "./subject.ts";

const root = resolve(import.meta.dirname, "../..");
/** Not asked for anything by anybody, and nothing told to anybody. */
const quiet = { CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", NO_COLOR: "1" };

/** Thrown for a statement about accounts in production, where they are in no database of ours. */
export class AccountsElsewhere extends Refusal {
  constructor() {
    super("In production Firebase keeps the accounts: use its console.");
  }
}

/** @throws Refusal when there are no data, or somebody serves them whom we cannot ask. */
export async function openProduct(where: "remote" | (string & {})): Promise<Product> {
  if (where === "remote") return { run: runRemotely, close: async () => {} };
  if (!existsSync(persistencePath(where))) throw new Refusal(`There are no data in ${where}.`);
  return (await findRunner(where)) ?? openFolder(where);
}

/** The databases of a folder, claimed for as long as they are open: two workerds on one file would spoil it. */
async function openFolder(data_dir: string): Promise<Product> {
  const claim = await claimData(data_dir);
  const opened = Promise.withResolvers<Record<Database, D1Database>>();
  const closing = Promise.withResolvers<void>();
  const done = withStorage(data_dir, claim, async ({ api, identity }) => {
    opened.resolve({ api, identity });
    await closing.promise;
  }).finally(() => claim.release());
  done.catch(opened.reject);
  const databases = await opened.promise;
  return {
    run: async (sql, database = "api") => (await databases[database].prepare(sql).all()).results,
    async close() {
      closing.resolve();
      await done;
    },
  };
}

async function runRemotely(sql: string, database: Database = "api"): Promise<Record<string, unknown>[]> {
  if (database === "identity") throw new AccountsElsewhere();
  const wrangler = join(root, "node_modules", ".bin", "wrangler");
  const args = ["d1", "execute", "ofuse-api", "--remote", "--json", "--yes", "--command", sql];
  const told = await promisify(execFile)(wrangler, args, { cwd: root, env: { ...process.env, ...quiet } }).catch(
    (error: { stdout?: string; stderr?: string; message: string }) => {
      throw new Refusal(`wrangler did not do it:\n${error.stdout ?? ""}${error.stderr || error.message}`);
    },
  );
  return answerOf(told.stdout);
}

/** What `wrangler d1 execute --json` printed, without what it may say before. */
export function answerOf(stdout: string): Record<string, unknown>[] {
  const [answer] = JSON.parse(stdout.slice(stdout.indexOf("["))) as { results: Record<string, unknown>[] }[];
  return answer?.results ?? [];
}
