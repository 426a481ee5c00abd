import { type ErrorCode, errorCatalogue } from "../../contract/errors.ts";
import { problemJson } from "../../contract/problem.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";

/** Nothing of ours may be kept by a cache on the way unless a room says so. */
const PRIVATE = "private, no-store";

/**
 * The id by which a request is found in the logs: the web worker's own, which puts one on everything that it passes on, or a new
 * one. No client chooses it: the web worker drops theirs (workers/web/forwarded.ts).
 */
export function requestIdOf(request: Request): string {
  return request.headers.get("x-request-id")?.match(/^[\w-]{8,64}$/)?.[0] ?? newId(Date.now());
}

/** An answer of success; 204 has no body, whatever is given. `is_replayed`: it was given before, under the same idempotency key. */
export function jsonAnswer(status: number, body: unknown, request_id: string, is_replayed = false): Response {
  const replayed: Record<string, string> = is_replayed ? { "idempotency-replayed": "true" } : {};
  const init = { status, headers: { "cache-control": PRIVATE, "x-request-id": request_id, ...replayed } };
  return status === 204 ? new Response(null, init) : Response.json(body, init);
}

/**
 * Renders a refusal as problem+json (RFC 9457). What is not a {@link Problem} is ours to mend: it is logged with the
 * request id and told as `internal_error`, without a word of its own.
 */
export function problemAnswer(error: unknown, request_id: string): Response {
  const problem = error instanceof Problem && isCode(error.code) ? error : null;
  if (!problem) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    console.error(JSON.stringify({ message: "request failed", request_id, stack }));
  }
  const code: ErrorCode = problem && isCode(problem.code) ? problem.code : "internal_error";
  const headers = new Headers({
    "content-type": "application/problem+json; charset=utf-8",
    "cache-control": PRIVATE,
    "x-request-id": request_id,
  });
  const { status } = errorCatalogue[code];
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="ofuse"');
  if (problem?.retry_after_s !== undefined) headers.set("retry-after", String(problem.retry_after_s));
  const fields = problem?.fields && Object.fromEntries(Object.entries(problem.fields).map(([k, v]) => [k, [...v]]));
  return new Response(JSON.stringify(problemJson(code, request_id, fields)), { status, headers });
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}
