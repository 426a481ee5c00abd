/** The longest silence in place of a gap. A longer gap is cut to it. */
export const MAX_SILENCE_MS = 60_000;
/** Differences of the capture time up to this are jitter, and no gap. */
const JITTER_MS = 1000;

/**
 * Follows the capture times of chunks in their order, and finds the gaps between them. It never goes back: a chunk from
 * before its end follows without a gap. So silence never adds up to more than the time that passed.
 */
export class CaptureClock {
  #end_ms: number | null;

  constructor(end_ms: number | null = null) {
    this.#end_ms = end_ms;
  }

  /** When the sound so far ends; null before the first sound. */
  get end_ms(): number | null {
    return this.#end_ms;
  }

  /** Adds a chunk. Returns the silence before it, at most `max_silence_ms`. */
  addChunk(at_ms: number, duration_ms: number, max_silence_ms = MAX_SILENCE_MS): number {
    const end_ms = this.#end_ms ?? at_ms;
    const gap_ms = at_ms - end_ms;
    this.#end_ms = Math.max(end_ms, at_ms) + duration_ms;
    return gap_ms > JITTER_MS ? Math.min(gap_ms, max_silence_ms) : 0;
  }

  /** Adds silence at the end. */
  addSilence(duration_ms: number): void {
    if (this.#end_ms !== null) this.#end_ms += duration_ms;
  }
}
