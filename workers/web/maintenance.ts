import * as z from "zod";
import { V4 } from "../../app/v4/client.ts";
import { getEdgeState } from "../contract/edge.ts";
import { maintenanceRecord, statedMaintenance } from "../contract/maintenance.ts";
import {
  type MaintenanceReading,
  type MaintenanceRecord,
  mergeRecords,
  NO_MAINTENANCE,
  POLL_MS,
  readingAt,
  recordOf,
} from "../contract/maintenance-status.ts";
import type { AnswerOf } from "../contract/operation.ts";
import { PAUSABLE_FEATURES, type PausableFeature } from "../contract/paused-features.ts";
import { log } from "../kernel/log.ts";
import type { Asking } from "./asking.ts";
import { keepNote, readNote } from "./copies.ts";

/** How long to wait for the API before using the last known record. */
const TIME_LIMIT_MS = 1000;
/** After a failure, how long to wait before asking the API again. */
const RETRY_MS = 10_000;
const NOTE = "maintenance";

/** What operators decided about the whole site: the maintenance record, and the features that they have switched off. */
export interface SiteRecord extends MaintenanceRecord {
  paused_features: readonly PausableFeature[];
}

/** `GET /api/maintenance` says nothing of paused features. */
const learntRecord = maintenanceRecord.extend({ paused_features: z.array(z.enum(PAUSABLE_FEATURES)).optional() });
export const NOTHING_KNOWN: SiteRecord = { ...NO_MAINTENANCE, paused_features: [] };

interface Known {
  record: SiteRecord;
  /** When the API was asked for it. */
  asked_at: number;
}

const isWithin = (ms: number, moment: number, now_ms: number) => Math.abs(now_ms - moment) < ms;

/**
 * Caches the site's record. Asks the API every five minutes, and learns sooner from other answers. Stores the
 * record in the platform's cache too, for workers that start while the API does not answer.
 */
export class Maintenance {
  #known: Known | undefined;
  #noted: Known | undefined;
  /**
   * When the pending question was sent. Other requests do not wait for its answer: the request that asked may be
   * aborted.
   */
  #asked_at = Number.NEGATIVE_INFINITY;
  #failed_at = Number.NEGATIVE_INFINITY;

  /** Returns the record, at most five minutes old unless the API does not answer. */
  async current(asking: () => Asking): Promise<SiteRecord> {
    const now_ms = Date.now();
    await this.#readNote();
    const is_young = this.#known && isWithin(POLL_MS, this.#known.asked_at, now_ms);
    const is_being_learnt = isWithin(TIME_LIMIT_MS, this.#asked_at, now_ms);
    // After a pause the record may be hours old. Then each request asks, unless the API did not answer a moment ago.
    const is_enough =
      this.#known &&
      (isWithin(POLL_MS + 2 * TIME_LIMIT_MS, this.#known.asked_at, now_ms) ||
        isWithin(2 * RETRY_MS, this.#failed_at, now_ms));
    const is_failing = isWithin(RETRY_MS, this.#failed_at, now_ms);
    if (is_young || (is_being_learnt && is_enough) || is_failing) return this.#recordOrNone();
    this.#asked_at = now_ms;
    const { transport, waitUntil } = asking();
    const v4 = new V4({ ...transport, token: null, limit: () => AbortSignal.timeout(TIME_LIMIT_MS) });
    const sent = await v4.send(getEdgeState, { query: {} });
    if (this.#asked_at === now_ms) this.#asked_at = Number.NEGATIVE_INFINITY;
    // Another service may have answered in place of the API.
    const said = sent.ok ? getEdgeState.answer.safeParse(sent.answer).data : undefined;
    if (!said || !this.learn(recordSaid(said), now_ms, waitUntil)) this.#failed_at = Date.now();
    return this.#recordOrNone();
  }

  /** Returns the last known record without asking the API; null when there never was one. */
  async last(): Promise<SiteRecord | null> {
    await this.#readNote();
    return this.#known?.record ?? null;
  }

  /**
   * Takes an answer of the API. Returns true when it is a record. Ignores a record asked for earlier than the known
   * one.
   */
  learn(said: unknown, asked_at: number, waitUntil: Asking["waitUntil"]): boolean {
    // Validate it, because other requests use it too: a proxy may have answered in place of the API.
    const learnt = learntRecord.safeParse(said).data;
    if (!learnt) return false;
    const record = { ...learnt, paused_features: learnt.paused_features ?? this.#recordOrNone().paused_features };
    this.#failed_at = Number.NEGATIVE_INFINITY;
    const is_older =
      this.#known && this.#known.asked_at > asked_at && isWithin(POLL_MS, this.#known.asked_at, asked_at);
    if (is_older) return true;
    this.#known = { record, asked_at };
    const is_noted =
      this.#noted &&
      isWithin(POLL_MS, this.#noted.asked_at, asked_at) &&
      JSON.stringify(this.#noted.record) === JSON.stringify(record);
    if (is_noted) return true;
    this.#noted = this.#known;
    waitUntil(keepNote(NOTE, JSON.stringify(this.#known)));
    return true;
  }

  #recordOrNone(): SiteRecord {
    return this.#known?.record ?? NOTHING_KNOWN;
  }

  /** Reads the record that another worker stored, until this worker has one. */
  async #readNote(): Promise<void> {
    if (this.#known) return;
    const note = await readNote(NOTE);
    // Another request may have set the record meanwhile.
    if (this.#known || note === null) return;
    this.#known = JSON.parse(note) as Known;
    this.#noted = this.#known;
  }
}

/** Returns what an answer about the edge's state says of the whole site. Drops paused features that only a later API knows. */
export function recordSaid(said: AnswerOf<typeof getEdgeState>): SiteRecord {
  const { maintenance, paused_features, are_payouts_paused } = said;
  const paused = are_payouts_paused ? [...paused_features, "payouts"] : paused_features;
  return { ...maintenance, paused_features: PAUSABLE_FEATURES.filter((feature) => paused.includes(feature)) };
}

let stated_in: { text: string; stated: ReturnType<typeof parseStated>; seen_ms: number } | undefined;

/** Returns the present state of maintenance, from the record and the variable MAINTENANCE. */
export function readingOf(record: MaintenanceRecord, text: string, now_ms: number): MaintenanceReading {
  if (text.trim() === "") return readingAt(record, now_ms);
  if (stated_in?.text !== text) stated_in = { text, stated: parseStated(text), seen_ms: now_ms };
  const { stated, seen_ms } = stated_in;
  return readingAt(stated ? mergeRecords(record, recordOf(stated, now_ms, seen_ms), now_ms) : record, now_ms);
}

/** Returns null for an invalid variable and logs it: a site that cannot be closed is better than no site. */
function parseStated(text: string) {
  try {
    return statedMaintenance.parse(JSON.parse(text));
  } catch (error) {
    log("error", { message: "MAINTENANCE states nothing that can be read", error: String(error) });
    return null;
  }
}
