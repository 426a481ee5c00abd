/** Tests which secrets a folder may lack, and that no start loses or replaces one. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { settingsFile, storageFile } from "../../scripts/data-folder.ts";
import { listMigrations } from "../../scripts/migrations.ts";
import { readSecrets, type Secrets, secretFaults } from "../../scripts/secrets.ts";

const place = mkdtempSync(join(tmpdir(), "ofuse-secrets-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

let folder: string;
let made: Secrets;
const file = () => join(folder, "secrets.json");
const readFile = () => JSON.parse(readFileSync(file(), "utf8")) as Record<string, string>;
const writeFile = (secrets: Record<string, string>) => writeFileSync(file(), JSON.stringify(secrets));

/** Writes databases that have had the migrations up to one of the API, and of the gateway all or none. */
function makeData(until: string | undefined, has_gateway: boolean): void {
  const had = {
    api: listMigrations("api").filter((migration) => until === undefined || migration <= until),
    gateway: has_gateway ? listMigrations("gateway") : [],
  };
  for (const name of ["api", "gateway"] as const) {
    mkdirSync(dirname(storageFile(folder, name)), { recursive: true });
    const database = new DatabaseSync(storageFile(folder, name));
    database.exec("BEGIN; CREATE TABLE d1_migrations (name TEXT)");
    for (const migration of had[name]) database.prepare("INSERT INTO d1_migrations VALUES (?)").run(migration);
    database.exec("COMMIT");
    database.close();
  }
}

beforeEach(() => {
  folder = mkdtempSync(join(place, "site-"));
  writeFileSync(settingsFile(folder), "");
  made = readSecrets(folder);
});

test("makes every secret of a new folder once", () => {
  expect(secretFaults(folder)).toEqual([]);
  expect(readSecrets(folder)).toEqual(made);
  expect(readFile()).toEqual(made);
});

test("keeps the secrets of a later version when it makes one", () => {
  const { RADIO_KEY: _, ...others } = made;
  writeFile({ ...others, LATER_SECRET: "of a later version" });
  const now = readSecrets(folder);
  expect(readFile()).toEqual({ ...others, LATER_SECRET: "of a later version", RADIO_KEY: now.RADIO_KEY });
  expect(Object.keys(now)).not.toContain("LATER_SECRET");
});

describe("with data", () => {
  test.each(["SESSION_KEYS", "ENCRYPTION_KEY", "BANK_KEYS", "OPERATOR_KEY", "RADIO_KEY", "GATEWAY_KEY"] as const)(
    "refuses a folder that has lost its %s, and makes no other",
    (name) => {
      makeData(undefined, true);
      const { [name]: _, ...others } = made;
      writeFile(others);
      const fault = `${file()} has no ${name}, while there are data: put back the copy you keep of the file. Without one, docs/operations.md, "Backup and restore", step 2, says what to do`;
      expect(secretFaults(folder)).toEqual([fault]);
      expect(() => readSecrets(folder)).toThrow(`${fault}.`);
      expect(readFile()).toEqual(others);
    },
  );

  test.each([
    ["before operators' keys", "0019", ["OPERATOR_KEY", "BANK_KEYS", "RADIO_KEY", "GATEWAY_KEY"], false],
    ["before bank accounts", "0021", ["BANK_KEYS", "RADIO_KEY", "GATEWAY_KEY", "GATEWAY_WEBHOOK_SECRET"], false],
    ["before the sound of radios", "0045", ["RADIO_KEY"], true],
  ] as const)("makes the secrets that a version %s did not know", (_, until, unknown, has_gateway) => {
    makeData(until, has_gateway);
    const older = Object.fromEntries(
      Object.entries(made).filter(([name]) => !unknown.some((lacking) => lacking === name)),
    );
    writeFile(older);
    expect(readSecrets(folder)).toMatchObject(older);
    expect(Object.keys(readFile()).sort()).toEqual(Object.keys(made).sort());
  });

  test("refuses a site without the file, and makes none", () => {
    makeData(undefined, true);
    rmSync(file());
    expect(() => readSecrets(folder)).toThrow(`${file()} is missing, while there are data`);
    expect(secretFaults(folder).length).toBe(1);
  });
});

test.each([
  ["BANK_KEY", "BANK_KEYS"],
  ["bank_keys", "BANK_KEYS"],
  ["BNAK_KEYS", "BANK_KEYS"],
  ["SESION_KEYS", "SESSION_KEYS"],
  ["ENCRYPTION-KEY", "ENCRYPTION_KEY"],
] as const)('refuses "%s" for %s, whether the right name is there or not', (wrong, right) => {
  const { [right]: value, ...others } = made;
  const fault = `${file()}: there is no secret "${wrong}". Write ${right}`;
  writeFile({ ...others, [wrong]: value });
  expect(secretFaults(folder)).toEqual([fault]);
  writeFile({ ...made, [wrong]: value });
  expect(secretFaults(folder)).toEqual([fault]);
});

const long = "x".repeat(32);

test("takes keys in rotation, newest first", () => {
  writeFile({ ...made, BANK_KEYS: `k2:${long}, ${made.BANK_KEYS}`, SESSION_KEYS: `k2:${long},${made.SESSION_KEYS}` });
  expect(secretFaults(folder)).toEqual([]);
});

test.each([
  ["MEDIA_KEY", "short"],
  ["OPERATOR_KEY", long.slice(1)],
  ["ENCRYPTION_KEY", `local-${long}`],
  ["SESSION_KEYS", long],
  ["SESSION_KEYS", `:${long}`],
  ["SESSION_KEYS", `k2:short,k1:${long}`],
  ["SESSION_KEYS", `k2:${long}:more,k1:${long}`],
  ["BANK_KEYS", "zz"],
  ["BANK_KEYS", `k1:${long},`],
  ["BANK_KEYS", `k1:${long},k1:${long}`],
] as const)("refuses %s %j, and shows no secret", (name, value) => {
  writeFile({ ...made, [name]: value });
  const [fault = "", ...more] = secretFaults(folder);
  expect([fault, more]).toEqual([
    expect.stringMatching(new RegExp(`^${file()}: ${name} (has|is) .*32 characters`)),
    [],
  ]);
  expect(fault).not.toContain(value);
});

test("names every fault at once", () => {
  const { BANK_KEYS, ...others } = made;
  writeFile({ ...others, BANK_KEY: BANK_KEYS, MEDIA_KEY: "short", RADIO_KEY: "short" });
  expect(() => readSecrets(folder)).toThrow(/BANK_KEYS\.\n.*MEDIA_KEY.*\.\n.*RADIO_KEY/);
});
