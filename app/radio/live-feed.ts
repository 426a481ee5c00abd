import { startSegments } from "./live-position.ts";
import { type LivePlaylist, readPlaylist } from "./playlist.ts";

/** Thrown when a file cannot be loaded. `status` is null when the server was not reached. */
export class LoadFailure extends Error {
  readonly status: number | null;

  constructor(status: number | null) {
    super(`loading failed: ${status ?? "no answer"}`);
    this.status = status;
  }
}

interface FeedOptions {
  /** The address of the playlist. */
  playlist: string;
  /** Loads a file. Rejects with {@link LoadFailure}. */
  load(address: string): Promise<ArrayBuffer>;
  /** Hands bytes to the decoder, in their order. */
  append(bytes: ArrayBuffer): Promise<void>;
  /** Called after the first segment, and after the first one behind skipped segments: play from here. */
  onStart(start_s: number): void;
}

interface Advance {
  /** The segments that were appended. */
  appended: number;
  is_ended: boolean;
}

/** Loads the segments of a live playlist, each once and in their order. */
export class LiveFeed {
  readonly #options: FeedOptions;
  #has_init = false;
  /** The number of the next segment; null to begin near the end. */
  #next: number | null = null;
  #edge_s = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** The end of the newest segment in the playlist. */
  get edge_s(): number {
    return this.#edge_s;
  }

  /** Goes on near the end of the playlist. */
  skipToLive(): void {
    this.#next = null;
  }

  /** Reads the playlist, and appends what is new. After a failure, call it again: it goes on with the same segment. */
  async advance(): Promise<Advance> {
    const { load, append, onStart, playlist: address } = this.#options;
    const began_ms = performance.now();
    const playlist = readPlaylist(new TextDecoder().decode(await load(address)), address);
    const playlist_ms = performance.now() - began_ms;
    if (!playlist) throw new LoadFailure(null);
    if (!this.#has_init) {
      await append(await load(playlist.init));
      this.#has_init = true;
    }
    this.#edge_s = endOf(playlist);
    const next = this.#startIn(playlist, startSegments(playlist_ms));
    const segments = playlist.segments.filter(({ number }) => number >= next);
    const loading = segments.map((segment) => load(segment.address));
    // One that fails is awaited below, unless an earlier one failed.
    for (const bytes of loading) bytes.catch(() => {});
    for (const [index, { number, start_s }] of segments.entries()) {
      await append(await (loading[index] as Promise<ArrayBuffer>));
      if (number !== this.#next) onStart(start_s);
      this.#next = number + 1;
    }
    return { appended: segments.length, is_ended: playlist.is_ended };
  }

  /** Returns the number to go on with. Segments that have left the playlist are skipped. */
  #startIn({ segments }: LivePlaylist, before_end: number): number {
    const first = segments[0]?.number ?? 0;
    const near_end = Math.max(first, first + segments.length - before_end);
    return this.#next === null || this.#next < first ? near_end : this.#next;
  }
}

function endOf({ segments, segment_s }: LivePlaylist): number {
  return (segments.at(-1)?.start_s ?? 0) + segment_s;
}
