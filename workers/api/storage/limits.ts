import { type CompiledQuery, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Precondition } from "./commit.ts";
import type { Database } from "./database.ts";

/** How often something may be done in how long; `act` names it. */
export interface Limit {
  act: "comment" | "report" | "guest" | "visit" | "post" | "draft" | "export";
  times: number;
  window_ms: number;
}

interface Counting {
  database: Database;
  now_ms: number;
}

const scopeOf = ({ act }: Limit, who: string) => `${act} ${who}`;

/** What goes into the batch of an act that is limited: that there is room for it, and that it was done. */
export function countAct(
  { database, now_ms }: Counting,
  limit: Limit,
  who: string,
): { room: Precondition; done: CompiledQuery } {
  const scope = scopeOf(limit, who);
  return {
    room: {
      code: "too_many_requests",
      holds: sql`SELECT COUNT(*) < ${limit.times} FROM limited_acts
        WHERE scope = ${scope} AND acted_at > ${isoTime(now_ms - limit.window_ms)}`,
    },
    done: database
      .insertInto("limited_acts")
      .values({ scope, acted_at: isoTime(now_ms), act_id: newId(now_ms) })
      .compile(),
  };
}

/** In how many seconds there is room again: when the oldest of those that fill it no longer counts. */
export async function secondsToRoom({ database, now_ms }: Counting, limit: Limit, who: string): Promise<number> {
  const oldest = await database
    .selectFrom("limited_acts")
    .select("acted_at")
    .where("scope", "=", scopeOf(limit, who))
    .where("acted_at", ">", isoTime(now_ms - limit.window_ms))
    .orderBy("acted_at", "desc")
    .offset(limit.times - 1)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return 1;
  return Math.max(1, Math.ceil((Date.parse(oldest.acted_at) + limit.window_ms - now_ms) / 1000));
}
