import { isoTime } from "../../kernel/clock.ts";
import type { Services } from "../http/request-context.ts";

/**
 * Does the work of a step of the clock once an hour: in the first run of the hour, and when it fails in the next run. The
 * steps before it take their time, so no run can count on a minute.
 */
export async function workHourly(
  { database, clock }: Pick<Services, "database" | "clock">,
  step: string,
  work: () => Promise<void>,
): Promise<void> {
  const now = isoTime(clock.now());
  const hour = now.slice(0, "2026-11-20T03".length);
  const last = await database.selectFrom("clock_runs").select("hour").where("step", "=", step).executeTakeFirst();
  if (last?.hour === hour) return;
  await work();
  await database
    .insertInto("clock_runs")
    .values({ step, ended_at: now, took_ms: 0, is_failed: 0, done_at: null, hour })
    .onConflict((conflict) => conflict.column("step").doUpdateSet({ hour }))
    .execute();
}
