import { expect, test } from "vitest";
import source from "../../workers/api/storage/database.ts?raw";
import { d1 } from "./support/context.ts";

/** Columns by table as the TypeScript says, read from its source: types are gone when code runs. */
function declaredTables(): Map<string, { name: string; nullable: boolean }[]> {
  const body = source.slice(source.indexOf("export interface Tables {"), source.indexOf("export type Database"));
  const tables = new Map<string, { name: string; nullable: boolean }[]>();
  for (const [, table, columns] of body.matchAll(/^ {2}(\w+): \{([^}]*)\}/gms)) {
    tables.set(
      table ?? "",
      [...(columns ?? "").matchAll(/(\w+): ([^;]+);?/g)].map(([, name, type]) => ({
        name: name ?? "",
        nullable: /\| null/.test(type ?? ""),
      })),
    );
  }
  return tables;
}

test("the tables of the migrations are the tables of the code", async () => {
  const { results } = await d1.prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").all<{
    name: string;
  }>();
  const names = results.map(({ name }) => name).filter((name) => !/^(_cf_|sqlite_|d1_)/.test(name));
  expect(names.sort()).toEqual([...declaredTables().keys()].sort());
});

/** Views that are inserted into: their columns have no types. */
const doors = ["preconditions", "changed_pages", "changed_creators"];

test.each([...declaredTables().keys()].filter((table) => !doors.includes(table)))(
  "%s: the same columns, nullable alike",
  async (table) => {
    const { results } = await d1.prepare(`PRAGMA table_info(${table})`).all<{
      name: string;
      notnull: number;
      pk: number;
    }>();
    const migrated = results.map(({ name, notnull, pk }) => ({ name, nullable: notnull === 0 && pk === 0 }));
    expect(declaredTables().get(table)).toEqual(migrated);
  },
);

test("every table is STRICT and refuses what it should", async () => {
  const { results } = await d1
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    .all<{ name: string; sql: string }>();
  const loose = results.filter(({ name, sql }) => !/^(_cf_|sqlite_|d1_)/.test(name) && !/STRICT/.test(sql));
  expect(loose).toEqual([]);
  await expect(d1.prepare("INSERT INTO relationships VALUES ('a', 'a', 1, 'now')").run()).rejects.toThrow(/CHECK/);
});
