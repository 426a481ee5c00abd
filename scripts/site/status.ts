/** What `npm run site:status` tells of a site folder, served or not. Reads files only. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Manifest, readManifest } from "../archive.ts";
import { readBuildHash } from "../build.ts";
import { servedUrl } from "../data-claim.ts";
import { isOptional, persistencePath, readDatabase, storageFile } from "../data-folder.ts";
import { listMigrations, type MigratedDatabase } from "../migrations.ts";
import { Refusal } from "../refusal.ts";
import { quoteForShell } from "../shell.ts";
import { readClock } from "./clock-record.ts";
import { certificateEnd, readSiteSettings } from "./settings.ts";

interface SiteStatus {
  /** One fact a line: its name and its value. */
  facts: [name: string, value: string][];
  /** The faults, as sentences. */
  faults: string[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The clock runs every 30 seconds; a run that sends a newsletter takes up to a minute. */
const CLOCK_LATE_MS = 5 * MINUTE_MS;
/** A step that fails once is tried again in the next run. */
const STEP_LATE_MS = 15 * MINUTE_MS;
const OUTBOX_LATE_MS = 10 * MINUTE_MS;
const MAIL_LATE_MS = HOUR_MS;
const BACKUP_LATE_MS = 2 * DAY_MS;
/** Certbot renews a certificate 30 days before its end. */
const CERTIFICATE_LATE_MS = 14 * DAY_MS;
const MIN_FREE_BYTES = 1024 ** 3;

/** The databases of a site. A demo has one more. */
const siteDatabases = ["api", "identity", "search", "mails"] as const satisfies MigratedDatabase[];
/** Whether a start creates this database when it is missing, for example after a restore. */
const isMadeByStart = (name: (typeof siteDatabases)[number]) => name === "search" || isOptional(name);

/** Returns how long ago something was, in its largest unit. */
function ageOf(iso: string, now_ms: number): string {
  const ms = Math.max(0, now_ms - Date.parse(iso));
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days ago`;
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} hours ago`;
  if (ms >= 2 * MINUTE_MS) return `${Math.floor(ms / MINUTE_MS)} minutes ago`;
  return `${Math.floor(ms / 1000)} seconds ago`;
}

const isOlder = (iso: string, limit_ms: number, now_ms: number) => now_ms - Date.parse(iso) > limit_ms;

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}

