import { type RouterContextProvider, redirect, redirectDocument } from "react-router";
import { forgetIntent } from "../forms/intent.ts";
import { maintenanceContext } from "../request/context.ts";
import { setFlash } from "../request/flash.ts";
import { viewerContext } from "../session/context.ts";
import { closeSession, currentSession } from "../session/current-session.ts";
import { endLeftBehind } from "../session/former-sign-in.ts";
import { endSignIn, signOutEverywhere } from "../session/global-sign-out.ts";
import type { Session } from "../session/session.ts";
import { SCOPE_FIELD, THIS_DEVICE } from "../shell/log-out-buttons.tsx";
import { handedSignIn } from "../sign-in/handed-sign-in.ts";
import type { Route } from "./+types/logout.ts";

/** Logging out is a form: a link or a picture must not do it. Whoever opens the address goes home. */
export const loader = () => redirect("/");

/**
 * Source: spec section 4, Logout: register the key, which logs out the account's other devices as well, sign out locally, go to
 * `/`. A failure to register is only logged. The second button of every such form (app/shell/log-out-buttons.tsx) ends the
 * sign-in of this browser alone.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const session = await sessionToEnd(context);
  const is_everywhere = (await request.formData()).get(SCOPE_FIELD) !== THIS_DEVICE;
  const is_done = session && is_everywhere && (await signOutEverywhere(context, session));
  if (session && !is_everywhere) await endSignIn(context, session);
  closeSession(context);
  // Do not reveal the account's name to the next user of this browser.
  handedSignIn.forget(context);
  forgetIntent(context, "follow");
  forgetIntent(context, "form");
  setFlash(context, is_done ? "logged_out" : "logged_out_here");
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
