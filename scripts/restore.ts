/**
 * `npm run restore`: fills an empty data folder from a backup and verifies the written files, or tries a backup out
 * (`--drill`).
 */
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { KEPT_APART, type Manifest, readManifest, unpackArchive } from "./archive.ts";
import { claimData, type DataClaim } from "./data-claim.ts";
import { isSiteFolder, persistencePath, storageFile, type World, writeFolderRecord } from "./data-folder.ts";
import { checkRestored } from "./drill.ts";
import type { FirstManifest } from "./first-archive.ts";
import { Refusal, reportFailure } from "./refusal.ts";
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

/** @throws Refusal for a demo in a folder with the settings of a site, which no start would serve. */
function assertFits(folder: string, world: World, data_dir: string): void {
  if (world === "demo" && isSiteFolder(data_dir)) {
    throw new Refusal(
      `${folder} is a backup of a demo, whose people have a published password, and ${data_dir} is the folder of a site. ` +
        `Let DATA_DIR name another folder.`,
    );
  }
}

/**
 * Pauses payouts in a folder that is being restored: the gateway may have paid what the books say is on a balance again. Returns
 * whether it did; the databases of early versions cannot.
 */
export function pausePayouts(building: string): boolean {
  const api = new DatabaseSync(storageFile(building, "api"));
  try {
    if (!api.prepare("SELECT 1 FROM sqlite_master WHERE name = 'paused_features'").get()) return false;
    // Databases from before migration 0087 do not allow the row, and the migration keeps it.
    api.exec("PRAGMA ignore_check_constraints = ON");
    api
      .prepare(
        "INSERT OR IGNORE INTO paused_features (feature, reason, operator, paused_at) VALUES ('payouts', ?, ?, ?)",
      )
      .run("控えから戻したため。控えより後の振込を、記録と照らし合わせます。", "restore", new Date().toISOString());
    return true;
  } finally {
    api.close();
  }
}

/**
 * Restores a backup into a data folder without data. The folder's secrets and settings stay; it takes those of the backup
 * only if it has none. The data appear in their place only after every written file is verified. The folder becomes a demo or a
 * site, as the backup's folder was. Payouts are paused, except in a drill, which compares the data with the backup.
 *
 * @throws Refusal when the folder has data or is of the other kind, a server uses it, or the backup is incomplete or changed.
 */
export async function restoreBackup(
  folder: string,
  data_dir: string,
  { is_drill = false } = {},
): Promise<{ manifest: AnyManifest; has_paused_payouts: boolean }> {
  const manifest = readManifest(folder) as AnyManifest;
  if (manifest.format !== 1 && manifest.format !== 2) {
    throw new Refusal(`${folder} is a backup of another format: restore it with the version that wrote it.`);
  }
  if (manifest.format === 2) assertFits(folder, manifest.world, data_dir);
  const claim = await claimData(data_dir);
  const building = join(data_dir, "restoring");
  try {
    if (existsSync(persistencePath(data_dir))) {
      throw new Refusal(
        `${data_dir} has data, which a restore does not replace: let SITE_FOLDER (or DATA_DIR) name an empty folder.`,
      );
    }
    rmSync(building, { recursive: true, force: true });
    const world = await unpackAnyFormat(folder, manifest, building, claim);
    assertFits(folder, world, data_dir);
    for (const file of KEPT_APART) {
      const [kept, own] = [join(folder, file), join(data_dir, file)];
      if (existsSync(kept) && !existsSync(own)) copyFileSync(kept, own);
    }
    const has_paused_payouts = !is_drill && pausePayouts(building);
    renameSync(persistencePath(building), persistencePath(data_dir));
    writeFolderRecord(data_dir, { world, is_made: true });
    return { manifest, has_paused_payouts };
  } finally {
    rmSync(building, { recursive: true, force: true });
    claim.release();
  }
}

/**
 * Restores a backup into a folder of its own below TMPDIR, which reads every file and compares its checksum, and checks the
 * data. Deletes the folder whatever happens, and serves nothing.
 *
 * @throws Refusal that names the fault.
 */
