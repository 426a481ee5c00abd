import { SAMPLE_RATE } from "../../workers/contract/sound-chunks.ts";

/** The samples that a cubic needs beside the one it begins at: one before, two after. */
const NEIGHBOURS = 3;

/**
 * Converts samples to 48 kHz by cubic interpolation. Firefox needs it: its AudioContext must have the microphone's rate
 * (bugzilla 1674892).
 */
export class Resampler {
  readonly #step: number;
  #rest: Float32Array = new Float32Array(NEIGHBOURS);
  /** The position of the next sample, counted from the second one of the rest. */
  #position = 0;

  constructor(rate: number) {
    this.#step = rate / SAMPLE_RATE;
  }

  /** Returns the next samples at 48 kHz. */
  take(samples: Float32Array): Float32Array<ArrayBuffer> {
    const all = new Float32Array(this.#rest.length + samples.length);
    all.set(this.#rest);
    all.set(samples, this.#rest.length);
    const end = all.length - NEIGHBOURS;
    const taken = new Float32Array(Math.max(0, Math.ceil((end - this.#position) / this.#step)));
    for (let index = 0; index < taken.length; index++) {
      const at = Math.floor(this.#position);
      taken[index] = interpolate(all, at, this.#position - at);
      this.#position += this.#step;
    }
    this.#position -= end;
    this.#rest = all.slice(end);
    return taken;
  }
}

/** Returns the value between two samples: a Catmull-Rom spline through four. */
function interpolate(samples: Float32Array, at: number, part: number): number {
  const [before = 0, from = 0, to = 0, after = 0] = samples.subarray(at, at + NEIGHBOURS + 1);
  const slope = (to - before) / 2;
  const bend = before - 2.5 * from + 2 * to - 0.5 * after;
  const twist = 1.5 * (from - to) + (after - before) / 2;
  return from + part * (slope + part * (bend + part * twist));
}
