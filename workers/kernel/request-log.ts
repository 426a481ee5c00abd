import { log } from "./log.ts";
import { RequestMeter } from "./request-meter.ts";

/** Counts what this isolate of this worker answers. */
export const request_meter = new RequestMeter();

/** The route of a request that no route of ours answers. */
const NO_ROUTE = "other";

const routes = new WeakMap<Request, string>();

/** Notes the pattern of the route that answers a request. A pattern names no id and nobody. */
export function nameRoute(request: Request, route: string): void {
  routes.set(request, route);
}

export function routeOf(request: Request): string {
  return routes.get(request) ?? NO_ROUTE;
}

/** Counts an answered request and logs it as one line. */
export function noteRequest(answered: {
  request_id: string;
  method: string;
  route: string;
  status: number;
  began_ms: number;
}): void {
  const { request_id, method, route, status, began_ms } = answered;
  // The clock may have been set back.
  const took_ms = Math.max(0, Date.now() - began_ms);
  request_meter.count({ route, status, took_ms });
  log(status >= 500 ? "warn" : "info", { message: "request", request_id, method, route, status, took_ms });
}
