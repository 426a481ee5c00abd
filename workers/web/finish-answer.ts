import { ROUTE_HEADER } from "../contract/health.ts";
import { noteRequest, routeOf } from "../kernel/request-log.ts";

/** When to ask again, of an outage that says nothing itself. */
const RETRY_AFTER_S = "10";

/**
 * Logs and counts the answer of a request, and completes it: a 503 says when to ask again (RFC 9110, section 15.6.4), and
 * the 405 of a file which methods it takes (15.5.6). The app names the route of a page in a header, which stays here.
 */
export function finishAnswer(request: Request, response: Response, request_id: string, began_ms: number): Response {
  const route = response.headers.get(ROUTE_HEADER) ?? routeOf(request);
  noteRequest({ request_id, method: request.method, route, status: response.status, began_ms });
  if (response.headers.has(ROUTE_HEADER)) response.headers.delete(ROUTE_HEADER);
  if (response.status === 503 && !response.headers.has("retry-after")) {
    response.headers.set("retry-after", RETRY_AFTER_S);
  }
  if (response.status === 405 && !response.headers.has("allow")) response.headers.set("allow", "GET, HEAD");
  return response;
}
