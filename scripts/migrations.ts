/** Brings a database to its newest shape, keeping the same record as `wrangler d1 migrations apply`. */
import { createHash } from "node:crypto";
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
/** Ours, beside what wrangler writes there: what the file said when it was applied. */
const digestColumn = "ALTER TABLE d1_migrations ADD COLUMN sha256 TEXT";

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

/** A literal or a quoted name, which stays as it is; or a comment; or space. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--.*|\/\*[\s\S]*?\*\/|\s+/g;

function withoutComments(sql: string): string {
  return sql
    .replace(tokens, (token) => (/^['"]/.test(token) ? token : " "))
    .replace(/ +/g, " ")
    .trim();
}

function readMigration(database: MigratedDatabase, name: string): string {
  return readFileSync(join(migrationsFolder(database), name), "utf8");
}

/** The digest of what a migration states. Comments and space may be edited later, statements may not. */
export function migrationDigest(database: MigratedDatabase, name: string): string {
  return createHash("sha256")
    .update(withoutComments(readMigration(database, name)))
    .digest("hex");
}

/**
 * Applies what has not been applied. Each file goes in one batch together with its record: a kill between
 * two statements leaves nothing half done. A migration that an older version applied gets its digest now.
 */
export async function migrate(storage: Storage): Promise<void> {
  for (const migrated of migratedDatabases) {
    const database = storage[migrated];
    await database.prepare(recordTable).run();
    const columns = await database
      .prepare("SELECT name FROM pragma_table_info('d1_migrations')")
      .all<{ name: string }>();
    if (!columns.results.some(({ name }) => name === "sha256")) await database.prepare(digestColumn).run();
    const { results } = await database
      .prepare("SELECT name, sha256 FROM d1_migrations")
      .all<{ name: string; sha256: string | null }>();
    const applied = new Map(results.map(({ name, sha256 }) => [name, sha256]));
    for (const name of listMigrations(migrated)) {
      const digest = migrationDigest(migrated, name);
      if (!applied.has(name)) {
        const text = readMigration(migrated, name);
        await database.batch([
          // Local D1 takes a whole file as one statement; in production `wrangler d1 migrations apply` takes it apart.
          // D1 refuses a statement that states nothing.
          ...(withoutComments(text) === "" ? [] : [database.prepare(text)]),
          database.prepare("INSERT INTO d1_migrations (name, sha256) VALUES (?, ?)").bind(name, digest),
        ]);
      } else if (applied.get(name) === null) {
        await database.prepare("UPDATE d1_migrations SET sha256 = ? WHERE name = ?").bind(digest, name).run();
      }
    }
  }
}
