import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { applyMigrations, type RunWrangler } from "../../scripts/deploy-migrations.ts";
import { listMigrations, migratedDatabases, migrationsFolder } from "../../scripts/migrations.ts";

let folder: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ofuse-deploy-migrations-"));
  said = [];
  vi.spyOn(console, "log").mockImplementation((line) => void said.push(String(line)));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** Stands for wrangler and D1: answers `--command` as JSON, and imports a `--file` whole or not at all. */
class FakeD1 {
  readonly sqlite = new DatabaseSync(":memory:");
  readonly calls: string[][] = [];
  /** The content of each imported file, by its path. */
  readonly files = new Map<string, string>();

  readonly run: RunWrangler = async (name, args) => {
    this.calls.push(args);
    const argumentAfter = (flag: string) => args[args.indexOf(flag) + 1] ?? "";
    const step = { name, passed: true, seconds: 0 };
    if (args.includes("--command")) {
      const results = argumentAfter("--command")
        .split(/;\s*/)
        .filter(Boolean)
        .map((statement) => ({ results: this.sqlite.prepare(statement).all(), success: true, meta: {} }));
      return { ...step, output: `▲ [WARNING] [sic]\n${JSON.stringify(results, null, 2)}\n` };
    }
    const text = readFileSync(argumentAfter("--file"), "utf8");
    this.files.set(argumentAfter("--file"), text);
    this.sqlite.exec("BEGIN");
    try {
      this.sqlite.exec(text);
      this.sqlite.exec("COMMIT");
      return { ...step, output: "" };
    } catch (error) {
      this.sqlite.exec("ROLLBACK");
      return { ...step, passed: false, output: `X [ERROR] ${error}` };
    }
  };

  get applied(): unknown[] {
    return this.sqlite
      .prepare("SELECT name FROM d1_migrations ORDER BY id")
      .all()
      .map(({ name }) => name);
  }

  get tables(): unknown[] {
    return this.sqlite
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 't_*' ORDER BY name")
      .all()
      .map(({ name }) => name);
  }
}

const target = () => ({ name: "ofuse-api", config: "/built/wrangler.deploy.json", folder });
const write = (name: string, sql: string) => writeFileSync(join(folder, name), sql);
/** The files that were imported, without their folder. */
const imported = ({ files }: FakeD1) => [...files.keys()].map((file) => file.slice(file.lastIndexOf("/") + 1));

test("imports each missing migration whole with its row, in order, and skips the applied ones", async () => {
  const d1 = new FakeD1();
  write("0001_a.sql", "CREATE TABLE t_a (id);\n");
  expect(await applyMigrations(target(), d1.run)).toBe(true);
  const trigger = "CREATE TRIGGER b AFTER INSERT ON t_a\nBEGIN\n  DELETE FROM t_a;\n  DELETE FROM t_b;\nEND;\n";
  write("0010_c.sql", "CREATE TABLE t_c (id);\n");
  write("0002_b.sql", `CREATE TABLE t_b (id);\n${trigger}`);
  write("0003_it's.sql", "CREATE TABLE t_d (id); -- without a line's end");
  write("README.md", "no migration");
  d1.files.clear();
  d1.calls.length = 0;
  expect(await applyMigrations(target(), d1.run)).toBe(true);

  expect(imported(d1)).toEqual(["0002_b.sql", "0003_it's.sql", "0010_c.sql"]);
  expect([...d1.files.values()][0]).toBe(
    `CREATE TABLE t_b (id);\n${trigger}\nINSERT INTO d1_migrations (name) VALUES ('0002_b.sql');\n`,
  );
  expect(d1.applied).toEqual(["0001_a.sql", "0002_b.sql", "0003_it's.sql", "0010_c.sql"]);
  const common = ["d1", "execute", "ofuse-api", "--remote", "--config", "/built/wrangler.deploy.json"];
  for (const args of d1.calls) expect(args.slice(0, common.length)).toEqual(common);
  expect(d1.calls.map((args) => args[common.length])).toEqual(["--json", "--yes", "--yes", "--yes"]);
  expect(said).toContain("      3 of 4 to apply");
  for (const file of d1.files.keys()) expect(existsSync(file), file).toBe(false);
});

test("stops at the first failure, says what to do, and begins there the next time", async () => {
  const d1 = new FakeD1();
  write("0001_a.sql", "CREATE TABLE t_a (id);\n");
  write("0002_b.sql", "CREATE TABLE t_b (id);\nINSERT INTO t_missing VALUES (1);\n");
  write("0003_c.sql", "CREATE TABLE t_c (id);\n");
  const scratch = () => readdirSync(tmpdir()).filter((name) => name.startsWith("ofuse-migrations-"));
  const before = scratch();
  expect(await applyMigrations(target(), d1.run)).toBe(false);
  expect([d1.tables, d1.applied]).toEqual([["t_a"], ["0001_a.sql"]]);
  expect(imported(d1)).toEqual(["0001_a.sql", "0002_b.sql"]);
  expect(said.join("\n")).toMatch(/^FAIL {2}ofuse-api 0002_b\.sql .*\nX \[ERROR\] .*t_missing/m);
  expect(said.at(-1)).toContain("D1 returns ofuse-api to its state before 0002_b.sql");
  expect(said.at(-1)).toContain("run npm run deploy again");
  expect(scratch().filter((name) => !before.includes(name) && existsSync(join(tmpdir(), name, "0002_b.sql")))).toEqual(
    [],
  );

  write("0002_b.sql", "CREATE TABLE t_b (id);\n");
  d1.files.clear();
  expect(await applyMigrations(target(), d1.run)).toBe(true);
  expect(imported(d1)).toEqual(["0002_b.sql", "0003_c.sql"]);
});

test.each([
  ["fails", false, "X [ERROR] Authentication error [code: 10000]"],
  ["answers nothing that can be read", true, "Update available!"],
])("imports nothing when the question for the record %s", async (_what, passed, output) => {
  write("0001_a.sql", "CREATE TABLE t_a (id);\n");
  const calls: string[][] = [];
  const wrangler: RunWrangler = async (name, args) => {
    calls.push(args);
    return { name, passed, seconds: 0, output };
  };
  expect(await applyMigrations(target(), wrangler)).toBe(false);
  expect(calls).toHaveLength(1);
  expect(said).toContain(output);
  expect(said.at(-1)).toContain("No migration of ofuse-api was begun");
});

test("takes the real migrations of every database, and its record is wrangler's own", async () => {
  for (const name of migratedDatabases) {
    const d1 = new FakeD1();
    expect(await applyMigrations({ ...target(), folder: migrationsFolder(name) }, d1.run), said.at(-1)).toBe(true);
    expect(d1.applied).toEqual(listMigrations(name));
    expect(
      d1.sqlite.prepare("SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info('d1_migrations')").all(),
    ).toEqual(
      // Source: wrangler 4.151, getCreateMigrationsTableQuery.
      [
        { name: "id", type: "INTEGER", notnull: 0, dflt_value: null },
        { name: "name", type: "TEXT", notnull: 0, dflt_value: null },
        { name: "applied_at", type: "TIMESTAMP", notnull: 1, dflt_value: "CURRENT_TIMESTAMP" },
      ],
    );
  }
});
