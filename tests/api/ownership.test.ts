import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import type { Domain, TableRules } from "../../workers/api/domain.ts";
import { domains } from "../../workers/api/domains.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { EXPORT_PARTS, type ExportPart, exportAccount } from "../../workers/contract/leaving.ts";
import { d1 } from "./support/context.ts";

/**
 * Every table of the product's database belongs to one domain. The domain declares whose rows they are, when they are
 * deleted, whether a member's data export contains them, what happens when the member leaves, and whether visitors'
 * pages show them. These tests check the declarations against the schema and the SQL.
 */

type Operation = TableRules["on_pages"][number];
interface Trigger {
  table: string;
  operation: Operation;
  /** The columns of UPDATE OF or WHEN; empty for any column. */
  columns: string[];
  writes: Set<string>;
  body: string;
}
interface Schema {
  tables: Map<string, string[]>;
  triggers: Trigger[];
}

async function readSchema(): Promise<Schema> {
  const { results } = await d1
    .prepare("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('table', 'trigger')")
    .all<{ type: string; name: string; tbl_name: string; sql: string }>();
  const names = results.filter(({ type, name }) => type === "table" && !/^(_cf_|sqlite_|d1_)/.test(name));
  const columns = await d1.batch<{ name: string }>(names.map(({ name }) => d1.prepare(`PRAGMA table_info(${name})`)));
  return {
    tables: new Map(names.map(({ name }, n) => [name, columns[n]?.results.map((column) => column.name) ?? []])),
    triggers: results
      .filter(({ type }) => type === "trigger")
      .map(({ tbl_name, sql }) => {
        const [, operation = "", columns = ""] =
          /(INSERT|UPDATE|DELETE)(?:\s+OF\s+([\w\s,]+?))?\s+ON\s/.exec(sql) ?? [];
        const [head = "", body = ""] = sql.split("BEGIN");
        const conditions = [...head.matchAll(/NEW\.(\w+)/g)].map(([, column = ""]) => column);
        const writes = [...body.matchAll(/(?:INTO|UPDATE|DELETE FROM)\s+(\w+)/g)].map(([, to = ""]) => to);
        return {
          table: tbl_name,
          operation: operation as Operation,
          columns: [...columns.split(/[\s,]+/).filter(Boolean), ...conditions],
          writes: new Set(writes),
          body,
        };
      }),
  };
}

/** Returns the writes whose triggers change the version of a page, directly or through other tables. */
function findVersionedWrites({ triggers }: Schema): Map<string, Set<Operation>> {
  const leading = new Set<Trigger>();
  const leadsToVersion = ({ writes, body }: Trigger) =>
    writes.has("page_versions") ||
    [...leading].some(
      ({ table, columns }) =>
        writes.has(table) && (columns.length === 0 || columns.some((column) => mentionsWord(body, column))),
    );
  for (let size = -1; size !== leading.size; ) {
    size = leading.size;
    for (const trigger of triggers) if (leadsToVersion(trigger)) leading.add(trigger);
  }
  const byTable = Map.groupBy(leading, ({ table }) => table);
  return new Map([...byTable].map(([table, group]) => [table, new Set(group.map(({ operation }) => operation))]));
}

const rulesOf = (list: readonly Domain[]) => list.flatMap(({ tables = {} }) => Object.entries(tables));

/** Returns the SQL of one part of a data export. */
function exportSql(list: readonly Domain[], part: ExportPart): string {
  const queries =
    part === "profile"
      ? list.flatMap(({ profile }) => (profile ? [profile("me")] : []))
      : list.flatMap(({ exports }) => exports?.[part]?.select("me", undefined, sql``) ?? []);
  return queries.map((query) => query.compile(openDatabase(d1)).sql).join("\n");
}

const mentionsWord = (text: string, word: string) => new RegExp(`\\b${word}\\b`).test(text);

/** The names of columns whose moment the cron job or a limit waits for. */
const WAITS = /^(check|ask|asked|seen|last_signal)_at$|^claimed_until$/;

