type Bytes = Uint8Array<ArrayBuffer>;

/** How long a request waits for a segment. Silence is added sooner, so only a radio without sound has none. */
export const HOLD_MS = 5000;
/** In place of a segment that did not come, or will not: the radio has ended. */
export const NO_SEGMENT: Bytes = new Uint8Array();

/** Requests for segments that do not exist yet. Each is answered when its segment is cut. */
export class AwaitedSegments {
  readonly #waiting = new Map<string, Set<(bytes: Bytes) => void>>();

  get count(): number {
    return this.#waiting.size;
  }

  /** Resolves to the segment with a key, or to {@link NO_SEGMENT} when it does not come in time. */
  wait(key: string): Promise<Bytes> {
    return new Promise((resolve) => {
      const answers = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, answers.add(answer));
      const timer = setTimeout(() => {
        answers.delete(answer);
        if (answers.size === 0) this.#waiting.delete(key);
        resolve(NO_SEGMENT);
      }, HOLD_MS);
      function answer(bytes: Bytes) {
        clearTimeout(timer);
        resolve(bytes);
      }
    });
  }

  answer(key: string, bytes: Bytes): void {
    const answers = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    for (const answer of answers) answer(bytes);
  }

  /** Tells everybody that nothing more comes. */
  close(): void {
    for (const key of [...this.#waiting.keys()]) this.answer(key, NO_SEGMENT);
  }
}
