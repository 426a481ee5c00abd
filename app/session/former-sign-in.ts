import type { RouterContextProvider } from "react-router";
import { endSignInById, signInIdOfSession } from "./global-sign-out.ts";
import { SealedCookie } from "./sealed-cookie.ts";
import type { Session } from "./session.ts";

type Context = Readonly<RouterContextProvider>;

const DAY_S = 24 * 60 * 60;
/**
 * The sign-in that another one of the same account has followed in this browser. It ends with the next request: were it ended
 * with this one, a page beside would hear of it before it has the new cookies, and its answer would take them away.
 */
const formerSignIn = new SealedCookie<{ user_id: string; sign_in_id: string }>("soziIdFormer", DAY_S);

/** Has the sign-in that was there before end with the browser's next request, where `current` has taken its place. */
export async function leaveBehind(context: Context, former: Session | undefined, current: Session): Promise<void> {
  if (former?.id !== current.id) return;
  const sign_in_id = signInIdOfSession(former);
  if (sign_in_id === signInIdOfSession(current)) return;
  await formerSignIn.keep(context, { user_id: former.id, sign_in_id });
}

/** Ends what {@link leaveBehind} left. */
export async function endLeftBehind(context: Context, current: Session): Promise<void> {
  const former = await formerSignIn.take(context);
  if (former?.user_id !== current.id || former.sign_in_id === signInIdOfSession(current)) return;
  await endSignInById(context, current, former.sign_in_id);
}
