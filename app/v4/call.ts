import { writeMultipart } from "../../workers/contract/multipart.ts";
import type { AnswerOf, InputOf, Operation } from "../../workers/contract/operation.ts";
import { type ProblemJson, problem as problemSchema } from "../../workers/contract/problem.ts";
import { URL_KEY_HEADER } from "../../workers/contract/radios.ts";
import { FetchError, RequiredError, ResponseError } from "./errors.ts";

/**
 * How calls leave this worker: by service binding or to a remote origin, with the caller's token and the request id.
 */
export interface Transport {
  fetch(request: Request): Promise<Response>;
  origin: string;
  token: string | null;
  request_id: string;
  /** The key of a radio for people who know its URL. Only calls about that radio look at it. */
  url_key?: string;
  /**
   * Aborts calls after the page's time limit. The limit starts with the first call and covers all calls of the page.
   */
  limit(): AbortSignal;
}

/** The arguments of a call: only the parts that the operation has. */
export type CallInput<O extends Operation> = {
  [Part in keyof InputOf<O> as InputOf<O>[Part] extends undefined ? never : Part]: InputOf<O>[Part];
} & { idempotency_key?: string };

/**
 * Calls one operation of the contract and returns its answer.
 * Throws {@link RequiredError}, {@link FetchError} (also past the time limit) or {@link ResponseError}.
 */
export async function callOperation<O extends Operation>(
  transport: Transport,
  operation: O,
  input: CallInput<O>,
): Promise<AnswerOf<O>> {
  const { params, query, body, idempotency_key } = input as {
    params?: Record<string, unknown>;
    query?: Record<string, unknown>;
    body?: unknown;
    idempotency_key?: string;
  };
  const headers = new Headers({ accept: "application/json", "x-request-id": transport.request_id });
  if (operation.auth !== "none" && transport.token) headers.set("authorization", `Bearer ${transport.token}`);
  if (idempotency_key) headers.set("idempotency-key", idempotency_key);
  if (transport.url_key) headers.set(URL_KEY_HEADER, transport.url_key);
  if (operation.body) {
    if (body === null || body === undefined) throw new RequiredError("body");
    headers.set("content-type", "application/json");
  }
  const url = `${transport.origin}${addressOfCall(operation, { params, query })}`;
  return answerOf(
    transport,
    operation,
    new Request(url, {
      method: operation.method,
      headers,
      body: operation.body ? JSON.stringify(body) : undefined,
      signal: transport.limit(),
    }),
  );
}

/** Returns the path and the query of a call. @throws RequiredError */
export function addressOfCall(
  operation: Operation,
  { params, query }: { params?: Record<string, unknown> | undefined; query?: Record<string, unknown> | undefined },
): string {
  return fillPath(operation.path, params) + queryString(operation, query);
}

/** The time limit for receiving and storing a file. */
const FILE_TIME_LIMIT_MS = 15 * 60 * 1000;

/** A file that is forwarded while it is being received. */
export interface SentFile {
  name: string;
  body: AsyncIterable<Uint8Array>;
}

/**
 * Calls an operation that takes a file. If the API refuses the file, leaves the rest of it unread. Throws like {@link
 * call}, and also if there is no file. Has a longer time limit than other calls. Source: spec section 5: uploads
 * require a file.
 */
export async function callWithFile<O extends Operation>(
  transport: Transport,
  operation: O,
  file: SentFile | null | undefined,
): Promise<AnswerOf<O>> {
  if (!file) throw new RequiredError("file");
  const headers = new Headers({ accept: "application/json", "x-request-id": transport.request_id });
  if (transport.token) headers.set("authorization", `Bearer ${transport.token}`);
  const { content_type, stream, settled } = writeMultipart(file.name, file.body);
  headers.set("content-type", content_type);
  const signal = AbortSignal.timeout(FILE_TIME_LIMIT_MS);
  const init = { method: operation.method, headers, body: stream, signal, duplex: "half" };
  try {
    return await answerOf(transport, operation, new Request(`${transport.origin}${operation.path}`, init));
  } finally {
    await settled();
  }
}

/**
 * Calls an operation that answers with a file, and returns the answer while it arrives. Has no time limit: the reader of
 * the file decides how long it takes. Throws like {@link callOperation}.
 */
export async function callForFile(
  transport: Transport,
  operation: Operation,
  input: Parameters<typeof addressOfCall>[1],
): Promise<Response> {
  const headers = new Headers({ "x-request-id": transport.request_id });
  if (transport.token) headers.set("authorization", `Bearer ${transport.token}`);
  const address = addressOfCall(operation, input);
  const request = new Request(`${transport.origin}${address}`, { method: operation.method, headers });
  let response: Response;
  try {
    response = await transport.fetch(request);
  } catch (error) {
    throw new FetchError(error);
  }
  if (!response.ok) throw toResponseError(response, await response.text());
  return response;
}

async function answerOf<O extends Operation>(
  transport: Transport,
  operation: O,
  request: Request,
): Promise<AnswerOf<O>> {
  let response: Response;
  let text: string;
  try {
    response = await transport.fetch(request);
    text = await response.text();
  } catch (error) {
    throw new FetchError(error);
  }
  if (!response.ok) throw toResponseError(response, text);
  return readAnswer(operation, text);
}

/**
 * Returns the answer. Throws {@link FetchError} for one that is not the API's: a proxy or the platform answered instead. The
 * answer of a write is compared with the contract, or its form would be cleared as if it had been sent. A read that does
 * not fit fails in its page.
 */
function readAnswer<O extends Operation>(operation: O, text: string): AnswerOf<O> {
  try {
    if (operation.answer === null) {
      // The identity API counts any 2xx as success (spec section 7). The product API answers 204.
      if (text !== "" && operation.path.startsWith("/v4/")) throw new Error("the answer should be empty");
      return null as AnswerOf<O>;
    }
    const answer: unknown = JSON.parse(text);
    if (operation.method !== "GET") operation.answer.parse(answer);
    return answer as AnswerOf<O>;
  } catch (error) {
    throw new FetchError(error);
  }
}

function toResponseError({ status, headers }: Response, text: string): ResponseError {
  const retry_after = headers.get("retry-after");
  return new ResponseError(status, parseProblem(text), retry_after === null ? null : Number(retry_after));
}

function fillPath(path: string, params: Record<string, unknown> | undefined): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params?.[name];
    if (value === null || value === undefined || value === "") throw new RequiredError(name);
    return encodeURIComponent(String(value));
  });
}

function queryString(operation: Operation, query: Record<string, unknown> | undefined): string {
  const search = new URLSearchParams();
  for (const [name, schema] of Object.entries(operation.query?.shape ?? {})) {
    const value = query?.[name];
    if (value === null || value === undefined) {
      if (!schema.safeParse(undefined).success) throw new RequiredError(name);
      continue;
    }
    for (const item of [value].flat()) search.append(name, String(item));
  }
  const text = search.toString();
  return text && `?${text}`;
}

function parseProblem(text: string): ProblemJson | null {
  try {
    return problemOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Returns the problem document of an answer, or null if it is none. */
export function problemOf(body: unknown): ProblemJson | null {
  return problemSchema.safeParse(body).data ?? null;
}
