/**
 * `npm run backup`: copies the data folder, which may be in use, and verifies the copy. A timer adds a backup to a folder of
 * backups (`--to`).
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { KEPT_APART, type Links, linksOfBackup, type Written, writeArchive } from "./archive.ts";
import { findNewest, type KeepRule, nameOfMoment, parseKeepRule, thinOut, UNFINISHED } from "./backup-series.ts";
import { persistencePath, settleWorld } from "./data-folder.ts";
import { sendOffSite } from "./off-site.ts";
import { Refusal, reportFailure } from "./refusal.ts";
import { readSettings } from "./settings.ts";

const usage = `backup <folder>                one backup; the folder is made, or empty
backup --to <folder>           adds a backup to a folder of backups, and deletes old ones
  --keep 7d,4w,12m             the newest of each of the latest 7 days, 4 weeks and 12 months (this is also the default)
  --offsite <remote:path>      then sends what is missing there with rclone; also from the variable BACKUP_OFFSITE
  --with-secrets               also copies secrets.json, settings.env and site.json: anybody who gets them can read and forge
                               every session and picture URL, and send mail as the site`;

/** The exit code of a backup that is complete except for objects whose bytes the site itself has lost. */
const INCOMPLETE = 2;

export interface BackUpOptions {
  with_secrets?: boolean;
  /** Where blobs are that need no copy. */
  links?: Links | undefined;
}

/**
 * Writes a backup of the data folder. The site may run meanwhile: the backup holds the state at its start.
 *
 * @throws Refusal when the backup folder is not empty, or the data are missing or damaged.
 */
export async function backUp(
  data_dir: string,
  folder: string,
  { with_secrets = false, links }: BackUpOptions = {},
): Promise<Written> {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Refusal(`${folder} is not empty.`);
  if (!existsSync(persistencePath(data_dir))) throw new Refusal(`There are no data in ${data_dir}.`);
  const { world, is_made } = settleWorld(data_dir, undefined);
  if (!is_made) throw new Refusal(`The data in ${data_dir} are just being made.`);
  if (with_secrets && !existsSync(join(data_dir, "secrets.json"))) {
    throw new Refusal(`There is no secrets.json in ${data_dir}.`);
  }
  process.umask(0o077);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const also = with_secrets ? KEPT_APART.filter((file) => existsSync(join(data_dir, file))) : [];
  return writeArchive(data_dir, folder, world, { also, links });
}

interface Added extends Written {
  folder: string;
  /** The name of the backup whose blobs were linked; null for a first one. */
  former: string | null;
}

/**
 * Adds a backup to a folder of backups. Blobs that the newest backup already has become links. The folder gets its name
 * when the backup is complete.
 *
 * @throws Refusal as {@link backUp} does, and for a second backup of the same second.
 */
export async function addBackup(
  data_dir: string,
  series: string,
  now: Date,
  options: Omit<BackUpOptions, "links"> = {},
): Promise<Added> {
  const folder = join(series, nameOfMoment(now));
  const unfinished = folder + UNFINISHED;
  if (existsSync(folder) || mkdirSync(unfinished, { recursive: true, mode: 0o700 }) === undefined) {
    throw new Refusal(`Another backup of this second is in ${series}. Start this one again.`);
  }
  try {
    const former = findNewest(series);
    // Without its checksums, nothing of the former backup is linked.
    const links = former === null ? undefined : await linksOfBackup(join(series, former)).catch(() => undefined);
    const written = await backUp(data_dir, unfinished, { ...options, links });
    renameSync(unfinished, folder);
    return { ...written, folder, former };
  } catch (error) {
    // The disk may be full.
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

interface Arguments {
  folder: string;
  /** Null for a single backup in the folder. */
  keep: KeepRule | null;
  with_secrets: boolean;
  offsite: string | null;
}

/** Throws a Refusal with the usage for arguments that mean nothing. */
export function readArguments(args: string[]): Arguments {
  const parse = () =>
    parseArgs({
      args,
      allowPositionals: true,
      options: {
        to: { type: "string" },
        keep: { type: "string" },
        offsite: { type: "string" },
        "with-secrets": { type: "boolean" },
      },
    });
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse();
  } catch {
    // An unknown option.
    throw new Refusal(usage);
  }
  const [one, ...more] = parsed.positionals;
  const { to, keep, offsite = process.env.BACKUP_OFFSITE, "with-secrets": with_secrets = false } = parsed.values;
  const is_series = to !== undefined && one === undefined;
  const is_single = to === undefined && keep === undefined && one !== undefined && more.length === 0;
  if (!is_series && !is_single) throw new Refusal(usage);
  const folder = resolve(to ?? one ?? "");
  return {
    folder,
    keep: is_series ? parseKeepRule(keep ?? "7d,4w,12m") : null,
    with_secrets,
    offsite: offsite || null,
  };
}

function report({ manifest, blobs_count, linked_count }: Written, folder: string, former: string | null): void {
  for (const [database, tables] of Object.entries(manifest.databases)) {
    for (const [table, { rows }] of Object.entries(tables)) console.log(`${database}.${table}`.padEnd(32), rows);
  }
  const linked = former === null ? "" : `, ${linked_count} of them as links to ${former}`;
  console.log(`${folder} has ${blobs_count} files of the bucket${linked}.`);
  if (manifest.missing_objects.length === 0) {
    console.log("Every file was read back and is as it was written.");
    return;
  }
  console.error("Incomplete: of these objects the site itself has no whole bytes. Everything else is in it.");
  for (const key of manifest.missing_objects) console.error(`  ${key}`);
  process.exitCode = INCOMPLETE;
}

/** Makes the backup that the command line asks for. Returns its folder. */
async function makeBackup(data_dir: string, { folder, keep, with_secrets }: Arguments): Promise<string> {
  if (keep === null) {
    report(await backUp(data_dir, folder, { with_secrets }), folder, null);
    return folder;
  }
  const now = new Date();
  const added = await addBackup(data_dir, folder, now, { with_secrets });
  report(added, added.folder, added.former);
  const deleted = thinOut(folder, keep, now);
  console.log(deleted.length > 0 ? `Deleted by the rule: ${deleted.join(", ")}.` : "The rule deletes no backup.");
  return added.folder;
}

if (import.meta.main) {
  try {
    const asked = readArguments(process.argv.slice(2));
    const made = await makeBackup(readSettings().data_dir, asked);
    if (!asked.with_secrets)
      console.log("secrets.json and a site's settings are not in it: keep those files elsewhere, or --with-secrets.");
    if (asked.offsite) {
      await sendOffSite(made, asked.offsite, basename(made));
      console.log(`It is at ${asked.offsite}, too.`);
    }
  } catch (error) {
    reportFailure("The backup", error);
  }
}
