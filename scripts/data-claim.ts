/** One runner a data folder: two workerds writing the same SQLite files would spoil them. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keepPrivate } from "./data-folder.ts";
import { endWorkerds, isAlive, markOfThisProcess, ownWorkerds, type ProcessMark } from "./processes.ts";
import { Refusal } from "./refusal.ts";

interface RunnerRecord {
  runner: ProcessMark;
  workerds: ProcessMark[];
  /** Where the site answers; absent until it does. */
  url?: string;
}

export interface DataClaim {
  /** Notes the workerds that run now, so that a later start can end them should this process be killed. */
  record(): void;
  /** Notes them while something that starts a workerd is under way: a kill may come at any moment. */
  recordDuring<T>(start: Promise<T>): Promise<T>;
  /** Notes where the site answers from now on, for the operator's command. */
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
    // Missing, or cut off while being written: no workerd had opened the data then.
    return undefined;
  }
}

/** Where a runner that lives serves the folder; undefined when none does. */
export function servedUrl(data_dir: string): string | undefined {
  const record = parseRecord(readText(join(data_dir, "runner.json")));
  return record && isAlive(record.runner) ? record.url : undefined;
}

/** Says why the folder cannot be written; anything else is thrown on. */
function unwritable(data_dir: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    EACCES: "it belongs to somebody else",
    EPERM: "it belongs to somebody else",
    EROFS: "its file system is read-only",
    ENOSPC: "its disk is full",
    EDQUOT: "its disk is full",
    ENOTDIR: "a part of its path is a file",
    EEXIST: "it is a file",
  };
  const reason = reasons[code ?? ""];
  if (reason === undefined) return error;
  return new Refusal(`The data folder ${data_dir} cannot be written: ${reason} (${code}).`);
}

/**
 * Takes the folder for this process, first ending the workerd of a runner that was killed, and closes it to other users.
 *
 * @throws Refusal when a live runner, this process included, has the folder, or it cannot be written.
 */
export async function claimData(data_dir: string): Promise<DataClaim> {
  try {
    mkdirSync(data_dir, { recursive: true, mode: 0o700 });
    keepPrivate(data_dir);
  } catch (error) {
    throw unwritable(data_dir, error);
  }
  const file = join(data_dir, "runner.json");
  const text = readText(file);
  const previous = parseRecord(text);
  if (previous && isAlive(previous.runner)) {
    throw new Refusal(
      `Another runner (pid ${previous.runner.pid}) has ${data_dir}. Stop it, or set DATA_DIR to another folder.`,
    );
  }
  await endWorkerds(previous?.workerds ?? []);

  const runner = markOfThisProcess();
  let url: string | undefined;
  const record = (): void => {
    // Renamed into place: a kill in the middle must not leave half a record.
    writeFileSync(`${file}.new`, JSON.stringify({ runner, workerds: ownWorkerds(), url } satisfies RunnerRecord));
    renameSync(`${file}.new`, file);
  };
  const release = (): void => {
    process.off("exit", release);
    rmSync(file, { force: true });
  };
  // Only a record that was read is removed: one that has appeared since is somebody who was faster.
  try {
    if (text !== undefined && readText(file) === text) rmSync(file, { force: true });
    writeFileSync(file, JSON.stringify({ runner, workerds: [] }), { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unwritable(data_dir, error);
    throw new Refusal(`Another runner has just taken ${data_dir}.`);
  }
  process.on("exit", release);
  return {
    record,
    recordUrl(served) {
      url = served;
      record();
    },
    release,
    async recordDuring(start) {
      let settled = false;
      const done = start.finally(() => {
        settled = true;
      });
      // The caller awaits `done` below; a failure before that must not count as unhandled.
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
