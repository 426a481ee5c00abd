import { type RouterContextProvider, redirectDocument } from "react-router";
import { unsubscribeIdentity } from "../../workers/contract/identity.ts";
import { edgeContext, jarContext } from "../request/context.ts";
import { identityCalls } from "./identity-calls.ts";
import type { Session } from "./session.ts";

/**
 * Has the account of the identity provider deleted, once the product's is gone. Whether it is gone now, be it that it was before.
 * A failure is told to the operator; who left is then still signed in, and their next page tries again (`viewerMiddleware`).
 */
export async function deleteIdentity(context: Readonly<RouterContextProvider>, session: Session): Promise<boolean> {
  const sent = await identityCalls(context, session).send(unsubscribeIdentity, {});
  if (sent.ok || sent.refusal.needs_sign_in) return true;
  const { request_id } = context.get(edgeContext);
  const { code } = sent.refusal;
  console.error(
    JSON.stringify({ message: "an account that left is not deleted yet", request_id, identity_id: session.id, code }),
  );
  return false;
}

const LEFT_COOKIE = "left";
/** For the way to the last page. */
const LEFT_MAX_AGE_S = 60;

/** Leads somebody who has just left to the last page. Another document: nothing of theirs stays in the browser's memory. */
export function sayGoodbye(context: Readonly<RouterContextProvider>, is_deleted: boolean): Response {
  context.get(jarContext).set(LEFT_COOKIE, "yes", LEFT_MAX_AGE_S);
  return redirectDocument(is_deleted ? "/goodbye" : "/goodbye?account=pending", 303);
}

/** Returns whether somebody has just left in this browser, once: nothing of theirs stays there. */
export function takeGoodbye(context: Readonly<RouterContextProvider>): boolean {
  const jar = context.get(jarContext);
  const has_left = jar.read(LEFT_COOKIE) !== null;
  if (has_left) jar.clear(LEFT_COOKIE);
  return has_left;
}
