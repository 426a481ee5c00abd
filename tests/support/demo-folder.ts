import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { hashFiles } from "../../scripts/build.ts";
import { claimData } from "../../scripts/data-claim.ts";
import { storageFile } from "../../scripts/data-folder.ts";
import { DEMO_PASSWORD } from "../../scripts/demo/seed.ts";
import { prepareData } from "../../scripts/storage.ts";
import { hashPasswordCheaply } from "./passwords.ts";

const cache = resolve(import.meta.dirname, "../../.cache/demo-worlds");
/** The sources of the demo data. */
const sources = [
  "scripts/demo",
  "scripts/data-folder.ts",
  "scripts/migrations.ts",
  "scripts/search-index.ts",
  "scripts/storage.ts",
  "tests/support/demo-folder.ts",
  "tests/support/passwords.ts",
  "workers",
  "app/post",
  "package-lock.json",
];
/** The data's dates are relative to their creation, and tests expect days and hours ago. */
const MAX_AGE_MS = 60 * 60_000;

const ageOf = (path: string) => Date.now() - statSync(path).mtimeMs;

/** Returns the beginning of the names of all folders with today's demo data, as the sources are now. */
function nameOfSources(): string {
  const day = new Date().toLocaleDateString("sv-SE", { timeZone: "Asia/Tokyo" });
  return `${hashFiles(sources).slice(0, 16)}-${day}-`;
}

/** Returns a complete folder of the last hour, or else the path for {@link makeDemoFolder} to fill. */
export function findDemoFolder(): string {
  mkdirSync(cache, { recursive: true });
  const name = nameOfSources();
  const known = readdirSync(cache, { withFileTypes: true }).filter((each) => each.isDirectory());
  const fresh = known.find((each) => each.name.startsWith(name) && ageOf(join(cache, each.name)) < MAX_AGE_MS);
  return join(cache, fresh?.name ?? name + Date.now());
}

/**
 * Returns a data folder with unused demo data, to be copied. It is cached for an hour of one day in Japan while its
 * sources are unchanged, because creating it takes longer than most tests.
 *
 * @param folder what {@link findDemoFolder} returned.
 */
export async function makeDemoFolder(folder = findDemoFolder()): Promise<string> {
  if (existsSync(folder)) return folder;
  const begun = mkdtempSync(join(cache, "begun-"));
  const claim = await claimData(begun);
  await prepareData(begun, claim, "demo").finally(() => claim.release());
  makeSignInsCheap(begun);
  // Another run may still be copying an old folder.
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (path !== begun && ageOf(path) > 2 * MAX_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
  renameSync(begun, folder);
  return folder;
}

/**
 * Begins {@link makeDemoFolder} in a process of its own. If it fails, a file with its complaint takes the folder's place.
 * Returns a function that ends the process.
 */
export function beginDemoFolder(folder: string): () => void {
  const making = spawn(process.execPath, [import.meta.filename, folder], { stdio: ["ignore", "ignore", "pipe"] });
  let complaints = "";
  making.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  making.on("close", (code) => {
    if (code !== 0 && !making.killed) writeFileSync(folder, complaints);
  });
  return () => making.kill();
}

/** Replaces the password hash of every demo account. The password stays {@link DEMO_PASSWORD}. */
function makeSignInsCheap(data_dir: string): void {
  const identity = new DatabaseSync(storageFile(data_dir, "identity"));
  identity.prepare("UPDATE accounts SET password_hash = ?").run(hashPasswordCheaply(DEMO_PASSWORD));
  identity.close();
}

if (import.meta.main) await makeDemoFolder(process.argv[2]);
