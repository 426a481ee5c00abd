import { getGlobalSignOutStatus, registerKeyForGlobalSignOut } from "../../workers/contract/identity.ts";
import { IDENTITY_ORIGIN } from "../../workers/verifier/deployment.ts";
import type { Edge } from "../middleware/context.ts";
import { call, type Transport } from "../v4/call.ts";
import { FetchError, ResponseError } from "../v4/errors.ts";
import type { Session } from "./session.ts";

function transportOf(edge: Edge, { token }: Session): Transport {
  return { ...edge.transport, origin: IDENTITY_ORIGIN, fetch: edge.identity, token, request_id: edge.request_id };
}

/**
 * Whether this sign-in was ended, here or on another device (spec section 4, Session). When the identity service does
 * not answer, the session counts as what its cookie says: an outage must not sign everybody out.
 */
export async function isSignedOut(edge: Edge, session: Session): Promise<boolean> {
  const { keyForGlobalSignOut: key } = session;
  if (!key) return false;
  try {
    return (await call(transportOf(edge, session), getGlobalSignOutStatus, { query: { key } })).isSignedOut;
  } catch (error) {
    // The account is gone, and every one of its sign-ins with it.
    if (error instanceof ResponseError && error.status === 401) return true;
    if (!(error instanceof FetchError || error instanceof ResponseError)) throw error;
    console.error(
      JSON.stringify({ message: "sign-out status not known", request_id: edge.request_id, error: error.message }),
    );
    return false;
  }
}

/** Tells the identity service that this sign-in is over. A failure is only logged (spec section 8). */
export async function registerSignOut(edge: Edge, session: Session): Promise<void> {
  const { keyForGlobalSignOut: key } = session;
  if (!key) return;
  try {
    await call(transportOf(edge, session), registerKeyForGlobalSignOut, { body: { key } });
  } catch (error) {
    if (!(error instanceof FetchError || error instanceof ResponseError)) throw error;
    console.error(
      JSON.stringify({ message: "sign-out key not registered", request_id: edge.request_id, error: error.message }),
    );
  }
}
