import { redirect, redirectDocument } from "react-router";
import { edgeContext, viewerContext } from "../middleware/context.ts";
import { setFlash } from "../session/flash.ts";
import { registerSignOut } from "../session/global-sign-out.ts";
import { forgetIntent } from "../session/intent.ts";
import { closeSession } from "../session/sign-in.ts";
import type { Route } from "./+types/logout.ts";

/** Logging out is a form: a link or a picture must not do it. Whoever opens the address goes home. */
export const loader = () => redirect("/");

/** Source: spec section 4, Logout: register the key, sign out locally, go to `/`. A failure to register is only logged. */
export async function action({ context }: Route.ActionArgs) {
  const session = context.get(viewerContext)?.session;
  if (session) await registerSignOut(context.get(edgeContext), session);
  closeSession(context);
  forgetIntent(context, "follow");
  forgetIntent(context, "form");
  setFlash(context, "logged_out");
  // Another document for a member's page, too: nothing of theirs stays in the browser.
  return redirectDocument("/", 303);
}

/** Never shown; without it a failure here would be answered as data and not as a page. */
export default function LoggedOut() {
  return null;
}
