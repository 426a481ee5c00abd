/** Calls the contract's operations and checks every answer against its schema. */
import { expect } from "vitest";
import type { ErrorCode } from "../../../workers/contract/errors.ts";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import { id, time } from "../../../workers/contract/fields.ts";
import type { AnswerOf, InputOf, Operation } from "../../../workers/contract/operation.ts";
import { type ProblemJson, problem } from "../../../workers/contract/problem.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { type ApiOptions, api, type Reply } from "../../support/network.ts";

export interface Call extends ApiOptions {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | string[] | undefined>;
}

/** The parts of an operation that sending a request needs. */
type Address = Pick<Operation, "method" | "path">;

/** Sends a request and returns any answer. */
export function send(operation: Address, call: Call = {}): Promise<Reply> {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => call.params?.[name] ?? "");
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    for (const each of value === undefined ? [] : [value].flat()) search.append(name, String(each));
  }
  return api(operation.method, search.size > 0 ? `${path}?${search}` : path, call);
}

/**
 * Calls an operation that must succeed. Returns the answer, which must match the contract exactly, without extra
 * fields.
 */
export async function ask<O extends Operation>(
  operation: O,
  call: Call & { body?: InputOf<O>["body"] } = {},
): Promise<AnswerOf<O>> {
  return succeeded(operation, await send(operation, call));
}

/** Returns the checked answer of a call that must have succeeded. */
export function succeeded<O extends Operation>(operation: O, reply: Reply): AnswerOf<O> {
  expect(reply.headers.get("cache-control")).toBe("private, no-store");
  if (operation.answer === null) {
    expect({ status: reply.status, text: reply.text }, operation.id).toEqual({ status: operation.status, text: "" });
    return null as AnswerOf<O>;
  }
  expect(reply.text && reply.status, `${operation.id}: ${reply.text}`).toBe(operation.status);
  const answer = operation.answer.parse(reply.json);
  expect(answer, `${operation.id} answers what its contract says`).toEqual(reply.json);
  expectForms(reply.json);
  return answer as AnswerOf<O>;
}

/** Id fields whose values are fixed words, not ULIDs. */
const WORD_IDS = new Set([
  "link_id",
  "owner_link_id",
  "page_link_id",
  "reporter_link_id",
  "external_site_id",
  "genre_id",
  "donation_campaign_id",
  "letter_appearance_id",
  "payment_method_id",
  "stamp_id",
]);

/** Checks that ids are ULIDs and times are ISO 8601 in UTC, at any depth. */
function expectForms(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === "string" && name.endsWith("_id") && !WORD_IDS.has(name)) {
      expect(id.safeParse(each).success, `${name} ${each}`).toBe(true);
    }
    if (typeof each === "string" && name.endsWith("_at")) {
      expect(time.safeParse(each).success, `${name} ${each}`).toBe(true);
      expect(new Date(each).toISOString()).toBe(each);
    }
    expectForms(each);
  }
}

/** Sends a request that must fail with this code. Returns the problem. */
export async function refused(operation: Address, code: ErrorCode, call: Call = {}): Promise<ProblemJson> {
  return expectProblem(await send(operation, call), code);
}

/** A machine's test for Japanese: it contains kana. */
export const JAPANESE = /[\u3041-\u3096\u30a1-\u30fa]/;
/** Internals that no answer may show. */
export const INSIDES = /\bat .*\(?.*\.(?:ts|js):\d|\.tsx?:\d+|\bError:|node_modules|SQLITE|D1_ERROR/;

/** Checks an error: problem+json with the catalogue's text, a request id, and no internals. Returns it. */
export function expectProblem(reply: Reply, code: ErrorCode): ProblemJson {
  expect({ status: reply.status, text: reply.text }).toMatchObject({
    status: errorCatalogue[code].status,
    text: expect.stringContaining(`"code":"${code}"`),
  });
  expect(reply.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(reply.text).not.toMatch(INSIDES);
  const refusal = problem.strict().parse(reply.json);
  expect(refusal).toMatchObject({ status: reply.status, code, detail: expect.stringMatching(JAPANESE) });
  expect(refusal.request_id).not.toBe("");
  expect(reply.headers.get("x-request-id")).toBe(refusal.request_id);
  for (const sentence of Object.values(refusal.errors ?? {}).flat()) expect(sentence).toMatch(JAPANESE);
  return refusal;
}

/** Returns the user id of a link_id. */
export async function userId(link_id: string): Promise<string> {
  return (await ask(getUser, { query: { link_id } })).user.user_id;
}

/** A well-formed id that no row has. */
export const NOBODY = "01hzzzzzzzzzzzzzzzzzzzzzzz";
