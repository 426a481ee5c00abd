import type { TopStats } from "../../contract/stats.ts";
import type { RequestContext } from "../http/request-context.ts";

/** Returns the site's totals, rounded down. Triggers keep them in three rows (migration 0007). */
export async function findTopStats({ database }: RequestContext): Promise<TopStats> {
  const rows = await database.selectFrom("totals").select(["scope", "shown"]).execute();
  const shown = Object.fromEntries(rows.map((row) => [row.scope, row.shown]));
  return {
    creators_count: shown.creators ?? 0,
    events_count: shown.events ?? 0,
    ofuses_count: shown.ofuses ?? 0,
  };
}
