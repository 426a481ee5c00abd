import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type { ErrorCode } from "../../contract/errors.ts";
import { DAILY_ACTS, YOUNG_ACCOUNT_DAYS } from "../../contract/limits.ts";
import { endOfJapaneseDay, isoTime, startOfJapaneseDay } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Change, Precondition } from "./commit.ts";
import type { Database } from "./database.ts";

/** At most so many `times` in any window. */
export interface Limit {
  /** Names what is counted; unique among all limits, which a test checks. */
  act: string;
  times: number;
  window_ms: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

interface Counting {
  database: Database;
  now_ms: number;
}

/** A bound on how often something is done, as it goes into the batch of the act: that there is room, and that it was done. */
export interface Bound {
  room: Precondition;
  done: CompiledQuery;
}

/** The change with its bounds. Acts are counted before the change is made, so that a bound can ask whether it is new. */
export function withBounds(change: Change, ...bounds: readonly Bound[]): Change {
  return {
    ...change,
    preconditions: [...(change.preconditions ?? []), ...bounds.map(({ room }) => room)],
    statements: [...bounds.map(({ done }) => done), ...change.statements],
  };
}

/** At most so many times in any window of so long. Refused with `too_many_requests`. */
export function countAct(counting: Counting, limit: Limit, who: string): Bound {
  const { database, now_ms } = counting;
  const scope = `${limit.act} ${who}`;
  return {
    room: {
      code: "too_many_requests",
      holds: sql`SELECT COUNT(*) < ${limit.times} FROM limited_acts
        WHERE scope = ${scope} AND acted_at > ${isoTime(now_ms - limit.window_ms)}`,
      retryAfter: () => secondsToRoom(counting, limit, scope),
    },
    done: database
      .insertInto("limited_acts")
      .values({ scope, acted_at: isoTime(now_ms), act_id: newId(now_ms) })
      .compile(),
  };
}

/** In how many seconds there is room again: when the oldest of those that fill it no longer counts. */
async function secondsToRoom({ database, now_ms }: Counting, limit: Limit, scope: string): Promise<number> {
  const oldest = await database
    .selectFrom("limited_acts")
    .select("acted_at")
    .where("scope", "=", scope)
    .where("acted_at", ">", isoTime(now_ms - limit.window_ms))
    .orderBy("acted_at", "desc")
    .offset(limit.times - 1)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return 1;
  return Math.max(1, Math.ceil((Date.parse(oldest.acted_at) + limit.window_ms - now_ms) / 1000));
}

export type DailyAct = keyof typeof DAILY_ACTS;

/** For acts that always change something: a letter, a comment. */
const ALWAYS = sql`TRUE`;

/**
 * A member's bound for one Japanese calendar day; see {@link DAILY_ACTS}.
 *
 * Acts are counted, not rows: whoever follows, unfollows and follows again did it twice. Taking something back is not
 * counted and never refused. Nor is what changes nothing, such as following somebody followed already.
 *
 * @param is_new as SQL, whether the act changes anything; evaluated before the change is made.
 */
export function countDailyAct(counting: Counting, act: DailyAct, user_id: string, is_new = ALWAYS): Bound {
  const { young, older } = DAILY_ACTS[act];
  const young_since = isoTime(counting.now_ms - YOUNG_ACCOUNT_DAYS * DAY_MS);
  const times = sql`(SELECT iif(created_at > ${young_since}, ${young}, ${older}) FROM users WHERE user_id = ${user_id})`;
  return boundOfDay(counting, act, user_id, times, is_new);
}

/** The same for those who have no account; `who` is a visitor or an address. */
export function countGuestAct(counting: Counting, act: DailyAct, who: string, times: number, is_new = ALWAYS): Bound {
  return boundOfDay(counting, act, who, sql`${times}`, is_new);
}

function boundOfDay(
  { database, now_ms }: Counting,
  act: DailyAct,
  who: string,
  times: RawBuilder<unknown>,
  is_new: RawBuilder<unknown>,
): Bound {
  const scope = `daily_${act} ${who}`;
  return {
    room: {
      code: `daily_${act}_limit_reached` satisfies ErrorCode,
      holds: sql`SELECT NOT (${is_new}) OR COUNT(*) < ${times} FROM limited_acts
        WHERE scope = ${scope} AND acted_at >= ${isoTime(startOfJapaneseDay(now_ms))}`,
      retryAfter: () => secondsToTomorrow(now_ms),
    },
    done: sql`INSERT INTO limited_acts (scope, acted_at, act_id)
      SELECT ${scope}, ${isoTime(now_ms)}, ${newId(now_ms)} WHERE (${is_new})`.compile(database),
  };
}

/** In how many seconds the next Japanese calendar day begins. */
export function secondsToTomorrow(now_ms: number): number {
  return Math.ceil((endOfJapaneseDay(now_ms) - now_ms) / 1000);
}
