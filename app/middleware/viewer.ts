import { type MiddlewareFunction, type RouterContextProvider, redirectDocument } from "react-router";
import { getProfile } from "../../workers/contract/users.ts";
import { refuseAuthor } from "../forms/authorship.ts";
import { edgeContext, keptContext, maintenanceContext, refusedContext, v4Context } from "../request/context.ts";
import { setFlash } from "../request/flash.ts";
import { type Viewer, viewerContext } from "../session/context.ts";
import { closeSession, currentSession } from "../session/current-session.ts";
import { endLeftBehind } from "../session/former-sign-in.ts";
import { signInStatus } from "../session/global-sign-out.ts";
import { deleteIdentity } from "../session/leave.ts";
import { chooseMailLanguage } from "../session/mail-language.ts";
import { isOperator } from "../session/operator.ts";
import type { Session } from "../session/session.ts";
import { V4 } from "../v4/client.ts";
import { isOperatorsWay } from "./operators-way.ts";

/**
 * The path that a page calls when it no longer knows whether it is signed in (routes/session-state.ts). The cached
 * answer about the sign-in must not be used for it.
 */
const STATE_PATH = "/session/state.json";

type BeginReads = (v4: V4, url: URL, params: Readonly<Record<string, string | undefined>>) => void;

/**
 * Authenticates the request, and gives loaders and actions the product API as the viewer. Signs out a member whose
 * account was disabled, and says so; a form they sent is answered as a visitor's, so that its text is kept. Also signs
 * out a person who deleted their account, and deletes their account at the identity provider if that failed before.
 *
 * @param beginReads starts the reads of a member's page that need nothing of the profile, so that they share its call.
 */
export const createViewerMiddleware =
  (beginReads: BeginReads): MiddlewareFunction<Response> =>
  async ({ request, url, params, context }, next) => {
    const { transport, request_id } = context.get(edgeContext);
    const session = await findSession(context, url);
    const visitor = new V4({ ...transport, request_id, token: null });
    const v4 = session ? visitor.as(session.token) : visitor;
    if (session && request.method === "GET") beginReads(v4, url, params);
    const [found, remembered] = session
      ? await Promise.all([findViewer(v4, session), signInStatus(context, session, STATE_PATH === url.pathname)])
      : [null, "signed_in" as const];
    // The API refused the token. It may have learned of the sign-in's end before our cached answer expires.
    const is_refused = session && !found && remembered === "signed_in";
    const status = is_refused ? await signInStatus(context, session, true) : remembered;
    const viewer = status !== "signed_in" || found === "disabled" || found === "left" ? null : found;
    const is_kept = session && found === "left" && !(await deleteIdentity(context, session));
    const may_sign_out = request.method !== "GET" || isDocument(request);
    // The sign-in ended on another device, or the API refused it because the account is deleted or disabled.
    if (session && !viewer && !is_kept && may_sign_out) closeSession(context);
    if (!may_sign_out) {
      if (session && !viewer && url.pathname !== STATE_PATH) throw redirectDocument(url.pathname + url.search);
    } else if (found === "left") {
      // Tell the person why the sign-in had no effect.
      if (url.pathname !== "/goodbye" && !is_kept) {
        setFlash(context, "account_left");
        if (request.method === "GET") throw redirectDocument("/");
      }
    } else if (found === "disabled") {
      setFlash(context, "account_disabled");
      // Redirect to the home page, as after logging out. Other pages may redirect a visitor, and the message would be
      // lost on the way.
      if (request.method === "GET") throw redirectDocument("/");
    } else if (status === "signed_out") {
      setFlash(context, "signed_out_elsewhere");
      // Show the same page as a visitor's, with the message. A form is handled as a visitor's, so that its text is kept.
      if (request.method === "GET") throw redirectDocument(url.pathname + url.search);
    }
    if (viewer) await endLeftBehind(context, viewer.session, v4);
    chooseMailLanguage(context, viewer?.profile ?? null);
    context.set(viewerContext, viewer);
    context.set(v4Context, viewer ? v4 : visitor);
    // Every action writes with these clients, so none can act as another member than the one who opened the form. A form with
    // files is read later, by its action.
    const refused = refuseAuthor(context, new Map(context.get(keptContext)?.others));
    context.set(refusedContext, refused);
    v4.refuseWrites(refused);
    return next();
  };

/**
 * Returns whether the browser shows the answer as a page. Only such an answer may remove the session. What a script asks in the
 * background may have left with the cookies of a sign-in that another answer is replacing, and would remove the new ones.
 */
function isDocument({ url }: Request): boolean {
  const { pathname } = new URL(url);
  return pathname !== STATE_PATH && !pathname.endsWith(".data");
}

/**
 * Returns the session of the request. Under maintenance everybody is a visitor (spec section 4), except operators on their
 * own pages. The cookies stay, and are valid again afterwards.
 */
async function findSession(context: Readonly<RouterContextProvider>, { pathname }: URL): Promise<Session | null> {
  if (context.get(maintenanceContext).status !== "UNDER_MAINTENANCE") return currentSession(context);
  const session = isOperatorsWay(pathname) ? await currentSession(context) : null;
  return session && isOperator(session) ? session : null;
}

async function findViewer(v4: V4, session: Session): Promise<Viewer | "disabled" | "left" | null> {
  const sent = await v4.send(getProfile, {});
  if (sent.ok) return { session, registration: "complete", profile: sent.answer.user };
  if (sent.refusal.needs_sign_in) return null;
  if (sent.refusal.code === "account_disabled") return "disabled";
  if (sent.refusal.code === "account_left") return "left";
  const registration = sent.refusal.code === "registration_required" ? "missing" : "unknown";
  return { session, registration, profile: null };
}
