import * as z from "zod";
import { ID_PATTERN } from "../contract/fields.ts";
import type { CheckedInputOf, Operation } from "../contract/operation.ts";
import { Problem } from "../kernel/problem.ts";
import { readJson } from "./body.ts";
import { describeIssue } from "./issue-sentences.ts";

/** An operation's validated input, and its body as sent: empty for an operation without a body. */
export interface CheckedRequest {
  input: CheckedInputOf<Operation>;
  text: string;
}

/**
 * Reads a request and validates it against the contract.
 * Throws `unsupported_media_type`, the problems of {@link readJson}, `not_found` for a malformed id, and
 * `validation_failed` with a Japanese sentence for each invalid field.
 */
export async function readInput(
  operation: Operation,
  request: Request,
  params: Record<string, string>,
  max_bytes: number,
): Promise<CheckedRequest> {
  if (operation.body && !/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    throw new Problem("unsupported_media_type");
  }
  const body = operation.body ? await readJson(request, max_bytes) : null;
  const search = new URL(request.url).searchParams;
  return { input: checkInput(operation, params, search, body?.json), text: body?.text ?? "" };
}

function checkInput(
  operation: Operation,
  params: Record<string, string>,
  search: URLSearchParams,
  json: unknown,
): CheckedInputOf<Operation> {
  // Answer a malformed id like an unknown one.
  const checkedParams = operation.params?.safeParse(params);
  if (checkedParams && !checkedParams.success) throw new Problem("not_found");
  const query: Record<string, string | string[]> = {};
  for (const name of Object.keys(operation.query?.shape ?? {})) {
    const values = search.getAll(name);
    if (values.length > 0) query[name] = values.length > 1 || name.endsWith("[]") ? values : (values[0] ?? "");
  }
  return {
    params: checkedParams?.data as undefined,
    query: checkValue(operation.query, query, isMalformedId) as undefined,
    body: checkValue(operation.body, json) as undefined,
  };
}

/** The most invalid fields that one answer lists. */
const MAX_FAULTS = 100;

const isMalformedId = (issue: z.core.$ZodIssue) =>
  issue.code === "invalid_format" && issue.pattern === String(ID_PATTERN);

/**
 * Returns the parsed value. Throws `validation_failed` with a sentence for each invalid field, or `not_found` when
 * `namesNothing` is true for an issue.
 */
export function checkValue(
  schema: z.ZodType | undefined,
  value: unknown,
  namesNothing: (issue: z.core.$ZodIssue) => boolean = () => false,
): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  if (result.error.issues.some(namesNothing)) throw new Problem("not_found");
  const fields: Record<string, string[]> = {};
  for (const issue of result.error.issues.slice(0, MAX_FAULTS)) {
    const name = issue.path.join(".") || "body";
    const said = fields[name] ?? [];
    // Two checks of one field may have the same sentence.
    fields[name] = said.includes(issue.message) ? said : [...said, issue.message];
  }
  throw new Problem("validation_failed", { fields });
}

/** The sentences for checks without a sentence of their own. */
z.config({ localeError: describeIssue });
