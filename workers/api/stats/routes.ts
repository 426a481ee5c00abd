import { recountStats } from "../../contract/operator.ts";
import * as contract from "../../contract/stats.ts";
import { japaneseDayText } from "../../kernel/clock.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { findCreatorStats, findLastOfPart, findMembershipStats, findTopStats, recountFigures } from "./queries.ts";
import { type Days, defaultDays } from "./rules.ts";

/** The contract checks the days that are given. */
function daysOf(
  { start_date, end_date, agg_period }: Partial<Days> & { agg_period: contract.AggPeriod },
  now_ms: number,
): Days {
  if (start_date === undefined || end_date === undefined) return defaultDays(agg_period, japaneseDayText(now_ms));
  return { start_date, end_date };
}

/** So many people are recounted in one call. */
const RECOUNTED_AT_ONCE = 100;

export const statsRoutes = [
  bindEndpoint(contract.getTopStats, ({ query }, context) => findTopStats(context, query.scope)),
  bindEndpoint(contract.getCreatorStats, ({ query }, context) =>
    findCreatorStats(context, daysOf(query, context.now_ms), query.agg_period),
  ),
  bindEndpoint(contract.getMembershipStats, ({ query }, context) =>
    findMembershipStats(context, daysOf(query, context.now_ms), query.agg_period),
  ),
  bindEndpoint(recountStats, async ({ query: { after } }, { database, now_ms }) => {
    const last = await findLastOfPart(database, after, RECOUNTED_AT_ONCE);
    if (last === null) return { differences: [], next: null };
    const differences = await recountFigures(database, { after, last, today: japaneseDayText(now_ms) });
    return { differences, next: last };
  }),
];