function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.reduce((bytes, entry) => {
    if (!entry.isFile()) return bytes;
    // The site may delete a file meanwhile.
    return bytes + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

/** Returns the commit of this program; null outside a git repository. */
function readCommit(): string | null {
  try {
    const cwd = resolve(import.meta.dirname, "..", "..");
    return execFileSync("git", ["describe", "--always", "--dirty"], { cwd, encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return null;
  }
}

/** Returns when the newest complete backup was taken: its manifest is written last. */
function lastBackup(folder: string): string | null {
  const backups = join(folder, "backups");
  if (!existsSync(backups)) return null;
  const taken = readdirSync(backups).flatMap((name) => {
    try {
      return [String((readManifest(join(backups, name)) as Manifest).taken_at)];
    } catch {
      // Unfinished or damaged: no backup to count on.
      return [];
    }
  });
  return taken.sort().at(-1) ?? null;
}

const waitingRows = {
  api: "SELECT COUNT(*) AS waiting, MIN(created_at) AS oldest FROM outbox WHERE processed_at IS NULL",
  mails: "SELECT COUNT(*) AS waiting, MIN(created_at) AS oldest FROM mails WHERE state IN ('queued', 'sending')",
};

interface Waiting {
  waiting: number;
  oldest: string | null;
}

const readWaiting = (folder: string, name: keyof typeof waitingRows) =>
  readDatabase(
    storageFile(folder, name),
    (database) => database.prepare(waitingRows[name]).get() as unknown as Waiting,
  );

/** The databases of the workers that have a clock. */
const clockDatabases = { "ofuse-api": "api", "ofuse-identity": "identity", "ofuse-mails": "mails" } as const;

/** Returns the steps of a worker's clock that last succeeded before `since`, or never did. */
function lateSteps(folder: string, worker: keyof typeof clockDatabases, since: string): string[] {
  const statement = "SELECT step FROM clock_runs WHERE coalesce(done_at, '') < ? ORDER BY step";
  return readDatabase(storageFile(folder, clockDatabases[worker]), (database) =>
    database
      .prepare(statement)
      .all(since)
      .map(({ step }) => String(step)),
  );
}

/** Returns the names of the migrations that the next start applies. */
function pendingMigrations(name: MigratedDatabase, database: DatabaseSync): string[] {
  const rows = database.prepare("SELECT name FROM d1_migrations").all();
  const applied = new Set(rows.map((row) => row.name));
  return listMigrations(name).filter((migration) => !applied.has(migration));
}

/** Reads the status. Adds what cannot be read to the faults. */
export function readStatus(folder: string, now_ms: number): SiteStatus {
  const facts: SiteStatus["facts"] = [
    ["version", `${readCommit() ?? "no commit"}, build ${readBuildHash().slice(0, 16) || "none yet"}`],
  ];
  const faults: string[] = [];
  /** Runs one part of the status, so that a fault of it does not hide the others. */
  const attempt = (part: () => void): void => {
    try {
      part();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      faults.push(error.message);
    }
  };
  let is_mail_on = false;
  attempt(() => {
    const { origin, overrides, entrance } = readSiteSettings(folder);
    is_mail_on = Boolean(overrides.MAIL_END);
    facts.push(["address", origin]);
    facts.push(["mail", is_mail_on ? String(overrides.MAIL_END) : "off: mails wait"]);
    facts.push(["money", overrides.STRIPE_SECRET_KEY ? "Stripe" : "off"]);
    if (entrance.kind === "tls") {
      const ends_at = certificateEnd(entrance.certificate_file);
      facts.push(["certificate", `until ${ends_at.toISOString()}`]);
      if (ends_at.getTime() - now_ms < CERTIFICATE_LATE_MS) {
        faults.push(`The certificate ends on ${ends_at.toISOString()}: renew it, and reload the site.`);
      }
    }
  });
  const is_served = servedUrl(folder) !== undefined;
  facts.push(["served", is_served ? "yes" : "no"]);
  if (!is_served) faults.push(`The site is not served. Start it: npm run site -- ${quoteForShell(folder)}`);
  if (!existsSync(persistencePath(folder))) {
    facts.push(["data", "none yet: the first start makes them"]);
    return { facts, faults };
  }
  attempt(() => {
    const states = siteDatabases.map((name) => {
      if (isMadeByStart(name) && !existsSync(storageFile(folder, name))) return `${name} made by the next start`;
      try {
        const pending = readDatabase(storageFile(folder, name), (database) => pendingMigrations(name, database));
        const known = listMigrations(name).length;
        if (pending.length > 0) faults.push(`${name} lacks ${pending.join(", ")}: restart the site to apply them.`);
        return `${name} ${known - pending.length}/${known}`;
      } catch (error) {
        // The start makes the index again, so the advice for a database that is lost does not fit.
        if (name !== "search") throw error;
        faults.push("The search index is damaged: restart the site, which makes it again.");
        return "search damaged";
      }
    });
    facts.push(["migrations", states.join(", ")]);
  });
  facts.push(["data", megabytes(sizeOf(persistencePath(folder)))]);
  const { bavail, bsize } = statfsSync(folder);
  facts.push(["free", megabytes(bavail * bsize)]);
  if (bavail * bsize < MIN_FREE_BYTES) faults.push("The disk has less than 1 GB left. A full disk stops every write.");
  const backup = lastBackup(folder);
  facts.push(["backup", backup ? `${backup}, ${ageOf(backup, now_ms)}` : `none in ${join(folder, "backups")}`]);
  if (!backup || isOlder(backup, BACKUP_LATE_MS, now_ms)) {
    faults.push(`There is no backup of the last two days in ${join(folder, "backups")}.`);
  }
  const runs = readClock(folder);
  for (const worker of Object.keys(clockDatabases) as (keyof typeof clockDatabases)[]) {
    const ran = runs[worker];
    facts.push([`clock of ${worker}`, ran ? ageOf(ran, now_ms) : "never"]);
    if (!is_served) continue;
    // One late step makes the whole run count as failed, so it is named in place of the run.
    const late: string[] = [];
    attempt(() => late.push(...lateSteps(folder, worker, new Date(now_ms - STEP_LATE_MS).toISOString())));
    if (late.length > 0) {
      faults.push(
        `The clock of ${worker} has not done ${late.join(", ")} for 15 minutes: look at the log of the site.`,
      );
    } else if (!ran || isOlder(ran, CLOCK_LATE_MS, now_ms)) {
      faults.push(`The clock of ${worker} has not run for five minutes: look at the log of the site.`);
    }
  }
  attempt(() => {
    const { waiting, oldest } = readWaiting(folder, "api");
    facts.push(["outbox", oldest ? `${waiting} wait, the oldest since ${ageOf(oldest, now_ms)}` : "empty"]);
    if (oldest && isOlder(oldest, OUTBOX_LATE_MS, now_ms)) {
      faults.push("An event has waited for ten minutes: npm run operator -- outbox says which.");
    }
  });
  attempt(() => {
    if (!existsSync(storageFile(folder, "mails"))) return;
    const { waiting, oldest } = readWaiting(folder, "mails");
    facts.push(["mails", oldest ? `${waiting} wait, the oldest since ${ageOf(oldest, now_ms)}` : "none waits"]);
    if (is_mail_on && oldest && isOlder(oldest, MAIL_LATE_MS, now_ms)) {
      faults.push("A mail has waited for an hour: npm run operator -- mail list says why.");
    }
  });
  return { facts, faults };
}
