/**
 * `npm run --silent sql:importable -- <file>`: prints what `wrangler d1 export` wrote in an order in which it can be
 * executed. The export states each table with its rows and the triggers before the views: a row whose foreign key names a
 * later table fails, and so does a trigger on a view.
 */
import { readFileSync } from "node:fs";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";

const order = [
  /^PRAGMA/i,
  /^CREATE TABLE/i,
  /^(INSERT|DELETE)/i,
  /^CREATE (UNIQUE )?INDEX/i,
  /^CREATE VIEW/i,
  /^CREATE TRIGGER/i,
];

/**
 * The statements of an export: tables, rows, indexes, views, and last the triggers, so that none counts a row again.
 *
 * @throws at a statement that has no place in an export.
 */
export function importableStatements(sql: string): string[] {
  const ranked = splitSqlQuery(sql).map((statement) => {
    const rank = order.findIndex((kind) => kind.test(statement));
    if (rank < 0) throw new Error(`This is not of an export: ${statement.slice(0, 80)}`);
    return { statement, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ statement }) => statement);
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (!file) throw new Error("sql:importable <file>");
  for (const statement of importableStatements(readFileSync(file, "utf8")))
    console.log(`${statement.replace(/;?\s*$/, "")};`);
}
