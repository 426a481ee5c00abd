import type { Transport } from "../../app/v4/call.ts";
import { V4 } from "../../app/v4/client.ts";
import { getEdgeState } from "../contract/edge.ts";
import { type MaintenanceRecord, type MaintenanceStatus, statusAt } from "../contract/maintenance.ts";
import { LINK_ID } from "../contract/users.ts";

/** How long a version is believed: what is published, edited, locked or deleted shows within this time. */
const MEMO_MS = 1000;
/** A visitor with a copy to be given does not wait longer to learn whether it is the newest. */
const TIME_LIMIT_MS = 1000;
const MAX_MEMOS = 10_000;
const HOUR_MS = 60 * 60 * 1000;

/** What is known of the pages asked for. */
export interface EdgeState {
  /** Null when it was never learnt. */
  version: string | null;
  maintenance: MaintenanceStatus;
  /** Whether the product API has just said so; otherwise it is what was last known. */
  is_current: boolean;
}

/** How the API is asked: as nobody, and for no longer than is said here. */
type Asking = Omit<Transport, "token" | "limit">;

interface Memo {
  version: string;
  read_at: number;
  is_current: boolean;
}

/** Versions and the maintenance record, each asked for at most once a second and for as long as it takes to answer. */
export class EdgeStates {
  readonly #memos = new Map<string, Memo>();
  #maintenance: MaintenanceRecord = { started_at: null, finished_at: null };

  /** The state of the pages at this path. Never throws: an API that does not answer makes it what was last known. */
  async of(pathname: string, transportOf: () => Asking): Promise<EdgeState> {
    const now_ms = Date.now();
    const link_id = /^\/([^/]+)/.exec(pathname)?.[1] ?? "";
    const scope = LINK_ID.test(link_id) ? link_id : "";
    let memo = this.#memos.get(scope);
    if (!memo || now_ms - memo.read_at >= MEMO_MS) {
      memo = await this.#ask(scope, memo?.version, transportOf());
    }
    const maintenance = statusAt(this.#maintenance, now_ms);
    // Search engines want a list of pages and not its newest version: it costs a walk over all of them.
    const version = pathname.startsWith("/sitemap") ? `hour.${Math.floor(now_ms / HOUR_MS)}` : memo.version;
    return { version: version || null, maintenance, is_current: memo.is_current };
  }

  async #ask(scope: string, known = "", transport: Asking): Promise<Memo> {
    // The moment before the question: the answer may be older than its arrival.
    const read_at = Date.now();
    const v4 = new V4({ ...transport, token: null, limit: () => AbortSignal.timeout(TIME_LIMIT_MS) });
    const sent = await v4.send(getEdgeState, { query: { link_id: scope || undefined } });
    // Believed for others as well, so looked at: something on the way may have answered in the API's place.
    const answer = sent.ok ? getEdgeState.answer.safeParse(sent.answer).data : undefined;
    if (answer) this.#maintenance = answer.maintenance;
    const memo = { version: answer?.version ?? known, read_at, is_current: answer !== undefined };
    if (this.#memos.size >= MAX_MEMOS) this.#memos.clear();
    this.#memos.set(scope, memo);
    return memo;
  }
}
