import * as z from "zod";
import { V4 } from "../../app/v4/client.ts";
import { getEdgeState } from "../contract/edge.ts";
import { LINK_ID } from "../contract/users.ts";
import type { Asking } from "./asking.ts";
import { keepNote, readNote } from "./copies.ts";
import { type Maintenance, NOTHING_KNOWN, recordSaid, type SiteRecord } from "./maintenance.ts";

/** How long a version is cached. */
const MEMO_MS = 1000;
/** How long to wait for the API. Pages with a copy are meanwhile served by the last known state. */
const TIME_LIMIT_MS = 1000;
const MAX_MEMOS = 10_000;
const HOUR_MS = 60 * 60 * 1000;
/** Lists of everything. Search engines read them and accept a version up to an hour old. */
const HOURLY = /^\/sitemap\.xml$/;

/** The edge worker's knowledge of a page. */
export interface EdgeState {
  /** Null when no version was ever received. */
  version: string | null;
  record: SiteRecord;
  /** True when the API has just confirmed it; false for the last known state. */
  is_current: boolean;
}

interface Memo {
  version: string | null;
  /** When the API was asked for it. */
  learnt_at: number;
  /** The same; for an API that does not answer, when the wait ended. */
  read_at: number;
  is_current: boolean;
}

/** What other workers read. */
const note = z.object({ version: z.string(), learnt_at: z.number() });

const isYoungerThan = (ms: number, moment: number, now_ms: number) => Math.abs(now_ms - moment) < ms;

const noteOf = (scope: string) => `version/${scope}`;

const UNKNOWN = { version: null, learnt_at: Number.NEGATIVE_INFINITY };

/** Returns the version that a worker here learnt last; null when none did. */
async function readVersionNote(scope: string): Promise<z.output<typeof note> | null> {
  const text = await readNote(noteOf(scope));
  try {
    return text === null ? null : note.parse(JSON.parse(text));
  } catch {
    // An older release stored the version alone.
    return null;
  }
}

/**
 * Caches versions, and passes on the site's record that comes with them. Asks the API at most once a second for
 * each scope. Only when no version of a scope is known, or none that is young enough, does every request ask.
 */
export class EdgeStates {
  /** In order of arrival, the oldest scope first. */
  readonly #memos = new Map<string, Memo>();
  /**
   * When the pending question was sent. Other requests do not wait for its answer: the request that asked may be
   * aborted.
   */
  readonly #asked = new Map<string, number>();
  readonly #maintenance: Maintenance;

  /** @param maintenance receives the maintenance record of every answer. */
  constructor(maintenance: Maintenance) {
    this.#maintenance = maintenance;
  }

  /** Returns the state of the pages at this path. Never throws: without an answer it returns the last known state. */
  async of(pathname: string, asking: () => Asking): Promise<EdgeState> {
    const now_ms = Date.now();
    const link_id = /^\/([^/]+)/.exec(pathname)?.[1] ?? "";
    const scope = LINK_ID.test(link_id) ? link_id : "";
    const known = this.#memos.get(scope);
    const is_asked = isYoungerThan(TIME_LIMIT_MS, this.#asked.get(scope) ?? Number.NEGATIVE_INFINITY, now_ms);
    // After a pause the version may be hours old, and the post locked since. Then each request asks.
    const enough_ms = is_asked ? MEMO_MS + TIME_LIMIT_MS : MEMO_MS;
    const is_enough = known && isYoungerThan(enough_ms, known.read_at, now_ms);
    const memo = is_enough ? known : await this.#askVersion(scope, now_ms, asking());
    const hour = memo.is_current ? `hour.${Math.floor(now_ms / HOUR_MS)}` : null;
    return {
      // While the API does not answer, serve the list of any hour.
      version: HOURLY.test(pathname) ? hour : memo.version,
      record: (await this.#maintenance.last()) ?? NOTHING_KNOWN,
      is_current: memo.is_current,
    };
  }

  async #askVersion(scope: string, asked_at: number, { transport, waitUntil }: Asking): Promise<Memo> {
    this.#asked.set(scope, asked_at);
    const v4 = new V4({ ...transport, token: null, limit: () => AbortSignal.timeout(TIME_LIMIT_MS) });
    const sent = await v4.send(getEdgeState, { query: { link_id: scope || undefined } });
    // Validate it, because other requests use it too: a proxy may have answered in place of the API.
    const answer = sent.ok ? getEdgeState.answer.safeParse(sent.answer).data : undefined;
    if (this.#asked.get(scope) === asked_at) this.#asked.delete(scope);
    // Read the memo again: the API may have answered a later question sooner.
    const known = this.#memos.get(scope);
    if (!answer) {
      const noted = await readVersionNote(scope);
      const { version, learnt_at } =
        noted && !(known && known.learnt_at > noted.learnt_at) ? noted : (known ?? UNKNOWN);
      return this.#keepMemo(scope, { version, learnt_at, read_at: Date.now(), is_current: false });
    }
    this.#maintenance.learn(recordSaid(answer), asked_at, waitUntil);
    if (known?.is_current && known.read_at > asked_at) return known;
    const learnt = { version: answer.version, learnt_at: asked_at };
    if (known?.version !== answer.version) waitUntil(keepNote(noteOf(scope), JSON.stringify(learnt)));
    return this.#keepMemo(scope, { ...learnt, read_at: asked_at, is_current: true });
  }

  #keepMemo(scope: string, memo: Memo): Memo {
    this.#memos.delete(scope);
    this.#memos.set(scope, memo);
    for (const oldest of this.#memos.keys()) {
      if (this.#memos.size <= MAX_MEMOS) break;
      this.#memos.delete(oldest);
    }
    return memo;
  }
}
