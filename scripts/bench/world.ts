/**
 * Creates the benchmark's data, as large as after some successful years: 300,000 people (a tenth of whom publish), a
 * million posts, over two million follows and a million postings in the ledger. Writes them through D1 in statements of
 * some ten thousand rows.
 *
 * - The tables have no indexes and triggers while they are filled, because each row would cost a look-up in a growing
 * tree. Both are recreated word for word afterwards. Counting triggers give exactly `COUNT(*)` over inserted rows, so
 * the counters are set to that.
 * - `ANALYZE` is not run, because production never runs it: plans must be good without statistics.
 * - Pictures have rows and no bytes.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { hashPassword } from "../../workers/identity/provider/passwords.ts";
import { accountRow } from "../../workers/identity/storage/accounts.ts";
import { claimData } from "../data-claim.ts";
import { persistencePath, writeFolderRecord } from "../data-folder.ts";
import { migrateDatabases } from "../migrations.ts";
import { Refusal } from "../refusal.ts";
import { finishSearchRebuild } from "../search-index.ts";
import { deleteData, withStorage } from "../storage.ts";
import { payments } from "./ledger-rows.ts";
import {
  counters,
  endingsOfNames,
  eventCounts,
  type Fill,
  figures,
  fills,
  hardPeople,
  letterWords,
  totals,
} from "./rows.ts";

/** The password of the few users with an account. */
export const BENCH_PASSWORD = "bench-ofuse-2026";

/** The users who have an account and can sign in: those with the slowest lists, and 24 others spread evenly. */
export const callers: readonly number[] = [
  ...Object.values(hardPeople),
  ...Array.from({ length: 24 }, (_, index) => 5_000 + 12_000 * index),
];

export const benchEmail = (user: number) => `bench_${user}@bench.example`;

export interface Made {
  /** False when the data existed already. */
  made: boolean;
  counts: Record<string, number>;
  seconds: number;
}

/** Returns the folder of the benchmark's data: DATA_DIR, or a default folder in the repository. */
export function benchDataFolder(): string {
  return resolve(import.meta.dirname, "../..", process.env.DATA_DIR || ".data-bench");
}

/**
 * Creates the benchmark's data in the folder, once.
 *
 * @throws Refusal when the folder is in use or holds other data.
 */
export async function makeBenchWorld(data_dir: string, report: (line: string) => void): Promise<Made> {
  const finished = join(data_dir, "bench-world.json");
  const begun = join(data_dir, "bench-world.begun");
  if (existsSync(finished)) return { made: false, counts: JSON.parse(readFileSync(finished, "utf8")), seconds: 0 };
  const claim = await claimData(data_dir);
  const began_at = performance.now();
  const elapsedSeconds = () => (performance.now() - began_at) / 1000;
  const reportStep = (name: string) => report(`${elapsedSeconds().toFixed(1).padStart(7)} s  ${name}`);
  try {
    // Delete data whose creation was interrupted.
    if (existsSync(begun)) deleteData(data_dir);
    else if (existsSync(persistencePath(data_dir))) {
      throw new Refusal(`${data_dir} holds another world. Set DATA_DIR to a folder of its own.`);
    }
    writeFileSync(begun, "");
    let counts: Record<string, number> = {};
    await withStorage(data_dir, claim, async (storage) => {
      await migrateDatabases(storage);
      await withoutIndexes(storage.api, async () => {
        for (const fill of fills) {
          await writeRows(storage.api, fill);
          reportStep(fill.table);
        }
        await writeRows(storage.api, payments);
        reportStep(payments.table);
      });
      reportStep("indexes");
      await writeRows(storage.api, counters);
      await writeRows(storage.api, totals);
      await writeRows(storage.api, eventCounts);
      await writeRows(storage.api, figures);
      await writeRows(storage.api, letterWords);
      reportStep("words of letters");
      await writeRows(storage.api, endingsOfNames);
      reportStep("endings of names");
      await addAccounts(storage.identity);
      await finishSearchRebuild(storage);
      reportStep("index of creators");
      counts = await countsOf(storage.api);
    });
    writeFileSync(`${finished}.new`, JSON.stringify(counts));
    renameSync(`${finished}.new`, finished);
    writeFolderRecord(data_dir, { world: "site", is_made: true });
    rmSync(begun);
    return { made: true, counts, seconds: elapsedSeconds() };
  } finally {
    claim.release();
  }
}

async function writeRows(database: D1Database, { rows, chunk, statements }: Fill): Promise<void> {
  for (let from = 0; from < rows; from += chunk) {
    const some = statements(from, Math.min(from + chunk, rows));
    await database.batch(some.map((statement) => database.prepare(statement)));
  }
}

const tables = [
  "users",
  "relationships",
  "events",
  "images",
  "event_images",
  "event_comments",
  "ofuses",
  "memberships",
  "subscriptions",
  "event_categories",
  "payments",
  "ledger_accounts",
  "ledger_postings",
  "ledger_transfers",
];

/** Removes the indexes and triggers of the filled tables while `work` runs, and recreates them. */
async function withoutIndexes(database: D1Database, work: () => Promise<void>): Promise<void> {
  const { results } = await database
    .prepare(
      `SELECT type, name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL
         AND tbl_name IN (SELECT value FROM json_each(?))`,
    )
    .bind(JSON.stringify(tables))
    .all<{ type: string; name: string; sql: string }>();
  await database.batch(results.map(({ type, name }) => database.prepare(`DROP ${type} "${name}"`)));
  await work();
  for (const { sql } of results) await database.prepare(sql).run();
}

async function addAccounts(database: D1Database): Promise<void> {
  const password_hash = await hashPassword(BENCH_PASSWORD);
  const rows = callers.map((user) =>
    accountRow({
      local_id: `bench${String(user).padStart(23, "0")}`,
      email: benchEmail(user),
      email_verified: true,
      display_name: null,
      password_hash,
      created_at: "2021-11-01T00:00:00.000Z",
    }),
  );
  await database.batch(
    rows.map((row) => {
      const columns = Object.keys(row);
      return database
        .prepare(`INSERT INTO accounts (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
        .bind(...Object.values(row));
    }),
  );
}

async function countsOf(database: D1Database): Promise<Record<string, number>> {
  const counted = await database.batch<{ count: number }>(
    tables.map((table) => database.prepare(`SELECT COUNT(*) AS count FROM ${table}`)),
  );
  return Object.fromEntries(tables.map((table, index) => [table, counted[index]?.results[0]?.count ?? 0]));
}
