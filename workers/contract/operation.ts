import type * as z from "zod";
import type { ErrorCode } from "./errors.ts";

/**
 * The callers of an operation. `none` never looks at a token, `optional` answers more to a known caller, `required` refuses calls
 * without a token. `operator` answers all other callers as if the address did not exist. Source: product decisions,
 * "Words of the spec made exact"; docs/decisions/0024.
 */
export type Auth = "none" | "optional" | "required" | "operator";

/** The addresses of operators' operations, and of no others, begin with this. */
export const OPERATOR_PATHS = "/v4/operator/";

/** One call. */
export interface Operation {
  /** Unique, camelCase; also the scope of idempotency keys. */
  id: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path from the origin, with `{name}` parameters: `/v4/users/{user_id}/ofuses`. */
  path: string;
  auth: Auth;
  /** One line in Japanese for the published reference. */
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /**
   * Whether the call decides over the account or exports all of it. While the identity service cannot say whether the
   * caller's sign-in is still valid, the API refuses such a call with `unavailable` and answers other calls. Source:
   * docs/security.md.
   */
  is_sensitive?: true;
  /** Whether idempotency keys count without a caller too. All callers without a token then share one set of keys. */
  has_keys_of_guests?: true;
  /** Whether keys that are derived from the sent words count for a minute only (contract/fields.ts). Never for money. */
  has_keys_of_words?: true;
  /** Whether the caller may send the key of a radio with the visibility `url` in a header (contract/radios.ts). */
  takes_url_key?: true;
  body?: z.ZodType;
  /** What a PUT does with fields that its body leaves out. Set where a body may leave out something that is stored. */
  missing_fields?: "reset" | "kept";
  /** Set where the call takes a file instead of JSON: a multipart form with the single field `file`. */
  file?: { max_bytes: number; description: string };
  /** The status of success and the schema of its JSON. `null` means an empty 204. */
  status: 200 | 201 | 204;
  answer: z.ZodType | null;
  /** The media type of the call's other form, which the query `format` chooses. Without it the call answers only JSON. */
  text?: "text/csv";
  /** Set where the call answers with a file that streams, in place of JSON: the file's media type. `answer` is null. */
  file_answer?: "application/zip";
  /** Named refusals besides those of every operation (`commonErrors`). */
  errors: readonly ErrorCode[];
}

/** Declares one call. Keeps the literal types, so that client and server get their types from it. */
export function defineOperation<const O extends Operation>(operation: O): O {
  return operation;
}

type Inferred<S, Missing> = S extends z.ZodType ? z.input<S> : Missing;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The input of a caller: `{ params, query, body }`, each only where the operation has it. */
export type InputOf<O extends Operation> = {
  params: Inferred<O["params"], undefined>;
  query: Inferred<O["query"], undefined>;
  body: Inferred<O["body"], undefined>;
};

/** The input of a handler, after validation. */
export type CheckedInputOf<O extends Operation> = {
  params: Parsed<O["params"]>;
  query: Parsed<O["query"]>;
  body: Parsed<O["body"]>;
};

export type AnswerOf<O extends Operation> = O["answer"] extends z.ZodType ? z.output<O["answer"]> : null;

/** The operation's address: its path with `params` filled in, and `query` without what is undefined. */
export function addressOf(
  { path }: Pick<Operation, "path">,
  { params = {}, query = {} }: { params?: Record<string, unknown>; query?: Record<string, unknown> },
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name] ?? "")));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return search.size > 0 ? `${filled}?${search}` : filled;
}
