import { type RouterContextProvider, redirectDocument } from "react-router";
import { unsubscribeIdentity } from "../../workers/contract/identity.ts";
import { log } from "../../workers/kernel/log.ts";
import { edgeContext, jarContext } from "../request/context.ts";
import { identityCalls } from "./identity-calls.ts";
import type { Session } from "./session.ts";

/**
 * Deletes the account at the identity provider, after the product's account was deleted. Returns whether it no longer
 * exists. A failure is logged; the person is then still signed in, and their next request tries again
 * (`createViewerMiddleware`).
 */
export async function deleteIdentity(context: Readonly<RouterContextProvider>, session: Session): Promise<boolean> {
  const sent = await identityCalls(context, session).send(unsubscribeIdentity, {});
  if (sent.ok || sent.refusal.needs_sign_in) return true;
  const { request_id } = context.get(edgeContext);
  const { code } = sent.refusal;
  log("error", { message: "an account that left is not deleted yet", request_id, code });
  return false;
}

const LEFT_COOKIE = "left";
/** How long the cookie lives: long enough to reach the goodbye page. */
const LEFT_MAX_AGE_S = 60;

/** Redirects to the goodbye page as a new document, so that none of the member's data stays in the browser's memory. */
export function sayGoodbye(context: Readonly<RouterContextProvider>, is_deleted: boolean): Response {
  context.get(jarContext).set(LEFT_COOKIE, "yes", LEFT_MAX_AGE_S);
  return redirectDocument(is_deleted ? "/goodbye" : "/goodbye?account=pending", 303);
}

/** Returns true once, right after the person's account was deleted in this browser. */
export function takeGoodbye(context: Readonly<RouterContextProvider>): boolean {
  const jar = context.get(jarContext);
  const has_left = jar.read(LEFT_COOKIE) !== null;
  if (has_left) jar.clear(LEFT_COOKIE);
  return has_left;
}
