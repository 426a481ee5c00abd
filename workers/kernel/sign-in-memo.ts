/** How long an answer about a sign-in is believed. Source: docs/decisions/0018: signed out within a second. */
const MEMO_MS = 1000;
const MAX_ANSWERS = 10_000;

/**
 * What the identity service said of sign-ins in the last second. Holds values alone: no request may wait for another's promise.
 * An answer `ended` is never taken back by an older one.
 */
export class SignInMemo<Status extends string> {
  readonly #ended: Status;
  /** The one written longest ago comes first. */
  readonly #answers = new Map<string, { status: Status; asked_at: number }>();

  constructor(ended: Status) {
    this.#ended = ended;
  }

  /** Undefined where nothing was said of this sign-in in the last second. */
  read(sign_in: string): Status | undefined {
    const answer = this.#answers.get(sign_in);
    return answer && Math.abs(Date.now() - answer.asked_at) < MEMO_MS ? answer.status : undefined;
  }

  /** @param asked_at when the question was put, in milliseconds. */
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
