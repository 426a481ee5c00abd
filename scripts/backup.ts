/** `npm run backup -- <folder>`: copies the data folder, which may be in use, and verifies the copy. */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Manifest, writeArchive } from "./archive.ts";
import { persistencePath, settleWorld } from "./data-folder.ts";
import { Refusal } from "./refusal.ts";
import { readSettings } from "./settings.ts";

const usage = `backup <folder> [--with-secrets]
  <folder>         is made, or empty
  --with-secrets   also copies secrets.json: whoever has it can read and forge every session and picture URL`;

/** The exit code of a backup that is complete except for objects whose bytes the site itself has lost. */
const INCOMPLETE = 2;

/**
 * Writes a backup of the data folder. The site may run meanwhile: the backup holds the state at its start.
 *
 * @throws Refusal when the backup folder is not empty, or the data are missing or damaged.
 */
export async function backUp(data_dir: string, folder: string, { with_secrets = false } = {}): Promise<Manifest> {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Refusal(`${folder} is not empty.`);
  if (!existsSync(persistencePath(data_dir))) throw new Refusal(`There are no data in ${data_dir}.`);
  const { world, is_made } = settleWorld(data_dir, undefined);
  if (!is_made) throw new Refusal(`The data in ${data_dir} are just being made.`);
  if (with_secrets && !existsSync(join(data_dir, "secrets.json"))) {
    throw new Refusal(`There is no secrets.json in ${data_dir}.`);
  }
  process.umask(0o077);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return writeArchive(data_dir, folder, world, with_secrets ? ["secrets.json"] : []);
}

function readArguments(): { folder: string; with_secrets: boolean } {
  try {
    const options = { "with-secrets": { type: "boolean" } } as const;
    const { positionals, values } = parseArgs({ allowPositionals: true, options });
    const [folder, ...more] = positionals;
    if (folder && more.length === 0) return { folder: resolve(folder), with_secrets: values["with-secrets"] ?? false };
  } catch {
    // For an unknown option, throw the usage below.
  }
  throw new Refusal(usage);
}

if (import.meta.main) {
  try {
    const { folder, with_secrets } = readArguments();
    const { databases, missing_objects } = await backUp(readSettings().data_dir, folder, { with_secrets });
    for (const [database, tables] of Object.entries(databases)) {
      for (const [table, { rows }] of Object.entries(tables)) console.log(`${database}.${table}`.padEnd(32), rows);
    }
    if (!with_secrets) console.log("secrets.json is not in it: keep that file elsewhere, or --with-secrets.");
    if (missing_objects.length === 0) {
      console.log("Every file was read back and is as it was written.");
    } else {
      console.error(`Incomplete: of these objects the site itself has no whole bytes. Everything else is in it.`);
      for (const key of missing_objects) console.error(`  ${key}`);
      process.exitCode = INCOMPLETE;
    }
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  }
}
