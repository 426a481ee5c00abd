/**
 * Finds the files of a data folder, and decides whether it holds a demo or a site and whether this version may serve
 * it. Reads the files without a worker, so that a start can refuse a folder before any worker opens it.
 */
import { createHash, createHmac } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { listMigrations, type MigratedDatabase, migrationDigest, migrationsFolder } from "./migrations.ts";
import { Refusal } from "./refusal.ts";
import { quoteForShell } from "./shell.ts";

/** The ids of the databases. They must equal those in the workers' wrangler.toml: scripts/network.ts checks it. */
export const databaseIds = {
  api: "00000000-0000-4000-8000-000000000a01",
  identity: "00000000-0000-4000-8000-000000000a02",
  search: "00000000-0000-4000-8000-000000000a03",
  gateway: "00000000-0000-4000-8000-000000000a04",
  mails: "00000000-0000-4000-8000-000000000a05",
};

/** The names of the data on disk: the databases, and the bucket. */
export const storageIds = { ...databaseIds, media: "ofuse-media" };

/**
 * The databases that cannot be rebuilt from others, and the index of the bucket's objects. The payment gateway's is not
 * one of them: in production Stripe keeps its data (docs/decisions/0027).
 */
export const keptFiles = ["api", "identity", "mails", "media"] as const;
export type KeptFile = (typeof keptFiles)[number];

/**
 * Whether a whole data folder may lack a file: a site without pictures has no index of them, and a version before the
 * mails worker made no database of mails.
 */
export function isOptional(name: KeptFile): boolean {
  return name === "media" || name === "mails";
}

/**
 * Returns the folder with the data of `data_dir`. Cloudflare's Vite plugin appends the last part to its `persistState`.
 */
export function persistencePath(data_dir: string): string {
  return join(data_dir, "v3");
}

/**
 * Returns the SQLite file of a database, or of the bucket's index. Miniflare derives its name as `idFromName` of a
 * Durable Object does.
 */
export function storageFile(data_dir: string, name: keyof typeof storageIds): string {
  const kind = name === "media" ? "R2Bucket" : "D1Database";
  const object = `miniflare-${kind}Object`;
  const key = createHash("sha256").update(object).digest();
  const hashHalf = (data: string | Buffer) => createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const first = hashHalf(storageIds[name]);
  const id = Buffer.concat([first, hashHalf(first)]).toString("hex");
  return join(persistencePath(data_dir), name === "media" ? "r2" : "d1", object, `${id}.sqlite`);
}

/** Returns the folder where the bucket keeps the bytes of its objects, each in a file named by its blob id. */
export function blobsFolder(data_dir: string): string {
  return join(persistencePath(data_dir), "r2", storageIds.media, "blobs");
}

/** Deletes a SQLite file and its journal. */
export function deleteDatabase(file: string): void {
  for (const part of [file, `${file}-wal`, `${file}-shm`]) rmSync(part, { force: true });
}

/** `demo`: invented people with a published password, and sign-in helpers for developers. `site`: real people only. */
export type World = "demo" | "site";

/** Returns the file with the settings of a site on one machine. */
export function settingsFile(data_dir: string): string {
  return join(data_dir, "settings.env");
}

/** Whether `npm run site:new` made this folder. Only `npm run site` serves it, with the settings of its own file. */
export function isSiteFolder(data_dir: string): boolean {
  return existsSync(settingsFile(data_dir));
}

/** @throws Refusal when the folder is a site's, which a developer's server must not serve. */
export function refuseSiteFolder(data_dir: string): void {
  if (isSiteFolder(data_dir)) {
    throw new Refusal(
      `${data_dir} is the folder of a site, which has settings of its own: npm run site -- ${quoteForShell(data_dir)}`,
    );
  }
}

interface FolderRecord {
  world: World;
  /** False while a start fills the folder. A later start that finds false begins again. */
  is_made: boolean;
}

/** Returns the file that records whether the folder holds a demo or a site. */
export function folderRecord(data_dir: string): string {
  return join(data_dir, "folder.json");
}

/**
 * Reads the folder's record; null for a new folder, and for a folder of a version that wrote no record.
 *
 * @throws Refusal when the record cannot be read.
 */
