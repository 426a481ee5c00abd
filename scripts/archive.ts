/**
 * Writes, checks and unpacks a backup: a folder of files that any tool reads.
 *
 *     manifest.json           the number of rows and the checksum of each table; written last
 *     SHA256SUMS              a line for each file, as sha256sum writes and checks it
 *     api.sqlite              the product's database
 *     identity.sqlite         the accounts
 *     mails.sqlite            the mails that wait, the ids of all mails, and the addresses that get none
 *     media.sqlite            the bucket's index: key, type and blob of each object
 *     blobs/<id>              the objects' bytes
 *     secrets.json            only with --with-secrets, like a site's settings.env and site.json
 *
 * Memory use does not grow with files and tables: this code reads them in pieces.
 */
import { createHash } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { backup, DatabaseSync } from "node:sqlite";
import { finished } from "node:stream/promises";
import { blobsFolder, isOptional, type KeptFile, keptFiles, storageFile, type World } from "./data-folder.ts";
import { Refusal } from "./refusal.ts";

export interface TableRecord {
  rows: number;
  sha256: string;
}

type Tables = Record<string, TableRecord>;

export interface Manifest {
  format: 2;
  taken_at: string;
  world: World;
  /** `media` is the bucket's index; absent for a site without a bucket. Versions before the mails worker have no `mails`. */
  databases: Record<"api" | "identity", Tables> & { mails?: Tables; media?: Tables };
  sums_sha256: string;
  /** Keys of objects whose bytes were missing or truncated at the time of the backup. It holds everything else. */
  missing_objects: string[];
}

const SUMS = "SHA256SUMS";
const BLOBS = "blobs";
/** Database pages copied before the event loop gets a turn. */
const PAGES_AT_ONCE = 10_000;
const COPIED_AT_ONCE = 8;
const PIECE_BYTES = 1024 * 1024;
const DIGESTED_AT_ONCE_CHARS = 65_536;
/** The most missing objects that the manifest lists. */
const NAMED_AT_MOST = 1_000;

const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Reads a file in pieces through one buffer, so that memory use does not grow with the file. Calls `use` with each
 * piece.
 */
async function readPieces(file: string, use: (piece: Buffer) => Promise<unknown> | unknown): Promise<void> {
  const opened = await open(file);
  try {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    for (;;) {
      const { bytesRead } = await opened.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      await use(buffer.subarray(0, bytesRead));
    }
  } finally {
    await opened.close();
  }
}

/** Returns the SHA-256 of a file, read in pieces; null for a missing file. */
export async function digestFile(file: string): Promise<string | null> {
  if (!existsSync(file)) return null;
  const hash = createHash("sha256");
  await readPieces(file, (piece) => hash.update(piece));
  return hash.digest("hex");
}

/** Copies a file in pieces. Returns the digest and size of the bytes read. */
async function copyFile(from: string, to: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  const written = await open(to, "w", 0o600);
  try {
    await readPieces(from, async (piece) => {
      hash.update(piece);
      bytes += piece.byteLength;
      await written.writeFile(piece);
    });
  } finally {
    await written.close();
  }
  return { sha256: hash.digest("hex"), bytes };
}

/** The files of a data folder that a backup has only on request. */
export const KEPT_APART = ["secrets.json", "settings.env", "site.json"];

/** Returns the lines of a text file. node:readline also splits at U+2028, which none of our files contains. */
const linesIn = (file: string) => createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Infinity });

/** Returns the value as JSON. Writes SQLite's 64-bit integers exactly. */
function jsonOf(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return JSON.stringify({ blob: Buffer.from(value).toString("hex") });
  return JSON.stringify(value);
}

/**
 * Counts and hashes the rows of a table: a line of JSON per row, in primary-key order. Backups of the first format
 * contain the same lines.
 */
export function digestTable(database: DatabaseSync, table: string): TableRecord {
  const columns = database.prepare("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid").all(table) as {
    name: string;
    pk: number;
  }[];
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const order = key.map(({ name }) => quoteName(name)).join(", ") || "rowid";
  const names = columns.map(({ name }) => quoteName(name)).join(", ");
  const statement = database.prepare(`SELECT ${names} FROM ${quoteName(table)} ORDER BY ${order}`);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const hash = createHash("sha256");
  let rows = 0;
  let piece = "";
  for (const row of statement.iterate()) {
    piece += "[";
    const values = row as unknown as unknown[];
    for (let index = 0; index < values.length; index++) {
      if (index > 0) piece += ",";
      piece += jsonOf(values[index]);
      // A row may be megabytes of text. Hash often, so that no more of it is concatenated.
      if (piece.length < DIGESTED_AT_ONCE_CHARS) continue;
      hash.update(piece);
      piece = "";
    }
    piece += "]\n";
    rows += 1;
  }
  hash.update(piece);
  return { rows, sha256: hash.digest("hex") };
}

