/** Checks restored data without serving them, for `npm run restore -- --drill`. */
import { DatabaseSync } from "node:sqlite";
import { checkNextPart } from "../workers/api/ledger/check.ts";
import { openDatabase } from "../workers/api/storage/database.ts";
import { digestDatabase, findDifferences, type Manifest } from "./archive.ts";
import { keptFiles, storageFile } from "./data-folder.ts";
import { MemoryDatabase } from "./memory-d1.ts";
import { Refusal } from "./refusal.ts";

/**
 * Checks every database of a restored folder, every table against the manifest, and the books.
 *
 * @throws Refusal that names the fault.
 */
export async function checkRestored(data_dir: string, { databases }: Manifest): Promise<void> {
  for (const name of keptFiles) {
    const expected = databases[name];
    if (!expected) continue;
    const database = new DatabaseSync(storageFile(data_dir, name));
    try {
      const { quick_check } = database.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
      if (quick_check !== "ok") throw new Refusal(`The database ${name} is damaged: ${quick_check}`);
      const differ = findDifferences(name, expected, digestDatabase(database));
      if (differ.length > 0) throw new Refusal(`The data are not what the manifest says: ${differ.join("; ")}`);
      if (name === "api") await checkBooks(database);
    } finally {
      database.close();
    }
  }
}

/** @throws Refusal that names the first invariant of the ledger that does not hold. */
async function checkBooks(api: DatabaseSync): Promise<void> {
  const database = openDatabase(new MemoryDatabase(api).connect());
  for (let after: number | null = 0; after !== null; ) {
    const { breaches, next } = await checkNextPart(database, after);
    const [breach] = breaches;
    if (breach) throw new Refusal(`The books do not hold: ${breach.sentence} (${breach.offenders.join(", ")})`);
    after = next;
  }
}
