import { sql } from "kysely";
import { isoTime } from "../kernel/clock.ts";
import { log, logUnexpected } from "../kernel/log.ts";
import type { Gauge } from "../kernel/request-meter.ts";
import { withTimeLimit } from "../kernel/time-limit.ts";
import { runBatch, type Store } from "./commit.ts";

/** A step of the clock by its name. */
export type Steps = Readonly<Record<string, () => Promise<unknown>>>;

/** A row of the table `clock_runs`, which every worker with a clock has in its database. */
export interface ClockRun {
  step: string;
  ended_at: string;
  took_ms: number;
  is_failed: number;
  /** When it last ended without a failure; null when it never did. */
  done_at: string | null;
}

/** A step limits its own time to less. One that takes longer hangs, and the others go on without it. */
const STEP_LIMIT_MS = 90_000;

/**
 * Runs the steps one after another, each within its limit: a step that fails or hangs does not delay the others for long.
 * Records when each of them ended, forgets steps that the worker no longer has, and then throws what failed.
 */
export async function runSteps(
  steps: Steps,
  { d1, database }: Pick<Store, "d1" | "database">,
  limit_ms = STEP_LIMIT_MS,
): Promise<void> {
  const failures: unknown[] = [];
  const runs: ClockRun[] = [];
  for (const [step, run] of Object.entries(steps)) {
    const began_ms = Date.now();
    const is_failed = await withTimeLimit(run(), limit_ms).then(
      () => false,
      (error: unknown) => {
        failures.push(error);
        logUnexpected(error, "", { step });
        return true;
      },
    );
    const ended_ms = Date.now();
    const ended_at = isoTime(ended_ms);
    const took_ms = Math.max(0, ended_ms - began_ms);
    runs.push({ step, ended_at, took_ms, is_failed: Number(is_failed), done_at: is_failed ? null : ended_at });
  }
  const names = JSON.stringify(Object.keys(steps));
  await runBatch(d1, [
    sql`DELETE FROM clock_runs WHERE step NOT IN (SELECT value FROM json_each(${names}))`.compile(database),
    ...runs.map(({ step, ended_at, took_ms, is_failed, done_at }) =>
      sql`INSERT INTO clock_runs (step, ended_at, took_ms, is_failed, done_at)
        VALUES (${step}, ${ended_at}, ${took_ms}, ${is_failed}, ${done_at})
        ON CONFLICT (step) DO UPDATE SET ended_at = excluded.ended_at, took_ms = excluded.took_ms,
          is_failed = excluded.is_failed, done_at = coalesce(excluded.done_at, done_at)`.compile(database),
    ),
  ]);
  log("info", { message: "the clock ran", steps: runs.length, failed: failures.length });
  if (failures.length > 0) throw new AggregateError(failures, failures.join("; "));
}

/** Returns the rows of `clock_runs` as gauges of the worker. */
export function clockGauges(worker: string, runs: readonly ClockRun[]): Gauge[] {
  return runs.flatMap(({ step, ended_at, took_ms, is_failed, done_at }) => {
    const gauge = (name: string, value: number): Gauge => ({ name, labels: { worker, step }, value });
    return [
      gauge("ofuse_clock_step_ended_timestamp_seconds", Date.parse(ended_at) / 1000),
      gauge("ofuse_clock_step_done_timestamp_seconds", done_at === null ? 0 : Date.parse(done_at) / 1000),
      gauge("ofuse_clock_step_duration_seconds", took_ms / 1000),
      gauge("ofuse_clock_step_failed", is_failed),
    ];
  });
}
