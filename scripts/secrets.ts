/**
 * The secrets of a local network. The first start makes them, and the data folder keeps them, readable by its owner
 * only.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isSiteFolder } from "./data-folder.ts";
import { Refusal } from "./refusal.ts";

const makers = {
  SESSION_KEYS: () => `k1:${randomKey()}`,
  IDENTITY_API_KEY: randomKey,
  PIB_API_KEY: randomKey,
  ENCRYPTION_KEY: randomKey,
  MEDIA_KEY: randomKey,
  BANK_KEYS: () => `k1:${randomKey()}`,
  OPERATOR_KEY: randomKey,
  RADIO_KEY: randomKey,
  GATEWAY_KEY: () => `sk_test_${randomKey()}`,
  GATEWAY_WEBHOOK_SECRET: () => `whsec_${randomKey()}`,
};

export type Secrets = Record<keyof typeof makers, string>;

function randomKey(): string {
  return randomBytes(32).toString("base64url");
}

/** @throws Refusal when the file was cut off or is not ours: new secrets would sign everybody out unnoticed. */
function readStoredSecrets(data_dir: string, file: string): Partial<Secrets> {
  if (!existsSync(file)) return {};
  try {
    const kept = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    const values = Object.values(kept);
    if (values.length > 0 && values.every((value) => typeof value === "string" && value !== "")) return kept;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new Refusal(`${file} cannot be read: ${(error as Error).message}`);
  }
  const without_copy = isSiteFolder(data_dir)
    ? 'Without one, docs/operations.md, "Backup and restore", step 2, says what to do.'
    : "Without one, begin again with npm run db:reset, and delete the file: nobody could sign in with new secrets on old data.";
  throw new Refusal(`${file} is damaged. Put back the copy you keep of it. ${without_copy}`);
}

/** Reads the folder's secrets and makes the missing ones. Throws a Refusal when the file cannot be read. */
export function readSecrets(data_dir: string): Secrets {
  const file = join(data_dir, "secrets.json");
  const kept = readStoredSecrets(data_dir, file);
  const secrets = Object.fromEntries(
    Object.entries(makers).map(([name, make]) => [name, kept[name as keyof Secrets] ?? make()]),
  ) as Secrets;
  if (JSON.stringify(kept) !== JSON.stringify(secrets)) {
    mkdirSync(data_dir, { recursive: true });
    // Writes a new file and renames it, so that a kill in the middle leaves no half file. The mode applies to new files
    // only.
    rmSync(`${file}.new`, { force: true });
    writeFileSync(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return secrets;
}
