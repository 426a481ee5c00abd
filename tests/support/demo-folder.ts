import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
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

/**
 * Returns a data folder with unused demo data, to be copied. It is cached for an hour of one day in Japan while its
 * sources are unchanged, because creating it takes longer than most tests.
 */
export async function makeDemoFolder(): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const ageOf = (path: string) => Date.now() - statSync(path).mtimeMs;
  const day = new Date().toLocaleDateString("sv-SE", { timeZone: "Asia/Tokyo" });
  const folder = join(cache, `${hashFiles(sources).slice(0, 16)}-${day}`);
  if (existsSync(folder) && ageOf(folder) < MAX_AGE_MS) return folder;

  const begun = mkdtempSync(join(cache, "begun-"));
  const claim = await claimData(begun);
  await prepareData(begun, claim, "demo").finally(() => claim.release());
  makeSignInsCheap(begun);
  // Another run may still be copying an old folder.
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (path !== begun && ageOf(path) > 2 * MAX_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
  try {
    if (existsSync(folder)) renameSync(folder, `${begun}-replaced`);
    renameSync(begun, folder);
    return folder;
  } catch {
    // Another run was faster. Keep our own.
    return begun;
  }
}

/** Replaces the password hash of every demo account. The password stays {@link DEMO_PASSWORD}. */
function makeSignInsCheap(data_dir: string): void {
  const identity = new DatabaseSync(storageFile(data_dir, "identity"));
  identity.prepare("UPDATE accounts SET password_hash = ?").run(hashPasswordCheaply(DEMO_PASSWORD));
  identity.close();
}
