/**
 * Lets only one runner at a time use a data folder. Two workerd processes that write the same SQLite files would
 * corrupt them.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isSiteFolder, keepPrivate } from "./data-folder.ts";
import { endWorkerds, isAlive, markOfThisProcess, type ProcessMark, workerdsOf } from "./processes.ts";
import { Refusal, toWriteRefusal } from "./refusal.ts";

interface RunnerRecord {
  runner: ProcessMark;
  workerds: ProcessMark[];
  /** The URL of the served site; absent until it answers. */
  url?: string;
}

export interface DataClaim {
  /** Records the running workerd processes, so that a later start can end them when this process is killed. */
  record(): void;
  /** Records them repeatedly while `start` starts a workerd, because a kill may come at any moment. */
  recordDuring<T>(start: Promise<T>): Promise<T>;
  /** Records the URL of the served site, for the operator's command. */
  recordUrl(url: string): void;
  release(): void;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function parseRecord(text: string | undefined): RunnerRecord | undefined {
  try {
    return JSON.parse(text ?? "") as RunnerRecord;
  } catch {
    // The file is missing, or a kill cut it off. In both cases no workerd had opened the data yet.
    return undefined;
  }
}

/** Returns the URL of the runner that serves the folder now; undefined when none does. */
export function servedUrl(data_dir: string): string | undefined {
  const record = parseRecord(readText(join(data_dir, "runner.json")));
  return record && isAlive(record.runner) ? record.url : undefined;
}

/**
 * Takes the folder for this process: ends the workerd processes that a killed runner left, and closes the folder to
 * other users.
 *
 * @throws Refusal when a live runner (this process included) has the folder, or the folder cannot be written.
 */
export async function claimData(data_dir: string): Promise<DataClaim> {
  try {
    mkdirSync(data_dir, { recursive: true, mode: 0o700 });
    keepPrivate(data_dir);
  } catch (error) {
    throw toWriteRefusal(`The data folder ${data_dir}`, error);
  }
  const file = join(data_dir, "runner.json");
  const text = readText(file);
  const previous = parseRecord(text);
  if (previous && isAlive(previous.runner)) {
    throw new Refusal(
      `Another runner (pid ${previous.runner.pid}) has ${data_dir}. ` +
        (isSiteFolder(data_dir) ? "Stop it first." : "Stop it, or set DATA_DIR to another folder."),
    );
  }
  await endWorkerds(previous?.workerds ?? []);

  const runner = markOfThisProcess();
  let url: string | undefined;
  const record = (): void => {
    // Writes a new file and renames it, so that a kill in the middle leaves no half record.
    writeFileSync(`${file}.new`, JSON.stringify({ runner, workerds: workerdsOf(), url } satisfies RunnerRecord));
    renameSync(`${file}.new`, file);
  };
  const releaseClaim = (): void => {
    process.off("exit", releaseClaim);
    rmSync(file, { force: true });
  };
  // Removes only the record read above. A newer record belongs to another runner, which was faster.
  try {
    if (text !== undefined && readText(file) === text) rmSync(file, { force: true });
    writeFileSync(file, JSON.stringify({ runner, workerds: [] }), { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw toWriteRefusal(`The data folder ${data_dir}`, error);
    throw new Refusal(`Another runner has just taken ${data_dir}.`);
  }
  process.on("exit", releaseClaim);
  return {
    record,
    recordUrl(served) {
      url = served;
      record();
    },
    release: releaseClaim,
    async recordDuring(start) {
      let settled = false;
      const done = start.finally(() => {
        settled = true;
      });
      // The caller awaits `done` below. Until then a failure must not count as an unhandled rejection.
      done.catch(() => {});
      while (!settled) {
        record();
        await Promise.race([done.catch(() => {}), sleep(40)]);
      }
      record();
      return done;
    },
  };
}
