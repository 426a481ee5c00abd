import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";

/**
 * The claims of an ID token. This file contains the only verifier of ID tokens: the web worker uses it to fill the
 * session, and the API on every call. Source: https://firebase.google.com/docs/auth/admin/verify-id-tokens: RS256 only,
 * exact issuer and audience.
 */
export interface IdentityClaims extends JWTPayload {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  /** When the person last proved who they are, in seconds since the epoch. */
  auth_time: number;
  pibId?: string;
  /** A key that the account's sign-ins share until a global sign-out uses it. */
  keyForGlobalSignOut?: string;
  /** Only tokens of our own identity provider have this claim: see {@link signInIdOf}. */
  signInId?: string;
  firebase?: {
    sign_in_provider?: string;
    sign_in_second_factor?: string;
    second_factor_identifier?: string;
    identities?: Record<string, string[]>;
  };
}

/**
 * Returns the id of the sign-in to which a token belongs. Firebase's tokens have none, so the time of the sign-in
 * replaces it.
 */
export function signInIdOf({ signInId, auth_time }: Pick<IdentityClaims, "signInId" | "auth_time">): string {
  return signInId ?? `${FIREBASE_SIGN_IN}${auth_time}`;
}

/** The claims that identify a sign-in, and tell whether it has ended. */
export type SignInMarks = Pick<IdentityClaims, "sub" | "auth_time" | "keyForGlobalSignOut"> & { signInId: string };

/** The prefix of the ids of sign-ins at Firebase. */
export const FIREBASE_SIGN_IN = "auth-time-";

export interface VerifierSettings {
  project_id: string;
  jwks_url: string;
  /** Fetches the key set (JWKS): the global fetch, or a service binding to the embedded provider. */
  fetch: (input: string, init?: RequestInit) => Promise<Response>;
  /** For how long after its expiry a token is still accepted; 0 when absent. */
  tolerance_s?: number;
}

/**
 * How far the provider's clock may be ahead of ours. A token from later than that is forged. An expired token gets no
 * tolerance, because clients renew tokens five minutes before. Source: Firebase's Admin SDKs, which check both moments.
 */
const CLOCK_SKEW_S = 5 * 60;

export class TokenRefused extends Error {
  override name = "TokenRefused";
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;
const keySets = new Map<string, KeySet>();

/**
 * Returns the claims of a valid ID token of this project. Throws {@link TokenRefused} when the token is forged,
 * foreign, expired or malformed. Any other error means that the key set could not be fetched, which is an outage and
 * not the caller's fault.
 */
export async function verifyIdToken(token: string, settings: VerifierSettings): Promise<IdentityClaims> {
  let keySet = keySets.get(settings.jwks_url);
  if (!keySet) {
    const fetchKeys = settings.fetch;
    keySet = createRemoteJWKSet(new URL(settings.jwks_url), {
      [customFetch]: (url, init) => fetchKeys(url, init as RequestInit),
    });
    keySets.set(settings.jwks_url, keySet);
  }
  try {
    const { payload } = await jwtVerify(token, keySet, {
      algorithms: ["RS256"],
      issuer: `https://securetoken.google.com/${settings.project_id}`,
      audience: settings.project_id,
      clockTolerance: settings.tolerance_s ?? 0,
      requiredClaims: ["sub", "iat", "exp", "auth_time"],
    });
    if (typeof payload.sub !== "string" || payload.sub === "" || typeof payload.auth_time !== "number") {
      throw new TokenRefused("malformed claims");
    }
    const latest = Date.now() / 1000 + CLOCK_SKEW_S;
    if ((payload.iat ?? 0) > latest || payload.auth_time > latest) throw new TokenRefused("made in the future");
    return payload as IdentityClaims;
  } catch (error) {
    if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) throw error;
    if (error instanceof errors.JOSEError && error.code !== "ERR_JOSE_GENERIC") {
      throw new TokenRefused(error.code, { cause: error });
    }
    throw error;
  }
}
