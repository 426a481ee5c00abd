import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type { ErrorCode } from "../../contract/errors.ts";
import { ADJUSTABLE_LIMITS, type AdjustableLimit, type DAILY_ACTS, YOUNG_ACCOUNT_DAYS } from "../../contract/limits.ts";
import { endOfJapaneseDay, isoTime, startOfJapaneseDay } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Change, Precondition } from "./commit.ts";
import type { Database } from "./database.ts";

/** A rate limit: at most `times` acts in any period of `window_ms`. */
export interface Limit {
  /** The name of the limited act. A test checks that no two limits share a name. */
  act: string;
  times: number;
  window_ms: number;
  /** The name under which operators change `times`; absent when they cannot. */
  adjustable?: AdjustableLimit;
}

/** SQL: the value of a limit that operators may change, read by the batch that counts the act. */
export function adjusted(name: AdjustableLimit): RawBuilder<number> {
  return sql<number>`coalesce((SELECT value FROM changed_limits WHERE name = ${name}), ${ADJUSTABLE_LIMITS[name]})`;
}

const timesOf = ({ times, adjustable }: Limit) => (adjustable ? adjusted(adjustable) : sql<number>`${times}`);

const DAY_MS = 24 * 60 * 60 * 1000;

interface LimitContext {
  database: Database;
  now_ms: number;
}

/**
 * A rate limit in the form that a batch takes: the precondition that the limit is not reached yet, and the statement
 * that counts the act.
 */
export interface Bound {
  precondition: Precondition;
  statement: CompiledQuery;
}

/**
 * Adds rate limits to a change. The batch counts the act before it makes the change, so that a limit can check whether
 * the change is new.
 */
export function withBounds(change: Change, ...bounds: readonly Bound[]): Change {
  return {
    ...change,
    preconditions: [...(change.preconditions ?? []), ...bounds.map(({ precondition }) => precondition)],
    statements: [...bounds.map(({ statement }) => statement), ...change.statements],
  };
}

/** Limits how often a person or address acts in any period. The limit throws `too_many_requests`. */
export function countAct(context: LimitContext, limit: Limit, who: string): Bound {
  const { database, now_ms } = context;
  const scope = scopeOf(limit, who);
  return {
    precondition: {
      code: "too_many_requests",
      holds: sql`SELECT COUNT(*) < ${timesOf(limit)} FROM limited_acts
        WHERE scope = ${scope} AND acted_at > ${isoTime(now_ms - limit.window_ms)}`,
      retryAfter: () => findRetrySeconds(context, limit, who),
    },
    statement: database
      .insertInto("limited_acts")
      .values({ scope, acted_at: isoTime(now_ms), act_id: newId(now_ms) })
      .compile(),
  };
}

const scopeOf = ({ act }: Limit, who: string) => `${act} ${who}`;

/** Returns in how many seconds the caller may act again: when the oldest act that fills the limit stops counting. */
export async function findRetrySeconds({ database, now_ms }: LimitContext, limit: Limit, who: string): Promise<number> {
  const oldest = await database
    .selectFrom("limited_acts")
    .select("acted_at")
    .where("scope", "=", scopeOf(limit, who))
    .where("acted_at", ">", isoTime(now_ms - limit.window_ms))
    .orderBy("acted_at", "desc")
    .offset(sql<number>`${timesOf(limit)} - 1`)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return 1;
  return Math.max(1, Math.ceil((Date.parse(oldest.acted_at) + limit.window_ms - now_ms) / 1000));
}

export type DailyAct = keyof typeof DAILY_ACTS;

/** The default of `is_new`, for acts that always change something, such as sending a letter or a comment. */
const IS_ALWAYS_NEW = sql`TRUE`;

/**
 * Limits a member's acts in one Japanese calendar day; see {@link DAILY_ACTS}.
 *
 * It counts acts and not rows: following, unfollowing and following again counts twice. Undoing an act is never counted
 * or refused. Acts that change nothing, such as following a person again, are not counted either.
 *
 * @param is_new SQL: whether the act changes anything, evaluated before the change is made.
 */
export function countDailyAct(context: LimitContext, act: DailyAct, user_id: string, is_new = IS_ALWAYS_NEW): Bound {
  const young_since = isoTime(context.now_ms - YOUNG_ACCOUNT_DAYS * DAY_MS);
  const times = sql`(SELECT iif(created_at > ${young_since}, ${adjusted(`${act}_young`)}, ${adjusted(`${act}_older`)}) FROM users WHERE user_id = ${user_id})`;
  return dailyBound(context, act, user_id, times, is_new);
}

/** Limits the acts of people without an account in one Japanese calendar day. `who` is a guest or an address. */
export function countGuestAct(
  context: LimitContext,
  act: DailyAct,
  who: string,
  limit: AdjustableLimit,
  is_new = IS_ALWAYS_NEW,
): Bound {
  return dailyBound(context, act, who, adjusted(limit), is_new);
}

function dailyBound(
  { database, now_ms }: LimitContext,
  act: DailyAct,
  who: string,
  times: RawBuilder<unknown>,
  is_new: RawBuilder<unknown>,
): Bound {
  const scope = `daily_${act} ${who}`;
  return {
    precondition: {
      code: `daily_${act}_limit_reached` satisfies ErrorCode,
      holds: sql`SELECT NOT (${is_new}) OR COUNT(*) < ${times} FROM limited_acts
        WHERE scope = ${scope} AND acted_at >= ${isoTime(startOfJapaneseDay(now_ms))}`,
      retryAfter: () => secondsToTomorrow(now_ms),
    },
    statement: sql`INSERT INTO limited_acts (scope, acted_at, act_id)
      SELECT ${scope}, ${isoTime(now_ms)}, ${newId(now_ms)} WHERE (${is_new})`.compile(database),
  };
}

/** Returns in how many seconds the next Japanese calendar day begins. */
export function secondsToTomorrow(now_ms: number): number {
  return Math.ceil((endOfJapaneseDay(now_ms) - now_ms) / 1000);
}
