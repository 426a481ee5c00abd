import { log } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { SignInMemo } from "../../kernel/sign-in-memo.ts";
import { IDENTITY_ORIGIN, SIGN_IN_STATE_PATH } from "../../verifier/deployment.ts";
import { type IdentityClaims, signInIdOf } from "../../verifier/index.ts";

/**
 * Asks the identity service whether a token's sign-in is still valid. The token alone does not tell: it is valid for an
 * hour, even after a sign-out, a revocation or a change of credentials.
 */
export interface SignIns {
  /**
   * Throws `token_invalid` when the sign-in has ended. A sensitive call always asks, and throws `unavailable` when the
   * identity service does not answer. Any other call accepts an answer up to a second old, and continues without one.
   */
  requireLive(claims: IdentityClaims, token: string, is_sensitive: boolean): Promise<void>;
}

type Answer = "live" | "ended" | "unknown";
const answers = new SignInMemo<Answer>("ended");

const TIME_LIMIT_MS = 2000;
const SENSITIVE_TIME_LIMIT_MS = 4000;

/** @param identity the binding to the identity service. */
export function signInsOf(identity: { fetch(url: string, init: RequestInit): Promise<Response> }, request_id: string) {
  async function askIdentity(token: string, is_sensitive: boolean): Promise<Answer> {
    try {
      const url = `${IDENTITY_ORIGIN}${SIGN_IN_STATE_PATH}${is_sensitive ? "?live" : ""}`;
      const headers = { authorization: `Bearer ${token}`, "x-request-id": request_id };
      const signal = AbortSignal.timeout(is_sensitive ? SENSITIVE_TIME_LIMIT_MS : TIME_LIMIT_MS);
      const { status } = await identity.fetch(url, { headers, signal });
      if (status === 204) return "live";
      if (status === 401) return "ended";
      throw new Error(`identity answered ${status}`);
    } catch (error) {
      log("error", { message: "sign-in state not known", request_id, error: String(error) });
      return "unknown";
    }
  }
  return {
    async requireLive(claims, token, is_sensitive) {
      const sign_in = `${claims.sub} ${signInIdOf(claims)}`;
      let answer = is_sensitive ? undefined : answers.read(sign_in);
      if (!answer) {
        const asked_at = Date.now();
        answer = await askIdentity(token, is_sensitive);
        // Cache a missing answer for a second too: a page calls the API several times, and must not wait each time.
        answers.write(sign_in, answer, answer === "unknown" ? Date.now() : asked_at);
      }
      if (answer === "ended") throw new Problem("token_invalid");
      if (answer === "unknown" && is_sensitive) throw new Problem("unavailable");
    },
  } satisfies SignIns;
}
