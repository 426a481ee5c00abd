import type { AnswerOf, CheckedInputOf, Operation, PlannedOperation } from "../../contract/operation.ts";
import { Problem } from "../../kernel/problem.ts";
import type { RequestContext, Services } from "./request-context.ts";

/** A call of the contract with what answers it. The handler gets checked input and a caller already admitted. */
export interface Endpoint {
  operation: Operation;
  handle(input: CheckedInputOf<Operation>, context: RequestContext): Promise<unknown>;
  /** Of a call that takes a file: reads the request's body as it arrives, and answers in the place of `handle`. */
  receive?(request: Request, context: RequestContext, services: Services): Promise<Receipt<unknown>>;
}

/** The answer to a call that took a file; `is_replayed` where it was given under the same idempotency key before. */
export interface Receipt<A> {
  answer: A;
  is_replayed: boolean;
}

/** Ties an operation to its handler; the types of both come from the contract. */
export function endpoint<O extends Operation>(
  operation: O,
  handle: (input: CheckedInputOf<O>, context: RequestContext) => Promise<AnswerOf<O>>,
): Endpoint {
  return { operation, handle: handle as Endpoint["handle"] };
}

/** Ties an operation that takes a file to what receives it, which heeds the idempotency key itself. */
export function uploadEndpoint<O extends Operation>(
  operation: O,
  receive: (request: Request, context: RequestContext, services: Services) => Promise<Receipt<AnswerOf<O>>>,
): Endpoint {
  const handle = () => Promise.reject(new Error(`${operation.id} takes a file`));
  return { operation, handle, receive };
}

/**
 * Stands at the address of a call that is not built yet. It goes through the same door as any other, so a caller is
 * authenticated and the input checked before `not_implemented_yet` is said; it never succeeds, whatever `status` is.
 */
export function plannedEndpoint(operation: PlannedOperation): Endpoint {
  return {
    operation: { ...operation, status: 204, answer: null, errors: ["not_implemented_yet"] },
    handle: async () => {
      throw new Problem("not_implemented_yet");
    },
  };
}
