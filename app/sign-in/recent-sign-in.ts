import { decodeJwt } from "jose";
import { type RouterContextProvider, redirectDocument } from "react-router";
import type { IdentityClaims } from "../../workers/verifier/index.ts";
import { formIntent, keepIntent } from "../forms/intent.ts";
import { keptOf } from "../forms/kept.ts";
import { v4Context } from "../request/context.ts";
import { confirmPath, loginPath } from "../request/to.ts";
import { viewerContext } from "../session/context.ts";
import type { Session } from "../session/session.ts";

/** Source: docs/decisions/0018, "Sensitive changes"; less a margin for the way there. */
const RECENT_S = 5 * 60 - 30;

/** Whether the person proved who they are a moment ago. The token was verified when it was put into the signed cookie. */
function isRecent({ token }: Session, now_ms: number): boolean {
  const { auth_time, firebase } = decodeJwt<Partial<IdentityClaims>>(token);
  // Whoever holds an ID token can have a custom one made: it proves nothing.
  if (firebase?.sign_in_provider === "custom") return false;
  return typeof auth_time === "number" && now_ms / 1000 - auth_time <= RECENT_S;
}

/**
 * Lets a sensitive change go on for a member who signed in within the last five minutes, and throws the way to
 * `/login/confirm` otherwise. `url` is the request's. With the `form` that was sent its words wait for its page
 * (`keptForm`), secrets excepted; where the API does not keep them, they stay on the page that says so.
 */
export async function requireRecentSignIn(
  context: Readonly<RouterContextProvider>,
  url: URL,
  form?: FormData,
): Promise<void> {
  const viewer = context.get(viewerContext);
  const to = url.pathname + url.search;
  if (viewer && isRecent(viewer.session, Date.now())) return;
  const refusal = form && (await keepIntent(context, formIntent(url.pathname, form)));
  if (refusal) throw context.get(v4Context).failure(refusal, keptOf(form, to));
  throw redirectDocument(viewer ? confirmPath(to) : loginPath(to), 303);
}
