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

/** Logging out needs a POST, so that no link or image can do it. A GET redirects to the home page. */
export const loader = () => redirect("/");

/**
 * Registers the key for global sign-out, which also signs out the account's other devices, signs out this browser, and
 * goes to `/`. A failed registration is only logged. The form's second button (app/shell/log-out-buttons.tsx) signs out
 * this browser only. Source: spec section 4, Logout.
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
  // Load a new document, so that the browser keeps nothing of the member's page in memory.
  return redirectDocument("/", 303);
}

/**
 * Under maintenance no session is read and every viewer is a visitor. But a member may log out from a page that was
 * open before, and the identity service still runs: so read the session here.
 */
async function sessionToEnd(context: Readonly<RouterContextProvider>): Promise<Session | null> {
  if (context.get(maintenanceContext).status !== "UNDER_MAINTENANCE")
    return context.get(viewerContext)?.session ?? null;
  const session = await currentSession(context);
  if (session) await endLeftBehind(context, session, null);
  return session;
}

/**
 * React Router never renders this component. Without a component this would be a resource route, which answers an error
 * as data instead of an error page.
 */
export default function LoggedOut() {
  return null;
}