export async function drillBackup(folder: string): Promise<Manifest> {
  const data_dir = mkdtempSync(join(tmpdir(), "ofuse-drill-"));
  try {
    const { manifest } = await restoreBackup(folder, data_dir, { is_drill: true });
    if (manifest.format === 1) throw new Refusal("Backups of the first format have no drill.");
    await checkRestored(data_dir, manifest);
    return manifest;
  } finally {
    rmSync(data_dir, { recursive: true, force: true });
  }
}

const usage = `restore <folder>             fills an empty data folder from a backup
restore --drill <folder>     restores a backup into a temporary folder, checks it, and deletes the folder
restore --lost <folder>      names what people and operators did that a restored folder does not know; <folder> is the data
                             folder that it replaced
  --depart                   also lets the people leave again who had left; the restored folder must not be served`;

interface Arguments {
  folder: string;
  act: "restore" | "drill" | "lost" | "depart";
}

/** Throws a Refusal with the usage for arguments that mean nothing. */
export function readArguments(args: string[]): Arguments {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { drill: { type: "boolean" }, lost: { type: "boolean" }, depart: { type: "boolean" } },
    });
    const [folder, ...more] = positionals;
    const { drill = false, lost = false, depart = false } = values;
    const is_one_act = lost ? !drill : !depart;
    const act = drill ? "drill" : depart ? "depart" : lost ? "lost" : "restore";
    if (folder && more.length === 0 && is_one_act) return { folder: resolve(folder), act };
  } catch {
    // For an unknown option, throw the usage below.
  }
  throw new Refusal(usage);
}

async function drill(folder: string): Promise<void> {
  const began_ms = performance.now();
  const { taken_at, missing_objects } = await drillBackup(folder);
  const seconds = Math.ceil((performance.now() - began_ms) / 1000);
  console.log(`${folder} can be restored to ${taken_at}: every file, every table and the books hold. ${seconds} s.`);
  if (missing_objects.length > 0) {
    throw new Refusal(
      `But it has no bytes of ${missing_objects.length} objects, the first of which is ${missing_objects[0]}.`,
    );
  }
}

async function restore(folder: string): Promise<void> {
  const { data_dir } = readSettings();
  const { manifest, has_paused_payouts } = await restoreBackup(folder, data_dir);
  console.log(`${data_dir} is as it was at ${manifest.taken_at}; everything written was read back.`);
  for (const key of "missing_objects" in manifest ? manifest.missing_objects : []) {
    console.log(`The backup has no bytes of the object ${key}.`);
  }
  if (!existsSync(join(data_dir, "secrets.json"))) {
    console.log("It has no secrets.json: without the old ENCRYPTION_KEY nobody can sign in. See docs/operations.md.");
  }
  console.log(describeForgottenMoney(manifest.taken_at, has_paused_payouts));
}

/** Tells an operator why payouts are paused, and how they continue. */
function describeForgottenMoney(taken_at: string, has_paused_payouts: boolean): string {
  const unknown = `npm run operator -- money unknown --since ${taken_at}`;
  return `The books have forgotten what the gateway has paid, charged and refunded since the backup. ${
    has_paused_payouts
      ? "So payouts are paused."
      : "The backup is older than the pause of payouts: run npm run operator -- money pause <reason> before anything is served."
  }
  ${unknown}            names what it was
  ${unknown} --settle   records it, or gives it back
  npm run operator -- money resume <reason>   when nothing is unknown any more but lines with payment_withdrawn
See docs/operations.md, "Backup and restore", step 5.`;
}

/** Names what the restore has undone, and lets people leave again if `is_departing`. */
async function tellLost(folder: string, is_departing: boolean): Promise<void> {
  const { data_dir } = readSettings();
  // Load this module only here: it has all of the API's domains.
  const { departAgain, describeLost } = await import("./lost-changes.ts");
  if (is_departing) {
    for (const { link_id, identity_id, refusal } of await departAgain(data_dir, folder)) {
      console.log(refusal === null ? `@${link_id} has left again.` : `@${link_id} (${identity_id}) stays: ${refusal}.`);
    }
  }
  console.log(describeLost(data_dir, folder));
}

if (import.meta.main) {
  try {
    const { folder, act } = readArguments(process.argv.slice(2));
    if (act === "drill") await drill(folder);
    else if (act === "restore") await restore(folder);
    else await tellLost(folder, act === "depart");
  } catch (error) {
    reportFailure("The data folder", error);
  }
}
