import type { RouterContextProvider } from "react-router";
import { IDENTITY_ORIGIN } from "../../workers/verifier/deployment.ts";
import { edgeContext, refusedContext } from "../request/context.ts";
import { V4 } from "../v4/client.ts";
import { identityContext } from "./context.ts";

/**
 * Returns a client of the identity service (`/v2/general/...`), which refuses in the format of the product API. It refuses
 * the writes of a form that another account has opened.
 */
export function identityCalls(context: Readonly<RouterContextProvider>, { token }: { token: string | null }): V4 {
  const { transport, request_id } = context.get(edgeContext);
  const { fetch } = context.get(identityContext);
  const client = new V4({ ...transport, origin: IDENTITY_ORIGIN, fetch, token, request_id });
  client.refuseWrites(context.get(refusedContext));
  return client;
}
