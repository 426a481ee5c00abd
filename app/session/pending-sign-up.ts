import type { RouterContextProvider } from "react-router";
import { edgeContext, jarContext } from "../middleware/context.ts";
import { IdentityRefusal, type Tokens } from "./identity-toolkit.ts";

type Context = Readonly<RouterContextProvider>;

/**
 * A sign-up whose mail is not confirmed yet, kept by the browser it was begun in, so that confirming signs in without
 * typing the password again. Encrypted; the same shape whether there is an account behind it or not.
 */
const PENDING_COOKIE = "soziIdPending";
const PENDING_MAX_AGE_S = 24 * 60 * 60;
/** What there is room for; a longer path leads home. */
const MAX_TO = 128;
/** As long as any provider's refresh token in use here; padding hides which of the two it is. */
const PADDED_LENGTH = 512;

/** Remembers the sign-up. `refresh_token` is null where the address had an account already: the cookie looks alike. */
export async function startPendingSignUp(context: Context, refresh_token: string | null, to: string): Promise<void> {
  // An empty string and not null: the quotes are escaped once more on the way, and would count.
  const secret = JSON.stringify({ refresh_token: refresh_token ?? "", to: to.length > MAX_TO ? "/" : to }).padEnd(
    PADDED_LENGTH,
  );
  const { session_keys } = context.get(edgeContext);
  const cookie = await session_keys.encrypt(secret, PENDING_COOKIE, PENDING_MAX_AGE_S);
  context.get(jarContext).set(PENDING_COOKIE, cookie, PENDING_MAX_AGE_S);
}

/** The sign-up begun in this browser, with new tokens of it; null where there is none, or it has ended. Throws FetchError. */
export async function renewPendingSignUp(context: Context): Promise<{ tokens: Tokens; to: string } | null> {
  const cookie = context.get(jarContext).read(PENDING_COOKIE);
  const { session_keys, toolkit } = context.get(edgeContext);
  const secret = cookie && (await session_keys.decrypt(cookie, PENDING_COOKIE));
  if (!secret) return null;
  const { refresh_token, to } = JSON.parse(secret) as { refresh_token: string; to: string };
  if (!refresh_token) return null;
  try {
    const tokens = await toolkit.refresh(refresh_token);
    // The one that was used is over, and the sign-up may not be finished this time.
    await startPendingSignUp(context, tokens.refresh_token, to);
    return { tokens, to };
  } catch (error) {
    if (!(error instanceof IdentityRefusal)) throw error;
    return null;
  }
}

/** Whether a sign-up was begun in this browser. */
export function hasPendingSignUp(context: Context): boolean {
  return context.get(jarContext).read(PENDING_COOKIE) !== null;
}

export function forgetPendingSignUp(context: Context): void {
  context.get(jarContext).clear(PENDING_COOKIE);
}
