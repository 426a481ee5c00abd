import type { RumEvent } from "./events.ts";
import type { MonitoringSession } from "./stored-keys.ts";

/** Source: spec section 9, Monitoring. */
export const DISPATCH_MS = 5000;
export const MAX_BATCH = 100;
const MAX_SESSION_EVENTS = 200;
const MAX_RETRIES = 2;
/** Of an error's text and place. */
export const MAX_TEXT = 200;

export interface RumOutlets {
  /** The visit, which is to have told `more` events from now on. */
  goOnWithSession(more: number): Pick<MonitoringSession, "is_sampled" | "events">;
  /** Status of the answer; null when none came. */
  send(events: RumEvent[], dropped?: number): Promise<number | null>;
  /** For a page that is going; false when the browser would not take it. */
  sendAtOnce(events: RumEvent[], dropped?: number): boolean;
}

/** Events on their way: in batches, one batch at a time, each tried three times at most. */
export class RumQueue {
  readonly #outlets: RumOutlets;
  #waiting: RumEvent[] = [];
  /** The batch that failed, and how often it has been tried. */
  #failed: { events: RumEvent[]; tries: number } | null = null;
  #is_sending = false;
  #dropped = 0;

  constructor(outlets: RumOutlets) {
    this.#outlets = outlets;
  }

  /** Keeps an event, when the visit is still looked at and has not told enough. */
  record(event: RumEvent): void {
    const { is_sampled, events } = this.#outlets.goOnWithSession(1);
    if (is_sampled && events <= MAX_SESSION_EVENTS) this.#waiting.push(event);
  }

  /** Sends the next batch, the failed one first. Called every {@link DISPATCH_MS}. */
  async dispatch(): Promise<void> {
    if (this.#is_sending) return;
    const { events, tries } = this.#failed ?? { events: this.#waiting.splice(0, MAX_BATCH), tries: 0 };
    if (events.length === 0) return;
    this.#failed = null;
    this.#is_sending = true;
    const told = this.#dropped;
    this.#dropped = 0;
    const status = await this.#outlets.send(events, told || undefined);
    this.#is_sending = false;
    if (status !== null && status < 400) return;
    this.#dropped += told;
    // A batch that was refused would be refused again.
    const may_retry = (status === null || status >= 500) && tries < MAX_RETRIES;
    if (may_retry) this.#failed = { events, tries: tries + 1 };
    else this.#dropped += events.length;
  }

  /** Sends all there is, now: the page is being left. */
  flush(): void {
    const all = [...(this.#failed?.events ?? []), ...this.#waiting];
    this.#failed = null;
    this.#waiting = [];
    for (let at = 0; at < all.length; at += MAX_BATCH) {
      const events = all.slice(at, at + MAX_BATCH);
      if (this.#outlets.sendAtOnce(events, this.#dropped || undefined)) this.#dropped = 0;
      else this.#dropped += events.length;
    }
  }
}
