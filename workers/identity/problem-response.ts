import { type ErrorCode, errorCatalogue } from "../contract/errors.ts";
import { type ProblemJson, problemJson } from "../contract/problem.ts";
import type { Problem } from "../kernel/problem.ts";

/** A named refusal as application/problem+json. Source: RFC 9457. */
export function problemResponse(code: ErrorCode, request_id: string, errors?: ProblemJson["errors"]): Response {
  const { status } = errorCatalogue[code];
  const headers = new Headers({ "content-type": "application/problem+json" });
  // RFC 9110 wants the scheme named beside every 401.
  if (status === 401) headers.set("www-authenticate", "Bearer");
  return new Response(JSON.stringify(problemJson(code, request_id, errors)), { status, headers });
}

/** The catalogue's code of a thrown problem; kernel problems carry any text. */
export function codeOf(problem: Problem): ErrorCode {
  return problem.code in errorCatalogue ? (problem.code as ErrorCode) : "internal_error";
}
