/**
 * Finds processes of this machine. It tells them apart by pid and start time, so that a reused pid is never mistaken
 * for another process.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process and when it started, in the system's own notation. */
export interface ProcessMark {
  pid: number;
  started: string;
}

interface RunningProcess extends ProcessMark {
  parent: number;
  command: string;
}

/** Reads one process from Linux's /proc. Returns undefined when the process has ended meanwhile. */
function readProc(pid: string): RunningProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name is in parentheses and may contain spaces, so count the fields after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, parent] = fields;
    // A zombie holds no resources, unless other threads of it are still ending.
    if (state === "Z" && Number(fields[17]) <= 1) return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    return { pid: Number(pid), parent: Number(parent), started: fields[19] ?? "", command };
  } catch {
    return undefined;
  }
}

const hasProc = existsSync("/proc/self/stat");

function listProcesses(): RunningProcess[] {
  if (hasProc) {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(readProc)
      .filter((process) => process !== undefined);
  }
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,lstart=,command="], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  return [...table.matchAll(/^\s*(\d+)\s+(\d+)\s+([^Z\s]\S*)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/gm)].map(
    ([, pid, parent, , started = "", command = ""]) => ({ pid: Number(pid), parent: Number(parent), started, command }),
  );
}

function isWorkerd(process: RunningProcess): boolean {
  return /workerd(?:\.exe)?"?\s+serve\b/.test(process.command);
}

export function markOfThisProcess(): ProcessMark {
  const self = listProcesses().find(({ pid }) => pid === process.pid);
  return { pid: process.pid, started: self?.started ?? "" };
}

/** Lists the children of a process as Linux's /proc does; undefined on a system that does not list them. */
function listChildren(pid: number): RunningProcess[] | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const pids = threads.flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" "));
    return pids
      .filter(Boolean)
      .map(readProc)
      .filter((child) => child !== undefined);
  } catch {
    return undefined;
  }
}

/** Returns the running workerd processes that a process started; by default this one. */
export function workerdsOf(runner_pid = process.pid): ProcessMark[] {
  // The list of all processes takes tens of milliseconds, and a start asks twenty times a second.
  return (listChildren(runner_pid) ?? listProcesses())
    .filter((candidate) => candidate.parent === runner_pid && isWorkerd(candidate))
    .map(({ pid, started }) => ({ pid, started }));
}

/** Whether the marked process still runs, and not another one with its pid. */
export function isAlive(mark: ProcessMark): boolean {
  const running = hasProc ? readProc(String(mark.pid)) : listProcesses().find(({ pid }) => pid === mark.pid);
  return running?.started === mark.started;
}

/** Returns the npm processes that started this process, with the shells between them. */
function findLaunchers(): RunningProcess[] {
  const processes = listProcesses();
  const isNpm = ({ command }: RunningProcess): boolean => /^npm\b|^\S*node\S* \S*\/npm(?:-cli\.js)?\b/.test(command);
  const chain: RunningProcess[] = [];
  let above = processes.find(({ pid }) => pid === process.ppid);
  while (above && (isNpm(above) || /^\S*sh -c\b/.test(above.command))) {
    chain.push(above);
    const { parent } = above;
    above = processes.find(({ pid }) => pid === parent);
  }
  // A shell above the outermost npm belongs to the user.
  return chain.slice(0, chain.findLastIndex(isNpm) + 1);
}

/**
 * Ends this process when the npm that started it ends. npm sends SIGTERM to the shell between them, and the shell does
 * not pass it on.
 */
export function endWithNpm(): void {
  const started_by = findLaunchers();
  if (started_by.length === 0) return;
  setInterval(() => {
    if (!started_by.every(isAlive)) process.exit(128 + 15);
  }, 500).unref();
}

/**
 * Kills the marked processes that are still workerd, and waits until they are gone.
 *
 * @throws when one survives five seconds.
 */
export async function endWorkerds(marks: readonly ProcessMark[]): Promise<void> {
  const findRemaining = (): RunningProcess[] =>
    listProcesses().filter((running) =>
      marks.some(({ pid, started }) => pid === running.pid && started === running.started),
    );
  const orphans = findRemaining().filter(isWorkerd);
  for (const { pid } of orphans) process.kill(pid, "SIGKILL");
  if (orphans.length === 0) return;
  for (let waited_ms = 0; findRemaining().length > 0; waited_ms += 20) {
    if (waited_ms > 5_000) throw new Error("A workerd left by an earlier run does not end.");
    await sleep(20);
  }
}
