import { decodeJwt, type JWTPayload, SignJWT } from "jose";
import {
  REFRESH_COOKIE,
  REFRESH_MAX_AGE_S,
  SESSION_COOKIE,
  SessionKeys,
  sessionOf,
} from "../../app/session/session.ts";
import { openIdentity } from "../../workers/identity/storage/database.ts";
import { currentSigningKey } from "../../workers/identity/storage/signing-keys.ts";
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

/**
 * Returns the session cookie of an operator with a second factor. Signs the token of the session again, with the
 * provider's own key: enrolling a factor takes a second.
 *
 * @param changed claims besides the operator's.
 */
export async function mintOperatorCookie(
  DB: D1Database,
  { ENCRYPTION_KEY, SESSION_KEYS }: { ENCRYPTION_KEY: string; SESSION_KEYS: string },
  token: string,
  changed: JWTPayload = {},
): Promise<Record<string, string>> {
  // Only what the signing keys read.
  const env = { DB, ENCRYPTION_KEY } as IdentityEnv;
  const { kid, key } = await currentSigningKey(openIdentity(env, Date.now()));
  const { firebase, ...claims } = decodeJwt<IdentityClaims>(token);
  const named = await new SignJWT({
    ...claims,
    operator: "hana",
    firebase: { ...firebase, sign_in_second_factor: "totp" },
    ...changed,
  })
    .setProtectedHeader({ alg: "RS256", kid, typ: "JWT" })
    .sign(key);
  const session = sessionOf(decodeJwt<IdentityClaims>(named), named);
  return { [SESSION_COOKIE]: await new SessionKeys(SESSION_KEYS).seal(session) };
}
