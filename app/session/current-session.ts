import type { RouterContextProvider } from "react-router";
import { log } from "../../workers/kernel/log.ts";
import { TokenRefused, verifyIdToken } from "../../workers/verifier/index.ts";
import { edgeContext, jarContext } from "../request/context.ts";
import { FetchError } from "../v4/errors.ts";
import { identityContext } from "./context.ts";
import { IdentityRefusal, type Tokens } from "./identity-toolkit.ts";
import { linkedProviders } from "./providers.ts";
import {
  REFRESH_COOKIE,
  REFRESH_MAX_AGE_S,
  SESSION_COOKIE,
  SESSION_MAX_AGE_S,
  type Session,
  SessionTooLarge,
  sessionOf,
} from "./session.ts";

type Context = Readonly<RouterContextProvider>;

/** The app renews a token that expires sooner than this before using it. */
const RENEW_BEFORE_S = 5 * 60;

/**
 * The provider's codes for a permanently invalid refresh token. Other codes, such as an exceeded quota or our own wrong
 * key, are not the member's fault and sign nobody out.
 */
const ENDED: ReadonlySet<string> = new Set([
  "INVALID_REFRESH_TOKEN",
  "MISSING_REFRESH_TOKEN",
  "PROJECT_NUMBER_MISMATCH",
  "TOKEN_EXPIRED",
  "USER_DISABLED",
  "USER_NOT_FOUND",
]);

/**
 * Verifies the provider's tokens and replaces the session in the cookies with theirs.
 * Throws `TokenRefused`, or `FetchError` when the keys to verify with cannot be fetched.
 *
 * @param providers the providers linked to the account, when they are already known.
 */
export async function openSession(context: Context, tokens: Tokens, providers?: string[]): Promise<Session> {
  const { session_keys, toolkit, verifier } = context.get(identityContext);
  const jar = context.get(jarContext);
  const claims = await verifyIdToken(tokens.id_token, verifier).catch((error) => {
    throw error instanceof TokenRefused ? error : new FetchError(error);
  });
  const session = sessionOf(claims, tokens.id_token, providers ?? (await linkedProviders(toolkit, tokens.id_token)));
  await storeSession(context, session);
  const refresh = await session_keys.encrypt(tokens.refresh_token, REFRESH_COOKIE, REFRESH_MAX_AGE_S);
  jar.set(REFRESH_COOKIE, refresh, REFRESH_MAX_AGE_S);
  return session;
}

/**
 * Writes the session cookie. A session too large for a cookie is not stored: each request renews it with the refresh
 * token.
 */
async function storeSession(context: Context, session: Session): Promise<void> {
  const { request_id } = context.get(edgeContext);
  const { session_keys } = context.get(identityContext);
  const jar = context.get(jarContext);
  try {
    jar.set(SESSION_COOKIE, await session_keys.seal(session), SESSION_MAX_AGE_S);
  } catch (error) {
    if (!(error instanceof SessionTooLarge)) throw error;
    log("error", { message: "a session is too large to keep", request_id, reason: error.message });
    jar.clear(SESSION_COOKIE);
  }
}

/** Removes the session from this browser. */
export function closeSession(context: Context): void {
  const jar = context.get(jarContext);
  jar.clear(SESSION_COOKIE);
  jar.clear(REFRESH_COOKIE);
}

/**
 * Returns the session of the request, and renews it if its token or its hour is about to end. Returns null without a
 * session. Removes a cookie that cannot be verified (spec section 4, Session). Keeps the refresh token if the key alone is
 * unknown: a worker that has the key renews the session with it.
 */
export async function currentSession(context: Context): Promise<Session | null> {
  const { session_keys } = context.get(identityContext);
  const jar = context.get(jarContext);
  const cookie = jar.read(SESSION_COOKIE);
  const session = cookie === null ? "expired" : await session_keys.open(cookie);
  if (session === null) {
    if (cookie && session_keys.hasUnknownKey(cookie)) jar.clear(SESSION_COOKIE);
    else closeSession(context);
    return null;
  }
  if (session !== "expired" && secondsLeft(session.token) > RENEW_BEFORE_S) return session;
  const renewed = await renewSession(context);
  if (renewed === "refused") {
    closeSession(context);
    return null;
  }
  if (renewed !== "unavailable") return renewed;
  // Use the old token while it lasts. Without a valid token this page is a visitor's; the next request tries again.
  return session !== "expired" && secondsLeft(session.token) > 0 ? session : null;
}

/**
 * Renews the session. Returns `refused` without a valid refresh token, and `unavailable` when the provider does not
 * answer or the key of the refresh token is unknown.
 */
export async function renewSession(context: Context): Promise<Session | "refused" | "unavailable"> {
  const { request_id } = context.get(edgeContext);
  const { session_keys, renewTokens } = context.get(identityContext);
  const cookie = context.get(jarContext).read(REFRESH_COOKIE);
  const refresh_token = cookie && (await session_keys.decrypt(cookie, REFRESH_COOKIE));
  if (!refresh_token) return cookie && session_keys.hasUnknownKey(cookie) ? "unavailable" : "refused";
  try {
    const { tokens, providers } = await renewTokens(refresh_token);
    return await openSession(context, tokens, providers);
  } catch (error) {
    if (!(error instanceof IdentityRefusal || error instanceof TokenRefused || error instanceof FetchError))
      throw error;
    log("warn", { message: "session not renewed", request_id, reason: error.message });
    const is_over = error instanceof TokenRefused || (error instanceof IdentityRefusal && ENDED.has(error.code));
    return is_over ? "refused" : "unavailable";
  }
}

/** Returns the seconds until the token expires. It was verified before it was put into the signed cookie. */
function secondsLeft(token: string): number {
  const payload = token.split(".")[1] ?? "";
  const { exp } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) as { exp: number };
  return exp - Date.now() / 1000;
}
