import { log } from "../../kernel/log.ts";
import type { Services } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { workHourly } from "../storage/hourly.ts";
import { invariants } from "./invariants.ts";
import { findLastNumber, findOffenders, type Part } from "./queries.ts";

/** An invariant that does not hold, with the ids of the first rows that break it. */
export interface Breach {
  name: string;
  sentence: string;
  offenders: string[];
}

/** How many rows of each table one check reads. docs/decisions/0026 has the time it takes. */
export const CHECKED_AT_ONCE = 50_000;

/**
 * Checks every invariant on a part of the ledger. Writes nothing. Each invariant is a trip of its own, so that writers wait
 * for one at a time.
 */
export async function checkPart(database: Database, part: Part): Promise<Breach[]> {
  const breaches: Breach[] = [];
  for (const invariant of invariants) {
    const offenders = await findOffenders(database, invariant, part);
    if (offenders.length > 0) breaches.push({ name: invariant.name, sentence: invariant.sentence, offenders });
  }
  return breaches;
}

/**
 * Checks the part of the ledger that begins after the rows numbered `after`. `next` is the `after` of the following call,
 * null at the end.
 */
export async function checkNextPart(
  database: Database,
  after: number,
): Promise<{ breaches: Breach[]; next: number | null }> {
  const last = after + CHECKED_AT_ONCE;
  const breaches = await checkPart(database, { first: after + 1, last });
  return { breaches, next: last < (await findLastNumber(database)) ? last : null };
}

const HOUR_MS = 60 * 60 * 1000;

/**
 * Returns the parts that the check of an hour reads: the newest, and an older one, another each hour, so that the whole
 * ledger is read again and again.
 */
export function partsOfHour(now_ms: number, last: number): Part[] {
  const parts = Math.ceil(last / CHECKED_AT_ONCE);
  if (parts === 0) return [];
  const newest = { first: Math.max(1, last - CHECKED_AT_ONCE + 1), last };
  if (parts === 1) return [newest];
  const turn = Math.floor(now_ms / HOUR_MS) % parts;
  return [newest, { first: turn * CHECKED_AT_ONCE + 1, last: (turn + 1) * CHECKED_AT_ONCE }];
}

/**
 * Checks the ledger once an hour, and logs each broken invariant. A broken one throws nothing: the clock continues, and people
 * decide what to do.
 */
export async function checkHourly(services: Pick<Services, "database" | "clock">): Promise<void> {
  const { database, clock } = services;
  await workHourly(services, "checkHourly", async () => {
    for (const part of partsOfHour(clock.now(), await findLastNumber(database))) {
      for (const { name, sentence, offenders } of await checkPart(database, part)) {
        const message = "the ledger breaks an invariant";
        log("error", { message, invariant: name, sentence, offenders });
      }
    }
  });
}
