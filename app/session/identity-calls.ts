import type { RouterContextProvider } from "react-router";
import { IDENTITY_ORIGIN } from "../../workers/verifier/deployment.ts";
import { edgeContext } from "../request/context.ts";
import { V4 } from "../v4/client.ts";
import { identityContext } from "./context.ts";

/** The calls of the identity service (`/v2/general/...`) as the person signed in, if any, with the refusals of the product's. */
export function identityCalls(context: Readonly<RouterContextProvider>, { token }: { token: string | null }): V4 {
  const { transport, request_id } = context.get(edgeContext);
  const { fetch } = context.get(identityContext);
  return new V4({ ...transport, origin: IDENTITY_ORIGIN, fetch, token, request_id });
}
