import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { logUnexpected } from "../kernel/log.ts";
import { runBatch, type Statement, type Store } from "./commit.ts";

/** D1 ends a statement after 30 seconds. After a long stop of the clock the next runs delete the rest. */
const DELETED_AT_ONCE = 10_000;

/**
 * Returns the statement that deletes the oldest rows of a table whose `column` is before `end`. Rows of one moment are
 * deleted together. The limit is the moment of a row, because D1 knows no DELETE with LIMIT, and half of the tables have no rowid.
 */
export function deleteOldest(
  database: Store["database"],
  table: string,
  column: string,
  end: string | RawBuilder<string>,
): CompiledQuery {
  const at = sql.ref(column);
  const latest = sql`SELECT ${at} FROM ${sql.table(table)} WHERE ${at} < ${end} ORDER BY ${at}
    LIMIT 1 OFFSET ${sql.lit(DELETED_AT_ONCE - 1)}`;
  return sql`DELETE FROM ${sql.table(table)} WHERE ${at} < ${end} AND ${at} <= coalesce((${latest}), ${end})`.compile(
    database,
  );
}

/** Runs each purge in a batch of its own, so that one that fails does not stop the others. Throws afterwards what failed. */
export async function runPurges(d1: D1Database, purges: Readonly<Record<string, readonly Statement[]>>): Promise<void> {
  const failures: unknown[] = [];
  for (const [purge, statements] of Object.entries(purges)) {
    try {
      await runBatch(d1, statements);
    } catch (error) {
      failures.push(error);
      logUnexpected(error, "", { purge });
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.join("; "));
}
