import { sql } from "kysely";
import { isoTime } from "../kernel/clock.ts";
import { log } from "../kernel/log.ts";
import { runBatch, type Statement, type Store } from "./commit.ts";

/** The step of the clock that calls {@link mendAfterJump}. Every worker with a clock runs it first. */
export const MEND_STEP = "mendMoments";

/** Clocks are corrected by seconds all the time. */
const MUCH_MS = 60_000;

/**
 * Runs the statements once after a clock that was ahead has been set right. They correct the moments that were written
 * meanwhile: work that waits for such a moment would wait for as long as the clock was ahead.
 *
 * The jump shows in the step's own record: it was last done at a moment that has not come yet. The record changes only
 * when the step is done, so a failure is tried again.
 */
export async function mendAfterJump(
  { d1, database, now_ms }: Store,
  statementsOf: () => readonly Statement[],
): Promise<void> {
  const [[ahead]] = await runBatch(d1, [
    sql<{ done_at: string }>`SELECT done_at FROM clock_runs
      WHERE step = ${MEND_STEP} AND done_at > ${isoTime(now_ms + MUCH_MS)}`.compile(database),
  ]);
  if (!ahead) return;
  log("warn", { message: "the clock was set back: moments in the future are corrected", was_at: ahead.done_at });
  await runBatch(d1, statementsOf());
}
