/** What a maintenance record means at a moment. Free of zod: open pages and the visitors' script use it too. */

/** Source: spec section 4, Maintenance. */
export const maintenanceStatuses = ["NO_MAINTENANCE_SCHEDULED", "MAINTENANCE_SCHEDULED", "UNDER_MAINTENANCE"] as const;
export type MaintenanceStatus = (typeof maintenanceStatuses)[number];

/** Source: spec section 3, Maintenance record. */
export interface MaintenanceRecord {
  started_at: string | null;
  finished_at: string | null;
}

/** A record and what it means now. */
export interface MaintenanceReading extends MaintenanceRecord {
  status: MaintenanceStatus;
}

export const NO_MAINTENANCE: MaintenanceRecord = { started_at: null, finished_at: null };

/** Source: spec section 9. */
export const RECOMPUTE_MS = 60_000;
/** Source: spec section 9. */
export const POLL_MS = 300_000;

/** Where a moment stands against the record. Source: spec section 4, Maintenance. */
export function statusAt({ started_at, finished_at }: MaintenanceRecord, now_ms: number): MaintenanceStatus {
  if (started_at === null) return "NO_MAINTENANCE_SCHEDULED";
  if (now_ms < Date.parse(started_at)) return "MAINTENANCE_SCHEDULED";
  if (finished_at !== null && now_ms > Date.parse(finished_at)) return "NO_MAINTENANCE_SCHEDULED";
  return "UNDER_MAINTENANCE";
}

/**
 * A status that was stated, as the record that means it at this moment. UNDER_MAINTENANCE is taken at its word, clock or no
 * clock, until it is taken back: who closes a site by hand opens it by hand. MAINTENANCE_SCHEDULED needs a start, and the
 * clock turns it into what comes after. Any other status says nothing.
 *
 * @param seen_ms when the statement was first read: the start of what is closed and nobody said since when. Not the moment
 * of asking: open pages compare what they learn.
 */
export function recordOf(
  stated: MaintenanceRecord & { status: string },
  now_ms: number,
  seen_ms: number,
): MaintenanceRecord {
  const { status, started_at, finished_at } = stated;
  if (status === "MAINTENANCE_SCHEDULED") return { started_at, finished_at };
  if (status !== "UNDER_MAINTENANCE") return NO_MAINTENANCE;
  const has_begun = started_at !== null && Date.parse(started_at) <= now_ms;
  const is_to_come = finished_at !== null && Date.parse(finished_at) >= now_ms;
  return {
    started_at: has_begun ? started_at : new Date(Math.min(seen_ms, now_ms)).toISOString(),
    finished_at: is_to_come ? finished_at : null,
  };
}

/**
 * Two readings as one. Windows that touch are one window, from the earlier start to the later end, an unknown end being the
 * latest of all; of two apart, the earlier counts until it is over. So the more severe status of the two wins at
 * every moment. Source: docs/decisions/0009.
 */
export function mergeRecords(one: MaintenanceRecord, other: MaintenanceRecord, now_ms: number): MaintenanceRecord {
  if (statusAt(other, now_ms) === "NO_MAINTENANCE_SCHEDULED") return one;
  if (statusAt(one, now_ms) === "NO_MAINTENANCE_SCHEDULED") return other;
  const [first, second] = startOf(one) <= startOf(other) ? [one, other] : [other, one];
  if (startOf(second) > endOf(first)) return first;
  return {
    started_at: first.started_at,
    finished_at: endOf(second) > endOf(first) ? second.finished_at : first.finished_at,
  };
}

const startOf = ({ started_at }: MaintenanceRecord) => Date.parse(started_at ?? "");
const endOf = ({ finished_at }: MaintenanceRecord) =>
  finished_at === null ? Number.POSITIVE_INFINITY : Date.parse(finished_at);

/** The record with its status at this moment; what is over is no longer a record. */
export function readingAt(record: MaintenanceRecord, now_ms: number): MaintenanceReading {
  const status = statusAt(record, now_ms);
  const { started_at, finished_at } = status === "NO_MAINTENANCE_SCHEDULED" ? NO_MAINTENANCE : record;
  return { status, started_at, finished_at };
}

const MIN_RETRY_S = 60;
const MAX_RETRY_S = 86_400;
/** Where no end is known. */
const DEFAULT_RETRY_S = 600;

/** Seconds after which trying again makes sense, for Retry-After: those to the end, within a minute and a day. */
export function retryAfterSeconds({ finished_at }: MaintenanceRecord, now_ms: number): number {
  if (finished_at === null) return DEFAULT_RETRY_S;
  const left_s = Math.ceil((Date.parse(finished_at) - now_ms) / 1000);
  return Math.min(Math.max(left_s, MIN_RETRY_S), MAX_RETRY_S);
}
