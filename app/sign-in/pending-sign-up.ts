import type { RouterContextProvider } from "react-router";
import { jarContext } from "../request/context.ts";
import { identityContext } from "../session/context.ts";
import { IdentityRefusal, type Tokens } from "../session/identity-toolkit.ts";

type Context = Readonly<RouterContextProvider>;

/**
 * A sign-up whose mail is not confirmed yet, kept by the browser it was begun in, so that confirming signs in without
 * typing the password again. Encrypted; the same shape whether there is an account behind it or not.
 */
const PENDING_COOKIE = "soziIdPending";
const PENDING_MAX_AGE_S = 24 * 60 * 60;
/** What there is room for; a longer path leads home. */
const MAX_TO = 128;
/** As long as any provider's refresh token in use here and the longest address; padding hides both. */
const PADDED_LENGTH = 768;

interface PendingSignUp {
  /** Empty where the address had an account already: the cookie looks alike. */
  refresh_token: string;
  /** The page to go on to. */
  to: string;
  email: string;
}

/** Remembers the sign-up. */
export async function startPendingSignUp(context: Context, pending: PendingSignUp): Promise<void> {
  const to = pending.to.length > MAX_TO ? "/" : pending.to;
  const secret = JSON.stringify({ ...pending, to }).padEnd(PADDED_LENGTH);
  const { session_keys } = context.get(identityContext);
  const cookie = await session_keys.encrypt(secret, PENDING_COOKIE, PENDING_MAX_AGE_S);
  context.get(jarContext).set(PENDING_COOKIE, cookie, PENDING_MAX_AGE_S);
}

/** Returns the sign-up begun in this browser, null where there is none. */
export async function readPendingSignUp(context: Context): Promise<PendingSignUp | null> {
  const cookie = context.get(jarContext).read(PENDING_COOKIE);
  const secret = cookie && (await context.get(identityContext).session_keys.decrypt(cookie, PENDING_COOKIE));
  return secret ? (JSON.parse(secret) as PendingSignUp) : null;
}

/** The sign-up begun in this browser, with new tokens of it; null where there is none, or it has ended. Throws FetchError. */
export async function renewPendingSignUp(context: Context): Promise<{ tokens: Tokens; to: string } | null> {
  const pending = await readPendingSignUp(context);
  if (!pending?.refresh_token) return null;
  try {
    const tokens = await context.get(identityContext).toolkit.refresh(pending.refresh_token);
    // The one that was used is over, and the sign-up may not be finished this time.
    await startPendingSignUp(context, { ...pending, refresh_token: tokens.refresh_token });
    return { tokens, to: pending.to };
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
