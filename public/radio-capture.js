/**
 * The audio worklet of a broadcaster's page: hands over mono samples of the microphone, and their peak for the level
 * meter. app/radio/microphone.ts loads it. docs/decisions/0041.
 */

/** The samples of one message: 20 ms at 48 kHz. */
const FRAME_SAMPLES = 960;

class RadioCapture extends AudioWorkletProcessor {
  #frame = new Float32Array(FRAME_SAMPLES);
  #filled = 0;
  #peak = 0;

  process([input]) {
    // A source that has ended has no channel. Its time is silence.
    const samples = input[0] ?? new Float32Array(128);
    for (const sample of samples) {
      this.#frame[this.#filled++] = sample;
      this.#peak = Math.max(this.#peak, Math.abs(sample));
      if (this.#filled === FRAME_SAMPLES) this.#post();
    }
    return true;
  }

  #post() {
    this.port.postMessage({ samples: this.#frame, peak: this.#peak }, [this.#frame.buffer]);
    this.#frame = new Float32Array(FRAME_SAMPLES);
    this.#filled = 0;
    this.#peak = 0;
  }
}

registerProcessor("radio-capture", RadioCapture);
