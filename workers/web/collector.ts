import { EVENTS_PATH } from "../../app/browser/events.ts";
import { MAX_BATCH, MAX_TEXT } from "../../app/browser/rum-queue.ts";
import { readCookie } from "../../app/request/cookies.ts";
import { withoutSecret } from "../../app/request/secret-paths.ts";
import { SESSION_COOKIE, type SessionKeys } from "../../app/session/session.ts";
import { readBounded } from "../kernel/bounded-body.ts";
import { parseBoundedJson } from "../kernel/bounded-json.ts";
import { isSameOrigin } from "./same-origin.ts";

/** One collected event as a flat row, the same in the log, in a dataset and for a tag. */
export interface EventRow {
  type: "page_view" | "web_vital" | "script_error" | "events_dropped";
  /** Only for a member's page view. Comes from the session, never from the event's content. */
  user_id: string | null;
  pattern: string;
  build: string;
  path: string;
  /** The name of a web vital, or the text of an error. */
  name: string;
  place: string;
  /** The value of a web vital, or the number of dropped events. */
  value: number;
}

export type Outlet = (rows: readonly EventRow[]) => void;

/** The most a browser sends while a page unloads. Source: Fetch Standard, keepalive. */
const MAX_BYTES = 64 * 1024;
const MAX_PATH = 1024;
const MAX_EVENTS_A_MINUTE = 1200;
const MAX_ADDRESSES = 10_000;
const VITALS = new Set(["LCP", "CLS", "INP", "FCP", "TTFB"]);

export const isCollected = (pathname: string) => pathname === EVENTS_PATH;

/**
 * Counts each address's events in this minute. It counts only the events of this worker isolate: enough to stop floods,
 * but no exact limit.
 */
export class EventRates {
  #minute = 0;
  #sent = new Map<string, number>();

  /** Returns true when the address may send this many more events. */
  take(address: string, events: number, now_ms: number): boolean {
    const minute = Math.floor(now_ms / 60_000);
    if (minute !== this.#minute || this.#sent.size > MAX_ADDRESSES) this.#sent = new Map();
    this.#minute = minute;
    const sent = (this.#sent.get(address) ?? 0) + events;
    this.#sent.set(address, sent);
    return sent <= MAX_EVENTS_A_MINUTE;
  }
}

export interface Collecting {
  session_keys: Pick<SessionKeys, "open">;
  rates: EventRates;
  address: string;
  outlets: readonly Outlet[];
}

/**
 * Collects the events that our pages report: page views and, from a sample of browsers, performance. Answers 204
 * without a cookie. Keeps nothing from a browser that asks not to be tracked.
 */
export async function collectBatch(request: Request, collecting: Collecting): Promise<Response> {
  if (request.method !== "POST") return answerWith(405, { allow: "POST" });
  if (!isSameOrigin(request)) return answerWith(403);
  if (request.headers.get("dnt") === "1" || request.headers.get("sec-gpc") === "1") return answerWith(204);
  const body = await readBounded(request, MAX_BYTES);
  if (!body) return answerWith(413);
  const rows = rowsOf(parseJson(body));
  if (!rows) return answerWith(400);
  if (!collecting.rates.take(collecting.address, rows.length, Date.now()))
    return answerWith(429, { "retry-after": "60" });
  const user_id = await readUserId(request, collecting.session_keys);
  // Monitoring events concern pages: store them without the user.
  const kept = rows.map((row) => (row.type === "page_view" ? { ...row, user_id } : row));
  for (const tell of collecting.outlets) tell(kept);
  return answerWith(204);
}

function answerWith(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers: { ...headers, "cache-control": "no-store" } });
}

async function readUserId(request: Request, keys: Pick<SessionKeys, "open">): Promise<string | null> {
  const cookie = readCookie(request, SESSION_COOKIE);
  const session = cookie === null ? null : await keys.open(cookie);
  return session === null || session === "expired" ? null : session.id;
}

function parseJson(body: Uint8Array): unknown {
  try {
    return parseBoundedJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return null;
  }
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isText = (value: unknown, max: number): value is string => typeof value === "string" && value.length <= max;
const isAmount = (value: unknown): value is number => Number.isFinite(value) && (value as number) >= 0;

/** Returns the batch as rows; null when any part of it is malformed. */
function rowsOf(batch: unknown): EventRow[] | null {
  if (!isObject(batch) || !isText(batch.build, 64) || !Array.isArray(batch.events)) return null;
  const { build, events, dropped } = batch;
  if (events.length === 0 || events.length > MAX_BATCH) return null;
  const rows = events.map((event) => rowOf(event, build));
  if (!rows.every((row) => row !== null)) return null;
  if (dropped === undefined) return rows;
  return isAmount(dropped) ? [...rows, { ...empty, type: "events_dropped", build, value: dropped }] : null;
}

const empty = { user_id: null, pattern: "", path: "", name: "", place: "", value: 0 };

function rowOf(event: unknown, build: string): EventRow | null {
  if (!isObject(event) || !isText(event.pattern, MAX_PATH)) return null;
  const { type, path, name, value, text, place, pattern } = event;
  const row = { ...empty, pattern, build };
  switch (type) {
    case "page_view":
      if (!isText(path, MAX_PATH) || !path.startsWith("/")) return null;
      return { ...row, type, path: withoutSecret(path.replace(/[?#].*/s, "")) };
    case "web_vital":
      return isText(name, 8) && VITALS.has(name) && isAmount(value) ? { ...row, type, name, value } : null;
    case "script_error":
      return isText(text, MAX_TEXT) && isText(place, MAX_TEXT)
        ? { ...row, type, name: text, place: withoutSecret(place) }
        : null;
    default:
      return null;
  }
}
