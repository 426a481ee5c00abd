import type { RouterContextProvider } from "react-router";
import { edgeContext } from "../middleware/context.ts";
import { registerSignOut } from "./global-sign-out.ts";
import { SealedCookie } from "./sealed-cookie.ts";
import type { Session } from "./session.ts";

type Context = Readonly<RouterContextProvider>;

const DAY_S = 24 * 60 * 60;
/**
 * The sign-in that another one of the same account has followed in this browser. It ends with the next request: were it ended
 * with this one, a page beside would hear of it before it has the new cookies, and its answer would take them away.
 */
const formerSignIn = new SealedCookie<{ user_id: string; key: string }>("soziIdFormer", DAY_S);

/** Has the sign-in that was there before end with the browser's next request, where `current` has taken its place. */
export async function leaveBehind(context: Context, former: Session | undefined, current: Session): Promise<void> {
  const key = former?.keyForGlobalSignOut;
  if (!key || former.id !== current.id || current.keyForGlobalSignOut === key) return;
  await formerSignIn.keep(context, { user_id: former.id, key });
}

/** Ends what {@link leaveBehind} left. */
export async function endLeftBehind(context: Context, current: Session): Promise<void> {
  const former = await formerSignIn.take(context);
  if (former?.user_id !== current.id || former.key === current.keyForGlobalSignOut) return;
  await registerSignOut(context.get(edgeContext), { ...current, keyForGlobalSignOut: former.key });
}
