import type { RouterContextProvider } from "react-router";
import { SealedCookie } from "../session/sealed-cookie.ts";
import { ownSession } from "./ask-provider.ts";

type Context = Readonly<RouterContextProvider>;

/** The member who started the flow. Another member who signs in on this browser cannot continue it. */
interface Own {
  user_id: string;
}

/** The number (E.164) that a code was sent to. `session_info` comes from the provider. */
interface AskedNumber extends Own {
  phone_number: string;
  session_info: string;
}

/** How long a form with several steps keeps its state, so that reloading or leaving the page loses nothing. */
const TEN_MINUTES_S = 10 * 60;
export const startedTotp = new SealedCookie<Own & { secret: string; session_info: string }>(
  "soziIdTotp",
  TEN_MINUTES_S,
);
export const startedFactorPhone = new SealedCookie<AskedNumber>("soziIdFactorPhone", TEN_MINUTES_S);
/** New recovery codes until the member confirms that they are written down. The provider stores only their hashes. */
export const newRecoveryCodes = new SealedCookie<Own & { codes: string[] }>("soziIdCodes", TEN_MINUTES_S);

/** Returns the state of a flow that this member has started, or null. */
export async function readStarted<Value extends Own>(
  context: Context,
  cookie: SealedCookie<Value>,
): Promise<Value | null> {
  const value = await cookie.read(context);
  return value?.user_id === ownSession(context).id ? value : null;
}
