import type { RumEvent } from "./events.ts";
import type { MonitoringSession } from "./stored-keys.ts";

/** The limits of the monitoring queue. Source: spec section 9, Monitoring. */
export const DISPATCH_MS = 5000;
export const MAX_BATCH = 100;
const MAX_SESSION_EVENTS = 200;
const MAX_RETRIES = 2;
/** The maximum length of an error's message and of its position in the code. */
export const MAX_TEXT = 200;

export interface RumOutlets {
  /** Continues the monitoring session and adds `more` events to its count. */
  continueSession(more: number): Pick<MonitoringSession, "is_sampled" | "events">;
  /** Sends a batch. Returns the status of the answer, or null without one. */
  send(events: RumEvent[], dropped?: number): Promise<number | null>;
  /** Sends a batch while the page is being left. Returns false if the browser refuses it. */
  sendAtOnce(events: RumEvent[], dropped?: number): boolean;
}

/** Queues events and sends them in batches: one at a time, each tried three times at most. */
export class RumQueue {
  readonly #outlets: RumOutlets;
  #waiting: RumEvent[] = [];
  /** The batch that failed last, and how often it was tried. */
  #failed: { events: RumEvent[]; tries: number } | null = null;
  #is_sending = false;
  #dropped = 0;

  constructor(outlets: RumOutlets) {
    this.#outlets = outlets;
  }

  /** Queues an event, if the session is sampled and below its limit of events. */
  record(event: RumEvent): void {
    const { is_sampled, events } = this.#outlets.continueSession(1);
    if (is_sampled && events <= MAX_SESSION_EVENTS) this.#waiting.push(event);
  }

  /** Sends the next batch, the failed one first. Called every {@link DISPATCH_MS}. */
  async dispatch(): Promise<void> {
    if (this.#is_sending) return;
    const { events, tries } = this.#failed ?? { events: this.#waiting.splice(0, MAX_BATCH), tries: 0 };
    if (events.length === 0) return;
    this.#failed = null;
    this.#is_sending = true;
    const dropped = this.#dropped;
    this.#dropped = 0;
    const status = await this.#outlets.send(events, dropped || undefined);
    this.#is_sending = false;
    if (status !== null && status < 400) return;
    this.#dropped += dropped;
    // Do not retry a batch that the server refused.
    const may_retry = (status === null || status >= 500) && tries < MAX_RETRIES;
    if (may_retry) this.#failed = { events, tries: tries + 1 };
    else this.#dropped += events.length;
  }

  /** Sends everything now, because the page is being left. */
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
