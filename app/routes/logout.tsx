import { type RouterContextProvider, redirect, redirectDocument } from "react-router";
import { edgeContext, maintenanceContext, viewerContext } from "../middleware/context.ts";
import { setFlash } from "../session/flash.ts";
import { endLeftBehind } from "../session/former-sign-in.ts";
import { registerSignOut } from "../session/global-sign-out.ts";
import { handedSignIn } from "../session/handed-sign-in.ts";
import { forgetIntent } from "../session/intent.ts";
import type { Session } from "../session/session.ts";
import { closeSession, currentSession } from "../session/sign-in.ts";
import type { Route } from "./+types/logout.ts";

/** Logging out is a form: a link or a picture must not do it. Whoever opens the address goes home. */
export const loader = () => redirect("/");

/** Source: spec section 4, Logout: register the key, sign out locally, go to `/`. A failure to register is only logged. */
export async function action({ context }: Route.ActionArgs) {
  const session = await sessionToEnd(context);
  if (session) await registerSignOut(context.get(edgeContext), session);
  closeSession(context);
  // Whoever sits down at this browser next has not been named.
  handedSignIn.forget(context);
  forgetIntent(context, "follow");
  forgetIntent(context, "form");
  setFlash(context, "logged_out");
  // Another document for a member's page, too: nothing of theirs stays in the browser.
  return redirectDocument("/", 303);
}

/**
 * Under maintenance everybody is a visitor and no session is looked at; but who logs out, on a page that was open before, means it,
 * and the identity service is there.
 */
async function sessionToEnd(context: Readonly<RouterContextProvider>): Promise<Session | null> {
  if (context.get(maintenanceContext).status !== "UNDER_MAINTENANCE")
    return context.get(viewerContext)?.session ?? null;
  const session = await currentSession(context);
  if (session) await endLeftBehind(context, session);
  return session;
}

/** Never shown; without it a failure here would be answered as data and not as a page. */
export default function LoggedOut() {
  return null;
}
