import { log } from "../kernel/log.ts";
/** A cached rendered page. */
export interface Copy {
  /** The version of the page's content: docs/decisions/0006. */
  version: string;
  etag: string;
  made_at: number;
  headers: [string, string][];
  /** Compressed with brotli. */
  body: Uint8Array<ArrayBuffer>;
}

const openCache = () => caches.open("visitor-pages");
/** How long a copy may be served while the API does not answer. */
const KEPT_S = 24 * 60 * 60;
/** A part of the 128 MB that a worker has. Source: Cloudflare Workers, "Limits". */
const MAX_BYTES_AT_HAND = 8 * 1024 * 1024;

/**
 * A two-level cache of pages by name: recently used copies in this worker's memory, all of them in the platform's
 * cache.
 */
export class Copies {
  /** In order of use, the least recently used first. */
  readonly #at_hand = new Map<string, Copy>();
  #bytes = 0;

  /** Returns the copy of that version from memory, or else the cached copy of any version; null when there is none. */
  async find(key: string, version: string | null): Promise<Copy | null> {
    const at_hand = this.#at_hand.get(key);
    const is_enough = at_hand && (version === null || at_hand.version === version);
    const copy = is_enough ? at_hand : await findInCache(key);
    this.#dropFromMemory(key);
    if (!copy || Math.abs(Date.now() - copy.made_at) > KEPT_S * 1000) return null;
    this.#keepInMemory(key, copy);
    return copy;
  }

  async keep(key: string, copy: Copy): Promise<void> {
    this.#keepInMemory(key, copy);
    const { body, ...rest } = copy;
    const headers = { ...cacheHeaders("application/octet-stream"), "x-copy": JSON.stringify(rest) };
    await (await openCache()).put(key, new Response(body, { headers }));
  }

  /** Deletes a copy known to be outdated, so that no other worker serves it. */
  async forget(key: string): Promise<void> {
    this.#dropFromMemory(key);
    await (await openCache()).delete(key);
  }

  #keepInMemory(key: string, copy: Copy): void {
    this.#dropFromMemory(key);
    this.#at_hand.set(key, copy);
    this.#bytes += copy.body.length;
    for (const oldest of this.#at_hand.keys()) {
      if (this.#bytes <= MAX_BYTES_AT_HAND) return;
      this.#dropFromMemory(oldest);
    }
  }

  #dropFromMemory(key: string): void {
    this.#bytes -= this.#at_hand.get(key)?.body.length ?? 0;
    this.#at_hand.delete(key);
  }
}

const noteKey = (name: string) => `https://notes.internal/${name}`;

/** Stores the last known state, for a worker that starts while the API does not answer. */
export async function keepNote(name: string, text: string): Promise<void> {
  try {
    await (await openCache()).put(noteKey(name), new Response(text, { headers: cacheHeaders("text/plain") }));
  } catch (error) {
    logFailure(error);
  }
}

/** Returns the state last stored by any worker here, or null. */
export async function readNote(name: string): Promise<string | null> {
  try {
    return (await (await (await openCache()).match(noteKey(name)))?.text()) ?? null;
  } catch (error) {
    logFailure(error);
    return null;
  }
}

/** Returns null when the cache fails: the page is then rendered. */
async function findInCache(key: string): Promise<Copy | null> {
  try {
    const found = await (await openCache()).match(key);
    const copy = found?.headers.get("x-copy");
    return found && copy ? { ...JSON.parse(copy), body: new Uint8Array(await found.arrayBuffer()) } : null;
  } catch (error) {
    logFailure(error);
    return null;
  }
}

function cacheHeaders(type: string): Record<string, string> {
  return { "content-type": type, "cache-control": `public, max-age=${KEPT_S}` };
}

function logFailure(error: unknown): void {
  log("error", { message: "the cache of pages failed", error: String(error) });
}
