import { SESSION_MINUTES } from "../../contract/limits.ts";
import { isoTime } from "../../kernel/clock.ts";

/** Pure decisions about payments that are open. Source: docs/decisions/0034. */

/** How long an attempt may be without an answer of the gateway: {@link SESSION_MINUTES} leave it room. */
const ATTEMPT_MINUTES = 25;

/** Whether an attempt without an answer of the gateway may not ask for a session any more. */
export const isAttemptOver = (created_at: string, now_ms: number): boolean =>
  Date.parse(created_at) <= now_ms - ATTEMPT_MINUTES * 60_000;

/** Returns when the gateway ends an open session of an attempt that began then. */
export const endOfSession = (created_at: string): string => isoTime(Date.parse(created_at) + SESSION_MINUTES * 60_000);
