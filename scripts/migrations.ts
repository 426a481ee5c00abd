/** Brings a database to its newest shape, keeping the same record as `wrangler d1 migrations apply`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Storage } from "./demo/seed.ts";

/** Where the migrations of each database lie, by its name in {@link Storage}. */
const folders = {
  api: "api/storage/migrations",
  identity: "identity/storage/migrations",
  search: "api/search/migrations",
};
export type MigratedDatabase = keyof typeof folders;
export const migratedDatabases = Object.keys(folders) as MigratedDatabase[];

const recordTable = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

export function migrationsFolder(name: MigratedDatabase): string {
  return join(import.meta.dirname, "..", "workers", folders[name]);
}

/** Names of the database's migration files, oldest first. */
export function listMigrations(name: MigratedDatabase): string[] {
  const folder = migrationsFolder(name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort();
}

/** Whether there is more than comments: D1 refuses a statement that states nothing. */
function statesSomething(sql: string): boolean {
  return sql.replace(/--.*$|\/\*[\s\S]*?\*\//gm, "").trim() !== "";
}

/**
 * Applies what has not been applied. Each file goes in one batch together with its record: a kill between
 * two statements leaves nothing half done.
 */
export async function migrate(storage: Storage): Promise<void> {
  for (const migrated of migratedDatabases) {
    const database = storage[migrated];
    await database.prepare(recordTable).run();
    const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
    const applied = new Set(results.map(({ name }) => name));
    for (const name of listMigrations(migrated).filter((file) => !applied.has(file))) {
      const text = readFileSync(join(migrationsFolder(migrated), name), "utf8");
      await database.batch([
        // Local D1 takes a whole file as one statement; in production `wrangler d1 migrations apply` takes it apart.
        ...(statesSomething(text) ? [database.prepare(text)] : []),
        database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
      ]);
    }
  }
}
