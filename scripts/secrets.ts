/**
 * The secrets of a local network. The first start makes them, and the data folder keeps them, readable by its owner
 * only.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isWeakSecret, MIN_SECRET_LENGTH } from "../workers/verifier/deployment.ts";
import { isSiteFolder, persistencePath, readDatabase, storageFile } from "./data-folder.ts";
import type { MigratedDatabase } from "./migrations.ts";
import { Refusal } from "./refusal.ts";

interface Kind {
  make(): string;
  /** Whether it is a list `id:secret,id:secret`. */
  is_list?: boolean;
  /**
   * The migration that came with the secret; none for the first version's secrets. Data that have not had it do not depend on
   * the secret, so that an upgrade may make it.
   */
  since?: { database: MigratedDatabase; migration: string };
}

const kinds = {
  SESSION_KEYS: { make: randomList, is_list: true },
  IDENTITY_API_KEY: { make: randomKey },
  PIB_API_KEY: { make: randomKey },
  ENCRYPTION_KEY: { make: randomKey },
  MEDIA_KEY: { make: randomKey },
  BANK_KEYS: { make: randomList, is_list: true, since: { database: "api", migration: "0022_bank_accounts.sql" } },
  OPERATOR_KEY: { make: randomKey, since: { database: "api", migration: "0020_operator_acts.sql" } },
  RADIO_KEY: { make: randomKey, since: { database: "api", migration: "0045_radio_recordings.sql" } },
  GATEWAY_KEY: { make: () => `sk_test_${randomKey()}`, since: { database: "gateway", migration: "0001_objects.sql" } },
  GATEWAY_WEBHOOK_SECRET: {
    make: () => `whsec_${randomKey()}`,
    since: { database: "gateway", migration: "0001_objects.sql" },
  },
} satisfies Record<string, Kind>;

export type Secrets = Record<keyof typeof kinds, string>;

const allKinds = Object.entries<Kind>(kinds);
const fileOf = (data_dir: string) => join(data_dir, "secrets.json");

function randomKey(): string {
  return randomBytes(32).toString("base64url");
}

function randomList(): string {
  return `k1:${randomKey()}`;
}

type Stored = Record<string, string>;

function isStored(value: unknown): value is Stored {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const values = Object.values(value);
  return values.length > 0 && values.every((each) => typeof each === "string" && each !== "");
}

/** Returns what the file holds, with a sentence for each fault. A folder without the file holds nothing. */
function checkStored(data_dir: string): { stored: Stored; faults: string[] } {
  const file = fileOf(data_dir);
  const wayBack = isSiteFolder(data_dir)
    ? 'Without one, docs/operations.md, "Backup and restore", step 2, says what to do'
    : "Without one, begin again with npm run db:reset, and delete the file: nobody could sign in with new secrets on old data";
  if (!existsSync(file)) {
    const is_lost = isSiteFolder(data_dir) && existsSync(persistencePath(data_dir));
    const fault = `${file} is missing, while there are data: put back the copy you keep of it. ${wayBack}`;
    return { stored: {}, faults: is_lost ? [fault] : [] };
  }
  try {
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isStored(stored)) return { stored, faults: faultsIn(stored, data_dir, wayBack) };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (!(error instanceof SyntaxError))
      return { stored: {}, faults: [`${file} cannot be read: ${(error as Error).message}`] };
  }
  return { stored: {}, faults: [`${file} is damaged. Put back the copy you keep of it. ${wayBack}`] };
}

function faultsIn(stored: Stored, data_dir: string, wayBack: string): string[] {
  const file = fileOf(data_dir);
  const mistyped = new Map(
    Object.keys(stored)
      .filter((name) => !Object.hasOwn(kinds, name))
      .flatMap((name) => allKinds.flatMap(([known]) => (isMistyped(name, known) ? [[known, name] as const] : []))),
  );
  return [
    ...[...mistyped].map(([known, name]) => `${file}: there is no secret "${name}". Write ${known}`),
    ...allKinds.flatMap(([name, kind]) => {
      const value = stored[name];
      if (value !== undefined) return formFaults(name, value, kind).map((fault) => `${file}: ${fault}`);
      if (mistyped.has(name) || mayBeMade(kind, data_dir)) return [];
      return [`${file} has no ${name}, while there are data: put back the copy you keep of the file. ${wayBack}`];
    }),
  ];
}

function formFaults(name: string, value: string, { is_list = false }: Kind): string[] {
  if (!is_list) {
    return isWeakSecret(value) ? [`${name} has fewer than ${MIN_SECRET_LENGTH} characters, or is a default`] : [];
  }
  const pairs = value.split(",").map((pair) => pair.trim().split(":"));
  const is_whole = pairs.every(([id, secret, ...more]) => id && !isWeakSecret(secret) && more.length === 0);
  const has_own_ids = new Set(pairs.map(([id]) => id)).size === pairs.length;
  return is_whole && has_own_ids
    ? []
    : [`${name} is not id:secret,id:secret with different ids, and secrets of ${MIN_SECRET_LENGTH} characters or more`];
}

/** Whether a name is a known one but for its case, or for up to two letters in one place. */
function isMistyped(name: string, known: string): boolean {
  const written = name.toUpperCase();
  const shorter = Math.min(written.length, known.length);
  let start = 0;
  while (start < shorter && written[start] === known[start]) start += 1;
  let end = 0;
  while (end < shorter - start && written.at(-1 - end) === known.at(-1 - end)) end += 1;
  return Math.max(written.length, known.length) - start - end <= 2;
}

/** Whether nothing in the folder depends on a secret that it lacks. */
function mayBeMade({ since }: Kind, data_dir: string): boolean {
  if (!existsSync(persistencePath(data_dir))) return true;
  if (!since) return false;
  const file = storageFile(data_dir, since.database);
  if (!existsSync(file)) return true;
  const applied = "SELECT 1 FROM d1_migrations WHERE name = ?";
  return readDatabase(file, (database) => database.prepare(applied).get(since.migration) === undefined);
}

/** Returns a sentence for each fault of the folder's secrets. Makes none. */
export function secretFaults(data_dir: string): string[] {
  return checkStored(data_dir).faults;
}

/**
 * Reads the folder's secrets and makes the missing ones. Keeps names that this version does not know: they are of a later
 * version. Call it before a migration of the data.
 *
 * @throws Refusal with a sentence for each fault: new secrets would sign everybody out, and lose bank accounts, unnoticed.
 */
export function readSecrets(data_dir: string): Secrets {
  const { stored, faults } = checkStored(data_dir);
  if (faults.length > 0) throw new Refusal(faults.map((fault) => `${fault}.`).join("\n"));
  const missing = allKinds.filter(([name]) => stored[name] === undefined);
  const all = { ...stored, ...Object.fromEntries(missing.map(([name, { make }]) => [name, make()])) };
  if (missing.length > 0) {
    mkdirSync(data_dir, { recursive: true });
    // Writes a new file and renames it, so that a kill in the middle leaves no half file. The mode applies to new files
    // only.
    const file = fileOf(data_dir);
    rmSync(`${file}.new`, { force: true });
    writeFileSync(`${file}.new`, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return Object.fromEntries(allKinds.map(([name]) => [name, all[name]])) as Secrets;
}
