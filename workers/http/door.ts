import { ROUTE_HEADER } from "../contract/health.ts";
import { newId } from "../kernel/ids.ts";
import { noteRequest, routeOf } from "../kernel/request-log.ts";
import { problemAnswer } from "./answer.ts";

/** No cache may keep an answer unless the worker says so. */
const PRIVATE = "private, no-store";

/**
 * Answers one request: gives it an id, renders errors of `answer` as problem+json, sets the headers that every answer has,
 * and logs the request. A worker's `fetch` is one call of this.
 */
export async function answerRequest(
  request: Request,
  answer: (request_id: string) => Promise<Response>,
): Promise<Response> {
  const began_ms = Date.now();
  const request_id = requestIdOf(request);
  const response = await answer(request_id).catch((error: unknown) => problemAnswer(error, request_id));
  const route = routeOf(request);
  noteRequest({ request_id, method: request.method, route, status: response.status, began_ms });
  // No client reads the headers of a WebSocket's response.
  if (response.webSocket) return response;
  response.headers.set("x-request-id", request_id);
  response.headers.set(ROUTE_HEADER, route);
  response.headers.set("x-content-type-options", "nosniff");
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", PRIVATE);
  return response;
}

/**
 * Returns the id of the request in the logs. The web worker sets one on every request that it passes on, in place of a
 * client's own (workers/web/forwarded.ts). Any other request gets a new one.
 */
function requestIdOf(request: Request): string {
  return request.headers.get("x-request-id")?.match(/^[\w-]{8,64}$/)?.[0] ?? newId(Date.now());
}
