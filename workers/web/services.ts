import type { ErrorCode } from "../contract/errors.ts";
import { problemJson } from "../contract/problem.ts";
import { log } from "../kernel/log.ts";
import { toForwardedRequest } from "./forwarded.ts";
import type { Incoming } from "./incoming.ts";

/** Forwards the request to one of the other workers. Answers `unavailable` when the worker does not answer. */
export async function forwardTo(service: Fetcher, incoming: Incoming): Promise<Response> {
  const { request, client_address, request_id } = incoming;
  try {
    const answer = await service.fetch(toForwardedRequest(request, client_address, request_id));
    // A copy, whose headers can be changed.
    return answer.webSocket ? answer : new Response(answer.body, answer);
  } catch (error) {
    log("error", { message: "a service did not answer", request_id, error: String(error) });
    return answerUnavailable("unavailable", request_id, { "cache-control": "no-store" });
  }
}

/** Returns a 503 in the API's format, when the API was not asked or did not answer. */
export function answerUnavailable(code: ErrorCode, request_id: string, headers: Record<string, string>): Response {
  return new Response(JSON.stringify(problemJson(code, request_id)), {
    status: 503,
    headers: {
      "content-type": "application/problem+json",
      "x-content-type-options": "nosniff",
      "x-request-id": request_id,
      ...headers,
    },
  });
}
