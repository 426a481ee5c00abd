import { V4 } from "../../app/v4/client.ts";
import { getEdgeState } from "../contract/edge.ts";
import { type MaintenanceRecord, NO_MAINTENANCE } from "../contract/maintenance-status.ts";
import { LINK_ID } from "../contract/users.ts";
import type { Asking } from "./asking.ts";
import { keepNote, keptNote } from "./copies.ts";
import type { Maintenance } from "./maintenance.ts";

/** How long a version is believed. */
const MEMO_MS = 1000;
/** How long the API is waited for, while those who have a copy to be given go on with what was last known. */
const TIME_LIMIT_MS = 1000;
const MAX_MEMOS = 10_000;
const HOUR_MS = 60 * 60 * 1000;
/** What is made of lists of everything: search engines want it, and not its newest version. */
const HOURLY = /^\/sitemap\.xml$/;

/** What is known of the pages asked for. */
export interface EdgeState {
  /** Null when it was never learnt. */
  version: string | null;
  maintenance: MaintenanceRecord;
  /** Whether the product API has just said so; otherwise it is what was last known. */
  is_current: boolean;
}

interface Memo {
  version: string | null;
  /** When the API was asked for it; of a silent API, when it was given up. */
  read_at: number;
  is_current: boolean;
}

const isYoungerThan = (ms: number, moment: number, now_ms: number) => Math.abs(now_ms - moment) < ms;

const noteOf = (scope: string) => `version/${scope}`;

/** Versions, and the maintenance record with them; for each scope one question a second, and one at a time. */
export class EdgeStates {
  /** The scope learnt longest ago comes first. */
  readonly #memos = new Map<string, Memo>();
  /** When the question under way was put. Its answer is nobody else's to wait for: its asker may be gone. */
  readonly #asked = new Map<string, number>();
  readonly #maintenance: Maintenance;

  /** @param maintenance is told the record that comes with every version. */
  constructor(maintenance: Maintenance) {
    this.#maintenance = maintenance;
  }

  /** The state of the pages at this path. Never throws: an API that does not answer makes it what was last known. */
  async of(pathname: string, asking: () => Asking): Promise<EdgeState> {
    const now_ms = Date.now();
    const link_id = /^\/([^/]+)/.exec(pathname)?.[1] ?? "";
    const scope = LINK_ID.test(link_id) ? link_id : "";
    const known = this.#memos.get(scope);
    const is_asked = isYoungerThan(TIME_LIMIT_MS, this.#asked.get(scope) ?? Number.NEGATIVE_INFINITY, now_ms);
    const is_enough = known && (isYoungerThan(MEMO_MS, known.read_at, now_ms) || is_asked);
    const memo = is_enough ? known : await this.#ask(scope, now_ms, asking());
    const hour = memo.is_current ? `hour.${Math.floor(now_ms / HOUR_MS)}` : null;
    return {
      // Of a silent API any hour's list is good enough.
      version: HOURLY.test(pathname) ? hour : memo.version,
      maintenance: (await this.#maintenance.last()) ?? NO_MAINTENANCE,
      is_current: memo.is_current,
    };
  }

  async #ask(scope: string, asked_at: number, { transport, waitUntil }: Asking): Promise<Memo> {
    this.#asked.set(scope, asked_at);
    const v4 = new V4({ ...transport, token: null, limit: () => AbortSignal.timeout(TIME_LIMIT_MS) });
    const sent = await v4.send(getEdgeState, { query: { link_id: scope || undefined } });
    // Believed for others as well, so looked at: something on the way may have answered in the API's place.
    const answer = sent.ok ? getEdgeState.answer.safeParse(sent.answer).data : undefined;
    if (this.#asked.get(scope) === asked_at) this.#asked.delete(scope);
    // Looked up again: somebody who asked later may have had the answer sooner.
    const known = this.#memos.get(scope);
    if (!answer) {
      const version = known ? known.version : await keptNote(noteOf(scope));
      return this.#learn(scope, { version, read_at: Date.now(), is_current: false });
    }
    this.#maintenance.learn(answer.maintenance, asked_at, waitUntil);
    if (known?.is_current && known.read_at > asked_at) return known;
    if (known?.version !== answer.version) waitUntil(keepNote(noteOf(scope), answer.version));
    return this.#learn(scope, { version: answer.version, read_at: asked_at, is_current: true });
  }

  #learn(scope: string, memo: Memo): Memo {
    this.#memos.delete(scope);
    this.#memos.set(scope, memo);
    for (const oldest of this.#memos.keys()) {
      if (this.#memos.size <= MAX_MEMOS) break;
      this.#memos.delete(oldest);
    }
    return memo;
  }
}
