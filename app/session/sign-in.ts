import type { RouterContextProvider } from "react-router";
import { TokenRefused, verifyIdToken } from "../../workers/verifier/index.ts";
import { edgeContext, jarContext } from "../middleware/context.ts";
import { FetchError } from "../v4/errors.ts";
import { IdentityRefusal, type Tokens } from "./identity-toolkit.ts";
import {
  REFRESH_COOKIE,
  REFRESH_MAX_AGE_S,
  SESSION_COOKIE,
  SESSION_MAX_AGE_S,
  type Session,
  sessionOf,
} from "./session.ts";

type Context = Readonly<RouterContextProvider>;

/** A token this close to its end is renewed before it is used. */
const RENEW_BEFORE_S = 5 * 60;

/**
 * Opens a session from the provider's tokens: verified, put into the cookies, returned.
 * Throws `TokenRefused`, or `FetchError` when the keys to verify with cannot be had.
 */
export async function openSession(context: Context, tokens: Tokens): Promise<Session> {
  const { session_keys, verifier } = context.get(edgeContext);
  const jar = context.get(jarContext);
  const claims = await verifyIdToken(tokens.id_token, verifier).catch((error) => {
    throw error instanceof TokenRefused ? error : new FetchError(error);
  });
  const session = sessionOf(claims, tokens.id_token);
  jar.set(SESSION_COOKIE, await session_keys.seal(session), SESSION_MAX_AGE_S);
  const refresh = await session_keys.encrypt(tokens.refresh_token, REFRESH_COOKIE, REFRESH_MAX_AGE_S);
  jar.set(REFRESH_COOKIE, refresh, REFRESH_MAX_AGE_S);
  return session;
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
  const { session_keys } = context.get(edgeContext);
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
  const { session_keys, toolkit, request_id } = context.get(edgeContext);
  const cookie = context.get(jarContext).read(REFRESH_COOKIE);
  const refresh_token = cookie && (await session_keys.decrypt(cookie, REFRESH_COOKIE));
  if (!refresh_token) return "refused";
  try {
    return await openSession(context, await toolkit.refresh(refresh_token));
  } catch (error) {
    if (!(error instanceof IdentityRefusal || error instanceof TokenRefused || error instanceof FetchError))
      throw error;
    console.warn(JSON.stringify({ message: "session not renewed", request_id, reason: error.message }));
    return error instanceof FetchError ? "unavailable" : "refused";
  }
}

/** Seconds until the token's own end. It was verified when it was put into the signed cookie. */
function secondsLeft(token: string): number {
  const payload = token.split(".")[1] ?? "";
  const { exp } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) as { exp: number };
  return exp - Date.now() / 1000;
}
