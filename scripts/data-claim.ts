/** One runner a data folder: two workerds writing the same SQLite files would spoil them. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endWorkerds, isAlive, markOfThisProcess, ownWorkerds, type ProcessMark } from "./processes.ts";
import { Refusal } from "./refusal.ts";

interface RunnerRecord {
  runner: ProcessMark;
  workerds: ProcessMark[];
}

export interface DataClaim {
  /** Notes the workerds that run now, so that a later start can end them should this process be killed. */
  record(): void;
  /** Notes them while something that starts a workerd is under way: a kill may come at any moment. */
  recordDuring<T>(start: Promise<T>): Promise<T>;
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

/**
 * Takes the folder for this process, first ending the workerd of a runner that was killed.
 *
 * @throws Refusal when a live runner, this process included, has the folder.
 */
export async function claimData(data_dir: string): Promise<DataClaim> {
  mkdirSync(data_dir, { recursive: true });
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
  const record = (): void => {
    // Renamed into place: a kill in the middle must not leave half a record.
    writeFileSync(`${file}.new`, JSON.stringify({ runner, workerds: ownWorkerds() }));
    renameSync(`${file}.new`, file);
  };
  const release = (): void => {
    process.off("exit", release);
    rmSync(file, { force: true });
  };
  // Only a record that was read is removed: one that has appeared since is somebody who was faster.
  if (text !== undefined && readText(file) === text) rmSync(file, { force: true });
  try {
    writeFileSync(file, JSON.stringify({ runner, workerds: [] }), { flag: "wx" });
  } catch {
    throw new Refusal(`Another runner has just taken ${data_dir}.`);
  }
  process.on("exit", release);
  return {
    record,
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
