/** SQLite's query plans. Tests check them on an empty database, the benchmark on its large one. */

/** A statement with its bound parameters. */
export interface Statement {
  sql: string;
  parameters: unknown[];
}

/** Wraps D1 to record every statement. */
export function recordStatements(d1: D1Database, statements: Statement[]): D1Database {
  return new Proxy(d1, {
    get(target, name) {
      if (name !== "prepare") {
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (sql: string) => {
        const statement = target.prepare(sql);
        return new Proxy(statement, {
          get(inner, property) {
            if (property !== "bind") {
              const value = Reflect.get(inner, property);
              return typeof value === "function" ? value.bind(inner) : value;
            }
            return (...parameters: unknown[]) => {
              statements.push({ sql, parameters });
              return inner.bind(...parameters);
            };
          },
        });
      };
    },
  });
}

/** Returns every line of the statements' query plans. */
export async function explainStatements(d1: D1Database, statements: readonly Statement[]): Promise<string[]> {
  const plans: string[] = [];
  for (const { sql, parameters } of statements) {
    const { results } = await d1
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...parameters)
      .all<{ detail: string }>();
    plans.push(...results.map(({ detail }) => detail));
  }
  return plans;
}

/**
 * Intended full scans: the values of one parameter, an index whose first entries are the answer, the rows of a page,
 * three rows, disabled accounts. EXPLAIN calls every access of a virtual table SCAN; FTS5's index number shows the kind:
 * `M` is a MATCH, 64 returns rows in rowid order (FTS5_BI_ORDER_ROWID), so that a LIMIT ends it early, and `=` is a
 * look-up by rowid.
 */
const walked = [
  /^SCAN creator_grams VIRTUAL TABLE INDEX (64:M\d+>?|0:=)$/,
  /^SCAN (asked|found|shown|chosen|walked|recent|rebuilds)$/,
  // The aliases of json_each in a query that calls it twice.
  /^SCAN (answer|asked|ids) VIRTUAL TABLE INDEX [13]:$/,
  /USING INDEX creators_by_place$/,
  /^SCAN totals$/,
  /^SCAN users USING INDEX users_disabled$/,
  // At most one row for each feature that operators can pause.
  /^SCAN paused_features USING COVERING INDEX/,
  /INDEX (users|events)_in_sitemap$/,
  /^SCAN json_each/,
  /USING INDEX (users_recommended|events_newest_public)$/,
  /USING COVERING INDEX events_newest$/,
  /USING INDEX (outbox_waiting|top_lists_untended)$/,
];

/** Returns the plans that scan a whole table. */
export const scansOf = (plans: readonly string[]) =>
  plans.filter((plan) => /^SCAN (?!\d|CONSTANT|\(subquery)/.test(plan) && !walked.some((index) => index.test(plan)));
