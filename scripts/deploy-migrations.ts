/**
 * Applies the migrations of a D1 database in production. `wrangler d1 migrations apply` posts a whole file as one text to D1's
 * `/query`, which cuts multi-line triggers at a semicolon inside them: `incomplete input: SQLITE_ERROR [code: 7500]`
 * (cloudflare/workers-sdk, issues 15690, 15314 and 10998). `wrangler d1 execute --file` uploads the file to D1's import
 * instead. The import takes it whole, and returns the database to its former state when a statement fails.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrationFilesIn, recordTable } from "./migrations.ts";
import { reportStep, type StepResult } from "./steps.ts";

/** A D1 database of the account, as the config of its worker names it. */
export interface RemoteDatabase {
  name: string;
  /** The path of the worker's config for wrangler. It has the id of the database. */
  config: string;
  /** The folder with the migrations. */
  folder: string;
}

/** Runs wrangler to its end. Tests pass their own. */
export type RunWrangler = (name: string, args: string[]) => Promise<StepResult>;

/** Returns the SQL of a migration and of its row in wrangler's record, so that D1 does both or neither. */
function appendRecord(folder: string, migration: string): string {
  const name = migration.replaceAll("'", "''");
  return `${readFileSync(join(folder, migration), "utf8")}\nINSERT INTO d1_migrations (name) VALUES ('${name}');\n`;
}

/**
 * Returns the names in wrangler's record, or null when the output holds no answer. wrangler prints the results of all
 * statements as one JSON array over several lines; warnings may precede and follow it.
 */
function readApplied(output: string): Set<string> | null {
  try {
    const answers: { results: { name: string }[] }[] = JSON.parse(/^\[$[\s\S]*^\]$/m.exec(output)?.[0] ?? "null");
    const rows = answers.at(-1)?.results;
    return rows ? new Set(rows.map(({ name }) => name)) : null;
  } catch {
    return null;
  }
}

/**
 * Applies the missing migrations in order, and prints a line for each. Stops at the first failure, prints what to do, and
 * returns false. It is safe to repeat: the record says what is applied.
 */
export async function applyMigrations({ name, config, folder }: RemoteDatabase, run: RunWrangler): Promise<boolean> {
  const execute = (step: string, ...args: string[]) =>
    run(step, ["d1", "execute", name, "--remote", "--config", config, ...args]);

  const asked = await execute(
    `${name} migrations`,
    ...["--json", "--command", `${recordTable}; SELECT name FROM d1_migrations ORDER BY id`],
  );
  const applied = asked.passed ? readApplied(asked.output) : null;
  reportStep({ ...asked, passed: applied !== null });
  if (!applied) {
    console.log(
      `No migration of ${name} was begun, because wrangler did not say which are applied. Check the database's id in ` +
        "deploy/production.env and the log-in (npx wrangler whoami), and run npm run deploy again.",
    );
    return false;
  }
  const migrations = migrationFilesIn(folder);
  const missing = migrations.filter((migration) => !applied.has(migration));
  console.log(`      ${missing.length} of ${migrations.length} to apply`);

  const scratch = mkdtempSync(join(tmpdir(), "ofuse-migrations-"));
  try {
    for (const migration of missing) {
      const file = join(scratch, migration);
      writeFileSync(file, appendRecord(folder, migration));
      const step = await execute(`${name} ${migration}`, "--yes", "--file", file);
      reportStep(step);
      if (!step.passed) {
        console.log(
          `D1 returns ${name} to its state before ${migration}; the migrations before it stay. Mend the cause that ` +
            "wrangler names above, and run npm run deploy again: it asks which are applied, and begins with the first missing one.",
        );
        return false;
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return true;
}
