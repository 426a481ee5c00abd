import type { TopStats } from "../../contract/stats.ts";
import type { RequestContext } from "../http/request-context.ts";

/** How much there is of everything, rounded down: three rows that triggers keep (migration 0007). */
export async function findTopStats({ database }: RequestContext): Promise<TopStats> {
  const rows = await database.selectFrom("totals").select(["scope", "shown"]).execute();
  const shown = Object.fromEntries(rows.map((row) => [row.scope, row.shown]));
  return {
    creators_count: shown.creators ?? 0,
    events_count: shown.events ?? 0,
    ofuses_count: shown.ofuses ?? 0,
  };
}