export function readFolderRecord(data_dir: string): FolderRecord | null {
  const file = folderRecord(data_dir);
  if (!existsSync(file)) return null;
  const record = parseJson(readFileSync(file, "utf8")) as Partial<FolderRecord> | undefined;
  if ((record?.world === "demo" || record?.world === "site") && typeof record.is_made === "boolean") {
    return record as FolderRecord;
  }
  throw new Refusal(
    `${file} is damaged. It says whether the folder holds a demo or a site: write {"world":"site","is_made":true} ` +
      `or {"world":"demo","is_made":true} into it.`,
  );
}

export function writeFolderRecord(data_dir: string, record: FolderRecord): void {
  const file = folderRecord(data_dir);
  // Writes a new file and renames it, so that a kill in the middle leaves no half record.
  writeFileSync(`${file}.new`, `${JSON.stringify(record)}\n`);
  renameSync(`${file}.new`, file);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Decides whether the folder holds a demo or a site. The folder's record wins; `wanted` decides only for a new folder.
 * The accounts decide for a folder without a record.
 *
 * @throws Refusal when `wanted` contradicts the folder.
 */
export function settleWorld(data_dir: string, wanted: World | undefined): FolderRecord {
  const known = readFolderRecord(data_dir) ?? judgeFolder(data_dir, wanted);
  if (!known?.is_made) return { world: wanted ?? "demo", is_made: false };
  if (wanted !== undefined && wanted !== known.world) {
    throw new Refusal(
      known.world === "site"
        ? `${data_dir} holds a site (DEMO=0): no demo people are put into it. Start it without DEMO, or set DATA_DIR to another folder.`
        : `${data_dir} holds a demo world, whose people have a published password: it cannot become a site. Set DATA_DIR to another folder.`,
    );
  }
  return known;
}

/** Decides by the content of a folder without a record. Returns null when it does not decide. */
function judgeFolder(data_dir: string, wanted: World | undefined): FolderRecord | null {
  if (!existsSync(persistencePath(data_dir))) return null;
  const seeded = existsSync(join(data_dir, "demo-world.json"));
  if (seeded) return { world: "demo", is_made: true };
  // An older version was killed while it filled the folder with a demo.
  if (existsSync(join(data_dir, "demo-world.begun"))) return null;
  const world = readDatabase(storageFile(data_dir, "identity"), judgeAccounts) ?? (wanted === "site" ? wanted : null);
  return world && { world, is_made: true };
}

/** Returns whether the accounts are of a demo or a site; null when there are none. */
export function judgeAccounts(identity: DatabaseSync): World | null {
  const { people, demo_people } = identity
    .prepare("SELECT COUNT(*) AS people, SUM(email LIKE '%@demo.example') AS demo_people FROM accounts")
    .get() as { people: number; demo_people: number | null };
  if (people === 0) return null;
  return demo_people ? "demo" : "site";
}

/**
 * Opens a database read-only and returns the result of `read`.
 *
 * @throws Refusal that names the file, when the file is missing or no database.
 */
export function readDatabase<T>(file: string, read: (database: DatabaseSync) => T): T {
  let database: DatabaseSync | undefined;
  try {
    if (!existsSync(file)) {
      throw new Refusal(`${file} is missing, while other data of the site are there. Put it back. ${wayBack}`);
    }
    database = new DatabaseSync(file, { readOnly: true });
    return read(database);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${file} cannot be read (${error instanceof Error ? error.message : error}). ${wayBack}`);
  } finally {
    database?.close();
  }
}

const wayBack =
  "Restore a backup into an empty folder (npm run restore), or start empty with npm run db:reset -- <folder>, which deletes all data.";

/** Holds empty databases, or a demo world with its pictures, and their write-ahead logs. */
const NEW_FOLDER_BYTES = 100 * 1024 ** 2;

/** @throws Refusal when the disk of a new folder has no room for its data: workerd gives no reason for a failed write. */
export function assertRoom(data_dir: string, { bavail, bsize } = statfsSync(data_dir)): void {
  const free = bavail * bsize;
  if (free >= NEW_FOLDER_BYTES) return;
  const [has, needs] = [free, NEW_FOLDER_BYTES].map((bytes) => Math.floor(bytes / 1024 ** 2));
  throw new Refusal(`The disk of ${data_dir} has ${has} MB left. The first start needs ${needs} MB.`);
}

/**
 * Asserts that this version may serve the folder: every database is there, can be read and written, and has only
 * migrations that this version knows.
 *
 * @throws Refusal that names the file and the remedy.
 */
export function assertServable(data_dir: string): void {
  for (const name of keptFiles) {
    const file = storageFile(data_dir, name);
    const is_lost = name === "media" && hasBlobs(data_dir);
    if (isOptional(name) && !existsSync(file) && !is_lost) continue;
    if (existsSync(file)) assertWritable(file);
    readDatabase(file, (database) => {
      if (name === "media") database.prepare("SELECT COUNT(*) FROM sqlite_master").get();
      else assertKnownMigrations(name, file, database);
    });
  }
}

function hasBlobs(data_dir: string): boolean {
  const folder = blobsFolder(data_dir);
  return existsSync(folder) && readdirSync(folder).length > 0;
}

function assertWritable(file: string): void {
  try {
    accessSync(file, constants.W_OK);
  } catch {
    throw new Refusal(`${file} cannot be written. Give it to the user who runs the site.`);
  }
}

function assertKnownMigrations(name: MigratedDatabase, file: string, database: DatabaseSync): void {
  const columns = database.prepare("SELECT name FROM pragma_table_info('d1_migrations')").all();
  if (columns.length === 0) throw new Refusal(`${file} is empty: it is no database of this site. ${wayBack}`);
  const digest = columns.some((column) => column.name === "sha256") ? "sha256" : "NULL";
  const applied = database.prepare(`SELECT name, ${digest} AS sha256 FROM d1_migrations ORDER BY id`).all() as {
    name: string;
    sha256: string | null;
  }[];
  const known = new Set(listMigrations(name));
  for (const { name: migration, sha256 } of applied) {
    if (!known.has(migration)) {
      throw new Refusal(
        `${file} has had the migration ${migration}, which this version does not know: a newer version made it. ` +
          `Start that version or a later one.`,
      );
    }
    if (sha256 !== null && sha256 !== migrationDigest(name, migration)) {
      throw new Refusal(
        `${join(migrationsFolder(name), migration)} has changed since it was applied to ${file}. ` +
          `Undo the change, and write a new migration: npm run db:new -- ${name} <name>`,
      );
    }
  }
}

/**
 * Deletes the search index when it is damaged or another version made it; the start then rebuilds it from the product's
 * database. Returns whether it deleted the index.
 */
export function dropDamagedSearchIndex(data_dir: string): boolean {
  const file = storageFile(data_dir, "search");
  if (!existsSync(file)) return false;
  try {
    readDatabase(file, (database) => {
      const { quick_check } = database.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
      if (quick_check !== "ok") throw new Error(quick_check);
      assertKnownMigrations("search", file, database);
    });
    return false;
  } catch {
    deleteDatabase(file);
    return true;
  }
}

/**
 * Deletes the bytes of uploads that a kill or a full disk cut off: no object of the bucket names them. Call it only
 * while nobody serves the folder, because an upload in progress has no object yet.
 */
export function deleteStrayBlobs(data_dir: string): void {
  if (!hasBlobs(data_dir) || !existsSync(storageFile(data_dir, "media"))) return;
  const known = readDatabase(storageFile(data_dir, "media"), (bucket) => {
    const ids = bucket.prepare(
      "SELECT blob_id FROM _mf_objects WHERE blob_id IS NOT NULL UNION ALL SELECT blob_id FROM _mf_multipart_parts",
    );
    return new Set(Array.from(ids.iterate(), ({ blob_id }) => String(blob_id)));
  });
  for (const blob_id of readdirSync(blobsFolder(data_dir))) {
    if (!known.has(blob_id)) rmSync(join(blobsFolder(data_dir), blob_id));
  }
}

/**
 * Closes the folder to all other users of the machine, and makes this process and its workerd processes create private
 * files only.
 */
export function keepPrivate(data_dir: string): void {
  process.umask(0o077);
  if ((statSync(data_dir).mode & 0o077) === 0) return;
  for (const entry of readdirSync(data_dir, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  }
  // Changes the folder itself last, so that a start that was killed halfway is repeated.
  chmodSync(data_dir, 0o700);
}
