/**
 * Computes the maintenance status from the maintenance record and a moment. This file has no zod, because open pages
 * and the visitors' script load it too.
 */

/** Source: spec section 4, Maintenance. */
export const maintenanceStatuses = ["NO_MAINTENANCE_SCHEDULED", "MAINTENANCE_SCHEDULED", "UNDER_MAINTENANCE"] as const;
export type MaintenanceStatus = (typeof maintenanceStatuses)[number];

/** Source: spec section 3, Maintenance record. */
export interface MaintenanceRecord {
  started_at: string | null;
  finished_at: string | null;
}

/** A record with its status now. */
export interface MaintenanceReading extends MaintenanceRecord {
  status: MaintenanceStatus;
}

export const NO_MAINTENANCE: MaintenanceRecord = { started_at: null, finished_at: null };

/** How often an open page recomputes the status. Source: spec section 9. */
export const RECOMPUTE_MS = 60_000;
/** How often an open page asks the server. Source: spec section 9. */
export const POLL_MS = 300_000;

/** Returns the status of a record at a moment. Source: spec section 4, Maintenance. */
export function statusAt({ started_at, finished_at }: MaintenanceRecord, now_ms: number): MaintenanceStatus {
  if (started_at === null) return "NO_MAINTENANCE_SCHEDULED";
  if (now_ms < Date.parse(started_at)) return "MAINTENANCE_SCHEDULED";
  if (finished_at !== null && now_ms > Date.parse(finished_at)) return "NO_MAINTENANCE_SCHEDULED";
  return "UNDER_MAINTENANCE";
}

/**
 * Turns a status that an operator stated in the variable MAINTENANCE into a record. UNDER_MAINTENANCE counts until the
 * operator takes it back, whatever the clock says: an operator who closes the site by hand also opens it by hand.
 * MAINTENANCE_SCHEDULED needs a start, and the clock decides from then on. Any other status is ignored.
 *
 * @param seen_ms when the worker first read the statement: the start of a closure without a stated start. It must not
 * be the current moment, because open pages compare the values they get.
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
 * Merges two records. Windows that touch become one window, from the earlier start to the later end; an unknown end
 * counts as the latest. Of two separate windows, the earlier one counts until it is over. The more severe status
 * therefore wins at every moment. Source: docs/decisions/0009.
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

/** Adds the status at this moment. A window that is over becomes an empty record. */
export function readingAt(record: MaintenanceRecord, now_ms: number): MaintenanceReading {
  const status = statusAt(record, now_ms);
  const { started_at, finished_at } = status === "NO_MAINTENANCE_SCHEDULED" ? NO_MAINTENANCE : record;
  return { status, started_at, finished_at };
}

const MIN_RETRY_S = 60;
const MAX_RETRY_S = 86_400;
/** Used when no end is known. */
const DEFAULT_RETRY_S = 600;

/** Returns the seconds for Retry-After: the time to the end, at least a minute and at most a day. */
export function retryAfterSeconds({ finished_at }: MaintenanceRecord, now_ms: number): number {
  if (finished_at === null) return DEFAULT_RETRY_S;
  const left_s = Math.ceil((Date.parse(finished_at) - now_ms) / 1000);
  return Math.min(Math.max(left_s, MIN_RETRY_S), MAX_RETRY_S);
}
