import type { RouterContextProvider } from "react-router";
import { edgeContext, jarContext } from "../middleware/context.ts";

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

/** The sign-up begun in this browser, used up; null when there is none. */
export async function takePendingSignUp(context: Context): Promise<{ refresh_token: string; to: string } | null> {
  const jar = context.get(jarContext);
  const cookie = jar.read(PENDING_COOKIE);
  const secret = cookie && (await context.get(edgeContext).session_keys.decrypt(cookie, PENDING_COOKIE));
  jar.clear(PENDING_COOKIE);
  return secret ? JSON.parse(secret) : null;
}
