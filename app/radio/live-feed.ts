import { startSegments } from "./live-position.ts";
import { type LivePlaylist, readPlaylist } from "./playlist.ts";

/** Thrown when a file cannot be loaded. `status` is null when the server was not reached. */
export class LoadFailure extends Error {
  readonly status: number | null;

  constructor(status: number | null) {
    super(`loading failed: ${status}`);
    this.status = status;
  }
}

interface FeedOptions {
  /** The address of the playlist. */
  playlist: string;
  /** Loads a file. The server answers for a segment when it exists, and with no bytes when it does not come. Rejects with {@link LoadFailure}. */
  load(address: string): Promise<ArrayBuffer>;
  /** Hands bytes to the decoder, in their order. */
  append(bytes: ArrayBuffer): Promise<void>;
  /** Called after the first segment, and after the first one behind skipped segments: play from here. */
  onStart(start_s: number): void;
}

/** So many segments are asked for at once. The server answers for the newest when it exists. */
const AHEAD = 2;
/** After a longer time, for example a pause, the next segment may have left the playlist. */
const STALE_S = 8;
/** By how much the lead shrinks with each segment: the clocks of two devices differ by less. */
const LEAD_DECAY_S = 0.005;

/** Whether the next segment was appended, did not come, or will never come because the radio has ended. */
type Advance = "appended" | "missing" | "ended";

/**
 * Loads the segments of a live radio, each once and in their order. The playlist says where to begin. Then each segment is
 * asked for before it exists, so that it arrives as soon as it is made, and the playlist is read again only after a failure.
 */
export class LiveFeed {
  readonly #options: FeedOptions;
  #playlist: LivePlaylist | null = null;
  /** The number of the next segment; -1 to begin near the end. */
  #next = -1;
  /** Whether the next segment does not follow the last one. */
  #begins = false;
  /** The number after the last segment that is known to exist. */
  #end = 0;
  /** How far the end of the newest segment is ahead of our clock. */
  #lead_s = 0;
  #advanced_s = 0;
  readonly #loading = new Map<number, Promise<ArrayBuffer>>();
  /** How long the playlist took to load. */
  network_s = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Where the newest sound is now, on the timeline of the media. */
  get live_s(): number {
    return this.#lead_s + now_s();
  }

  /** Goes on near the end of the playlist. */
  skipToLive(): void {
    this.#next = -1;
    this.#forget();
  }

  /** Appends the next segment when it is there. After a failure, call it again: it tries the same segment. */
  async advance(): Promise<Advance> {
    if (now_s() - this.#advanced_s > STALE_S) this.#forget();
    this.#playlist ??= await this.#readPlaylist();
    const { segment_s, is_ended } = this.#playlist;
    if (is_ended && this.#next >= this.#end) return "ended";
    try {
      const bytes = await this.#load(this.#playlist);
      // The server has waited for it: the playlist tells whether it will come.
      if (bytes.byteLength === 0) throw new LoadFailure(404);
      await this.#options.append(bytes);
    } catch (error) {
      this.#forget();
      if (error instanceof LoadFailure && error.status === 404) return "missing";
      throw error;
    }
    this.#loading.delete(this.#next);
    if (this.#begins) this.#options.onStart(this.#next * segment_s);
    this.#begins = false;
    this.#next++;
    this.#end = Math.max(this.#end, this.#next);
    this.#advanced_s = now_s();
    this.#lead_s = Math.max(this.#lead_s - LEAD_DECAY_S, this.#next * segment_s - this.#advanced_s);
    return "appended";
  }

  /** Finds the next segment in the playlist. Segments that have left it are skipped. */
  async #readPlaylist(): Promise<LivePlaylist> {
    const { load, append, playlist: address } = this.#options;
    const began_s = now_s();
    const playlist = readPlaylist(new TextDecoder().decode(await load(address)), address);
    this.network_s = now_s() - began_s;
    if (!playlist) throw new LoadFailure(null);
    const { init, first, end, segment_s } = playlist;
    // Once. A second time, after a first segment that failed, does no harm.
    if (this.#advanced_s === 0) await append(await load(init));
    this.#end = end;
    this.#lead_s = end * segment_s - now_s();
    if (this.#next < first) {
      this.#next = Math.max(first, end - startSegments(this.network_s));
      this.#begins = true;
    }
    return playlist;
  }

  /** Asks for the next segment and for those behind it, each once. */
  #load({ is_ended, addressOf }: LivePlaylist): Promise<ArrayBuffer> {
    const last = is_ended ? this.#end : Math.max(this.#end, this.#next + AHEAD);
    for (let each = this.#next; each < last; each++) {
      if (this.#loading.has(each)) continue;
      const loading = this.#options.load(addressOf(each));
      // One that fails is awaited in its turn, unless an earlier one failed.
      loading.catch(() => {});
      this.#loading.set(each, loading);
    }
    return this.#loading.get(this.#next) as Promise<ArrayBuffer>;
  }

  #forget(): void {
    this.#playlist = null;
    this.#loading.clear();
  }
}

const now_s = () => performance.now() / 1000;
