/** Tests that commands say in a sentence what is wrong with their arguments, and change nothing then. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, type StatsFs, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { assertRoom, settingsFile } from "../../scripts/data-folder.ts";
import { listMigrations } from "../../scripts/migrations.ts";
import { userSubject } from "../../scripts/operator/user.ts";
import { restoreBackup } from "../../scripts/restore.ts";
import { runStep } from "../../scripts/steps.ts";

const root = resolve(import.meta.dirname, "../..");
const place = mkdtempSync(join(tmpdir(), "ofuse-usage-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const run = (script: string, ...args: string[]) =>
  runStep(script, process.execPath, [`scripts/${script}`, ...args], { env: { DATA_DIR: join(place, "data") } });

test.each([
  ["importable-sql.ts", [], "sql:importable <file>"],
  ["importable-sql.ts", ["--help"], "sql:importable <file>"],
  ["importable-sql.ts", [join(place, "none.sql")], `${join(place, "none.sql")} cannot be read: ENOENT`],
  ["importable-sql.ts", [place], `${place} cannot be read: EISDIR`],
  ["released-contract.ts", ["--help"], "contract:release   write"],
  ["build.ts", ["--help"], "build   make the production build"],
  ["database.ts", ["reset", "--help"], "db:reset [folder]"],
  ["database.ts", ["reset", ""], "db:reset [folder]"],
  ["database.ts", ["new", "api", "--help"], "db:reset [folder]"],
] as const)("%s %j fails with a sentence, and changes nothing", async (script, args, sentence) => {
  const contract = join(root, "deploy/released-contract.jsonl");
  const before = [statSync(contract).mtimeMs, listMigrations("api")];
  const { passed, output } = await run(script, ...args);
  expect([passed, output]).toEqual([false, expect.stringContaining(sentence)]);
  expect(output).not.toMatch(/^ +at /m);
  expect([statSync(contract).mtimeMs, listMigrations("api")]).toEqual(before);
});

test("sql:importable says in a sentence that a file is no export", async () => {
  const file = join(place, "no-export.sql");
  for (const [text, sentence] of [
    ["SELECT 1;", "This is not of an export: SELECT 1\n"],
    ["CREATE TABLE a (b", "The export was cut off in: CREATE TABLE a (b\n"],
  ] as const) {
    writeFileSync(file, text);
    const { passed, output } = await run("importable-sql.ts", file);
    expect([passed, output]).toEqual([false, sentence]);
  }
});

test.each([
  ["an address that is none", ["create", "a b@x", "--mail"], /^The address of an account is a mail address/],
  [
    "a name that is too long",
    ["create", "hana@example.jp", "--name", "花".repeat(500), "--mail"],
    /^A name is one line/,
  ],
])("user create refuses %s with a sentence", (_, args, sentence) => {
  expect(() => userSubject.read(args, Date.now())).toThrow(sentence);
});

test("a first start on a disk without room says how much it needs", () => {
  const disk = (megabytes: number) => ({ bavail: megabytes * 256, bsize: 4096 }) as StatsFs;
  expect(() => assertRoom(place, disk(3))).toThrow(`The disk of ${place} has 3 MB left. The first start needs 100 MB.`);
  expect(() => assertRoom(place, disk(100))).not.toThrow();
});

test("a restore refuses a demo's backup for a site's folder, before it reads the data", async () => {
  const [backup, site] = [mkdtempSync(join(place, "backup-")), mkdtempSync(join(place, "site-"))];
  const databases = { api: {}, identity: {} };
  const manifest = { format: 2, world: "demo", taken_at: "2026-11-20T00:00:00.000Z", databases, missing_objects: [] };
  writeFileSync(join(backup, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(settingsFile(site), "");
  await expect(restoreBackup(backup, site)).rejects.toThrow(
    /is a backup of a demo.*Let DATA_DIR name another folder\.$/,
  );
  expect([readdirSync(site), readFileSync(settingsFile(site), "utf8")]).toEqual([["settings.env"], ""]);
});
