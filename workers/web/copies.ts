/** A rendered page as it is kept. */
export interface Copy {
  /** Of what it shows: docs/decisions/0006. */
  version: string;
  etag: string;
  made_at: number;
  headers: [string, string][];
  /** In brotli. */
  body: Uint8Array<ArrayBuffer>;
}

const openCache = () => caches.open("visitor-pages");
/** How long a copy may be given while the API is silent. */
const KEPT_S = 24 * 60 * 60;
/** Of the 128 MB a worker has. Source: Cloudflare Workers, "Limits". */
const MAX_BYTES_AT_HAND = 8 * 1024 * 1024;

/** Copies by name: those asked for lately at hand in this worker's memory, all of them in the platform's cache. */
export class Copies {
  /** The one asked for longest ago comes first. */
  readonly #at_hand = new Map<string, Copy>();
  #bytes = 0;

  /** The copy of that version if it is at hand, else whichever the cache has; null where there is none. */
  async find(key: string, version: string | null): Promise<Copy | null> {
    const known = this.#at_hand.get(key);
    if (known && (version === null || known.version === version)) {
      this.#take(key, known);
      return known;
    }
    const found = await findInCache(key);
    if (found) this.#take(key, found);
    return found ?? known ?? null;
  }

  async keep(key: string, copy: Copy): Promise<void> {
    this.#take(key, copy);
    const { body, ...rest } = copy;
    const headers = {
      "content-type": "application/octet-stream",
      "cache-control": `public, max-age=${KEPT_S}`,
      "x-copy": JSON.stringify(rest),
    };
    await (await openCache()).put(key, new Response(body, { headers }));
  }

  #take(key: string, copy: Copy): void {
    this.#bytes += copy.body.length - (this.#at_hand.get(key)?.body.length ?? 0);
    this.#at_hand.delete(key);
    this.#at_hand.set(key, copy);
    for (const [oldest, { body }] of this.#at_hand) {
      if (this.#bytes <= MAX_BYTES_AT_HAND) return;
      this.#at_hand.delete(oldest);
      this.#bytes -= body.length;
    }
  }
}

/** A cache that fails costs a render and not the page. */
async function findInCache(key: string): Promise<Copy | null> {
  try {
    const found = await (await openCache()).match(key);
    const kept = found?.headers.get("x-copy");
    return found && kept ? { ...JSON.parse(kept), body: new Uint8Array(await found.arrayBuffer()) } : null;
  } catch (error) {
    console.error(JSON.stringify({ message: "the cache of pages failed", error: String(error) }));
    return null;
  }
}
