import { createContext, data, type RouterContextProvider, redirect } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { LINK_ID } from "../../../workers/contract/users.ts";
import { retryAfterContext } from "../../request/context.ts";
import { loginPath } from "../../request/to.ts";
import { closeSession } from "../../session/current-session.ts";
import type { Refusal } from "../../v4/client.ts";

/** Addresses below a creator's page that only take forms. They have a page for what was refused without a script (form-refused.tsx). */

type Context = Readonly<RouterContextProvider>;

const refusedContext = createContext(false);

/**
 * Whether the address's own page is wanted, since its form was refused; whoever opens it otherwise is led on. Throws 404 where it
 * names nothing.
 */
export function isRefused(context: Context, { link_id, ...ids }: { link_id: string; [name: string]: string }): boolean {
  if (context.get(refusedContext)) return true;
  const are_ids = Object.values(ids).every((each) => id.safeParse(each).success);
  if (!LINK_ID.test(link_id) || !are_ids) throw data(null, { status: 404 });
  return false;
}

/** Has the address's own page shown with the answer to the form. */
export const showRefused = (context: Context): void => context.set(refusedContext, true);

/** What that page says; whoever is not signed in any more signs in instead, and comes `back`. */
export function refuseForm(context: Context, { detail, status, needs_sign_in, retry_after_s }: Refusal, back: string) {
  if (needs_sign_in) {
    closeSession(context);
    return redirect(loginPath(back), 303);
  }
  showRefused(context);
  context.set(retryAfterContext, retry_after_s);
  return data({ error: detail }, { status });
}