/** Returns a sentence for each missing declaration, which says what to write where. */
function findFaults(list: readonly Domain[], schema: Schema): string[] {
  const faults: string[] = [];
  const rules = rulesOf(list);
  const erased = new Set(list.flatMap(({ erasures = [] }) => erasures.map(({ table }) => table as string)));
  const versioned = findVersionedWrites(schema);
  for (const [table, columns] of schema.tables) {
    const answers = rules.filter(([name]) => name === table);
    if (answers.length !== 1) {
      faults.push(
        `${table} belongs to ${answers.length} domains: add it to \`tables\` in the domain.ts of the one whose commands write it ` +
          "(people, expires, exported, erased, on_pages; workers/api/domain.ts explains each)",
      );
      continue;
    }
    const [, { people, expires, exported, erased: isErased, on_pages }] = answers[0] as [string, TableRules];
    const unnamed = columns.filter(
      (column) => /(^|_)(user|identity)_id$|^liker$/.test(column) && !people.includes(column),
    );
    if (unnamed.length > 0)
      faults.push(`${table}: name ${unnamed} in \`people\`, or rename a column that names nobody`);
    const unknown = [...people, ...(typeof expires === "string" ? [] : [expires.since])].filter(
      (column) => !columns.includes(column),
    );
    if (unknown.length > 0) faults.push(`${table} has no column ${unknown}`);
    if ((isErased === true) !== erased.has(table)) {
      faults.push(
        isErased === true
          ? `${table}: add an erasure to its domain's personal-data.ts, or write in \`erased\` why its rows stay when a person leaves`
          : `${table} has an erasure: write \`erased: true\``,
      );
    }
    if (typeof exported !== "string") {
      const sql = exported.parts.map((part) => exportSql(list, part)).join("\n");
      if (!mentionsWord(sql, table))
        faults.push(`${table}: no part of the copy among ${exported.parts} selects from it`);
      const missing = columns.filter((column) => !mentionsWord(sql, column) && !exported.except?.includes(column));
      if (missing.length > 0) {
        faults.push(
          `${table}: export ${missing} in its domain's personal-data.ts, or name them in \`exported.except\``,
        );
      }
      const gone = exported.except?.filter((column) => !columns.includes(column)) ?? [];
      if (gone.length > 0) faults.push(`${table}: \`exported.except\` names ${gone}, which it does not have`);
    }
    const writes = [...(versioned.get(table) ?? [])].sort();
    if (String([...on_pages].sort()) !== String(writes)) {
      faults.push(
        `${table}: the triggers of ${writes.join(", ") || "no write"} change the version of pages, and \`on_pages\` says ` +
          `${on_pages.join(", ") || "none"}: add a trigger to a new migration (0002_page_versions.sql has examples), or correct \`on_pages\``,
      );
    }
  }
  const waits = new Set(
    list.flatMap((domain) => (domain.waits ?? []).map(({ table, column }) => `${table}.${column}`)),
  );
  const waiting = [...schema.tables].flatMap(([table, columns]) =>
    columns.filter((column) => WAITS.test(column)).map((column) => `${table}.${column}`),
  );
  for (const column of waiting) {
    if (!waits.has(column)) faults.push(`${column}: add it to \`waits\` in the domain.ts of its table`);
  }
  for (const wait of waits) {
    const [table = "", column = ""] = wait.split(".");
    if (!schema.tables.get(table)?.includes(column))
      faults.push(`\`waits\` names ${wait}, which the schema does not have`);
  }
  for (const [table] of rules) if (!schema.tables.has(table)) faults.push(`${table} is no table of the schema`);
  return faults;
}

describe("tables and their owners", () => {
  test("every table has one owner, whose declarations match the schema", async () => {
    const schema = await readSchema();
    expect(schema.tables.size).toBeGreaterThan(30);
    expect(findFaults(domains, schema)).toEqual([]);
  });

  const planted: [name: string, plant: (schema: Schema) => Schema, fault: RegExp][] = [
    [
      "a new table",
      (schema) => ({ ...schema, tables: new Map(schema.tables).set("stickers", ["sticker_id", "user_id"]) }),
      /^stickers belongs to 0 domains: add it to `tables`/,
    ],
    [
      "a new column",
      (schema) => ({
        ...schema,
        tables: new Map(schema.tables).set("blocks", ["blocker_id", "blocking_id", "created_at", "why"]),
      }),
      /^blocks: export why in its domain's personal-data.ts/,
    ],
    [
      "a new column that names a person",
      (schema) => ({
        ...schema,
        tables: new Map(schema.tables).set("intents", [...(schema.tables.get("intents") ?? []), "made_by_user_id"]),
      }),
      /^intents: name made_by_user_id in `people`/,
    ],
    [
      "a trigger that is gone",
      (schema) => ({
        ...schema,
        triggers: schema.triggers.filter(({ table, operation }) => table !== "user_genres" || operation !== "DELETE"),
      }),
      /^user_genres: the triggers of INSERT change the version/,
    ],
  ];
  test.each(planted)("%s without a declaration is reported, with what to write where", async (_name, plant, fault) => {
    const faults = findFaults(domains, plant(await readSchema()));
    expect(faults).toEqual([expect.stringMatching(fault)]);
  });

  test("a missing erasure is reported", async () => {
    const without = domains.map((domain) => ({
      ...domain,
      erasures: domain.erasures?.filter(({ table }) => table !== "blocks") ?? [],
    }));
    expect(findFaults(without, await readSchema())).toEqual([expect.stringMatching(/^blocks: add an erasure/)]);
  });
});

