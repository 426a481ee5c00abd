/**
 * Applies the migrations of the databases on this machine, and keeps the same record as `wrangler d1 migrations apply`.
 * deploy-migrations.ts applies them in production.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Storage } from "./demo/seed.ts";

/** The folder with the migrations of each database, by its name in {@link Storage}. */
const folders = {
  api: "api/storage/migrations",
  identity: "identity/storage/migrations",
  search: "api/search/migrations",
  mails: "mails/storage/migrations",
  gateway: "gateway/storage/migrations",
};
export type MigratedDatabase = keyof typeof folders;
export const migratedDatabases = Object.keys(folders) as MigratedDatabase[];

/** Equals the table that wrangler 4.151 makes, so that `wrangler d1 migrations list` can read it. */
export const recordTable = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;
/** A column of ours in wrangler's table: the digest of the file when it was applied. */
const digestColumn = "ALTER TABLE d1_migrations ADD COLUMN sha256 TEXT";

export function migrationsFolder(name: MigratedDatabase): string {
  return join(import.meta.dirname, "..", "workers", folders[name]);
}

/** Returns the names of the migration files in a folder, oldest first. */
export function migrationFilesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort();
}

/** Returns the names of the database's migration files, oldest first. */
export function listMigrations(name: MigratedDatabase): string[] {
  const folder = migrationsFolder(name);
  return existsSync(folder) ? migrationFilesIn(folder) : [];
}

/** Matches a literal or a quoted name (which stays), a comment, or space. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--.*|\/\*[\s\S]*?\*\/|\s+/g;

function stripComments(sql: string): string {
  return sql
    .replace(tokens, (token) => (/^['"]/.test(token) ? token : " "))
    .replace(/ +/g, " ")
    .trim();
}

function readMigration(database: MigratedDatabase, name: string): string {
  return readFileSync(join(migrationsFolder(database), name), "utf8");
}

/**
 * Returns the digest of a migration's statements. A developer may edit comments and space of an applied migration, but
 * not its statements.
 */
export function migrationDigest(database: MigratedDatabase, name: string): string {
  return createHash("sha256")
    .update(stripComments(readMigration(database, name)))
    .digest("hex");
}

/**
 * Applies the missing migrations. Each file and its record are one batch, so that a kill leaves nothing half done.
 * Migrations that an older version applied get their digest now.
 */
export async function migrateDatabases(storage: Storage): Promise<void> {
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
          // Local D1 takes a whole file as one statement. D1 in production would cut its triggers: see
          // deploy-migrations.ts. D1 refuses an empty statement.
          ...(stripComments(text) === "" ? [] : [database.prepare(text)]),
          database.prepare("INSERT INTO d1_migrations (name, sha256) VALUES (?, ?)").bind(name, digest),
        ]);
      } else if (applied.get(name) === null) {
        await database.prepare("UPDATE d1_migrations SET sha256 = ? WHERE name = ?").bind(digest, name).run();
      }
    }
  }
}
