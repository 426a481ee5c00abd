import { Problem } from "../../kernel/problem.ts";
import type { RequestContext } from "./request-context.ts";

/** Source: docs/decisions/0018, "Sensitive changes". */
const RECENT_SIGN_IN_S = 5 * 60;

/**
 * Throws `recent_sign_in_required` unless the person has proven who they are within the last five minutes, so that a
 * person who finds a browser open cannot make the change.
 */
export function requireRecentSignIn({ caller, now_ms }: Pick<RequestContext, "caller" | "now_ms">): void {
  const { auth_time = 0, firebase } = caller?.claims ?? {};
  const is_recent = auth_time >= Math.floor(now_ms / 1000) - RECENT_SIGN_IN_S;
  // An ID token is enough to obtain a custom token, so signing in with a custom token proves nothing.
  if (!is_recent || firebase?.sign_in_provider === "custom") throw new Problem("recent_sign_in_required");
}
