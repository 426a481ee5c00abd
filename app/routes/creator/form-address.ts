import { createContext, data, type RouterContextProvider, redirect } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { LINK_ID } from "../../../workers/contract/users.ts";
import { retryAfterContext } from "../../request/context.ts";
import { loginPath } from "../../request/to.ts";
import { closeSession } from "../../session/current-session.ts";
import type { Refusal } from "../../v4/client.ts";

/**
 * Routes below a creator's page that only accept forms. If a form is refused and JavaScript is off, they render
 * form-refused.tsx.
 */

type Context = Readonly<RouterContextProvider>;

const refusedContext = createContext(false);

/**
 * Returns true if the route's form was refused and its own page is to be shown. On false, the loader redirects
 * elsewhere. Throws 404 if a parameter has a wrong format.
 */
export function isRefused(context: Context, { link_id, ...ids }: { link_id: string; [name: string]: string }): boolean {
  if (context.get(refusedContext)) return true;
  const are_ids = Object.values(ids).every((each) => id.safeParse(each).success);
  if (!LINK_ID.test(link_id) || !are_ids) throw data(null, { status: 404 });
  return false;
}

/** Shows the route's own page with the answer to its form. */
export const showRefused = (context: Context): void => context.set(refusedContext, true);

/**
 * Answers a refused form with the route's own page, or redirects to the sign-in (and then to `back`) if the session has
 * ended.
 */
export function refuseForm(context: Context, { detail, status, needs_sign_in, retry_after_s }: Refusal, back: string) {
  if (needs_sign_in) {
    closeSession(context);
    return redirect(loginPath(back), 303);
  }
  showRefused(context);
  context.set(retryAfterContext, retry_after_s);
  return data({ error: detail }, { status });
}
