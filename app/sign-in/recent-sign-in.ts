import { decodeJwt } from "jose";
import { type RouterContextProvider, redirectDocument } from "react-router";
import type { IdentityClaims } from "../../workers/verifier/index.ts";
import { formIntent, keepIntent } from "../forms/intent.ts";
import { keptOf } from "../forms/kept.ts";
import { v4Context } from "../request/context.ts";
import { confirmPath, loginPath } from "../request/to.ts";
import { viewerContext } from "../session/context.ts";
import type { Session } from "../session/session.ts";

/**
 * How long a sign-in counts as recent. It is 30 seconds shorter than the provider's limit, so that the request arrives
 * in time. Source: docs/decisions/0018, "Sensitive changes".
 */
const RECENT_S = 5 * 60 - 30;

/**
 * Whether the member signed in recently. The token is trusted: it was verified before it was put into the signed
 * cookie.
 */
function isRecent({ token }: Session, now_ms: number): boolean {
  const { auth_time, firebase } = decodeJwt<Partial<IdentityClaims>>(token);
  // A custom token proves nothing, because anybody with an ID token can obtain one.
  if (firebase?.sign_in_provider === "custom") return false;
  return typeof auth_time === "number" && now_ms / 1000 - auth_time <= RECENT_S;
}

/** Whether the viewer signed in recently enough for a sensitive change. */
export function hasRecentSignIn(context: Readonly<RouterContextProvider>): boolean {
  const viewer = context.get(viewerContext);
  return viewer !== null && isRecent(viewer.session, Date.now());
}

/**
 * Returns if the member signed in within the last five minutes; otherwise asks for a proof, as {@link confirmIdentity}
 * does.
 * @param url the request's URL.
 */
export async function requireRecentSignIn(
  context: Readonly<RouterContextProvider>,
  url: URL,
  form?: FormData,
): Promise<void> {
  if (!hasRecentSignIn(context)) await confirmIdentity(context, url, form);
}

/**
 * Throws a redirect to `/login/confirm`, which comes back to `url`. Stores the fields of `form`, except secrets, until the
 * member returns (`keptForm`). If the API cannot store them, throws an error page that shows them.
 */
export async function confirmIdentity(
  context: Readonly<RouterContextProvider>,
  url: URL,
  form?: FormData,
): Promise<never> {
  const viewer = context.get(viewerContext);
  const to = url.pathname + url.search;
  const refusal = form && (await keepIntent(context, formIntent(url.pathname, form)));
  if (refusal) throw context.get(v4Context).failure(refusal, keptOf(form, to));
  throw redirectDocument(viewer ? confirmPath(to) : loginPath(to), 303);
}
