/** For how many reads that other requests began a request waits before it reads itself. */
const MAX_WAITS = 3;
const CACHE_NAME = "radio";

type Read = Promise<Uint8Array<ArrayBuffer> | null>;

interface Caching {
  cache_control: string;
  /** How long a request waits for a read that another request began. */
  patience_ms: number;
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Reads of the object that all listeners of a radio share: from the cache of the data centre, or from a read in
 * progress. So the object answers about once a second, however many people listen.
 */
export class SharedReads {
  readonly #reads = new Map<string, Read>();

  /**
   * Returns the bytes of a key, or what `load` returns. Keeps bytes as long as `cache_control` says, and never keeps
   * null or no bytes: a segment that does not exist yet may exist a moment later.
   */
  async read(key: string, load: () => Read, { cache_control, patience_ms, waitUntil }: Caching): Read {
    const url = `https://radio.internal/${key}`;
    const cache = await caches.open(CACHE_NAME);
    const cached = await cache.match(url);
    if (cached) return new Uint8Array(await cached.arrayBuffer());
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      const begun = this.#reads.get(key);
      if (!begun) break;
      // A promise of an aborted request never settles, so the wait has a limit.
      const patience = new Promise<undefined>((done) => setTimeout(done, patience_ms));
      const bytes = await Promise.race([begun.catch(() => undefined), patience]);
      if (bytes !== undefined) return bytes;
      // The first whose patience ends reads, and the others wait for that read: a slow object must not get more requests.
      if (this.#reads.get(key) === begun) break;
    }
    const reading = load();
    this.#reads.set(key, reading);
    waitUntil(
      reading
        .then(async (bytes) => {
          if (bytes?.length) await cache.put(url, new Response(bytes, { headers: { "cache-control": cache_control } }));
        })
        .catch((error) => console.error(JSON.stringify({ message: "sound was not cached", error: String(error) })))
        .finally(() => this.#reads.get(key) === reading && this.#reads.delete(key)),
    );
    return reading;
  }
}
