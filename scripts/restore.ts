/** `npm run restore -- <folder>`: fills an empty data folder from a backup and verifies the written files. */
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Manifest, readManifest, unpackArchive } from "./archive.ts";
import { claimData, type DataClaim } from "./data-claim.ts";
import { persistencePath, type World, writeFolderRecord } from "./data-folder.ts";
import type { FirstManifest } from "./first-archive.ts";
import { Refusal } from "./refusal.ts";
import { readSettings } from "./settings.ts";

type AnyManifest = Manifest | FirstManifest;

/** Fills `building` from a backup of either format. Returns whether the backup is of a demo or a site. */
async function unpackAnyFormat(
  folder: string,
  manifest: AnyManifest,
  building: string,
  claim: DataClaim,
): Promise<World> {
  if (manifest.format === 1) {
    const { unpackFirstArchive } = await import("./first-archive.ts");
    return unpackFirstArchive(folder, manifest, building, claim);
  }
  await unpackArchive(folder, manifest, building);
  return manifest.world;
}

/**
 * Restores a backup into a data folder without data. The folder's secrets stay; it takes those of the backup only if it
 * has none. The data appear in their place only after every written file is verified. The folder becomes a demo or a
 * site, as the backup's folder was.
 *
 * @throws Refusal when the folder has data, a server uses it, or the backup is incomplete or changed.
 */
export async function restoreBackup(folder: string, data_dir: string): Promise<AnyManifest> {
  const manifest = readManifest(folder) as AnyManifest;
  if (manifest.format !== 1 && manifest.format !== 2) {
    throw new Refusal(`${folder} is a backup of another format: restore it with the version that wrote it.`);
  }
  const claim = await claimData(data_dir);
  const building = join(data_dir, "restoring");
  try {
    if (existsSync(persistencePath(data_dir))) {
      throw new Refusal(`${data_dir} has data. Set DATA_DIR to an empty folder, or npm run db:reset first.`);
    }
    rmSync(building, { recursive: true, force: true });
    const world = await unpackAnyFormat(folder, manifest, building, claim);
    const kept_secrets = join(folder, "secrets.json");
    const secrets = join(data_dir, "secrets.json");
    if (existsSync(kept_secrets) && !existsSync(secrets)) copyFileSync(kept_secrets, secrets);
    renameSync(persistencePath(building), persistencePath(data_dir));
    writeFolderRecord(data_dir, { world, is_made: true });
    return manifest;
  } finally {
    rmSync(building, { recursive: true, force: true });
    claim.release();
  }
}

if (import.meta.main) {
  try {
    const [folder, ...more] = process.argv.slice(2);
    if (!folder || more.length > 0) throw new Refusal("restore <folder>   fills an empty data folder from a backup");
    const { data_dir } = readSettings();
    const manifest = await restoreBackup(resolve(folder), data_dir);
    console.log(`${data_dir} is as it was at ${manifest.taken_at}; everything written was read back.`);
    for (const key of "missing_objects" in manifest ? manifest.missing_objects : []) {
      console.log(`The backup has no bytes of the object ${key}.`);
    }
    if (!existsSync(join(data_dir, "secrets.json"))) {
      console.log("It has no secrets.json: without the old ENCRYPTION_KEY nobody can sign in. See docs/operations.md.");
    }
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  }
}
