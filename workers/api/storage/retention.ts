import { type RawBuilder, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { deleteOldest, runPurges } from "../../storage/purge.ts";
import type { Database, Tables } from "./database.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** When the cron job deletes rows of a table. */
export interface Expiry {
  /** The column with the moment from which the days until expiry count. */
  since: string;
  /** 0 when the column in `since` itself says when the row expires. */
  days: number;
}

export interface ExpiringTable {
  table: keyof Tables;
  expires: Expiry;
}

/** Lists the tables whose rows expire. A table with a sentence instead of an expiry keeps its rows. */
export function expiriesOf(tables: { readonly [T in keyof Tables]?: { expires: Expiry | string } }): ExpiringTable[] {
  return Object.entries(tables).flatMap(([table, { expires }]) =>
    typeof expires === "string" ? [] : [{ table: table as keyof Tables, expires }],
  );
}

/**
 * SQL for the moment `days` ago, by the worker's clock or by the database's, whichever is earlier. A clock that jumped
 * ahead must not delete rows, because correcting the clock does not bring the rows back.
 */
export function daysAgo(now_ms: number, days: number): RawBuilder<string> {
  return sql<string>`min(${isoTime(now_ms - days * DAY_MS)}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`-${days} days`}))`;
}

/** Deletes rows that have expired, the oldest of each table first. The cron job runs it; it is safe to run at any moment. */
export async function purgeExpired(
  d1: D1Database,
  database: Database,
  now_ms: number,
  expiries: readonly ExpiringTable[],
): Promise<void> {
  const purges = expiries.map(({ table, expires }) => {
    const statement = deleteOldest(database, table, expires.since, daysAgo(now_ms, expires.days));
    return [table, [statement]];
  });
  await runPurges(d1, Object.fromEntries(purges));
}
