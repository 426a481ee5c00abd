import { registerKeyForGlobalSignOut } from "../../workers/contract/identity.ts";
import type { Edge } from "../middleware/context.ts";
import { call } from "../v4/call.ts";
import { FetchError, ResponseError } from "../v4/errors.ts";
import type { Session } from "./session.ts";

const IDENTITY_ORIGIN = "http://identity.internal";

/** Tells the identity service that this sign-in is over. A failure is only logged (spec section 8). */
export async function registerSignOut(edge: Edge, session: Session): Promise<void> {
  const { keyForGlobalSignOut: key, token } = session;
  if (!key) return;
  const transport = {
    ...edge.transport,
    origin: IDENTITY_ORIGIN,
    fetch: edge.identity,
    token,
    request_id: edge.request_id,
  };
  try {
    await call(transport, registerKeyForGlobalSignOut, { body: { key } });
  } catch (error) {
    if (!(error instanceof FetchError || error instanceof ResponseError)) throw error;
    console.error(
      JSON.stringify({ message: "sign-out key not registered", request_id: edge.request_id, error: error.message }),
    );
  }
}
