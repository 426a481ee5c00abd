import { decodeJwt } from "jose";
import {
  REFRESH_COOKIE,
  REFRESH_MAX_AGE_S,
  SESSION_COOKIE,
  SessionKeys,
  sessionOf,
} from "../../app/session/session.ts";
import type { IdentityClaims } from "../../workers/verifier/index.ts";

/**
 * Signs in at the identity service. Returns the cookies that the web worker would set, by name. Each call is a new
 * sign-in, so that ending it leaves others valid.
 *
 * @throws when the identity service refuses.
 */
export async function mintSessionCookies(
  { url, secrets }: { url: string; secrets: { IDENTITY_API_KEY: string; SESSION_KEYS: string } },
  { email, password }: { email: string; password: string },
): Promise<Record<string, string>> {
  const path = `/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${secrets.IDENTITY_API_KEY}`;
  const response = await fetch(url + path, {
    method: "POST",
    // workerd closes idle connections after five seconds, and a busy process notices too late.
    headers: { "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ email, password, returnSecureToken: true }),
  });
  const { idToken, refreshToken } = (await response.json()) as { idToken?: string; refreshToken?: string };
  if (!idToken || !refreshToken) throw new Error(`signing in as ${email} answered ${response.status}`);
  const keys = new SessionKeys(secrets.SESSION_KEYS);
  return {
    [SESSION_COOKIE]: await keys.seal(sessionOf(decodeJwt<IdentityClaims>(idToken), idToken)),
    [REFRESH_COOKIE]: await keys.encrypt(refreshToken, REFRESH_COOKIE, REFRESH_MAX_AGE_S),
  };
}
