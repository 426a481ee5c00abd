/** Opens the databases and the bucket of a data folder without any worker. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { linksOfData } from "./archive.ts";
import { backUp } from "./backup.ts";
import { nameOfMoment, UNFINISHED } from "./backup-series.ts";
import type { DataClaim } from "./data-claim.ts";
import {
  assertRoom,
  assertServable,
  databaseIds,
  deleteStrayBlobs,
  dropDamagedSearchIndex,
  keptFiles,
  persistencePath,
  readDatabase,
  readFolderRecord,
  settleWorld,
  storageFile,
  storageIds,
  type World,
  writeFolderRecord,
} from "./data-folder.ts";
import type { Storage } from "./demo/seed.ts";
import { listMigrations, migrateDatabases } from "./migrations.ts";
import { Refusal } from "./refusal.ts";
import { finishSearchRebuild } from "./search-index.ts";
import { readSecrets } from "./secrets.ts";
import { openSql, sqlWorker } from "./sql.ts";

/** Opens the storage for `work`, returns the result of `work`, and closes the storage. */
export async function withStorage<T>(
  data_dir: string,
  claim: DataClaim,
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...sqlWorker(databaseIds),
      cf: false,
      resourcePersistencePath: persistencePath(data_dir),
      r2Buckets: { MEDIA: storageIds.media },
    }),
  );
  try {
    await claim.recordDuring(miniflare.ready);
    return await work({
      api: openSql(miniflare, "api"),
      identity: openSql(miniflare, "identity"),
      search: openSql(miniflare, "search"),
      mails: openSql(miniflare, "mails"),
      gateway: openSql(miniflare, "gateway"),
      // Miniflare's type uses undici's Headers. The bucket's methods accept them.
      media: (await miniflare.getR2Bucket("MEDIA")) as unknown as R2Bucket,
    });
  } finally {
    await miniflare.dispose();
  }
}

/** How many of the backups before upgrades are kept. */
const KEPT_UPGRADES = 3;

/** Returns the first migration that a database of the folder lacks, as `api-0062_imports_of_radios`; null when none does. */
export function findPendingMigration(data_dir: string): string | null {
  for (const name of keptFiles) {
    const file = storageFile(data_dir, name);
    if (name === "media" || !existsSync(file)) continue;
    const applied = readDatabase(file, (database) => {
      const rows = database.prepare("SELECT name FROM d1_migrations").all();
      return new Set(rows.map((row) => String(row.name)));
    });
    const pending = listMigrations(name).find((migration) => !applied.has(migration));
    if (pending) return `${name}-${pending.replace(/\.sql$/, "")}`;
  }
  return null;
}

/**
 * Makes a backup of a site before its databases are migrated, in `backups` of its folder. The bucket's bytes become links.
 * Keeps the backups before the latest upgrades, and says what it did.
 *
 * @throws Refusal when the backup fails. The site must not be migrated then.
 */
async function backUpBeforeUpgrade(data_dir: string): Promise<void> {
  const pending = findPendingMigration(data_dir);
  if (pending === null) return;
  const series = join(data_dir, "backups");
  const folder = join(series, `before-${pending}`);
  // A start that was stopped between its backup and its migrations has made one already.
  const made = existsSync(folder) ? `${folder}-${nameOfMoment(new Date())}` : folder;
  try {
    rmSync(made + UNFINISHED, { recursive: true, force: true });
    await backUp(data_dir, made + UNFINISHED, { links: linksOfData(data_dir) });
    renameSync(made + UNFINISHED, made);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Refusal(`The upgrade has not begun, because the backup before it failed: ${reason}`);
  }
  console.log(`Before the upgrade, a backup was made: ${made}`);
  const earlier = readdirSync(series)
    .filter((name) => name.startsWith("before-"))
    .map((name) => ({ name, made_ms: statSync(join(series, name)).mtimeMs }))
    .sort((a, b) => b.made_ms - a.made_ms);
  for (const { name } of earlier.slice(KEPT_UPGRADES)) rmSync(join(series, name), { recursive: true, force: true });
}

/**
 * Prepares the folder for serving: checks it, backs a site up before an upgrade, migrates it, and fills a new demo folder with the demo world. Then
 * completes an incomplete search index: in a new folder, after a restore, and after an interrupted rebuild. Returns
 * whether the folder holds a demo or a site. Fills a folder again if a kill interrupted the start that filled it.
 *
 * @param wanted the kind of a new folder, by default a demo.
 * @throws Refusal when the folder holds the other kind, or data that this version may not serve.
 */
export async function prepareData(data_dir: string, claim: DataClaim, wanted?: World): Promise<World> {
  const { world, is_made } = settleWorld(data_dir, wanted);
  if (!is_made) assertRoom(data_dir);
  // Before a migration, which shows whether the folder may lack a secret.
  const secrets = readSecrets(data_dir);
  const data = persistencePath(data_dir);
  if (is_made) {
    assertServable(data_dir);
    deleteStrayBlobs(data_dir);
    if (dropDamagedSearchIndex(data_dir))
      console.error("The search index was damaged or of another version: it is made again.");
    if (world === "site") await backUpBeforeUpgrade(data_dir);
  } else if (readFolderRecord(data_dir) || existsSync(join(data_dir, "demo-world.begun"))) {
    rmSync(data, { recursive: true, force: true });
  }
  const is_new = !is_made;
  const now_ms = Date.now();
  // Make the world before opening the storage: the work takes longer than an idle connection lasts.
  const seed = is_new && world === "demo" ? await import("./demo/seed.ts") : null;
  const demo_world = await seed?.makeDemoWorld(now_ms);
  const demo = demo_world && (await import("./demo/money.ts"));
  const money = demo && (await demo.makeDemoMoney(demo_world, now_ms, secrets));
  writeFolderRecord(data_dir, { world, is_made });
  await withStorage(data_dir, claim, async (storage) => {
    await migrateDatabases(storage);
    if (seed && demo_world) await seed.storeDemoWorld(demo_world, storage);
    await finishSearchRebuild(storage);
  });
  if (demo && money) {
    for (const name of ["api", "gateway"] as const) demo.writeRecorded(storageFile(data_dir, name), money[name]);
  }
  writeFolderRecord(data_dir, { world, is_made: true });
  return world;
}

/** Deletes the cached pages of other builds: this build never asks for them. */
export function dropForeignCopies(data_dir: string, build: string): void {
  const record = join(data_dir, "copies-of.txt");
  if (existsSync(record) && readFileSync(record, "utf8") === build) return;
  rmSync(join(persistencePath(data_dir), "cache"), { recursive: true, force: true });
  writeFileSync(record, build);
}

/** Returns the names of the files and folders that hold the data of a data folder. */
export function listData(data_dir: string): string[] {
  // Versions before folder.json wrote the `demo-world.*` files; scripts/bench/world.ts writes `bench-world.*`.
  const records = ["folder.json", "demo-world.json", "demo-world.begun", "bench-world.json", "bench-world.begun"];
  return ["v3", ...records].filter((name) => existsSync(join(data_dir, name)));
}

/** Deletes everything stored in the folder except the secrets. */
export function deleteData(data_dir: string): void {
  for (const name of listData(data_dir)) rmSync(join(data_dir, name), { recursive: true, force: true });
}
