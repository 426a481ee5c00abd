import { type RouterContextProvider, redirectDocument } from "react-router";
import { confirmPath, loginPath } from "../../../request/to.ts";
import { viewerContext } from "../../../session/context.ts";
import { closeSession } from "../../../session/current-session.ts";
import { SealedCookie } from "../../../session/sealed-cookie.ts";

type Context = Readonly<RouterContextProvider>;

const TEN_MINUTES_S = 10 * 60;

/**
 * A bank account that was typed by the account `id`, until it has signed in again. The cookie is encrypted; the intents
 * of other forms are readable in the database.
 */
export const typedAccount = new SealedCookie<{ id: string; fields: Record<string, string> }>(
  "soziIdBank",
  TEN_MINUTES_S,
);

/** The cookie keeps no longer fields: it has little room, and no account has them. */
const MAX_KEPT = 100;

/**
 * Keeps the typed fields, and returns the redirect to the sign-in that comes back to `to`.
 *
 * @param is_over whether the session has ended, so that a proof of the person is not enough.
 */
export async function signInWithAccount(
  context: Context,
  { to, fields, is_over }: { to: string; fields: Record<string, string>; is_over: boolean },
): Promise<Response> {
  const id = context.get(viewerContext)?.session.id;
  const kept = Object.fromEntries(Object.entries(fields).filter(([, typed]) => typed.length <= MAX_KEPT));
  if (id) await typedAccount.keep(context, { id, fields: kept });
  if (is_over) closeSession(context);
  return redirectDocument(is_over ? loginPath(to) : confirmPath(to), 303);
}

/** Returns the fields that this person typed before signing in again, or null. */
export async function readTypedAccount(context: Context): Promise<Record<string, string> | null> {
  const kept = await typedAccount.read(context);
  return kept && kept.id === context.get(viewerContext)?.session.id ? kept.fields : null;
}
