import type { ProblemJson } from "../../workers/contract/problem.ts";

/** The three errors a caller of the API meets, with exactly these messages. Source: spec section 8. */

/** Any non-2xx status. `problem` is the API's own account of it, when it gave one. */
export class ResponseError extends Error {
  override name = "ResponseError";
  readonly status: number;
  readonly problem: ProblemJson | null;
  /** The answer's Retry-After in seconds, when it had one. */
  readonly retry_after_s: number | null;

  constructor(status: number, problem: ProblemJson | null, retry_after_s: number | null = null) {
    super("Response returned an error code");
    this.status = status;
    this.problem = problem;
    this.retry_after_s = retry_after_s;
  }
}

/** No answer: the network failed, or nothing came within the time limit. */
export class FetchError extends Error {
  override name = "FetchError";

  constructor(cause: unknown) {
    super("The request failed and the interceptors did not return an alternative response", { cause });
  }
}

/** A required parameter was not given, so no call was made. */
export class RequiredError extends Error {
  override name = "RequiredError";
  readonly field: string;

  constructor(field: string) {
    super(`Required parameter ${field} was null or undefined`);
    this.field = field;
  }
}
