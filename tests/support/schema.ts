import type { SQLOutputValue } from "node:sqlite";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import type { MigratedDatabase } from "../../scripts/migrations.ts";

interface Part extends Record<string, SQLOutputValue> {
  type: "table" | "index" | "view" | "trigger";
  name: string;
  sql: string;
}

/** Rows come after tables, and before the triggers that would refuse or repeat them. */
const LATER = ["index", "view", "trigger"] as const;

/**
 * Returns the statements that make a new database what all its migrations make it, with the rows that they add. A test file needs a
 * tenth of the time for them.
 */
export function statementsOfSchema(name: MigratedDatabase): string[] {
  const database = new MemoryDatabase(name);
  const read = <Row>(sql: string) => database.run(sql, []).results as Row[];
  const parts = read<Part>(
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
  );
  const virtual = parts.filter(({ sql }) => sql.startsWith("CREATE VIRTUAL TABLE"));
  // A virtual table makes these itself.
  const isShadow = (part: Part) => virtual.some((each) => part.name.startsWith(`${each.name}_`));
  const own = parts.filter((part) => !isShadow(part));
  const rows = own
    .filter((part) => part.type === "table" && !virtual.includes(part))
    .flatMap((table) => {
      const columns = read<{ name: string }>(`SELECT name FROM pragma_table_info('${table.name}')`);
      const values = columns.map((column) => `quote("${column.name}")`).join(" || ', ' || ");
      const sql = `SELECT 'INSERT INTO "${table.name}" VALUES (' || ${values} || ')' AS statement FROM "${table.name}"`;
      return read<{ statement: string }>(sql).map(({ statement }) => statement);
    });
  database.close();
  const ofType = (type: Part["type"]) => own.filter((part) => part.type === type).map(({ sql }) => sql);
  return ["PRAGMA defer_foreign_keys = on", ...ofType("table"), ...rows, ...LATER.flatMap(ofType)];
}
