import type { AnswerOf, CheckedInputOf, Operation } from "../../contract/operation.ts";
import type { RequestContext } from "./request-context.ts";

/** A call of the contract with what answers it. The handler gets checked input and a caller already admitted. */
export interface Endpoint {
  operation: Operation;
  handle(input: CheckedInputOf<Operation>, context: RequestContext): Promise<unknown>;
}

/** Ties an operation to its handler; the types of both come from the contract. */
export function endpoint<O extends Operation>(
  operation: O,
  handle: (input: CheckedInputOf<O>, context: RequestContext) => Promise<AnswerOf<O>>,
): Endpoint {
  return { operation, handle: handle as Endpoint["handle"] };
}
