import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { log, logUnexpected } from "../../kernel/log.ts";
import { withTimeLimit } from "../../kernel/time-limit.ts";
import { runBatch } from "../../storage/commit.ts";
import type { Services } from "../http/request-context.ts";

/** A step of the clock by its name. */
export type Steps = Readonly<Record<string, () => Promise<unknown>>>;

/** A step limits its own time to less. One that takes longer hangs, and the others go on without it. */
const STEP_LIMIT_MS = 90_000;

/**
 * Runs the steps one after another, each within its limit: a step that fails or hangs does not delay the others for long.
 * Records when each of them ended, and then throws what failed.
 */
export async function runSteps(
  steps: Steps,
  { d1, database }: Pick<Services, "d1" | "database">,
  limit_ms = STEP_LIMIT_MS,
): Promise<void> {
  const failures: unknown[] = [];
  const runs: { step: string; ended_at: string; took_ms: number; is_failed: number; done_at: string | null }[] = [];
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
  await runBatch(
    d1,
    runs.map((run) =>
      database
        .insertInto("clock_runs")
        .values(run)
        .onConflict((conflict) =>
          conflict.column("step").doUpdateSet({
            ended_at: run.ended_at,
            took_ms: run.took_ms,
            is_failed: run.is_failed,
            done_at: run.done_at ?? sql`done_at`,
          }),
        )
        .compile(),
    ),
  );
  log("info", { message: "the clock ran", steps: runs.length, failed: failures.length });
  if (failures.length > 0) throw new AggregateError(failures, failures.join("; "));
}
