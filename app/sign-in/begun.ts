import type { RouterContextProvider } from "react-router";
import { SealedCookie } from "../session/sealed-cookie.ts";
import { ownSession } from "./ask-provider.ts";

type Context = Readonly<RouterContextProvider>;

/** Belongs to the member who began the flow, not to the next one who signs in on this browser. */
interface Own {
  user_id: string;
}

/** The number (E.164) a code was sent to. `session_info` is the provider's. */
interface AskedNumber extends Own {
  phone_number: string;
  session_info: string;
}

/** State of forms with several steps. Reloading the page, or leaving it for a while, loses nothing. */
const TEN_MINUTES_S = 10 * 60;
export const begunTotp = new SealedCookie<Own & { secret: string; session_info: string }>("soziIdTotp", TEN_MINUTES_S);
export const begunFactorPhone = new SealedCookie<AskedNumber>("soziIdFactorPhone", TEN_MINUTES_S);
/** New codes that the member has not yet confirmed to have written down. The provider stores only their hashes. */
export const newRecoveryCodes = new SealedCookie<Own & { codes: string[] }>("soziIdCodes", TEN_MINUTES_S);

/** Returns what this member has begun, or null. */
export async function readBegun<Value extends Own>(
  context: Context,
  cookie: SealedCookie<Value>,
): Promise<Value | null> {
  const value = await cookie.read(context);
  return value?.user_id === ownSession(context).id ? value : null;
}
