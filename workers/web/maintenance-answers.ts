import { batchReads } from "../contract/edge.ts";
import { visitEvent } from "../contract/events.ts";
import { type MaintenanceReading, NO_MAINTENANCE, retryAfterSeconds } from "../contract/maintenance-status.ts";
import type { PausableFeature } from "../contract/paused-features.ts";
import { askingOf, type Incoming } from "./incoming.ts";
import { Maintenance, readingOf, type SiteRecord } from "./maintenance.ts";
import { isSafe } from "./same-origin.ts";
import { answerUnavailable, forwardTo } from "./services.ts";

/** How long to wait for the API's maintenance record. */
const API_TIME_LIMIT_MS = 5000;

export const maintenance = new Maintenance();

/** The state of the whole site at one moment: maintenance, and the features that operators have switched off. */
export interface SiteState {
  maintenance: MaintenanceReading;
  paused_features: readonly PausableFeature[];
}

/** Returns the state of the site that follows from its record at this moment. */
export const siteStateOf = (record: SiteRecord, { env }: Incoming): SiteState => ({
  maintenance: readingOf(record, env.MAINTENANCE, Date.now()),
  paused_features: record.paused_features,
});

/** Returns the state of the site at this moment. */
export async function readSiteState(incoming: Incoming): Promise<SiteState> {
  return siteStateOf(await maintenance.current(() => askingOf(incoming)), incoming);
}

const VISIT = new RegExp(`^${visitEvent.path.replace("{event_id}", "[^/]+")}$`);

/**
 * Whether a call of the API only reads. Its method does not always say so: the spec counts a visit by a GET, and a batch of
 * reads is a POST.
 */
export function isRead(request: Request): boolean {
  const { pathname } = new URL(request.url);
  return pathname === batchReads.path || (isSafe(request) && !VISIT.test(pathname));
}

/**
 * Returns the refusal, under maintenance, of a call that changes something and of a share image. The worker still
 * answers calls that only read, so that operators can look.
 */
export function refuseClosed(reading: MaintenanceReading, request_id: string): Response {
  return answerUnavailable("under_maintenance", request_id, {
    "cache-control": "private, no-store",
    "retry-after": String(retryAfterSeconds(reading, Date.now())),
  });
}

/**
 * Answers `GET /api/maintenance`, which open pages poll: the API's answer merged with the variable MAINTENANCE. Uses
 * the last known record when the API does not answer. `X-Now` corrects pages whose clock is wrong: `Date` has no
 * milliseconds.
 */
export async function answerMaintenance(incoming: Incoming): Promise<Response> {
  const { env } = incoming;
  const asked_at = Date.now();
  // With a remote API, this worker's binding would give the wrong record.
  const answer = env.V4_ORIGIN ? null : await askApi(incoming);
  if (answer && answer.status >= 300 && answer.status < 500) return answer;
  if (answer?.ok) maintenance.learn(await readJson(answer.clone()), asked_at, askingOf(incoming).waitUntil);
  const record = answer ? await maintenance.last() : await maintenance.current(() => askingOf(incoming));
  const { status, started_at, finished_at } = readingOf(record ?? NO_MAINTENANCE, env.MAINTENANCE, Date.now());
  if (answer && !record && status === "NO_MAINTENANCE_SCHEDULED") return answer;
  const headers = new Headers(answer?.ok ? answer.headers : { "cache-control": "private, no-store" });
  headers.set("content-type", "application/json");
  headers.set("x-content-type-options", "nosniff");
  headers.set("x-now", new Date().toISOString());
  headers.delete("content-length");
  return new Response(JSON.stringify({ started_at, finished_at }), { headers });
}

function askApi(incoming: Incoming): Promise<Response> {
  const request = new Request(incoming.request, { signal: AbortSignal.timeout(API_TIME_LIMIT_MS) });
  return forwardTo(incoming.env.API, { ...incoming, request: request as Incoming["request"] });
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}
