/**
 * A backup as it lies in a folder: plain files that any tool reads.
 *
 *     manifest.json                 what there is, with counts and checksums; written last
 *     <database>/schema.json        tables, indexes, views, triggers as they were stated
 *     <database>/<table>.jsonl      a row a line, as a list of values, in the order of the primary key
 *     objects/<sha256>              the bucket's objects by their content
 *     secrets.json                  only where asked for
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Storage } from "./demo/seed.ts";
import { Refusal } from "./refusal.ts";

interface SchemaEntry {
  type: "table" | "index" | "view" | "trigger";
  name: string;
  sql: string;
}

interface TableRecord {
  columns: string[];
  rows: number;
  sha256: string;
}

interface DatabaseRecord {
  schema_sha256: string;
  tables: Record<string, TableRecord>;
}

interface ObjectRecord {
  key: string;
  bytes: number;
  sha256: string;
  http_metadata: R2HTTPMetadata;
  custom_metadata: Record<string, string>;
}

export interface Manifest {
  format: 1;
  taken_at: string;
  databases: Record<(typeof keptDatabases)[number], DatabaseRecord>;
  objects: ObjectRecord[];
  /** What the data folder noted of its demo world; null without one. */
  demo_world: string | null;
}

/** The index of creators is left out: it is made again from these. */
const keptDatabases = ["api", "identity"] as const;

const ROWS_AT_ONCE = 500;
/** Under D1's 2 MB for one bound value. */
const INSERTED_AT_ONCE_CHARS = 500_000;

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** @throws Refusal when the folder holds no whole backup. */
export function readManifest(folder: string): Manifest {
  const file = join(folder, "manifest.json");
  // It is written last: a folder without it was cut off while being made.
  if (!existsSync(file)) throw new Refusal(`There is no whole backup in ${folder}: it has no manifest.json.`);
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  if (manifest.format !== 1) throw new Refusal(`${file} is of another format (${manifest.format}).`);
  return manifest;
}

