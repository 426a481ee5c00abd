/** How long a page may take between its calls. A page that is slower has its caller looked up again. */
const MEMO_MS = 5000;
const MAX_PAGES = 1000;

/**
 * Remembers the caller's user id from the first call of a page to its next ones, so that they need not look it up
 * again. The web worker gives all calls of one page the same request id, and drops the ids that clients send. A page
 * therefore sees a member as enabled or disabled from its beginning to its end.
 */
export class PageCallers {
  /** User ids by request and account, oldest first. */
  readonly #found = new Map<string, { user_id: string; found_at: number }>();

  /** Returns the user id that an earlier call of the same page found, or undefined. */
  read(request_id: string, identity_id: string): string | undefined {
    const found = this.#found.get(`${request_id} ${identity_id}`);
    return found && Math.abs(Date.now() - found.found_at) < MEMO_MS ? found.user_id : undefined;
  }

  write(request_id: string, identity_id: string, user_id: string): void {
    this.#found.set(`${request_id} ${identity_id}`, { user_id, found_at: Date.now() });
    for (const oldest of this.#found.keys()) {
      if (this.#found.size <= MAX_PAGES) break;
      this.#found.delete(oldest);
    }
  }

  /** Forgets the caller, because a write of the same page may have changed who they are. */
  forget(request_id: string, identity_id: string): void {
    this.#found.delete(`${request_id} ${identity_id}`);
  }
}
