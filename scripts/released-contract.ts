/**
 * Compares the contract with the last released one, and finds the changes that break callers. Callers outlive a
 * deployment, and between the deployments of two workers the old one calls the new one.
 *
 * `npm run contract:release` writes the released contract; `npm run deploy` does so after the last worker.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { identityOperations, productOperations } from "../workers/contract/index.ts";
import type { Auth, Operation } from "../workers/contract/operation.ts";
import { refuseArguments, reportFailure } from "./refusal.ts";

const file = join(import.meta.dirname, "..", "deploy", "released-contract.jsonl");

/** The part of JSON Schema that zod generates for our contract. */
interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  [keyword: string]: unknown;
}

interface ReleasedOperation {
  method: string;
  path: string;
  auth: Auth;
  status: number;
  params: Schema | null;
  query: Schema | null;
  body: Schema | null;
  answer: Schema | null;
}

export type ReleasedContract = Record<string, ReleasedOperation>;

/**
 * Keywords that do not decide whether a change is additive. The file leaves them out, so it contains exactly the
 * compared keywords.
 */
const ignored = new Set(["$schema", "pattern", "format", "default", "propertyNames", "id", "description", "examples"]);

/** Returns a schema without the ignored keywords, with each named shape written out where it is used. */
function normaliseSchema(schema: Schema, named: Record<string, Schema>): Schema {
  const copyValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copyValue);
    return typeof value === "object" && value !== null ? normaliseSchema(value as Schema, named) : value;
  };
  const { $ref, ...own } = schema;
  const shape = typeof $ref === "string" ? { ...named[$ref.replace("#/$defs/", "")], ...own } : own;
  if (typeof shape.$ref === "string") return normaliseSchema(shape, named);
  const kept = Object.entries(shape).filter(([keyword]) => !ignored.has(keyword) && !keyword.startsWith("x-"));
  return Object.fromEntries(
    kept.map(([keyword, value]) => [
      keyword,
      // Below `properties` the keys are field names, not keywords.
      keyword === "properties"
        ? Object.fromEntries(
            Object.entries(value as object).map(([name, field]) => [name, normaliseSchema(field, named)]),
          )
        : copyValue(value),
    ]),
  );
}

/** Describes the operations as callers see them, by operation id. */
export function describeContract(operations: readonly Operation[]): ReleasedContract {
  const schemaOf = (schema: z.ZodType | null | undefined, io: "input" | "output"): Schema | null => {
    if (!schema) return null;
    const { $defs, ...described } = z.toJSONSchema(schema, { io }) as Schema & { $defs?: Record<string, Schema> };
    return normaliseSchema(described, $defs ?? {});
  };
  return Object.fromEntries(
    operations.map(({ id, method, path, auth, status, params, query, body, answer }) => [
      id,
      {
        method,
        path,
        auth,
        status,
        params: schemaOf(params, "input"),
        query: schemaOf(query, "input"),
        body: schemaOf(body, "input"),
        answer: schemaOf(answer, "output"),
      },
    ]),
  );
}

/** Describes the contract of the present sources. */
export function currentContract(): ReleasedContract {
  return describeContract([...productOperations, ...identityOperations]);
}

/** Reads the contract of the last release; null before the first release. */
export function readReleasedContract(): ReleasedContract | null {
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, ReleasedOperation]));
}

/** Writes the contract of the present sources as the released one. Returns whether the file changed. */
export function releaseContract(): boolean {
  // Writes one line per operation, so that a diff shows each changed operation as one line.
  const text = Object.entries(currentContract())
    .map((operation) => `${JSON.stringify(operation)}\n`)
    .join("");
  if (existsSync(file) && readFileSync(file, "utf8") === text) return false;
  writeFileSync(file, text);
  return true;
}

const strictness: Record<Auth, number> = { none: 0, optional: 1, required: 2, operator: 3 };

