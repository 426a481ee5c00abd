import type { RouterContextProvider } from "react-router";
import { movePushSubscription } from "../../workers/contract/notifications.ts";
import type { V4 } from "../v4/client.ts";
import { endSignInById, signInIdOfSession } from "./global-sign-out.ts";
import { SealedCookie } from "./sealed-cookie.ts";
import type { Session } from "./session.ts";

type Context = Readonly<RouterContextProvider>;

const DAY_S = 24 * 60 * 60;
/**
 * The sign-in that a newer one of the same account has replaced in this browser. The next request ends it, not this
 * one: otherwise another open page would learn of the end before it has the new cookies, and its answer would remove
 * them.
 */
const formerSignIn = new SealedCookie<{ user_id: string; sign_in_id: string }>("soziIdFormer", DAY_S);

/** Marks the former sign-in, if `current` has replaced it. The browser's next request ends it. */
export async function leaveBehind(context: Context, former: Session | undefined, current: Session): Promise<void> {
  if (former?.id !== current.id) return;
  const sign_in_id = signInIdOfSession(former);
  if (sign_in_id === signInIdOfSession(current)) return;
  await formerSignIn.keep(context, { user_id: former.id, sign_in_id });
}

/**
 * Ends the sign-in that {@link leaveBehind} marked.
 * @param v4 lets the browser keep its push notifications, which belong to a sign-in; null when that one ends too.
 */
export async function endLeftBehind(context: Context, current: Session, v4: V4 | null): Promise<void> {
  const former = await formerSignIn.take(context);
  if (former?.user_id !== current.id || former.sign_in_id === signInIdOfSession(current)) return;
  // Without an answer, the member has to turn them on again.
  if (v4) await v4.send(movePushSubscription, { body: { former_sign_in_id: former.sign_in_id } });
  await endSignInById(context, current, former.sign_in_id);
}
