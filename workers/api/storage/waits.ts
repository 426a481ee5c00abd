import { type CompiledQuery, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import type { Database, Tables } from "./database.ts";

/**
 * A column whose moment stops something until it comes: work that is due then, a claim that ends then, an act that
 * counts until a while later. A clock that is ahead writes such moments too late.
 */
export interface Wait {
  table: keyof Tables;
  column: string;
  /** How far ahead of the present the moment can be. */
  longest_ms: number;
  /** SQL for the rows that wait; absent when all do. */
  rows?: string;
  /** Formats a moment as the column stores it; {@link isoTime} when absent. */
  format?: (ms: number) => string;
}

/** Returns the statements that bring the moments that are too late to the present. */
export function mendWaits(database: Database, waits: readonly Wait[], now_ms: number): CompiledQuery[] {
  return waits.map(({ table, column, longest_ms, rows = "TRUE", format = isoTime }) =>
    sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${format(now_ms)}
      WHERE ${sql.ref(column)} > ${format(now_ms + longest_ms)} AND ${sql.raw(rows)}`.compile(database),
  );
}
