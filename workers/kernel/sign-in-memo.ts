/**
 * How long a cached answer about a sign-in is valid. A sign-out must take effect within a second (docs/decisions/0018).
 */
const MEMO_MS = 1000;
const MAX_ANSWERS = 10_000;

/**
 * Caches the identity service's answers about sign-ins for a second. It stores values and no promises, because no
 * request may wait for the promise of another. An older answer never replaces the answer `ended`.
 */
export class SignInMemo<Status extends string> {
  readonly #ended: Status;
  /** Cached answers in the order of writing, oldest first. */
  readonly #answers = new Map<string, { status: Status; asked_at: number }>();

  constructor(ended: Status) {
    this.#ended = ended;
  }

  /** Returns the cached status of a sign-in; undefined when there is no answer from the last second. */
  read(sign_in: string): Status | undefined {
    const answer = this.#answers.get(sign_in);
    return answer && Math.abs(Date.now() - answer.asked_at) < MEMO_MS ? answer.status : undefined;
  }

  /** @param asked_at when the identity service was asked, in milliseconds. */
  write(sign_in: string, status: Status, asked_at: number): void {
    if (this.#answers.get(sign_in)?.status === this.#ended && status !== this.#ended) return;
    this.#answers.delete(sign_in);
    this.#answers.set(sign_in, { status, asked_at });
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_ANSWERS) break;
      this.#answers.delete(oldest);
    }
  }
}
