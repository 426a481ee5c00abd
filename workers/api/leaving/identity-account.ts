import { throwUnavailable } from "../../kernel/ask-worker.ts";
import { Problem } from "../../kernel/problem.ts";
import type { VerifierSettings } from "../../verifier/index.ts";
import { authenticateCaller } from "../http/authenticate.ts";
import { requireRecentSignIn } from "../http/recent-sign-in.ts";
import type { SignIns } from "../http/sign-in-state.ts";
import type { Database } from "../storage/database.ts";

/**
 * Forwards `unsubscribeIdentity` to the identity service, which does not know the product's accounts. A member must have left
 * first: otherwise nobody could sign in to delete the data, or to take the money out. A person who never registered needs a recent
 * sign-in. Throws `account_not_left`, `recent_sign_in_required`, `unavailable`.
 */
export async function deleteIdentityAccount(
  request: Request,
  services: { database: Database; verifier: VerifierSettings; signIns: SignIns; identity: Fetcher; now_ms: number },
): Promise<Response> {
  const { database, verifier, signIns, identity, now_ms } = services;
  try {
    const caller = await authenticateCaller("required", request, verifier, database, {
      requireLive: (claims, token) => signIns.requireLive(claims, token, true),
    });
    if (caller?.user_id) throw new Problem("account_not_left");
    requireRecentSignIn({ caller, now_ms });
  } catch (error) {
    const has_left = error instanceof Problem && error.code === "account_left";
    if (!has_left) throw error;
  }
  const answer = await identity.fetch(request).catch(throwUnavailable);
  // A copy, whose headers can be changed.
  return new Response(answer.body, answer);
}