/** Digests every table except SQLite's and D1's own. */
export function digestDatabase(database: DatabaseSync): Tables {
  const tables = database
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all() as { name: string }[];
  return Object.fromEntries(tables.map(({ name }) => [name, digestTable(database, name)]));
}

/** A database at one moment: later writes are invisible to its reads. */
interface Snapshot {
  name: KeptFile;
  database: DatabaseSync;
}

/**
 * Opens the databases and holds each at its present state. SQLite keeps that state for as long as a read transaction
 * lasts, and writers do not wait for it.
 *
 * Opens the product's database first. It refers to accounts and objects that are created before it names them, so the
 * two databases opened a moment later contain them.
 *
 * @throws Refusal naming the file that cannot be read.
 */
function openSnapshots(data_dir: string): Snapshot[] {
  const snapshots: Snapshot[] = [];
  for (const name of keptFiles) {
    const file = storageFile(data_dir, name);
    if (isOptional(name) && !existsSync(file)) continue;
    try {
      if (!existsSync(file)) throw new Error("it is missing");
      const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
      snapshots.push({ name, database });
      database.exec("BEGIN; SELECT COUNT(*) FROM sqlite_master");
    } catch (error) {
      closeSnapshots(snapshots);
      throw new Refusal(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
    }
  }
  return snapshots;
}

function closeSnapshots(snapshots: readonly Snapshot[]): void {
  for (const { database } of snapshots) database.close();
}

/**
 * Copies a database page by page and verifies the copy.
 *
 * @throws Refusal when a table of the copy differs from the original, or the copy is corrupt.
 */
async function copyDatabase({ name, database }: Snapshot, to: string): Promise<Tables> {
  await backup(database, to, { rate: PAGES_AT_ONCE });
  const copy = new DatabaseSync(to);
  try {
    // Without a journal file, this one file is the whole database.
    copy.exec("PRAGMA journal_mode = DELETE");
    const { quick_check } = copy.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
    if (quick_check !== "ok") throw new Refusal(`The database ${name} is damaged: ${quick_check}`);
    const [expected, found] = [digestDatabase(database), digestDatabase(copy)];
    const differ = findDifferences(name, expected, found);
    if (differ.length > 0) throw new Refusal(`The copy is not what was read:\n${differ.join("\n")}`);
    return expected;
  } finally {
    copy.close();
  }
}

/** Returns a sentence for each table that differs. */
export function findDifferences(database: string, expected: Tables, found: Tables): string[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])]
    .filter((table) => JSON.stringify(expected[table]) !== JSON.stringify(found[table]))
    .map(
      (table) => `${database}.${table}: ${found[table]?.rows ?? "no"} rows, ${expected[table]?.rows ?? "no"} expected`,
    );
}

interface Blob {
  blob_id: string;
  key: string;
  size: number;
}

/**
 * The files of the bucket's objects; a large object has several. Leaves out parts of unfinished uploads, which belong
 * to no object.
 */
const BLOBS_OF_OBJECTS = `SELECT blob_id, key, size FROM _mf_objects WHERE blob_id IS NOT NULL
  UNION ALL SELECT blob_id, object_key, size FROM _mf_multipart_parts WHERE object_key IS NOT NULL`;

function* blobsOf(bucket: DatabaseSync): Generator<Blob> {
  const has_objects = bucket.prepare("SELECT 1 FROM sqlite_master WHERE name = '_mf_objects'").get();
  if (has_objects) yield* bucket.prepare(BLOBS_OF_OBJECTS).iterate() as Iterable<unknown> as Iterable<Blob>;
}

/** Where blobs are that need no copy: a blob never changes under its name, so a second name on the disk is enough. */
export interface Links {
  folder: string;
  /** The digests that the blobs there must have; null when nobody has noted any. */
  sums: ReadonlyMap<string, string> | null;
}

/** Returns the blobs of a former backup, for {@link writeArchive}. */
export async function linksOfBackup(folder: string): Promise<Links> {
  const sums = new Map<string, string>();
  for await (const { file, sha256 } of readListedFiles(folder)) {
    if (file.startsWith(`${BLOBS}/`)) sums.set(file.slice(BLOBS.length + 1), sha256);
  }
  return { folder: join(folder, BLOBS), sums };
}

/** Returns the blobs of a data folder, for a backup on the same disk. */
export function linksOfData(data_dir: string): Links {
  return { folder: blobsFolder(data_dir), sums: null };
}

