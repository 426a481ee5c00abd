import type { Asking } from "./asking.ts";
import { edgeOf } from "./edge.ts";

/** A request with what every handler of this worker needs to answer it. */
export interface Incoming {
  request: Request<unknown, IncomingRequestCfProperties>;
  env: WebEnv;
  execution: ExecutionContext;
  request_id: string;
  /** Null for a shared page: it is rendered without knowledge of the client. */
  client_address: string | null;
  /** The User-Agent header. */
  device: string;
}

/** Returns how this worker itself asks the API while it answers the request. */
export function askingOf({ env, execution, request_id, client_address }: Incoming): Asking {
  const { transport } = edgeOf(env, request_id, client_address);
  return { transport: { ...transport, request_id }, waitUntil: (promise) => execution.waitUntil(promise) };
}
