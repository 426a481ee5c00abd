import type { ProblemJson } from "../../workers/contract/problem.ts";

/** The three errors of an API call. The spec fixes their messages. Source: spec section 8. */

/** Thrown for a status other than 2xx. `problem` is the API's problem document, if there was one. */
export class ResponseError extends Error {
  override name = "ResponseError";
  readonly status: number;
  readonly problem: ProblemJson | null;
  /** The Retry-After header in seconds, if there was one. */
  readonly retry_after_s: number | null;

  constructor(status: number, problem: ProblemJson | null, retry_after_s: number | null = null) {
    super("Response returned an error code");
    this.status = status;
    this.problem = problem;
    this.retry_after_s = retry_after_s;
  }
}

/** Thrown when the API did not answer: after a network failure or the time limit. */
export class FetchError extends Error {
  override name = "FetchError";

  constructor(cause: unknown) {
    super("The request failed and the interceptors did not return an alternative response", { cause });
  }
}

/** Thrown when a required parameter is missing, before any call. */
export class RequiredError extends Error {
  override name = "RequiredError";
  readonly field: string;

  constructor(field: string) {
    super(`Required parameter ${field} was null or undefined`);
    this.field = field;
  }
}