/**
 * Gives a blob a second name, and reads it. Returns null when the blob is not there, is not as it was, or its disk is
 * another one: then it must be copied.
 */
async function linkBlob({ blob_id, size }: Blob, to: string, links: Links): Promise<string | null> {
  const from = join(links.folder, blob_id);
  if (statSync(from, { throwIfNoEntry: false })?.size !== size) return null;
  try {
    linkSync(from, to);
  } catch {
    return null;
  }
  const sha256 = await digestFile(to);
  if (sha256 !== null && (links.sums?.get(blob_id) ?? sha256) === sha256) return sha256;
  rmSync(to, { force: true });
  return null;
}

interface StoredBlobs {
  /** The files that are links, which have been read already. */
  linked: ReadonlySet<string>;
  count: number;
  /** The keys of objects whose bytes are missing or truncated. */
  missing: string[];
}

/** Copies or links the objects' bytes and calls `note` with each file. */
async function copyBlobs(
  data_dir: string,
  bucket: DatabaseSync,
  folder: string,
  { links, note }: { links: Links | undefined; note: (file: string, sha256: string) => void },
): Promise<StoredBlobs> {
  const missing: string[] = [];
  const linked = new Set<string>();
  let count = 0;
  const blobs = blobsOf(bucket);
  const copyNext = async (): Promise<void> => {
    for (let next = blobs.next(); !next.done; next = blobs.next()) {
      const { blob_id, key, size } = next.value;
      const file = `${BLOBS}/${blob_id}`;
      const link = links && (await linkBlob(next.value, join(folder, file), links));
      const from = join(blobsFolder(data_dir), blob_id);
      const has_all = statSync(from, { throwIfNoEntry: false })?.size === size;
      const copied = !link && has_all ? await copyFile(from, join(folder, file)).catch(ignoreMissing) : null;
      if (link) linked.add(file);
      if (link) note(file, link);
      else if (copied?.bytes === size) note(file, copied.sha256);
      else missing.push(key);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: COPIED_AT_ONCE }, copyNext));
  return { linked, count, missing: findStillStored(data_dir, missing) };
}

/** Returns null for a missing file: a blob may be deleted between being listed and being opened. */
function ignoreMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
  throw error;
}

/** Returns the keys that the site still has. An object deleted during the backup does not count as missing. */
function findStillStored(data_dir: string, keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  const now = new DatabaseSync(storageFile(data_dir, "media"), { readOnly: true, timeout: 5_000 });
  try {
    const find = now.prepare("SELECT 1 FROM _mf_objects WHERE key = ?");
    return [...new Set(keys)].filter((key) => find.get(key)).sort();
  } finally {
    now.close();
  }
}

export interface Written {
  manifest: Manifest;
  blobs_count: number;
  /** How many of the blobs are links. */
  linked_count: number;
}

/**
 * Copies a data folder, which may be in use, into an empty folder, and verifies every file of the copy. Writes the
 * manifest only when every file agrees.
 *
 * @param also more files of the data folder to copy.
 * @param links where blobs may be that need no copy.
 * @throws Refusal when a database is missing or damaged, or a copy differs from its original.
 */
export async function writeArchive(
  data_dir: string,
  folder: string,
  world: World,
  { also, links }: { also: readonly string[]; links?: Links | undefined },
): Promise<Written> {
  const taken_at = new Date().toISOString();
  const snapshots = openSnapshots(data_dir);
  const sums = createWriteStream(join(folder, SUMS), { mode: 0o600 });
  const summed = finished(sums);
  // It is awaited below. Until then a failure must not count as an unhandled rejection.
  summed.catch(() => {});
  const noteSum = (file: string, sha256: string) => void sums.write(`${sha256}  ${file}\n`);
  const databases: Partial<Manifest["databases"]> = {};
  let stored: StoredBlobs = { linked: new Set(), count: 0, missing: [] };
  try {
    mkdirSync(join(folder, BLOBS), { mode: 0o700 });
    // Copy the blobs first: they can be deleted meanwhile, while the open snapshots keep the databases as they are.
    const bucket = snapshots.find(({ name }) => name === "media");
    if (bucket) stored = await copyBlobs(data_dir, bucket.database, folder, { links, note: noteSum });
    for (const snapshot of snapshots) {
      const file = `${snapshot.name}.sqlite`;
      databases[snapshot.name] = await copyDatabase(snapshot, join(folder, file));
      noteSum(file, (await digestFile(join(folder, file))) ?? "");
    }
    for (const file of also) noteSum(file, (await copyFile(join(data_dir, file), join(folder, file))).sha256);
  } finally {
    closeSnapshots(snapshots);
    sums.end();
    await summed.catch(() => {});
  }
  await summed;
  const damaged = await damagedFiles(folder, stored.linked);
  if (damaged.length > 0) throw new Refusal(`Not as they were written in ${folder}: ${damaged.join(", ")}`);
  const manifest: Manifest = {
    format: 2,
    taken_at,
    world,
    databases: databases as Manifest["databases"],
    sums_sha256: (await digestFile(join(folder, SUMS))) ?? "",
    missing_objects: stored.missing.slice(0, NAMED_AT_MOST),
  };
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  return { manifest, blobs_count: stored.count, linked_count: stored.linked.size };
}

