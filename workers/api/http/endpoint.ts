import type { AnswerOf, CheckedInputOf, Operation } from "../../contract/operation.ts";
import type { RequestContext, Services } from "./request-context.ts";

/** Answers a read of this API as the same caller, with the same services. */
export type Read = (address: string) => Promise<Response>;

/** An operation of the contract and its handler. The handler gets validated input and an admitted caller. */
export interface Endpoint {
  operation: Operation;
  handle(input: CheckedInputOf<Operation>, context: RequestContext, read: Read): Promise<unknown>;
  /** For operations with `text`: writes the answer as that text. */
  toText?(answer: unknown): TextAnswer;
  /** For operations that take a file, in place of `handle`: reads the request's body as a stream, and answers. */
  receive?(request: Request, context: RequestContext, services: Services): Promise<Receipt<unknown>>;
  /** For operations with `file_answer`, in place of `handle`: returns the file, which is made while it is sent. */
  stream?(input: CheckedInputOf<Operation>, context: RequestContext): Promise<FileAnswer>;
}

/** An answer as text, and the name that a browser saves it under. */
export interface TextAnswer {
  text: string;
  file_name: string;
}

/** An answer as a file that streams, and the name that a browser saves it under. */
export interface FileAnswer {
  body: ReadableStream<Uint8Array>;
  file_name: string;
}

/** The answer of an upload. `is_replayed` is true for an answer already given under the same idempotency key. */
export interface Receipt<A> {
  answer: A;
  is_replayed: boolean;
}

/** Binds an operation to its handler. The contract gives the types of both. */
export function bindEndpoint<O extends Operation>(
  operation: O,
  handle: (input: CheckedInputOf<O>, context: RequestContext, read: Read) => Promise<AnswerOf<O>>,
): Endpoint {
  return { operation, handle: handle as Endpoint["handle"] };
}

/** Binds an operation that also answers as text. */
export function textEndpoint<O extends Operation & { text: string }>(
  operation: O,
  handle: (input: CheckedInputOf<O>, context: RequestContext, read: Read) => Promise<AnswerOf<O>>,
  toText: (answer: AnswerOf<O>) => TextAnswer,
): Endpoint {
  return { ...bindEndpoint(operation, handle), toText: toText as NonNullable<Endpoint["toText"]> };
}

/** Binds an upload operation to its receiver, which handles the idempotency key itself. */
export function uploadEndpoint<O extends Operation>(
  operation: O,
  receive: (request: Request, context: RequestContext, services: Services) => Promise<Receipt<AnswerOf<O>>>,
): Endpoint {
  const handle = () => Promise.reject(new Error(`${operation.id} takes a file`));
  return { operation, handle, receive };
}

/** Binds an operation that answers with a file. */
export function fileEndpoint<O extends Operation & { file_answer: string }>(
  operation: O,
  stream: (input: CheckedInputOf<O>, context: RequestContext) => Promise<FileAnswer>,
): Endpoint {
  const handle = () => Promise.reject(new Error(`${operation.id} answers with a file`));
  return { operation, handle, stream: stream as NonNullable<Endpoint["stream"]> };
}
