/** Lets workerd hang, and kills it again and again, while people read pages and send forms. */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { workerdsOf } from "../processes.ts";
import { origin } from "./site.ts";

/** How often workerd is killed in a row, each time as soon as there is one. */
const KILLS = 10;
/** A hanging workerd is replaced after 22 seconds, and ten starts that fail take two minutes. A busy machine takes longer. */
const PATIENCE_MS = 5 * 60_000;
const READERS = 4;
/** How long one page may take. The next request may find a workerd that answers. */
const ASKED_MS = 5000;

interface Seen {
  answered: number;
  refused: number;
  faults: Set<string>;
}

/** Reads pages and sends forms until `stop` is aborted. Each must be answered: as always, or by the page of the outage. */
async function readUntil(stop: AbortSignal, seen: Seen): Promise<void> {
  for (let turn = 0; !stop.aborted; turn += 1) {
    const form = turn % 4 === 0 && {
      method: "POST",
      body: new URLSearchParams({ message: "大切な言葉" }),
    };
    try {
      const headers = { accept: "text/html", origin };
      const response = await fetch(`${origin}/natsume/ofuse`, { ...form, headers, redirect: "manual" });
      const text = await response.text();
      if (response.status !== 503) {
        seen.answered += 1;
        continue;
      }
      seen.refused += 1;
      if (!response.headers.has("retry-after")) seen.faults.add("a 503 does not say when to ask again");
      if (!text.includes("<h1>")) seen.faults.add("a 503 has no page");
      if (form && !text.includes("大切な言葉")) seen.faults.add("the words of a form are lost");
    } catch (error) {
      seen.faults.add(`a request got no answer: ${(error as Error).cause ?? error}`);
    }
    await sleep(10);
  }
}

/** Waits until the site answers a page. Returns how long that took, or null. */
async function waitForPage(): Promise<number | null> {
  const began_ms = Date.now();
  while (Date.now() - began_ms < PATIENCE_MS) {
    const response = await fetch(`${origin}/natsume`, { signal: AbortSignal.timeout(ASKED_MS) }).catch(() => null);
    if (response?.status === 200) return Date.now() - began_ms;
    await sleep(100);
  }
  return null;
}

/** Returns what is wrong, as sentences. The runner must survive, and every request must be answered. */
export async function findFaultsOfOutages(runner: ChildProcess): Promise<string[]> {
  const seen: Seen = { answered: 0, refused: 0, faults: new Set() };
  const stop = new AbortController();
  const reading = Promise.all(Array.from({ length: READERS }, () => readUntil(stop.signal, seen)));
  const pid = runner.pid ?? 0;

  const [hanging] = workerdsOf(pid);
  if (hanging) process.kill(hanging.pid, "SIGSTOP");
  else seen.faults.add("there is no workerd");
  const replaced_ms = await waitForPage();
  if (replaced_ms === null) seen.faults.add("a workerd that hangs is not replaced");

  const killed = new Set<number>();
  for (const began_ms = Date.now(); killed.size < KILLS && Date.now() - began_ms < PATIENCE_MS; await sleep(5)) {
    for (const workerd of workerdsOf(pid).filter((each) => !killed.has(each.pid))) {
      process.kill(workerd.pid, "SIGKILL");
      killed.add(workerd.pid);
    }
  }
  if (killed.size < KILLS) seen.faults.add(`after ${killed.size} kills there was no workerd to kill`);
  const back_ms = await waitForPage();
  if (back_ms === null) seen.faults.add("the site does not come back after the kills");
  if (runner.exitCode !== null || runner.signalCode !== null) seen.faults.add("the runner ended");

  stop.abort();
  await reading;
  if (seen.refused === 0) seen.faults.add("nobody saw the outage");
  console.log(
    `outages: replaced a hanging workerd after ${replaced_ms} ms, back ${back_ms} ms after ${killed.size} kills in a row, ${seen.answered} answers and ${seen.refused} pages of the outage`,
  );
  return [...seen.faults];
}
