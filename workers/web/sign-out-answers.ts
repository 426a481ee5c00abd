import type { SignInStatus, SignOutMemo } from "../../app/middleware/context.ts";

/** Source: docs/decisions/0018: at the edge within a second. */
const MEMO_MS = 1000;
const MAX_ANSWERS = 10_000;

/** What the identity service said of keys in the last second; answers, and nothing that anybody waits for. */
export class SignOutAnswers implements SignOutMemo {
  /** The one written longest ago comes first. */
  readonly #answers = new Map<string, { status: SignInStatus; asked_at: number }>();

  read(key: string): SignInStatus | undefined {
    const answer = this.#answers.get(key);
    return answer && Math.abs(Date.now() - answer.asked_at) < MEMO_MS ? answer.status : undefined;
  }

  write(key: string, status: SignInStatus, asked_at: number): void {
    const known = this.#answers.get(key);
    // A sign-in that has ended stays so, whoever asked before it did.
    if (known?.status === "signed_out" && status === "signed_in") return;
    this.#answers.delete(key);
    this.#answers.set(key, { status, asked_at });
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_ANSWERS) break;
      this.#answers.delete(oldest);
    }
  }
}
