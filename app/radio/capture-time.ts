import { SAMPLE_RATE } from "../../workers/contract/sound-chunks.ts";

/** Less than this is jitter, and no gap. It is the server's bound too (workers/radio/capture-clock.ts). */
const GAP_MS = 1000;
/** How long lateness is observed. A page that was busy gets late samples in one burst, whose last one is not late. */
const WINDOW_MS = 2000;

/**
 * Knows when each sample was captured. Counts samples from the first one, because messages of the audio worklet may be
 * late. When all samples of two seconds are late, the microphone was interrupted: later samples get a later time.
 */
export class CaptureTime {
  readonly #anchors: { sample: number; at_ms: number }[] = [];
  #samples = 0;
  #window_ms = 0;
  #least_late_ms = Number.POSITIVE_INFINITY;

  /** The samples so far. */
  get samples(): number {
    return this.#samples;
  }

  /** Counts samples that arrived at a time of `performance.now()`. */
  add(count: number, arrived_ms: number): void {
    const began_ms = arrived_ms - (count * 1000) / SAMPLE_RATE;
    if (this.#anchors.length === 0) {
      this.#anchors.push({ sample: 0, at_ms: began_ms });
      this.#window_ms = arrived_ms;
    }
    const expected_ms = this.#exactTime(this.#samples);
    this.#least_late_ms = Math.min(this.#least_late_ms, began_ms - expected_ms);
    if (arrived_ms - this.#window_ms >= WINDOW_MS) {
      if (this.#least_late_ms > GAP_MS) {
        this.#anchors.push({ sample: this.#samples, at_ms: expected_ms + this.#least_late_ms });
      }
      this.#window_ms = arrived_ms;
      this.#least_late_ms = Number.POSITIVE_INFINITY;
    }
    this.#samples += count;
  }

  /** Returns when a sample was captured, in whole milliseconds. */
  timeOf(sample: number): number {
    return Math.max(0, Math.round(this.#exactTime(sample)));
  }

  #exactTime(sample: number): number {
    const anchor = this.#anchors.findLast((each) => each.sample <= sample) ?? { sample: 0, at_ms: 0 };
    return anchor.at_ms + ((sample - anchor.sample) * 1000) / SAMPLE_RATE;
  }
}
