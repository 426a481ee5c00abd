/**
 * Reads backups of the first format, which no script writes any more.
 *
 *     manifest.json                 the tables and objects, with counts and checksums
 *     <database>/schema.json        the statements that create tables, indexes, views, triggers
 *     <database>/<table>.jsonl      one row per line, as a list of values, in the order of the primary key
 *     objects/<sha256>              the bucket's objects, named by the hash of their content
 */
import { createReadStream, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { digestFile, digestTable, findDifferences, type TableRecord } from "./archive.ts";
import type { DataClaim } from "./data-claim.ts";
import { judgeAccounts, readDatabase, storageFile, type World } from "./data-folder.ts";
import { Refusal } from "./refusal.ts";
import { withStorage } from "./storage.ts";

const restoredDatabases = ["api", "identity"] as const;

interface DatabaseRecord {
  schema_sha256: string;
  tables: Record<string, TableRecord & { columns: string[] }>;
}

export interface FirstManifest {
  format: 1;
  taken_at: string;
  databases: Record<(typeof restoredDatabases)[number], DatabaseRecord>;
  objects: {
    key: string;
    bytes: number;
    sha256: string;
    http_metadata: R2HTTPMetadata;
    custom_metadata: Record<string, string>;
  }[];
  demo_world: string | null;
}

/** Inserts rows in lists of about this many characters, one statement each. */
const INSERTED_AT_ONCE_CHARS = 500_000;

const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Returns the backup's files that are missing or have changed. */
async function damagedFiles(folder: string, { databases, objects }: FirstManifest): Promise<string[]> {
  const expected = new Map(objects.map((object) => [join("objects", object.sha256), object.sha256]));
  for (const [database, { schema_sha256, tables }] of Object.entries(databases)) {
    expected.set(join(database, "schema.json"), schema_sha256);
    for (const [table, record] of Object.entries(tables)) expected.set(join(database, `${table}.jsonl`), record.sha256);
  }
  const damaged: string[] = [];
  for (const [file, checksum] of expected) {
    if ((await digestFile(join(folder, file))) !== checksum) damaged.push(file);
  }
  return damaged;
}

/** Yields a file's lines. node:readline would also split at U+2028 and U+2029, which JSON leaves unescaped in texts. */
async function* linesIn(file: string) {
  let rest = "";
  for await (const chunk of createReadStream(file, "utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** Yields a file's rows in lists that are small enough to be bound as one value. */
async function* rowsIn(file: string) {
  let rows: string[] = [];
  let chars = 0;
  for await (const line of linesIn(file)) {
    if (chars + line.length > INSERTED_AT_ONCE_CHARS && rows.length > 0) {
      yield `[${rows.join(",")}]`;
      rows = [];
      chars = 0;
    }
    rows.push(line);
    chars += line.length + 1;
  }
  if (rows.length > 0) yield `[${rows.join(",")}]`;
}

/**
 * Builds a database from the backup. Indexes, views and triggers come after the rows, so that no trigger counts a row
 * twice.
 *
 * @throws Refusal when the result differs from the manifest.
 */
async function buildDatabase(
  name: keyof FirstManifest["databases"],
  folder: string,
  manifest: FirstManifest,
  to: string,
) {
  const { tables } = manifest.databases[name];
  const schema = JSON.parse(readFileSync(join(folder, name, "schema.json"), "utf8")) as { type: string; sql: string }[];
  mkdirSync(dirname(to), { recursive: true });
  const database = new DatabaseSync(to, { enableForeignKeyConstraints: false });
  try {
    database.exec("BEGIN");
    for (const { type, sql } of schema) if (type === "table") database.exec(sql);
    for (const [table, { columns }] of Object.entries(tables)) {
      const values = columns.map((_, index) => `value ->> ${index}`).join(", ");
      const insert = database.prepare(
        `INSERT INTO ${quoteName(table)} (${columns.map(quoteName).join(", ")}) SELECT ${values} FROM json_each(?)`,
      );
      for await (const rows of rowsIn(join(folder, name, `${table}.jsonl`))) insert.run(rows);
    }
    for (const { type, sql } of schema) if (type !== "table") database.exec(sql);
    database.exec("COMMIT");
    const expected = Object.fromEntries(
      Object.entries(tables).map(([table, { rows, sha256 }]) => [table, { rows, sha256 }]),
    );
    const found = Object.fromEntries(Object.keys(tables).map((table) => [table, digestTable(database, table)]));
    const differ = findDifferences(name, expected, found);
    if (differ.length > 0) throw new Refusal(`What was restored is not what the backup says:\n${differ.join("\n")}`);
  } finally {
    database.close();
  }
}

/**
 * Fills the folder from the backup. Returns whether it holds a demo or a site.
 *
 * @throws Refusal when a file of the backup is missing or changed, or when the result differs from the manifest.
 */
export async function unpackFirstArchive(
  folder: string,
  manifest: FirstManifest,
  data_dir: string,
  claim: DataClaim,
): Promise<World> {
  const damaged = await damagedFiles(folder, manifest);
  if (damaged.length > 0) throw new Refusal(`Missing or changed in ${folder}: ${damaged.join(", ")}.`);
  for (const name of restoredDatabases) await buildDatabase(name, folder, manifest, storageFile(data_dir, name));
  await withStorage(data_dir, claim, async ({ media }) => {
    for (const { key, sha256, http_metadata, custom_metadata } of manifest.objects) {
      const content = readFileSync(join(folder, "objects", sha256));
      const stored = await media.put(key, content, {
        httpMetadata: http_metadata,
        customMetadata: custom_metadata,
        sha256,
      });
      if (stored?.size !== content.byteLength) throw new Refusal(`The object ${key} was not stored whole.`);
    }
  });
  if (manifest.demo_world !== null) return "demo";
  return readDatabase(storageFile(data_dir, "identity"), judgeAccounts) ?? "site";
}
