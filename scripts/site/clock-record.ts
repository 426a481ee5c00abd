/** When the clock of each worker last ran, for `npm run site:status`. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Runs = { [worker: string]: string };

const recordFile = (folder: string) => join(folder, "clock.json");

/** Returns the moment of each worker's last run that ended well; empty before the first, and for a damaged file. */
export function readClock(folder: string): Runs {
  try {
    return { ...(JSON.parse(readFileSync(recordFile(folder), "utf8")) as Runs) };
  } catch {
    return {};
  }
}

export function recordClock(folder: string, worker: string): void {
  const file = recordFile(folder);
  // Writes a new file and renames it, so that a kill in the middle leaves no half record.
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...readClock(folder), [worker]: new Date().toISOString() })}\n`);
  renameSync(`${file}.new`, file);
}
