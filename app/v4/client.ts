import { data } from "react-router";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import type { AnswerOf, Operation } from "../../workers/contract/operation.ts";
import { letOthersRun } from "../../workers/kernel/heavy-work.ts";
import { log } from "../../workers/kernel/log.ts";
import { type CallInput, callForFile, callOperation, callWithFile, type SentFile, type Transport } from "./call.ts";
import { FetchError, ResponseError } from "./errors.ts";
import type { Failure, Kept } from "./failure.ts";
import { JoinedReads } from "./joined-reads.ts";

/**
 * A refusal that a form can show: a sentence, and sentences by field. `needs_sign_in`: the token is missing or expired.
 */
export interface Refusal {
  code: string;
  status: number;
  detail: string;
  fields: Record<string, string[]>;
  needs_sign_in: boolean;
  retry_after_s: number | null;
}

export type Sent<A> = { ok: true; answer: A } | { ok: false; refusal: Refusal };

/** The time limit for an optional part of a page, shorter than that of the page. */
const PART_PATIENCE_MS = 2000;
/** The time limit for one of the calls behind a file. */
const CALL_OF_FILE_MS = 5000;

/** The product API for the loaders and actions of one request. */
export class V4 {
  readonly #transport: Transport;
  /**
   * Caches the reads of a page, because its layout and its parts often request the same data. Every write empties the
   * cache.
   */
  readonly #answers = new Map<string, Promise<unknown>>();

