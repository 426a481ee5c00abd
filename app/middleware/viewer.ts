import { type MiddlewareFunction, redirectDocument } from "react-router";
import { getProfile } from "../../workers/contract/users.ts";
import { edgeContext, maintenanceContext, v4Context } from "../request/context.ts";
import { setFlash } from "../request/flash.ts";
import { type Viewer, viewerContext } from "../session/context.ts";
import { closeSession, currentSession } from "../session/current-session.ts";
import { endLeftBehind } from "../session/former-sign-in.ts";
import { signInStatus } from "../session/global-sign-out.ts";
import { deleteIdentity } from "../session/leave.ts";
import type { Session } from "../session/session.ts";
import { V4 } from "../v4/client.ts";

/** Whoever asks this no longer knows whether they are signed in (routes/session-state.ts): no memory will do. */
const STATE_PATH = "/session/state.json";

/**
 * Finds out who asks, and gives loaders and actions the product API as that person. A member whose account was disabled
 * is signed out and told so; a form they sent goes on as a visitor's, so that its words are kept. One who left and still has
 * an account to sign in with is no member either: deleting it failed, and is tried again.
 */
export const viewerMiddleware: MiddlewareFunction<Response> = async ({ request, url, context }, next) => {
  const { transport, request_id } = context.get(edgeContext);
  // Under maintenance everybody is a visitor (spec section 4); the cookies are left alone, and count again afterwards.
  const is_closed = context.get(maintenanceContext).status === "UNDER_MAINTENANCE";
  const session = is_closed ? null : await currentSession(context);
  const visitor = new V4({ ...transport, request_id, token: null });
  const v4 = session ? visitor.as(session.token) : visitor;
  const [found, remembered] = session
    ? await Promise.all([findViewer(v4, session), signInStatus(context, session, STATE_PATH === url.pathname)])
    : [null, "signed_in" as const];
  // The API refused the token, and may have heard of the end of the sign-in before this worker.
  const is_refused = session && !found && remembered === "signed_in";
  const status = is_refused ? await signInStatus(context, session, true) : remembered;
  const viewer = status !== "signed_in" || found === "disabled" || found === "left" ? null : found;
  const is_kept = session && found === "left" && !(await deleteIdentity(context, session));
  // Signed out elsewhere, or refused by the API: the account is gone or disabled.
  if (session && !viewer && !is_kept) closeSession(context);
  if (found === "left") {
    // Who signs in to an account they left is told why they are not in.
    if (url.pathname !== "/goodbye" && !is_kept) {
      setFlash(context, "account_left");
      if (request.method === "GET") throw redirectDocument("/");
    }
  } else if (found === "disabled") {
    setFlash(context, "account_disabled");
    // Home, as after logging out: other pages may lead a visitor on, and the message would be read on the way.
    if (request.method === "GET") throw redirectDocument("/");
  } else if (status === "signed_out") {
    setFlash(context, "signed_out_elsewhere");
    // The same page as a visitor, whose document tells it; a form goes on as a visitor's, so that its words are kept.
    if (request.method === "GET") throw redirectDocument(url.pathname + url.search);
  }
  if (viewer) await endLeftBehind(context, viewer.session);
  context.set(viewerContext, viewer);
  context.set(v4Context, viewer ? v4 : visitor);
  return next();
};

async function findViewer(v4: V4, session: Session): Promise<Viewer | "disabled" | "left" | null> {
  const sent = await v4.send(getProfile, {});
  if (sent.ok) return { session, registration: "complete", profile: sent.answer.user };
  if (sent.refusal.needs_sign_in) return null;
  if (sent.refusal.code === "account_disabled") return "disabled";
  if (sent.refusal.code === "account_left") return "left";
  const registration = sent.refusal.code === "registration_required" ? "missing" : "unknown";
  return { session, registration, profile: null };
}
