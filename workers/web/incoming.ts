import type { Asking } from "./asking.ts";
import { edgeOf } from "./edge.ts";

/** A request with everything this worker's handlers need. */
export interface Incoming {
  request: Request<unknown, IncomingRequestCfProperties>;
  env: WebEnv;
  execution: ExecutionContext;
  request_id: string;
  /** Null for a shared page: its rendering must not depend on the client. */
  client_address: string | null;
  /** The User-Agent header. */
  device: string;
}

/** Returns how this worker itself calls the API while it answers the request. */
export function askingOf({ env, execution, request_id, client_address }: Incoming): Asking {
  const { transport } = edgeOf(env, request_id, client_address);
  return { transport: { ...transport, request_id }, waitUntil: (promise) => execution.waitUntil(promise) };
}
