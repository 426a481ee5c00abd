/** A folder of backups, each named by its moment (UTC): finds the newest, and deletes old ones by a rule. */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, readManifest } from "./archive.ts";
import { Refusal } from "./refusal.ts";

const NAME = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z$/;
/** The ending of a backup that is being made. A kill leaves it. */
export const UNFINISHED = ".part";
const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the name of a backup: `2026-11-25T18-30-00Z`. */
export function nameOfMoment(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
}

function momentOf(name: string): number {
  return Date.parse(`${name.slice(0, 13)}:${name.slice(14, 16)}:${name.slice(17)}`);
}

const units = {
  d: (ms: number) => Math.floor(ms / DAY_MS),
  /** Weeks begin on Monday: the first day of Unix time was a Thursday. */
  w: (ms: number) => Math.floor((ms / DAY_MS + 3) / 7),
  m: (ms: number) => new Date(ms).toISOString().slice(0, 7),
  y: (ms: number) => new Date(ms).getUTCFullYear(),
};

/** For how many of the latest days, weeks, months and years that have a backup one is kept. */
export type KeepRule = { unit: keyof typeof units; number: number }[];

/**
 * Reads a rule such as `7d,4w,12m`.
 *
 * @throws Refusal when it is none.
 */
export function parseKeepRule(text: string): KeepRule {
  return text.split(",").map((part) => {
    const [, number, unit] = /^([1-9]\d{0,3})([dwmy])$/.exec(part.trim()) ?? [];
    if (!number || !unit) throw new Refusal(`--keep is like 7d,4w,12m (days, weeks, months, y for years), not ${text}`);
    return { unit: unit as keyof typeof units, number: Number(number) };
  });
}

export interface Kept {
  name: string;
  /** Whether it has everything that the site had. */
  is_good: boolean;
}

/**
 * Chooses the backups to keep: the newest good one of each of the latest periods that have a backup, or the newest if none
 * is good. Always keeps the newest backup and the last good one. A gap uses up no period, so a site that made no backup for
 * months keeps its old ones.
 */
export function chooseKept(backups: readonly Kept[], rule: KeepRule): Set<string> {
  const newest_first = backups.toSorted((a, b) => (a.name < b.name ? 1 : -1));
  const kept = new Set<string>();
  const keep = (backup: Kept | undefined) => backup && kept.add(backup.name);
  keep(newest_first[0]);
  keep(newest_first.find(({ is_good }) => is_good));
  for (const { unit, number } of rule) {
    const periods = Map.groupBy(newest_first, ({ name }) => units[unit](momentOf(name)));
    for (const period of [...periods.values()].slice(0, number)) {
      keep(period.find(({ is_good }) => is_good) ?? period[0]);
    }
  }
  return kept;
}

/** Lists the whole backups of a folder, oldest first. */
function listBackups(folder: string): Kept[] {
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  const whole = names.filter((name) => existsSync(join(folder, name, "manifest.json"))).sort();
  return whole.map((name) => ({ name, is_good: isGood(join(folder, name)) }));
}

function isGood(backup: string): boolean {
  try {
    return (readManifest(backup) as Manifest).missing_objects.length === 0;
  } catch {
    // A damaged manifest must not stop the backups after it.
    return false;
  }
}

/** Returns the name of the newest backup in a folder; null without one. */
export function findNewest(folder: string): string | null {
  return listBackups(folder).at(-1)?.name ?? null;
}

/** Deletes a backup. Deletes its manifest first, so that a kill leaves no backup that looks whole. */
function deleteBackup(folder: string): void {
  rmSync(join(folder, "manifest.json"), { force: true });
  rmSync(folder, { recursive: true, force: true });
}

/** For how long a backup before an upgrade is kept, however few upgrades come after it: the rule does not know those. */
const BEFORE_UPGRADE_MS = 365 * DAY_MS;

/**
 * Deletes the backups that the rule does not keep, what a kill left more than a day ago, and backups before upgrades of more
 * than a year ago. Returns their names.
 */
export function thinOut(folder: string, rule: KeepRule, now: Date): string[] {
  const backups = listBackups(folder);
  const whole = new Set(backups.map(({ name }) => name));
  const kept = chooseKept(backups, rule);
  const leftovers = readdirSync(folder).filter((name) => {
    const stem = name.endsWith(UNFINISHED) ? name.slice(0, -UNFINISHED.length) : name;
    return NAME.test(stem) && !whole.has(name) && now.getTime() - momentOf(stem) > DAY_MS;
  });
  const outdated = readdirSync(folder).filter((name) => {
    return name.startsWith("before-") && now.getTime() - statSync(join(folder, name)).mtimeMs > BEFORE_UPGRADE_MS;
  });
  const deleted = [...[...whole].filter((name) => !kept.has(name)), ...leftovers, ...outdated].sort();
  for (const name of deleted) deleteBackup(join(folder, name));
  return deleted;
}
