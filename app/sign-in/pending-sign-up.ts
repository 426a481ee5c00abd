import type { RouterContextProvider } from "react-router";
import { jarContext } from "../request/context.ts";
import { identityContext } from "../session/context.ts";
import { IdentityRefusal, type Tokens } from "../session/identity-toolkit.ts";

type Context = Readonly<RouterContextProvider>;

/**
 * A sign-up whose address is not verified yet, stored in the browser that started it. Verifying the address then signs
 * in without the password. The encrypted cookie looks the same whether or not there is an account.
 */
const PENDING_COOKIE = "soziIdPending";
const PENDING_MAX_AGE_S = 24 * 60 * 60;
/** The longest path that the cookie has room for. With a longer path, the sign-up continues at the home page. */
const MAX_TO = 128;
/**
 * The length of the longest refresh token and address together. Padding the cookie to this length hides their length.
 */
const PADDED_LENGTH = 768;

interface PendingSignUp {
  /**
   * The refresh token of the new account. Empty if the address already had an account, which the encrypted cookie does
   * not show.
   */
  refresh_token: string;
  /** The page that the person opens after the sign-up. */
  to: string;
  email: string;
}

/** Stores the sign-up in a cookie. */
export async function startPendingSignUp(context: Context, pending: PendingSignUp): Promise<void> {
  const to = pending.to.length > MAX_TO ? "/" : pending.to;
  const secret = JSON.stringify({ ...pending, to }).padEnd(PADDED_LENGTH);
  const { session_keys } = context.get(identityContext);
  const cookie = await session_keys.encrypt(secret, PENDING_COOKIE, PENDING_MAX_AGE_S);
  context.get(jarContext).set(PENDING_COOKIE, cookie, PENDING_MAX_AGE_S);
}

/** Returns the sign-up that was started in this browser, or null. */
export async function readPendingSignUp(context: Context): Promise<PendingSignUp | null> {
  const cookie = context.get(jarContext).read(PENDING_COOKIE);
  const secret = cookie && (await context.get(identityContext).session_keys.decrypt(cookie, PENDING_COOKIE));
  return secret ? (JSON.parse(secret) as PendingSignUp) : null;
}

/**
 * Returns new tokens of the sign-up that was started in this browser. Returns null if there is none or it has ended.
 * Throws FetchError.
 */
export async function renewPendingSignUp(context: Context): Promise<{ tokens: Tokens; to: string } | null> {
  const pending = await readPendingSignUp(context);
  if (!pending?.refresh_token) return null;
  try {
    const tokens = await context.get(identityContext).toolkit.refresh(pending.refresh_token);
    // Store the new refresh token, because the old one is used up and this attempt may still fail.
    await startPendingSignUp(context, { ...pending, refresh_token: tokens.refresh_token });
    return { tokens, to: pending.to };
  } catch (error) {
    if (!(error instanceof IdentityRefusal)) throw error;
    return null;
  }
}

/** Returns true if a sign-up was started in this browser. Does not decrypt the cookie. */
export function hasPendingSignUp(context: Context): boolean {
  return context.get(jarContext).read(PENDING_COOKIE) !== null;
}

export function forgetPendingSignUp(context: Context): void {
  context.get(jarContext).clear(PENDING_COOKIE);
}