test("each part of a data export comes from one domain, and the profile from several", () => {
  for (const part of EXPORT_PARTS) {
    const sources = domains.filter((domain) => (part === "profile" ? domain.profile : domain.exports?.[part]));
    expect(sources.length, part).toBeGreaterThanOrEqual(1);
    if (part !== "profile") expect(sources.length, part).toBe(1);
  }
});

const ID = "01kaf2m8q3v7x1n5r9t4w6y8ze";
/** A key of each form in which the parts of an export make theirs. */
const KEYS: Record<string, string> = {
  id: ID,
  "created_at || ' ' || id": `2026-11-20T03:15:00.000Z ${ID}`,
  "subject_type || ' ' || id": `event_comment ${ID}`,
  "'removal ' || id": `removal ${ID}`,
  "ledger_postings.account_id || ' ' || ledger_postings.number": `creator_in_transit:${ID} 12`,
  "measure || ' ' || period || ' ' || subject": `referrers 2026-11-20 ${`${"a".repeat(63)}.`.repeat(4).slice(0, 252)}x`,
};

test.each(EXPORT_PARTS)("a data export continues after each key that its part %s gives", (part) => {
  const made = [...exportSql(domains, part).matchAll(/SELECT ((?:(?!SELECT)[\s\S])+?) AS key/g)].map(
    ([, key = ""]) => key,
  );
  expect(made.length > 0).toBe(part !== "profile");
  for (const form of made) {
    const after = KEYS[form.replace(/\b(?!account)\w+_id\b/, "id")];
    expect(after, `an example of the key ${form}`).toBeDefined();
    expect(exportAccount.query.safeParse({ part, after }).success, after).toBe(true);
  }
});

/** D1's limit; workerd on one machine has none. Source: Cloudflare's documentation, "D1 limits". */
const MAX_FUNCTION_ARGUMENTS = 32;

/** The most arguments that one call of json_object in a statement has. */
function countMostArguments(statement: string): number {
  const text = statement.replace(/'[^']*'/g, "''");
  const counts = [...text.matchAll(/json_object\(/g)].map(({ index, 0: call }) => {
    let [depth, count] = [1, 1];
    for (let at = index + call.length; depth > 0 && at < text.length; at++) {
      if (text[at] === "(") depth++;
      else if (text[at] === ")") depth--;
      else if (text[at] === "," && depth === 1) count++;
    }
    return count;
  });
  return Math.max(0, ...counts);
}

test("no item of a data export has more fields than D1 takes arguments", () => {
  expect(countMostArguments("SELECT json_object('a,b', f(1, 2), 'c', 3)")).toBe(4);
  for (const part of EXPORT_PARTS) {
    expect(countMostArguments(exportSql(domains, part)), part).toBeLessThanOrEqual(MAX_FUNCTION_ARGUMENTS);
  }
});

test("no two limits count the same act, and each operation has one endpoint", () => {
  const acts = domains.flatMap(({ limits = [] }) => limits.map(({ act }) => act));
  const operations = domains.flatMap(({ endpoints = [] }) => endpoints.map(({ operation }) => operation.id));
  for (const names of [acts, operations]) expect(names.toSorted()).toEqual([...new Set(names)].sort());
});

test("no two domains answer one kind of outbox row with notices, or one type with an excerpt", () => {
  const kinds = domains.flatMap(({ notices = {}, broadcasts = {} }) => [
    ...Object.keys(notices),
    ...Object.keys(broadcasts),
  ]);
  const types = domains.flatMap(({ excerpts = {} }) => Object.keys(excerpts));
  for (const names of [kinds, types]) expect(names.toSorted()).toEqual([...new Set(names)].sort());
});
