/** How often this isolate reports the listeners of one radio. */
const REPORT_MS = 10_000;
/** Radios in memory. Beyond it, radios that nobody listens to any more are dropped. */
const MAX_RADIOS = 1000;

interface Heard {
  listeners: Set<string>;
  reported_ms: number;
}

/**
 * The listeners that this isolate served. Their reads end at the cache, so the object of a radio learns of them from
 * reports.
 */
export class Listeners {
  readonly #radios = new Map<string, Heard>();

  /** Adds a listener. Returns those to report now: all since the last report, when it was ten seconds ago. */
  add(radio_id: string, listener: string, now_ms: number): string[] {
    if (this.#radios.size >= MAX_RADIOS) this.#dropSilent(now_ms);
    const heard = this.#radios.get(radio_id) ?? { listeners: new Set(), reported_ms: 0 };
    this.#radios.set(radio_id, heard);
    heard.listeners.add(listener);
    if (now_ms - heard.reported_ms < REPORT_MS) return [];
    const reported = [...heard.listeners];
    heard.listeners.clear();
    heard.reported_ms = now_ms;
    return reported;
  }

  #dropSilent(now_ms: number): void {
    for (const [radio_id, { reported_ms }] of this.#radios) {
      if (now_ms - reported_ms > 2 * REPORT_MS) this.#radios.delete(radio_id);
    }
  }
}
