import { log } from "../kernel/log.ts";

/** For how many reads that other requests began a request waits before it reads itself. */
const MAX_WAITS = 3;
/** How long the isolate itself keeps bytes at most, and how many: listeners ask for the newest segments. */
const MAX_KEPT_S = 10;
const MAX_KEPT = 100;
const CACHE_NAME = "radio";

type Bytes = Uint8Array<ArrayBuffer>;
type Read = Promise<Bytes | null>;

interface Caching {
  cache_control: string;
  max_age_s: number;
  /** How long a request waits for a read that another request began. */
  patience_ms: number;
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Reads of the object that all listeners of a radio share: from memory, from the cache of the data centre, or from a read in
 * progress. So the object answers about once a second, however many people listen.
 */
export class SharedReads {
  readonly #reads = new Map<string, Read>();
  /** The newest bytes, in the order in which they came. */
  readonly #kept = new Map<string, { bytes: Bytes; until_ms: number }>();

  /**
   * Returns the bytes of a key, or what `load` returns. Keeps bytes as long as `max_age_s` says, and never keeps null or no
   * bytes: a segment that does not exist yet may exist a moment later.
   */
  async read(key: string, load: () => Read, { cache_control, max_age_s, patience_ms, waitUntil }: Caching): Read {
    const url = `https://radio.internal/${key}`;
    const cache = await caches.open(CACHE_NAME);
    let [waits, is_looked_up] = [0, false];
    while (waits < MAX_WAITS) {
      const kept = this.#kept.get(key);
      if (kept && kept.until_ms > performance.now()) return kept.bytes;
      const begun = this.#reads.get(key);
      if (begun) {
        // A promise of an aborted request never settles, so the wait has a limit.
        const patience = new Promise<undefined>((done) => setTimeout(done, patience_ms));
        const bytes = await Promise.race([begun.catch(() => undefined), patience]);
        if (bytes !== undefined) return bytes;
        // The first whose patience ends reads, and the others wait for that read: a slow object must not get more requests.
        if (this.#reads.get(key) === begun) break;
        waits++;
        continue;
      }
      if (is_looked_up) break;
      const cached = await cache.match(url);
      if (cached) return new Uint8Array(await cached.arrayBuffer());
      is_looked_up = true;
    }
    const reading = load();
    this.#reads.set(key, reading);
    waitUntil(
      reading
        .then(async (bytes) => {
          if (!bytes?.length) return;
          this.#keep(key, bytes, max_age_s);
          await cache.put(url, new Response(bytes, { headers: { "cache-control": cache_control } }));
        })
        .catch((error) => log("error", { message: "sound was not cached", error: String(error) }))
        .finally(() => this.#reads.get(key) === reading && this.#reads.delete(key)),
    );
    return reading;
  }

  #keep(key: string, bytes: Bytes, max_age_s: number): void {
    this.#kept.delete(key);
    this.#kept.set(key, { bytes, until_ms: performance.now() + 1000 * Math.min(max_age_s, MAX_KEPT_S) });
    const [oldest = ""] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(oldest);
  }
}
