/**
 * Properties of every operation for any input. Cases are generated from the contract's own schemas, valid and invalid.
 *
 * The seed is fixed, so that everybody gets the same failure. To try other cases, set another seed. To repeat one
 * failing case, set the seed and the path that the failure names, and the name of its test:
 *
 *     FC_SEED=4711 vitest run tests/network/properties.test.ts
 *     FC_SEED=4711 FC_PATH=12:3:0 vitest run tests/network/properties.test.ts -t "getUser.*accepts"
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commonErrors, type ErrorCode } from "../../workers/contract/errors.ts";
import { productOperations } from "../../workers/contract/index.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { problem } from "../../workers/contract/problem.ts";
import type { Reply } from "../support/network.ts";
import { type Input, inputsOf, MAX_JSON_DEPTH, spoiledInputsOf } from "./support/arbitraries.ts";
import { type Call, expectProblem, send, succeeded } from "./support/calls.ts";
import { type Person, type SmallWorld, startSmallWorld } from "./support/small-world.ts";

const SEED = Number(process.env.FC_SEED ?? 20_261_120);
const PATH = process.env.FC_PATH;
/** Cases for each of an operation's two properties; `npm run test:nightly` runs more. */
const RUNS = Number(process.env.FC_RUNS ?? 8);
/** The error codes for invalid input. */
const REFUSALS_OF_INPUT: readonly ErrorCode[] = ["bad_request", "unsupported_media_type", "validation_failed"];

let world: SmallWorld;
let is_changed = false;
beforeAll(async () => {
  console.log(`properties: FC_SEED=${SEED}${PATH ? ` FC_PATH=${PATH}` : ""}`);
  world = await startSmallWorld();
});
afterAll(() => world?.network.stop());

const isRead = ({ method }: Operation) => method === "GET";

interface Case {
  input: Input;
  person: Person;
  key: string | null;
}

function casesOf(operation: Operation, inputs: fc.Arbitrary<Input>): fc.Arbitrary<Case> {
  const key = isRead(operation) ? fc.constant(null) : fc.option(fc.uuid(), { freq: 1 });
  const person = fc.constantFrom<Person>("visitor", "newcomer", "fan", "fan", "creator", "creator");
  return fc.record({ input: inputs, person, key });
}

/** Returns the call as a client sends it. */
function callOf({ input, person, key }: Case): Call {
  const { params, query } = input;
  const encoded = Object.entries(params).map(([name, value]) => [name, encodeURIComponent(value.toWellFormed())]);
  return {
    network: world.network,
    params: Object.fromEntries(encoded),
    query,
    body: bodyOf(input),
    token: world.tokens[person],
    key: key ?? undefined,
  };
}

/** Returns whether the operation must accept the input: by its schemas, and by the depth of the body. */
function isTaken({ params, query, body }: Operation, { input }: Case): boolean {
  const values = Object.entries(input.query).map(([name, value]) => {
    const texts = [value].flat().map((text) => text.toWellFormed());
    return [name.toWellFormed(), texts.length > 1 || (texts.length > 0 && name.endsWith("[]")) ? texts : texts[0]];
  });
  const sent = Object.fromEntries(values.filter(([, value]) => value !== undefined));
  return (
    (params?.safeParse(input.params).success ?? true) &&
    (query?.safeParse(sent).success ?? true) &&
    (body === undefined || (depthOf(input.body) <= MAX_JSON_DEPTH && body.safeParse(read(bodyOf(input))).success))
  );
}

const bodyOf = ({ text, body }: Input) => text ?? JSON.stringify(body);

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function read(text: string | undefined): unknown {
  try {
    // A byte order mark is not part of the text (RFC 8259, section 8.1).
    return JSON.parse((text ?? "").replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

/** Checks every answer: no internal error, and nothing that the contract does not declare. Returns the error code. */
function expectDeclared(operation: Operation, reply: Reply): ErrorCode | null {
  expect(reply.status, reply.text).toBeLessThan(500);
  if (reply.status < 300) {
    if (reply.headers.get("content-type")?.startsWith(operation.text ?? "none")) return null;
    succeeded(operation, reply);
    return null;
  }
  const { code } = problem.parse(reply.json);
  expect([...operation.errors, ...commonErrors], reply.text).toContain(code);
  expectProblem(reply, code);
  return code;
}

/** Sends the case. With a key, sends it again, and then another call with the same key. */
async function expectKept(operation: Operation, each: Case): Promise<void> {
  if (is_changed) await world.restore();
  const call = callOf(each);
  const reply = await send(operation, call);
  is_changed = !isRead(operation) && reply.status < 300;
  const code = expectDeclared(operation, reply);
  if (!isTaken(operation, each)) expect(reply.status, "what no schema takes is refused").toBeGreaterThanOrEqual(400);
  else if (code) expect(REFUSALS_OF_INPUT, reply.text).not.toContain(code);
  if (each.key === null) return;
  const again = await send(operation, call);
  if (again.headers.has("idempotency-replayed")) expect(again.text).toBe(reply.text);
  expectDeclared(operation, again);
  expectDeclared(operation, await send(operation, { ...call, query: { ...call.query, another: "1" } }));
}

const check = (operation: Operation, inputs: fc.Arbitrary<Input>) =>
  fc.assert(
    fc.asyncProperty(casesOf(operation, inputs), (each) => expectKept(operation, each)),
    { seed: SEED, path: PATH, numRuns: RUNS },
  );

function declare(operation: Operation): void {
  test("accepts what its schemas accept, and answers as they declare", () =>
    check(operation, inputsOf(operation, world.known)));

  test("survives any other input", () => check(operation, spoiledInputsOf(operation, world.known)));
}

// Files are no JSON: hostile-files.test.ts, multipart.test.ts and api-archive.test.ts test them.
const drawn = productOperations.filter(({ file, file_answer }) => !file && !file_answer);
// Reads run in parallel; a write starts from the restored data.
describe.concurrent.each(drawn.filter(isRead))("$id", declare);
describe.each(drawn.filter((operation) => !isRead(operation)))("$id", declare);