export function writeManifest(folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Everything stated about the database, in an order in which it can be stated again; of SQLite's and D1's own nothing.
 *
 * @throws Refusal when there is a virtual table.
 */
async function readSchema(database: D1Database): Promise<SchemaEntry[]> {
  const { results } = await database
    .prepare(
      `SELECT type, name, sql FROM sqlite_master
       WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
       ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 WHEN 'view' THEN 3 ELSE 4 END, rowid`,
    )
    .all<SchemaEntry>();
  const virtual = results.find(({ sql }) => /^CREATE VIRTUAL TABLE/i.test(sql));
  if (virtual) throw new Refusal(`The virtual table ${virtual.name} cannot be copied row by row.`);
  return results;
}

/** The rows of a table as lines of JSON, in the order of its primary key. */
async function* readRows(database: D1Database, table: string, columns: string[], key: string[]) {
  const order = key.map(quoted).join(", ") || "rowid";
  const page = `SELECT ${columns.map(quoted).join(", ")} FROM ${quoted(table)} ORDER BY ${order} LIMIT ${ROWS_AT_ONCE} OFFSET ?`;
  for (let offset = 0; ; offset += ROWS_AT_ONCE) {
    const rows = await database.prepare(page).bind(offset).raw<unknown[]>();
    for (const row of rows) {
      if (row.some((value) => typeof value === "object" && value !== null)) {
        throw new Refusal(`${table} holds a blob, which a line of JSON cannot.`);
      }
      yield `${JSON.stringify(row)}\n`;
    }
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

/** Copies a database; `write` takes each line of each file. Gives the counts and checksums. */
async function copyDatabase(
  database: D1Database,
  write: (file: string, lines: AsyncIterable<string> | Iterable<string>) => Promise<void>,
): Promise<DatabaseRecord> {
  const schema = await readSchema(database);
  const schema_text = `${JSON.stringify(schema, null, 2)}\n`;
  await write("schema.json", [schema_text]);
  const tables: Record<string, TableRecord> = {};
  for (const { name } of schema.filter(({ type }) => type === "table")) {
    const info = await database
      .prepare("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid")
      .bind(name)
      .all<{ name: string; pk: number }>();
    const columns = info.results.map((column) => column.name);
    const key = info.results
      .filter(({ pk }) => pk > 0)
      .sort((a, b) => a.pk - b.pk)
      .map((column) => column.name);
    const hash = createHash("sha256");
    let rows = 0;
    const counted = async function* () {
      for await (const line of readRows(database, name, columns, key)) {
        hash.update(line);
        rows += 1;
        yield line;
      }
    };
    await write(`${name}.jsonl`, counted());
    tables[name] = { columns, rows, sha256: hash.digest("hex") };
  }
  return { schema_sha256: sha256(schema_text), tables };
}

/** Copies the bucket; `write` takes each object once it is read. */
async function copyObjects(
  bucket: R2Bucket,
  write: (record: ObjectRecord, content: Uint8Array) => void,
): Promise<ObjectRecord[]> {
  const objects: ObjectRecord[] = [];
  let cursor: string | undefined;
  do {
    const listed = await bucket.list({ cursor });
    for (const { key } of listed.objects) {
      const object = await bucket.get(key);
      if (!object) throw new Error(`${key} was listed and is not there`);
      const content = new Uint8Array(await object.arrayBuffer());
      const { httpMetadata: http_metadata = {}, customMetadata: custom_metadata = {} } = object;
      const record = { key, bytes: content.byteLength, sha256: sha256(content), http_metadata, custom_metadata };
      write(record, content);
      objects.push(record);
    }
    cursor = listed.truncated ? listed.cursor : undefined;
  } while (cursor);
  return objects;
}

type Content = Pick<Manifest, "databases" | "objects">;

/** Copies the storage into the folder; with null nowhere, for the checksums alone. */
export async function copyStorage(storage: Storage, folder: string | null): Promise<Content> {
  const write = async (file: string, content: AsyncIterable<string> | Iterable<string>): Promise<void> => {
    if (folder === null) {
      for await (const _ of content);
      return;
    }
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    await pipeline(content, createWriteStream(join(folder, file)));
  };
  const databases = {} as Manifest["databases"];
  for (const name of keptDatabases) {
    databases[name] = await copyDatabase(storage[name], (file, lines) => write(join(name, file), lines));
  }
  if (folder !== null) mkdirSync(join(folder, "objects"), { recursive: true });
  const objects = await copyObjects(storage.media, (record, content) => {
    if (folder !== null) writeFileSync(join(folder, "objects", record.sha256), content);
  });
  return { databases, objects };
}

/** The files of a backup that are missing or not as they were written. */
export async function damagedFiles(folder: string, { databases, objects }: Manifest): Promise<string[]> {
  const expected = new Map(objects.map((object) => [join("objects", object.sha256), object.sha256]));
  for (const [database, { schema_sha256, tables }] of Object.entries(databases)) {
    expected.set(join(database, "schema.json"), schema_sha256);
    for (const [table, record] of Object.entries(tables)) expected.set(join(database, `${table}.jsonl`), record.sha256);
  }
  const damaged: string[] = [];
  for (const [file, checksum] of expected) {
    const path = join(folder, file);
    const hash = createHash("sha256");
    if (existsSync(path)) await pipeline(createReadStream(path), hash);
    if (!existsSync(path) || hash.digest("hex") !== checksum) damaged.push(file);
  }
  return damaged;
}

/** A file's lines. node:readline also ends one at U+2028 and U+2029, which JSON leaves in a text as they are. */
async function* linesIn(file: string) {
  let rest = "";
  for await (const chunk of createReadStream(file, "utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** A file's rows in lists small enough to be bound as one value. */
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
 * Builds a database out of a backup, in one batch: whole or not at all. Indexes, views and triggers come after the rows,
 * so that no trigger counts anything a second time.
 */
async function buildDatabase(database: D1Database, folder: string, record: DatabaseRecord): Promise<void> {
  const schema = JSON.parse(readFileSync(join(folder, "schema.json"), "utf8")) as SchemaEntry[];
  const is_table = ({ type }: SchemaEntry) => type === "table";
  const statements = [database.prepare("PRAGMA defer_foreign_keys = TRUE")];
  statements.push(...schema.filter(is_table).map(({ sql }) => database.prepare(sql)));
  for (const [table, { columns }] of Object.entries(record.tables)) {
    const values = columns.map((_, index) => `value ->> ${index}`).join(", ");
    const insert = database.prepare(
      `INSERT INTO ${quoted(table)} (${columns.map(quoted).join(", ")}) SELECT ${values} FROM json_each(?)`,
    );
    for await (const rows of rowsIn(join(folder, `${table}.jsonl`))) statements.push(insert.bind(rows));
  }
  statements.push(...schema.filter((entry) => !is_table(entry)).map(({ sql }) => database.prepare(sql)));
  await database.batch(statements);
}

/** Fills empty storage from the backup. */
export async function buildStorage(storage: Storage, folder: string, manifest: Manifest): Promise<void> {
  for (const name of keptDatabases) {
    await buildDatabase(storage[name], join(folder, name), manifest.databases[name]);
  }
  for (const { key, sha256: content, http_metadata, custom_metadata } of manifest.objects) {
    await storage.media.put(key, readFileSync(join(folder, "objects", content)), {
      httpMetadata: http_metadata,
      customMetadata: custom_metadata,
    });
  }
}

/** What differs between two copies, each a sentence; empty when they are the same. */
export function differences(expected: Content, found: Content): string[] {
  const lines = ({ databases, objects }: Content) =>
    new Map([
      ...Object.entries(databases).flatMap(([database, { schema_sha256, tables }]) => [
        [`the schema of ${database}`, schema_sha256] as const,
        ...Object.entries(tables).map(([table, record]) => [`${database}.${table}`, JSON.stringify(record)] as const),
      ]),
      ...objects.map((object) => [`the object ${object.key}`, JSON.stringify(object)] as const),
    ]);
  const [before, after] = [lines(expected), lines(found)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((what) => before.get(what) !== after.get(what))
    .map((what) => `${what}: ${after.get(what) ?? "missing"} in place of ${before.get(what) ?? "nothing"}`);
}
