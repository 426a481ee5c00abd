/** `npm run backup -- <folder>`: copies the data folder, while nobody serves it, into plain files with checksums. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { copyStorage, type Manifest, writeManifest } from "./archive.ts";
import { claimData } from "./data-claim.ts";
import { Refusal } from "./refusal.ts";
import { readSettings } from "./settings.ts";
import { persistencePath, seedingRecord, withStorage } from "./storage.ts";

const usage = `backup <folder> [--with-secrets]
  <folder>         is made, or empty
  --with-secrets   also copies secrets.json: whoever has it can read and forge every session and picture URL`;

/**
 * Writes a backup of the data folder.
 *
 * @throws Refusal when the folder is not empty, there are no data, or somebody serves them.
 */
export async function backUp(data_dir: string, folder: string, { with_secrets = false } = {}): Promise<Manifest> {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Refusal(`${folder} is not empty.`);
  if (!existsSync(persistencePath(data_dir))) throw new Refusal(`There are no data in ${data_dir}.`);
  const claim = await claimData(data_dir);
  try {
    const taken_at = new Date().toISOString();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const content = await withStorage(data_dir, claim, (storage) => copyStorage(storage, folder));
    if (with_secrets) copyFileSync(join(data_dir, "secrets.json"), join(folder, "secrets.json"));
    const seeded = seedingRecord(data_dir);
    const demo_world = existsSync(seeded) ? readFileSync(seeded, "utf8") : null;
    const manifest: Manifest = { format: 1, taken_at, ...content, demo_world };
    writeManifest(folder, manifest);
    return manifest;
  } finally {
    claim.release();
  }
}

function readArguments(): { folder: string; with_secrets: boolean } {
  try {
    const options = { "with-secrets": { type: "boolean" } } as const;
    const { positionals, values } = parseArgs({ allowPositionals: true, options });
    const [folder, ...more] = positionals;
    if (folder && more.length === 0) return { folder: resolve(folder), with_secrets: values["with-secrets"] ?? false };
  } catch {
    // An option that there is not: told below.
  }
  throw new Refusal(usage);
}

if (import.meta.main) {
  try {
    const { folder, with_secrets } = readArguments();
    const { databases, objects } = await backUp(readSettings().data_dir, folder, { with_secrets });
    for (const [database, { tables }] of Object.entries(databases)) {
      for (const [table, { rows }] of Object.entries(tables)) console.log(`${database}.${table}`.padEnd(32), rows);
    }
    console.log("objects".padEnd(32), objects.length);
    if (!with_secrets) console.log("secrets.json is not in it: keep that file elsewhere, or --with-secrets.");
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  }
}
