import type { RouterContextProvider } from "react-router";
import { SealedCookie } from "../session/sealed-cookie.ts";
import { ownSession } from "./ask-provider.ts";

type Context = Readonly<RouterContextProvider>;

/** Whoever began it, and nobody else who signs in on this browser. */
interface Own {
  user_id: string;
}

/** A code is on its way to this number (E.164); `session_info` is the provider's. */
interface AskedNumber extends Own {
  phone_number: string;
  session_info: string;
}

/** What a form of several steps must still know at the next one: reloading the page, or leaving it for a while, loses nothing. */
const TEN_MINUTES_S = 10 * 60;
export const begunTotp = new SealedCookie<Own & { secret: string; session_info: string }>("soziIdTotp", TEN_MINUTES_S);
export const begunFactorPhone = new SealedCookie<AskedNumber>("soziIdFactorPhone", TEN_MINUTES_S);
/** Made, and not yet said to be written down: the provider does not know them any more. */
export const newRecoveryCodes = new SealedCookie<Own & { codes: string[] }>("soziIdCodes", TEN_MINUTES_S);

/** What the person signed in has begun, or null. */
export async function readBegun<Value extends Own>(
  context: Context,
  cookie: SealedCookie<Value>,
): Promise<Value | null> {
  const value = await cookie.read(context);
  return value?.user_id === ownSession(context).id ? value : null;
}
