import type { RouterContextProvider } from "react-router";
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

/** A token this close to its end is renewed before it is used. */
const RENEW_BEFORE_S = 5 * 60;

/**
 * What the provider says of a refresh token that will never be good again. Whatever else it says, a quota or a key of ours it
 * does not like, is not the member's doing, and signs nobody out.
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
 * Opens a session from the provider's tokens: verified, put into the cookies, returned. Nothing that was in the cookies
 * before is left of it.
 * Throws `TokenRefused`, or `FetchError` when the keys to verify with cannot be had.
 *
 * @param providers those linked to the account, where they are known already.
 */
export async function openSession(context: Context, tokens: Tokens, providers?: string[]): Promise<Session> {
  const { session_keys, toolkit, verifier } = context.get(identityContext);
  const jar = context.get(jarContext);
  const claims = await verifyIdToken(tokens.id_token, verifier).catch((error) => {
    throw error instanceof TokenRefused ? error : new FetchError(error);
  });
  const session = sessionOf(claims, tokens.id_token, providers ?? (await linkedProviders(toolkit, tokens.id_token)));
  await keepSession(context, session);
  const refresh = await session_keys.encrypt(tokens.refresh_token, REFRESH_COOKIE, REFRESH_MAX_AGE_S);
  jar.set(REFRESH_COOKIE, refresh, REFRESH_MAX_AGE_S);
  return session;
}

/** A session that no cookie holds is not kept: each request makes it anew with the refresh token. */
async function keepSession(context: Context, session: Session): Promise<void> {
  const { request_id } = context.get(edgeContext);
  const { session_keys } = context.get(identityContext);
  const jar = context.get(jarContext);
  try {
    jar.set(SESSION_COOKIE, await session_keys.seal(session), SESSION_MAX_AGE_S);
  } catch (error) {
    if (!(error instanceof SessionTooLarge)) throw error;
    console.error(JSON.stringify({ message: "a session is too large to keep", request_id, reason: error.message }));
    jar.clear(SESSION_COOKIE);
  }
}

/** Forgets the session in this browser. */
export function closeSession(context: Context): void {
  const jar = context.get(jarContext);
  jar.clear(SESSION_COOKIE);
  jar.clear(REFRESH_COOKIE);
}

/**
 * The session of the request, renewed when its token is about to end or its hour is over. Null when there is none;
 * a cookie that cannot be verified is removed and counts as none (spec section 4, Session).
 */
export async function currentSession(context: Context): Promise<Session | null> {
  const { session_keys } = context.get(identityContext);
  const jar = context.get(jarContext);
  const cookie = jar.read(SESSION_COOKIE);
  const session = cookie === null ? "expired" : await session_keys.open(cookie);
  if (session === null) {
    closeSession(context);
    return null;
  }
  if (session !== "expired" && secondsLeft(session.token) > RENEW_BEFORE_S) return session;
  const renewed = await renew(context);
  if (renewed === "refused") {
    closeSession(context);
    return null;
  }
  if (renewed !== "unavailable") return renewed;
  // A token that still has some minutes is good until then; otherwise this page is a visitor's, and the next one may not be.
  return session !== "expired" && secondsLeft(session.token) > 0 ? session : null;
}

/** Renews the session now. `refused`: there is nothing to renew it with. `unavailable`: the provider did not answer. */
export async function renew(context: Context): Promise<Session | "refused" | "unavailable"> {
  const { request_id } = context.get(edgeContext);
  const { session_keys, renewTokens } = context.get(identityContext);
  const cookie = context.get(jarContext).read(REFRESH_COOKIE);
  const refresh_token = cookie && (await session_keys.decrypt(cookie, REFRESH_COOKIE));
  if (!refresh_token) return "refused";
  try {
    const { tokens, providers } = await renewTokens(refresh_token);
    return await openSession(context, tokens, providers);
  } catch (error) {
    if (!(error instanceof IdentityRefusal || error instanceof TokenRefused || error instanceof FetchError))
      throw error;
    console.warn(JSON.stringify({ message: "session not renewed", request_id, reason: error.message }));
    const is_over = error instanceof TokenRefused || (error instanceof IdentityRefusal && ENDED.has(error.code));
    return is_over ? "refused" : "unavailable";
  }
}

/** Seconds until the token's own end. It was verified when it was put into the signed cookie. */
function secondsLeft(token: string): number {
  const payload = token.split(".")[1] ?? "";
  const { exp } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) as { exp: number };
  return exp - Date.now() / 1000;
}
