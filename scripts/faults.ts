/**
 * `npm run test:faults`: kills the runner, or every workerd it started, thirty times while letters are sent and paid. Then it
 * looks for everything that was acknowledged, lets workerd hang, kills it ten times in a row, and compares the books with the
 * payment gateway. A longer run, of 200 kills in
 * 50,000 writes: `FAULT_ROUNDS=200 FAULT_SENDERS=250 npm run test:faults`. Each restart reads the sources, so run it in a folder
 * that nobody edits meanwhile. docs/operations.md lists the whole fault suite; its other tests run with `npm test`.
 */
import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { buildIfStale } from "./build.ts";
import { findFaultsOfBooks, waitUntilDispatched } from "./faults/books.ts";
import { type Errand, freeLetter, paidLetter } from "./faults/errands.ts";
import { findFaultsOfOutages } from "./faults/outages.ts";
import {
  bringBack,
  CallRefused,
  callOrThrow,
  createFan,
  data_dir,
  type Fan,
  killWorkerds,
  letAccountsAge,
  runConcurrently,
  startRunner,
  stopRunner,
} from "./faults/site.ts";
import { reportStep } from "./steps.ts";

const ROUNDS = Number(process.env.FAULT_ROUNDS || 30);
const SENDERS = Number(process.env.FAULT_SENDERS || 40);
const LAST_PASSES = 90;
/** A sender may send a creator three free letters a day. Source: product decisions, "free ofuse". */
const FREE_LETTERS_PER_PAIR = 3;

/** An older account may send 200 letters a day. Source: product decisions, "A day of one person". */
const RECEIVERS_OF_ONE = 65;

/** Plans the free letters that the daily limits allow and a paid one for each creator, in random order. */
function planErrands(senders: Fan[], receiver_ids: string[], creator_ids: string[]): Errand[] {
  const errands = senders.flatMap((sender) => [
    ...receiver_ids
      .filter((receiver_id) => receiver_id !== sender.user_id)
      .slice(0, RECEIVERS_OF_ONE)
      .flatMap((receiver_id) => Array.from({ length: FREE_LETTERS_PER_PAIR }, () => freeLetter(sender, receiver_id))),
    ...creator_ids.map((creator_id) => paidLetter(sender, creator_id)),
  ]);
  return errands
    .map((errand) => ({ errand, rank: randomInt(2 ** 32) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ errand }) => errand);
}

/** The answers other than success, and how often each came. */
const refusals = new Map<string, number>();
const countRefusal = (refusal: string) => void refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
const listRefusals = () => [...refusals].map(([refusal, times]) => `${refusal}: ${times}`).join(", ") || "none";
const acknowledged: Errand[] = [];

/** Takes errands from the queue until `stop` is set. What got no answer or a server error goes back to its end, to be tried again. */
async function runErrands(queue: Errand[], stop: AbortSignal): Promise<void> {
  const unanswered: Errand[] = [];
  const untilStopped = (function* () {
    while (!stop.aborted) {
      const errand = queue.shift();
      if (!errand) return;
      yield errand;
    }
  })();
  await runConcurrently(untilStopped, async (errand) => {
    try {
      const answer = await errand.attempt();
      if (answer === "done") {
        acknowledged.push(errand);
        return;
      }
      countRefusal(answer);
      if (answer.startsWith("5")) unanswered.push(errand);
    } catch (error) {
      if (error instanceof CallRefused) countRefusal(error.refusal);
      // The kill came during the request: it may have been done or not. The next round tries again with the same key.
      unanswered.push(errand);
      await sleep(5);
    }
  });
  queue.push(...unanswered);
}

/** Returns a sentence for each errand that was acknowledged and is not there. */
async function findLosses(): Promise<string[]> {
  const losses: string[] = [];
  await runConcurrently(acknowledged, async (errand) => {
    const loss = await errand.findLoss();
    if (loss) losses.push(loss);
  });
  return losses;
}

const built = await buildIfStale();
if (built && !built.passed) {
  reportStep(built);
  process.exit(1);
}
let runner: ChildProcess | undefined;
try {
  runner = await startRunner();
  const senders: Fan[] = [];
  await runConcurrently(Array.from({ length: SENDERS }), async () => {
    senders.push(await createFan());
  });
  runner = await letAccountsAge(runner);
  const { users } = await callOrThrow<{ users: { user_id: string }[] }>("GET", "/v4/users/recommend?limit=25");
  const creator_ids = users.map(({ user_id }) => user_id);
  const receiver_ids = [...creator_ids, ...senders.map(({ user_id }) => user_id)];
  const began_at = new Date().toISOString();
  const queue = planErrands(senders, receiver_ids, creator_ids);
  const restarts_ms: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = acknowledged.length;
    // Kills in the middle of the work, spread over all of it.
    const kill_at = before + randomInt(1 + Math.ceil((2 * queue.length) / (ROUNDS - round + 1)));
    const stop = new AbortController();
    const running = runErrands(queue, stop.signal);
    const is_over = running.then(() => true);
    while (acknowledged.length < kill_at && !(await Promise.race([is_over, sleep(2, false)])));
    if (round % 2 === 0) {
      killWorkerds();
    } else {
      runner.kill("SIGKILL");
      await once(runner, "exit");
    }
    const killed_ms = Date.now();
    // A workerd whose runner was killed continues to answer. What it acknowledges counts too.
    await sleep(randomInt(0, 200));
    stop.abort();
    await running;
    runner = await bringBack(runner);
    restarts_ms.push(Date.now() - killed_ms);
    console.log(
      `round ${round}: ${round % 2 === 0 ? "workerd" : "runner"} killed, ${acknowledged.length - before} acknowledged, ${queue.length} to go, answering after ${restarts_ms.at(-1)} ms; refusals so far: ${listRefusals()}`,
    );
  }
  // The rest. A client repeats what got no answer. The gateway keeps a key in use for some seconds after a kill.
  for (let pass = 0; queue.length > 0 && pass < LAST_PASSES; pass++) {
    if (pass > 0) await sleep(1000);
    await runErrands(queue, new AbortController().signal);
  }
  const faults = await findFaultsOfOutages(runner);
  // A paid letter's receipt is complete once the gateway's news are handled.
  await waitUntilDispatched(data_dir);
  const losses = await findLosses();
  await stopRunner(runner);
  faults.push(...findFaultsOfBooks(data_dir, began_at));
  console.log(`refusals: ${listRefusals()}`);
  for (const fault of [...losses, ...faults]) console.log(fault);
  console.log(
    `acknowledged ${acknowledged.length}, lost ${losses.length}, never answered ${queue.length}, rounds ${ROUNDS}, slowest restart ${Math.max(...restarts_ms)} ms`,
  );
  // An errand that a limit refuses tests nothing.
  const is_limited = [...refusals.keys()].some((refusal) => !refusal.startsWith("5"));
  const is_good =
    losses.length === 0 && faults.length === 0 && queue.length === 0 && acknowledged.length > 0 && !is_limited;
  process.exitCode = is_good ? 0 : 1;
} finally {
  if (runner) await stopRunner(runner);
  rmSync(data_dir, { recursive: true, force: true });
}
