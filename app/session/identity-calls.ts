import type { RouterContextProvider } from "react-router";
import { IDENTITY_ORIGIN } from "../../workers/verifier/deployment.ts";
import { edgeContext, refusedContext } from "../request/context.ts";
import { V4 } from "../v4/client.ts";
import { identityContext } from "./context.ts";

/**
 * Returns a client of the identity service (`/v2/general/...`), which refuses in the format of the product API. It refuses
 * the writes of a form that another account has opened. Deleting an account sends a mail, in the language of the request.
 */
export function identityCalls(context: Readonly<RouterContextProvider>, { token }: { token: string | null }): V4 {
  const { transport, request_id } = context.get(edgeContext);
  const { fetch: forward, toolkit } = context.get(identityContext);
  const fetch = (request: Request) => {
    request.headers.set("x-firebase-locale", toolkit.language);
    return forward(request);
  };
  const client = new V4({ ...transport, origin: IDENTITY_ORIGIN, fetch, token, request_id });
  client.refuseWrites(context.get(refusedContext));
  return client;
}
