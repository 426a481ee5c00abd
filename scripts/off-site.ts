/**
 * Copies a backup to another place with rclone, which knows S3 and most other stores, and resumes and checks what it sends
 * (docs/decisions/0055). Every backup there shares the folder `blobs`, so that a blob is sent once. `npm run backup:prune`, on
 * a machine that may delete there, deletes the blobs that no backup there lists any more.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { assertListUnchanged, linksOfBackup, type Manifest, readManifest } from "./archive.ts";
import { Refusal, reportFailure } from "./refusal.ts";

/**
 * Runs rclone with the terminal of this process. Returns its output if `is_read`, which is then not shown.
 *
 * @throws Refusal when it is not installed, or fails.
 */
async function rclone(args: readonly string[], { is_read = false } = {}): Promise<string> {
  const child = spawn("rclone", args, { stdio: ["ignore", is_read ? "pipe" : "inherit", "inherit"] });
  const ended = new Promise<void>((done, fail) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      const is_missing = error.code === "ENOENT";
      fail(new Refusal(is_missing ? "rclone is not installed (apt install rclone)." : `rclone: ${error.message}`));
    });
    child.on("close", (code) => {
      if (code === 0) done();
      else fail(new Refusal(`rclone ${args[0]} failed (${code}).`));
    });
  });
  const [output] = await Promise.all([child.stdout ? text(child.stdout) : "", ended]);
  return output;
}

const placeOf = (remote: string) => remote.replace(/\/+$/, "");

/**
 * Sends what is missing of a backup to a remote place such as `b2:ofuse-backups`. Sends the manifest last, so that a backup
 * whose sending was cut off is no backup there.
 *
 * @param name the backup's name there.
 * @throws Refusal when rclone is not installed, or fails.
 */
export async function sendOffSite(folder: string, remote: string, name: string): Promise<void> {
  const place = placeOf(remote);
  // A blob never changes under its name, so its size says whether it is there whole. Its time may be that of a new copy.
  await rclone(["copy", "--size-only", join(folder, "blobs"), `${place}/blobs`]);
  await rclone(["copy", "--exclude", "/blobs/**", "--exclude", "/manifest.json", folder, `${place}/backups/${name}`]);
  await rclone(["copy", "--include", "/manifest.json", folder, `${place}/backups/${name}`]);
}

/** A younger blob may belong to a backup that is being sent, whose list comes after its blobs. */
const SPARED = "7d";

interface Unlisted {
  /** The names of the blobs that no backup there lists. */
  blobs: string[];
  bytes: number;
  /** How many blobs are there, except the young ones. */
  of: number;
  backups_count: number;
}

/**
 * Finds the blobs of a remote place that no backup there lists, and deletes them if `is_deleting`. A backup whose sending was
 * cut off keeps the blobs that it lists.
 *
 * @throws Refusal when rclone fails, there is no whole backup, or a list is not the one that its manifest names: then nothing
 * is deleted.
 */
export async function pruneOffSite(remote: string, is_deleting: boolean): Promise<Unlisted> {
  const place = placeOf(remote);
  const folder = mkdtempSync(join(tmpdir(), "ofuse-lists-"));
  try {
    const age = ["--use-server-modtime", "--min-age", SPARED];
    const output = await rclone(["lsf", "--files-only", "--format", "sp", ...age, `${place}/blobs`], { is_read: true });
    await rclone(["copy", "--include", "/*/SHA256SUMS", "--include", "/*/manifest.json", `${place}/backups`, folder]);
    const { listed, backups_count } = await readLists(folder);
    if (backups_count === 0) throw new Refusal(`There is no whole backup in ${place}/backups: nothing is deleted.`);
    const there = [...output.matchAll(/^(\d+);([\w.-]+)$/gm)].map(([, bytes, name = ""]) => ({ name, bytes }));
    const unlisted = there.filter(({ name }) => !listed.has(name));
    const blobs = unlisted.map(({ name }) => name);
    if (is_deleting && blobs.length > 0) {
      const names = join(folder, "unlisted.txt");
      writeFileSync(names, `${blobs.join("\n")}\n`);
      await rclone(["delete", "--files-from", names, `${place}/blobs`]);
    }
    const bytes = unlisted.reduce((sum, blob) => sum + Number(blob.bytes), 0);
    return { blobs, bytes, of: there.length, backups_count };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the lists of backups. Returns the blobs that any of them names, and how many backups are whole. */
async function readLists(folder: string): Promise<{ listed: Set<string>; backups_count: number }> {
  const listed = new Set<string>();
  let backups_count = 0;
  for (const name of readdirSync(folder)) {
    const backup = join(folder, name);
    if (existsSync(join(backup, "manifest.json"))) {
      await assertListUnchanged(backup, readManifest(backup) as Manifest);
      backups_count += 1;
    }
    const { sums } = await linksOfBackup(backup);
    for (const blob of sums?.keys() ?? []) listed.add(blob);
  }
  return { listed, backups_count };
}

const usage = `backup:prune <remote:path> [--delete]   names the blobs of a second place that no backup there lists, except those sent in the
                                       last ${SPARED}; with --delete deletes them. Run it on a machine that may delete there`;

/** Throws a Refusal with the usage for arguments that mean nothing. */
export function readArguments(args: string[]): { remote: string; is_deleting: boolean } {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { delete: { type: "boolean" } },
    });
    const [remote, ...more] = positionals;
    if (remote && more.length === 0) return { remote, is_deleting: values.delete ?? false };
  } catch {
    // For an unknown option, throw the usage below.
  }
  throw new Refusal(usage);
}

if (import.meta.main) {
  try {
    const { remote, is_deleting } = readArguments(process.argv.slice(2));
    const { blobs, bytes, of, backups_count } = await pruneOffSite(remote, is_deleting);
    for (const blob of blobs) console.log(blob);
    const found = `${blobs.length} of ${of} blobs (${Math.ceil(bytes / 1024 ** 2)} MB) are in none of the ${backups_count} backups`;
    console.log(is_deleting ? `${found}. They are deleted.` : `${found}. --delete deletes them.`);
  } catch (error) {
    reportFailure("A temporary folder", error);
  }
}
