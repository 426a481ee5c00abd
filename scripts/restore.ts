/** `npm run restore -- <folder>`: fills an empty data folder from a backup, and compares every checksum. */
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildStorage, copyStorage, damagedFiles, differences, type Manifest, readManifest } from "./archive.ts";
import { claimData } from "./data-claim.ts";
import { Refusal } from "./refusal.ts";
import { readSettings } from "./settings.ts";
import { persistencePath, seedingRecord, withStorage } from "./storage.ts";

/**
 * Restores a backup into a data folder that has no data; its secrets stay, and come from the backup only where it has
 * them and the folder has none. The data appear when every checksum is that of the backup, and not before.
 *
 * @throws Refusal when the folder has data, somebody serves it, or the backup is not whole and as it was written.
 */
export async function restore(folder: string, data_dir: string): Promise<Manifest> {
  const manifest = readManifest(folder);
  const damaged = await damagedFiles(folder, manifest);
  if (damaged.length > 0) throw new Refusal(`Missing or changed in ${folder}: ${damaged.join(", ")}.`);
  const claim = await claimData(data_dir);
  try {
    if (existsSync(persistencePath(data_dir))) {
      throw new Refusal(`${data_dir} has data. Set DATA_DIR to an empty folder, or npm run db:reset first.`);
    }
    const kept_secrets = join(folder, "secrets.json");
    const secrets = join(data_dir, "secrets.json");
    const building = join(data_dir, "restoring");
    rmSync(building, { recursive: true, force: true });
    const found = await withStorage(building, claim, async (storage) => {
      await buildStorage(storage, folder, manifest);
      return copyStorage(storage, null);
    });
    const differ = differences(manifest, found);
    if (differ.length > 0) throw new Refusal(`What was restored is not what the backup says:\n${differ.join("\n")}`);
    if (existsSync(kept_secrets) && !existsSync(secrets)) {
      copyFileSync(kept_secrets, secrets);
    }
    if (manifest.demo_world !== null) writeFileSync(seedingRecord(data_dir), manifest.demo_world);
    renameSync(persistencePath(building), persistencePath(data_dir));
    return manifest;
  } finally {
    rmSync(join(data_dir, "restoring"), { recursive: true, force: true });
    claim.release();
  }
}

if (import.meta.main) {
  try {
    const [folder, ...more] = process.argv.slice(2);
    if (!folder || more.length > 0) throw new Refusal("restore <folder>   fills an empty data folder from a backup");
    const { data_dir } = readSettings();
    const { taken_at } = await restore(resolve(folder), data_dir);
    console.log(`${data_dir} is as it was at ${taken_at}; every checksum agrees.`);
    if (!existsSync(join(data_dir, "secrets.json"))) {
      console.log("It has no secrets.json: without the old ENCRYPTION_KEY nobody can sign in. See docs/operations.md.");
    }
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  }
}
