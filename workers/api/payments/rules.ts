/** Pure decisions about payments that are open. Source: docs/decisions/0034. */

/**
 * How long an open checkout can be paid. It holds a part of the payer's monthly limit, and a place in its plan, so it is
 * short. The gateway demands at least 30 minutes from the call, and the call may be repeated for {@link ATTEMPT_MINUTES}.
 */
export const SESSION_MINUTES = 60;
/** How long an attempt may be without an answer of the gateway. */
const ATTEMPT_MINUTES = 25;

/** Whether an attempt without an answer of the gateway may not ask for a session any more. */
export const isAttemptOver = (created_at: string, now_ms: number): boolean =>
  Date.parse(created_at) <= now_ms - ATTEMPT_MINUTES * 60_000;