  readonly #reads: JoinedReads;
  /** Why this request may not write, if so. */
  #refused: Refusal | null = null;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.#reads = new JoinedReads(transport);
  }

  /** Refuses every later write of this request, unless `why` is null. */
  refuseWrites(why: Refusal | null): void {
    this.#refused = why;
  }

  /** Calls the API and returns the answer. Throws the client's errors (errors.ts). */
  call<O extends Operation>(operation: O, input: CallInput<O>): Promise<AnswerOf<O>> {
    if (operation.method !== "GET") {
      this.#answers.clear();
      return callOperation(this.#transport, operation, input);
    }
    return this.#read(operation, input, false);
  }

  /** Like {@link call}, but keeps no answer, and lets others run first: for a long list that is read page by page. */
  async callOnce<O extends Operation>(operation: O, input: CallInput<O>): Promise<AnswerOf<O>> {
    await letOthersRun();
    const limit = () => AbortSignal.timeout(CALL_OF_FILE_MS);
    return callOperation({ ...this.#transport, limit }, operation, input);
  }

  /** Starts a read whose answer a loader will ask for, so that it shares a call with the present reads. */
  begin<O extends Operation>(operation: O, input: CallInput<O>): void {
    // The loader gets the error.
    this.#read(operation, input, false).catch(() => {});
  }

  /** Like {@link begin}, for an optional part of a page. */
  beginPart<O extends Operation>(operation: O, input: CallInput<O>): void {
    this.#read(operation, input, true).catch(() => {});
  }

  async #read<O extends Operation>(operation: O, input: CallInput<O>, is_optional: boolean): Promise<AnswerOf<O>> {
    const key = `${operation.id} ${JSON.stringify(input)}`;
    const known =
      this.#answers.get(key) ?? this.#reads.read({ operation, input: input as CallInput<Operation>, is_optional });
    this.#answers.set(key, known);
    return known as Promise<AnswerOf<O>>;
  }

  /** For loaders: returns the answer, or throws the refusal with its HTTP status to the error page. */
  async read<O extends Operation>(operation: O, input: CallInput<O>): Promise<AnswerOf<O>> {
    try {
      return await this.call(operation, input);
    } catch (error) {
      throw this.failure(this.#refusalOf(error, operation));
    }
  }

  /**
   * For an optional part of a page: returns the answer, or null if it is late, refused or does not match the contract.
   * Logs the reason.
   */
  async part<O extends Operation>(operation: O, input: CallInput<O>): Promise<AnswerOf<O> | null> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<"late">((done) => {
      timer = setTimeout(done, PART_PATIENCE_MS, "late");
    });
    const sent = await Promise.race([this.#settle(operation, this.#read(operation, input, true)), late]);
    clearTimeout(timer);
    const answer = sent !== "late" && sent.ok ? operation.answer?.safeParse(sent.answer) : undefined;
    if (answer?.success) return answer.data as AnswerOf<O>;
    const { request_id } = this.#transport;
    const reason = sent === "late" ? "late" : sent.ok ? "unfit" : sent.refusal.code;
    log("error", { message: "a part of a page is missing", request_id, operation: operation.id, reason });
    return null;
  }

  /** For actions: returns the answer, or the refusal to show in the form. */
  async send<O extends Operation>(operation: O, input: CallInput<O>): Promise<Sent<AnswerOf<O>>> {
    if (this.#refused && operation.method !== "GET") return { ok: false, refusal: this.#refused };
    return this.#settle(operation, this.call(operation, input));
  }

  async #settle<A>(operation: Operation, answer: Promise<A>): Promise<Sent<A>> {
    try {
      return { ok: true, answer: await answer };
    } catch (error) {
      return { ok: false, refusal: this.#refusalOf(error, operation) };
    }
  }

  /** For loaders: returns a file while it arrives, or throws the refusal with its HTTP status to the error page. */
  async readFile(operation: Operation, input: { query?: Record<string, unknown> }): Promise<Response> {
    try {
      return await callForFile(this.#transport, operation, input);
    } catch (error) {
      throw this.failure(this.#refusalOf(error, operation));
    }
  }

  /** For actions: forwards a file while it arrives. */
  async upload<O extends Operation>(operation: O, file: SentFile): Promise<Sent<AnswerOf<O>>> {
    if (this.#refused) return { ok: false, refusal: this.#refused };
    this.#answers.clear();
    try {
      return { ok: true, answer: await callWithFile(this.#transport, operation, file) };
    } catch (error) {
      return { ok: false, refusal: this.#refusalOf(error, operation) };
    }
  }

  #refusalOf(error: unknown, operation: Operation): Refusal {
    const refusal = refusalOf(error);
    if (refusal.status >= 500) logFailure(error, refusal, { operation, request_id: this.#transport.request_id });
    return refusal;
  }

  /** Returns a client that calls the API for another caller, such as a person who has just signed in. */
  as(token: string): V4 {
    return new V4({ ...this.#transport, token });
  }

  /** Returns a client that calls the API with the key of a radio. */
  withUrlKey(url_key: string): V4 {
    const client = new V4({ ...this.#transport, url_key });
    client.refuseWrites(this.#refused);
    return client;
  }

  /**
   * Returns a client that calls the API without a token. Only its answers may go into pages that are cached for all
   * visitors.
   */
  asVisitor(): V4 {
    return new V4({ ...this.#transport, token: null });
  }

  /** Turns a refusal into an error to throw, with the text of the form if it was one. */
  failure({ code, detail, status }: Refusal, kept: Kept | null = null) {
    const failure: Failure = { code, detail, request_id: this.#transport.request_id, kept };
    return data(failure, { status });
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof ResponseError && error.problem) {
    const { code, status, detail, errors = {} } = error.problem;
    const { retry_after_s } = error;
    return { code, status, detail, fields: errors, needs_sign_in: status === 401, retry_after_s };
  }
  if (error instanceof FetchError || error instanceof ResponseError) {
    const { detail } = errorCatalogue.unavailable;
    return { code: "unavailable", status: 503, detail, fields: {}, needs_sign_in: false, retry_after_s: null };
  }
  throw error;
}

/** Logs a call that the API did not answer, or answered with an error of its own. `status` is null without an answer. */
function logFailure(
  error: unknown,
  { code }: Refusal,
  { operation, request_id }: { operation: Operation; request_id: string },
): void {
  const status = error instanceof ResponseError ? error.status : null;
  const cause = error instanceof FetchError ? String(error.cause) : code;
  log("error", { message: "/v4 did not answer", request_id, operation: operation.id, status, cause });
}
