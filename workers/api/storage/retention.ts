import { type RawBuilder, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { runBatch } from "../../storage/commit.ts";
import type { Database, Tables } from "./database.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Rows of one table that the clock deletes. */
export interface Expiry {
  /** The column with the moment that the days are counted from. */
  since: string;
  /** 0 where the column itself says when the row expires. */
  days: number;
}

export interface ExpiringTable {
  table: keyof Tables;
  expires: Expiry;
}

/** The tables whose rows expire. A table with a sentence instead of an expiry keeps its rows. */
export function expiriesOf(tables: { readonly [T in keyof Tables]?: { expires: Expiry | string } }): ExpiringTable[] {
  return Object.entries(tables).flatMap(([table, { expires }]) =>
    typeof expires === "string" ? [] : [{ table: table as keyof Tables, expires }],
  );
}

/**
 * The moment so many days ago, as SQL: the earlier one by the worker's clock and by the database's. A clock that jumped
 * ahead must not delete rows that its correction would not bring back.
 */
export function daysAgo(now_ms: number, days: number): RawBuilder<string> {
  return sql<string>`min(${isoTime(now_ms - days * DAY_MS)}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`-${days} days`}))`;
}

/** Deletes the rows that have expired. The clock runs it; it is safe to run at any moment. */
export async function purgeExpired(
  d1: D1Database,
  database: Database,
  now_ms: number,
  expiries: readonly ExpiringTable[],
): Promise<void> {
  const statements = expiries.map(({ table, expires }) =>
    sql`DELETE FROM ${sql.table(table)} WHERE ${sql.ref(expires.since)} < ${daysAgo(now_ms, expires.days)}`.compile(
      database,
    ),
  );
  await runBatch(d1, statements);
}
