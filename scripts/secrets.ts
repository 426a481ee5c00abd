/** The secrets of a local network: made at the first start, kept in the data folder, readable by their owner only. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const makers = {
  SESSION_KEYS: () => `k1:${randomKey()}`,
  IDENTITY_API_KEY: randomKey,
  PIB_API_KEY: randomKey,
  ENCRYPTION_KEY: randomKey,
  MEDIA_KEY: randomKey,
};

export type Secrets = Record<keyof typeof makers, string>;

function randomKey(): string {
  return randomBytes(32).toString("base64url");
}

/** Reads the folder's secrets, making those that are not there yet. */
export function readSecrets(data_dir: string): Secrets {
  const file = join(data_dir, "secrets.json");
  const kept: Partial<Secrets> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const secrets = Object.fromEntries(
    Object.entries(makers).map(([name, make]) => [name, kept[name as keyof Secrets] ?? make()]),
  ) as Secrets;
  if (JSON.stringify(kept) !== JSON.stringify(secrets)) {
    mkdirSync(data_dir, { recursive: true });
    // Renamed into place: a kill in the middle must not leave half a file. The mode counts for a new file only.
    rmSync(`${file}.new`, { force: true });
    writeFileSync(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return secrets;
}
