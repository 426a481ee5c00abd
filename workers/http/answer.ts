import { type ErrorCode, errorCatalogue } from "../contract/errors.ts";
import { problemJson } from "../contract/problem.ts";
import { isBucketOutage } from "../kernel/bucket-outage.ts";
import { isDatabaseOutage } from "../kernel/database-outage.ts";
import { logUnexpected } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";

/**
 * Returns the answer of a successful call. Status 204 has no body. `is_replayed` marks an answer that was given before.
 */
export function jsonAnswer(status: number, body: unknown, is_replayed = false): Response {
  const headers: Record<string, string> = is_replayed ? { "idempotency-replayed": "true" } : {};
  return status === 204 ? new Response(null, { status, headers }) : Response.json(body, { status, headers });
}

/** Returns the answer of a successful call as a file to save. */
export function textAnswer(content_type: string, { text, file_name }: { text: string; file_name: string }): Response {
  return new Response(text, {
    headers: {
      "content-type": `${content_type}; charset=utf-8`,
      "content-disposition": `attachment; filename="${file_name}"`,
    },
  });
}

/** Returns the answer of a successful call as a file to save, which streams. */
export function fileAnswer(
  content_type: string,
  { body, file_name }: { body: ReadableStream<Uint8Array>; file_name: string },
): Response {
  return new Response(body, {
    headers: { "content-type": content_type, "content-disposition": `attachment; filename="${file_name}"` },
  });
}

/**
 * Renders an error as problem+json (RFC 9457). Any error that is not a {@link Problem} with a code of the catalogue
 * becomes `internal_error` and reveals nothing to the caller; an outage of the database or of the bucket is
 * `unavailable`. Logs such an error, and the cause of an outage.
 */
export function problemAnswer(error: unknown, request_id: string): Response {
  const is_outage = isDatabaseOutage(error) || isBucketOutage(error);
  const known = is_outage ? new Problem("unavailable", { cause: error }) : error;
  const problem = known instanceof Problem && isCode(known.code) ? known : null;
  const code = problem && isCode(problem.code) ? problem.code : "internal_error";
  if (code === "internal_error") logUnexpected(error, request_id);
  else if (OUTAGES.has(code) && problem?.cause) logUnexpected(problem.cause, request_id);
  const { status } = errorCatalogue[code];
  const headers = new Headers({ "content-type": "application/problem+json" });
  // RFC 9110, section 15.5.2: every 401 names its scheme.
  if (status === 401) headers.set("www-authenticate", "Bearer");
  if (problem?.allow) headers.set("allow", problem.allow.join(", "));
  if (problem?.retry_after_s !== undefined) headers.set("retry-after", String(problem.retry_after_s));
  const fields = problem?.fields && Object.fromEntries(Object.entries(problem.fields).map(([k, v]) => [k, [...v]]));
  return new Response(JSON.stringify(problemJson(code, request_id, fields)), { status, headers });
}

/** The codes of outages. The answer does not name the part that failed, so the log does. */
const OUTAGES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "gateway_unreachable"]);

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}