/**
 * Reads the manifest of a backup of any format.
 *
 * @throws Refusal when the folder holds no complete backup.
 */
export function readManifest(folder: string): { format: number } {
  const file = join(folder, "manifest.json");
  // The manifest is written last. A folder without one holds an interrupted backup.
  if (!existsSync(file)) throw new Refusal(`There is no whole backup in ${folder}: it has no manifest.json.`);
  const manifest = parseJson(readFileSync(file, "utf8")) as Partial<Manifest> | null | undefined;
  const has_all = Boolean(manifest?.taken_at && manifest.databases?.api && manifest.databases.identity);
  const is_whole =
    typeof manifest?.format === "number" &&
    (manifest.format !== 2 || (has_all && Array.isArray(manifest.missing_objects)));
  if (!is_whole) throw new Refusal(`${file} is damaged.`);
  return manifest as { format: number };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Yields the files that SHA256SUMS lists, with their digests. */
async function* readListedFiles(folder: string): AsyncGenerator<{ file: string; sha256: string }> {
  for await (const line of linesIn(join(folder, SUMS))) {
    const [, sha256 = "", file = ""] = /^([0-9a-f]{64}) {2}((?:blobs\/)?[\w.-]+)$/.exec(line) ?? [];
    if (!file || file.includes(".."))
      throw new Refusal(`${join(folder, SUMS)} is damaged in the line: ${line.slice(0, 200)}`);
    yield { file, sha256 };
  }
}

/**
 * Returns the files of a backup that are missing or changed, at most a hundred.
 *
 * @param read_already files that need not be read again.
 */
export async function damagedFiles(folder: string, read_already: ReadonlySet<string> = new Set()): Promise<string[]> {
  const damaged: string[] = [];
  for await (const { file, sha256 } of readListedFiles(folder)) {
    if (damaged.length === 100) break;
    if (read_already.has(file)) continue;
    if ((await digestFile(join(folder, file))) !== sha256) damaged.push(file);
  }
  return damaged;
}

/** @throws Refusal when a backup's list of files is not the one that its manifest names. */
export async function assertListUnchanged(folder: string, manifest: Manifest): Promise<void> {
  if ((await digestFile(join(folder, SUMS))) !== manifest.sums_sha256) {
    throw new Refusal(`Missing or changed in ${folder}: ${SUMS}.`);
  }
}

/**
 * Copies the backup's data to their places in a data folder, and verifies the written files.
 *
 * @throws Refusal when a file of the backup is missing or changed, or its copy differs.
 */
export async function unpackArchive(folder: string, manifest: Manifest, data_dir: string): Promise<void> {
  await assertListUnchanged(folder, manifest);
  const damaged = await damagedFiles(folder);
  if (damaged.length > 0) throw new Refusal(`Missing or changed in ${folder}: ${damaged.join(", ")}.`);
  for (const name of keptFiles) mkdirSync(join(storageFile(data_dir, name), ".."), { recursive: true });
  mkdirSync(blobsFolder(data_dir), { recursive: true });
  for await (const { file, sha256 } of readListedFiles(folder)) {
    const to = placeOf(file, data_dir);
    if (to === null) continue;
    await copyFile(join(folder, file), to);
    if ((await digestFile(to)) !== sha256)
      throw new Refusal(`${to} was not written as it is in the backup: is the disk full?`);
    if (!file.startsWith(`${BLOBS}/`)) setWriteAheadLog(to);
  }
}

/**
 * Sets the journal mode that the runtime uses. Otherwise the runtime sets it at the first start, and fails if a
 * backup is reading the database at that moment.
 */
function setWriteAheadLog(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA journal_mode = WAL");
  } finally {
    database.close();
  }
}

/** Returns the place of a backup's file in the data folder; null for a file that is not stored data. */
function placeOf(file: string, data_dir: string): string | null {
  if (file.startsWith(`${BLOBS}/`)) return join(blobsFolder(data_dir), file.slice(BLOBS.length + 1));
  const name = keptFiles.find((kept) => file === `${kept}.sqlite`);
  return name === undefined ? null : storageFile(data_dir, name);
}