/** Returns every change that breaks a caller of the released contract; empty when there are only additions. */
export function contractBreaches(released: ReleasedContract, current: ReleasedContract): string[] {
  return Object.entries(released).flatMap(([id, before]) => {
    const after = current[id];
    if (!after) return [`${id}: the operation is gone`];
    const breaches: string[] = [];
    if (after.method !== before.method || after.path !== before.path) {
      breaches.push(`${id}: ${before.method} ${before.path} has become ${after.method} ${after.path}`);
    }
    if (strictness[after.auth] > strictness[before.auth])
      breaches.push(`${id}: it asks for a sign-in more than before`);
    if (after.status !== before.status)
      breaches.push(`${id}: it answers ${after.status} and no longer ${before.status}`);
    if (!before.body && after.body) breaches.push(`${id}: it asks for a body now`);
    for (const part of ["params", "query", "body"] as const) {
      breaches.push(...inputBreaches(before[part] ?? {}, after[part] ?? {}, `${id}: ${part}`));
    }
    breaches.push(...answerBreaches(before.answer ?? {}, after.answer ?? {}, `${id}: answer`));
    return breaches;
  });
}

/** Compares inputs: the new version must accept every input of an old caller. */
function inputBreaches(before: Schema, after: Schema, at: string): string[] {
  const required_before = before.required ?? [];
  const added = (after.required ?? []).filter((name) => !required_before.includes(name));
  return [
    ...added.map((name) => `${at}.${name} is required now`),
    ...commonBreaches(before, after, at, inputBreaches),
    ...findLostTypes(before, after).map((type) => `${at}: ${type} is no longer taken`),
    ...Object.entries({ maxLength: 1, maximum: 1, maxItems: 1, minLength: -1, minimum: -1, minItems: -1 }).flatMap(
      ([bound, sign]) => {
        const [was, is] = [before[bound], after[bound]];
        const is_tighter = typeof is === "number" && (typeof was !== "number" || is * sign < was * sign);
        return is_tighter && before.type !== undefined ? [`${at}: ${bound} is ${is} now`] : [];
      },
    ),
  ];
}

/** Compares answers: every field and value that an old caller reads must still exist. */
function answerBreaches(before: Schema, after: Schema, at: string): string[] {
  const missing = (before.required ?? []).filter(
    (name) => after.properties?.[name] && !(after.required ?? []).includes(name),
  );
  return [
    ...missing.map((name) => `${at}.${name} may be missing now`),
    ...commonBreaches(before, after, at, answerBreaches),
    ...findLostTypes(after, before).map((type) => `${at}: it may be ${type} now`),
  ];
}

/** Applies the rule for both inputs and answers: no field, variant or named value may disappear. */
function commonBreaches(before: Schema, after: Schema, at: string, inner: typeof inputBreaches): string[] {
  const [variants, candidates] = [before, after].map(({ anyOf, oneOf }) => anyOf ?? oneOf);
  if (variants || candidates) {
    const lost = (variants ?? [before]).filter(
      (variant) => !(candidates ?? [after]).some((each) => inner(variant, each, at).length === 0),
    );
    return lost.map((variant) => `${at}: ${JSON.stringify(variant).slice(0, 80)} is gone or changed`);
  }
  const [named_before, named_after] = [valuesOf(before), valuesOf(after)];
  const gone = named_after ? (named_before ?? ["any other value"]).filter((value) => !named_after.includes(value)) : [];
  return [
    ...gone.map((value) => `${at}: ${value} is no longer one of the values`),
    ...Object.entries(before.properties ?? {}).flatMap(([name, property]) => {
      const now = after.properties?.[name];
      return now ? inner(property, now, `${at}.${name}`) : [`${at}.${name} is gone`];
    }),
    ...(before.items ? inner(before.items, after.items ?? {}, `${at}[]`) : []),
  ];
}

/** Returns the types that `one` allows and `other` does not. */
function findLostTypes(one: Schema, other: Schema): string[] {
  const typesOf = ({ type, anyOf, oneOf }: Schema): string[] =>
    (anyOf ?? oneOf)?.flatMap(typesOf) ?? (type === undefined ? [] : [type].flat());
  return typesOf(one).filter((type) => !typesOf(other).includes(type));
}

function valuesOf({ enum: values, const: value }: Schema): unknown[] | null {
  return values ?? (value === undefined ? null : [value]);
}

if (import.meta.main) {
  try {
    refuseArguments("contract:release   write the present contract into deploy/released-contract.jsonl");
    const breaches = contractBreaches(readReleasedContract() ?? {}, currentContract());
    for (const breach of breaches) console.warn(`not additive  ${breach}`);
    console.log(releaseContract() ? "deploy/released-contract.jsonl is new: commit it." : "Nothing has changed.");
  } catch (error) {
    reportFailure("deploy/released-contract.jsonl", error);
  }
}
