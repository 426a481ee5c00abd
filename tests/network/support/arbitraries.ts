/** Generates input of the contract's operations from their schemas, valid and invalid. */
import fc from "fast-check";
import * as z from "zod";
import type { Operation } from "../../../workers/contract/operation.ts";
import { codePoints } from "../../support/code-points.ts";

/** Existing ids, by the name of the field that holds them. Generated input sometimes uses them. */
export type Known = Readonly<Record<string, readonly string[]>>;

/** JSON nested deeper is refused before any schema sees it. Written by hand, not read from the code. */
export const MAX_JSON_DEPTH = 32;

/** One input as sent. `text` replaces the JSON of `body`. */
export interface Input {
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  body?: unknown;
  text?: string;
}

/** Checks for which the generator makes values, or leaves invalid values to the schema to filter out. */
const KNOWN_CHECKS = ["min_length", "max_length", "number_format", "greater_than", "less_than", "overwrite", "custom"];
const PATTERN_FORMATS = ["regex", "date", "datetime"];
const KNOWN_FORMATS = [...PATTERN_FORMATS, "starts_with", "url"];
const MAX_REFUSED = 1000;

/**
 * Generates values that a schema accepts. Throws for a construct or check that the contract has not used so far: add it
 * here.
 */
function valuesOf(schema: z.core.$ZodType, known: Known, name = ""): fc.Arbitrary<unknown> {
  for (const { check, format = "" } of checksOf(schema)) {
    const is_known = check === "string_format" ? KNOWN_FORMATS.includes(format) : KNOWN_CHECKS.includes(check);
    if (!is_known) throw new Error(`no values are drawn yet for the check ${check} ${format} at ${name}`);
  }
  let refused = 0;
  return candidatesOf(schema, known, name).filter((value) => {
    const { success } = z.safeParse(schema, value);
    refused = success ? 0 : refused + 1;
    // Stop: searching for a value that never comes would not end, and nothing could interrupt it.
    if (refused > MAX_REFUSED) throw new Error(`no values are drawn yet that the schema takes at ${name}`);
    return success;
  });
}

/** The properties read here of a check's definition. */
interface Check {
  check: string;
  format?: string;
  pattern?: RegExp;
  prefix?: string;
  value?: number;
}

/** Returns the schema's checks. Some schemas (`z.int()`, `z.email()`) are checks themselves. */
function checksOf(schema: z.core.$ZodType): Check[] {
  const { def } = schema._zod;
  const checks = (def.checks ?? []).map((check) => check._zod.def as Check);
  return "check" in def ? [def as unknown as Check, ...checks] : checks;
}

const hasPattern = (schema: z.core.$ZodType) =>
  checksOf(schema).some(({ format = "" }) => PATTERN_FORMATS.includes(format));

function candidatesOf(schema: z.core.$ZodType, known: Known, name: string): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object": {
      const fields = Object.entries(def.shape).map(([field, each]) => [field, valuesOf(each, known, field)]);
      return fc.record(Object.fromEntries(fields)).map(withoutUndefined);
    }
    case "record":
      return fc.dictionary(valuesOf(def.keyType, known) as fc.Arbitrary<string>, valuesOf(def.valueType, known));
    case "array":
      return fc.array(valuesOf(def.element, known, name), { maxLength: 3 });
    case "optional":
    case "default":
      // Leave out optional fields half of the time: fields that must agree with each other seldom agree when all are present.
      return fc.option(valuesOf(def.innerType, known, name), { nil: undefined, freq: 2 });
    case "nullable":
      return fc.option(valuesOf(def.innerType, known, name), { nil: null, freq: 2 });
    case "union":
      return fc.oneof(...def.options.map((option) => valuesOf(option, known, name)));
    case "pipe":
      // A text that must have a pattern in the end is drawn by it.
      return valuesOf(hasPattern(def.out) ? def.out : def.in, known, name);
    case "enum":
      return fc.constantFrom(...Object.values(def.entries));
    case "literal":
      return fc.constantFrom(...def.values);
    case "boolean":
      return fc.boolean();
    case "number":
      return numbersOf(schema);
    case "string":
      return stringsOf(schema, known, name);
    default:
      throw new Error(`no values are drawn yet for ${def.type} at ${name}`);
  }
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}

function numbersOf(schema: z.core.$ZodType): fc.Arbitrary<number> {
  const bounds = checksOf(schema);
  const minimum = bounds.find(({ check }) => check === "greater_than")?.value;
  const maximum = bounds.find(({ check }) => check === "less_than")?.value;
  if (minimum === undefined || maximum === undefined) throw new Error("a number of the contract has no bounds");
  return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }));
}

function stringsOf(schema: z.core.$ZodType, known: Known, name: string): fc.Arbitrary<string> {
  const checks = checksOf(schema);
  const pattern = checks.find(({ format = "" }) => PATTERN_FORMATS.includes(format))?.pattern;
  const prefix = checks.map((check) => check.prefix ?? "").join("");
  const is_url = checks.some(({ format }) => format === "url");
  const made = is_url
    ? fc.oneof(webUrls, fc.constantFrom(...FILMS))
    : pattern
      ? fc.stringMatching(pattern)
      : texts.map((text) => prefix + text);
  const real = Object.hasOwn(known, name) ? known[name] : undefined;
  // A generated id names nothing; a generated text may be anything.
  return real ? fc.oneof(made, { weight: pattern ? 4 : 1, arbitrary: fc.constantFrom(...real) }) : made;
}

/** Web addresses. fast-check's own lists the characters that {@link codePoints} avoids to list. */
const webUrls = fc
  .tuple(
    fc.constantFrom("http", "https"),
    fc.domain(),
    fc.array(fc.string({ unit: codePoints, maxLength: 10 }).map(encodeURIComponent), { maxLength: 4 }),
  )
  .map(([scheme, domain, path]) => `${scheme}://${domain}/${path.join("/")}`);

/** URLs of videos that pages may embed. */
const FILMS = ["https://youtu.be/dQw4w9WgXcQ", "https://vimeo.com/123456", "https://www.nicovideo.jp/watch/sm9"];

/** Texts that have caused bugs elsewhere. */
const ODD_WORDS = [
  "",
  " ",
  "\u3000\n\t",
  "一行目\r\n\n二行目",
  "ひとつ\tふたつ",
  "null",
  "undefined",
  "NaN",
  "-0",
  "1e999",
  "true",
  "__proto__",
  "constructor",
  "toString",
  "'; DROP TABLE users;--",
  "<script>alert(1)</script>",
  "%00",
  "%s{{7*7}}",
  "\u202eあべこべ\u202c",
  "\u200b\u200d\ufeff",
  "e\u0301\u0301\u0301",
  "👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇯🇵",
  "ｶﾞｷﾞ",
  "\u{10ffff}\ufffe",
];
/** Characters that our texts must not contain. */
const BROKEN_WORDS = ["\ud800", "あ\udfffい", "\u0000", "a\u0000b", "\u001b[31m", "\u0086"];

const repeated = fc
  .tuple(fc.constantFrom("あ", "a", " ", "👩‍👩‍👧‍👦", "e\u0301", "あ\n"), fc.integer({ min: 1, max: 1100 }))
  .map(([unit, times]) => unit.repeat(times));
const oddWords = fc.array(fc.constantFrom(...ODD_WORDS), { minLength: 1, maxLength: 5 });
const texts = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
  { weight: 2, arbitrary: oddWords.map((words) => words.join("")) },
  repeated,
);

/** Generates input that an operation accepts. */
export function inputsOf(operation: Pick<Operation, "params" | "query" | "body">, known: Known): fc.Arbitrary<Input> {
  const { params, query, body } = operation;
  return fc.record({
    params: (params ? valuesOf(params, known) : fc.constant({})) as fc.Arbitrary<Record<string, string>>,
    query: (query ? valuesOf(query, known) : fc.constant({})).map((values) => written(values as object)),
    ...(body && { body: valuesOf(body, known) }),
  });
}

/** Returns values as query parameters. */
function written(values: object): Input["query"] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)]),
  );
}

const oddTexts = fc.oneof(texts, fc.constantFrom(...BROKEN_WORDS), fc.string({ unit: codePoints, maxLength: 20 }));
const oddValues = fc.oneof(
  oddTexts,
  fc.constantFrom<unknown>(null, [], {}, -1, 0, 1.5, 2 ** 53, -(2 ** 63), 1e308, Number.NaN, true, undefined),
  fc.jsonValue({ maxDepth: 4 }),
  // Around MAX_JSON_DEPTH, on both sides, inside the object that holds the value.
  fc.integer({ min: 1, max: 20 }).map((depth) => JSON.parse(`${'{"a":['.repeat(depth)}${"]}".repeat(depth)}`)),
  fc.constant(JSON.parse('{"__proto__":{"is_creator":true},"constructor":{"prototype":{}}}')),
);
const brokenBodies = fc.constantFrom(
  "",
  "{",
  '{"a":}',
  "NaN",
  "undefined",
  "{}{}",
  "\ufeff{}",
  "'a'",
  `${"[".repeat(9999)}${"]".repeat(9999)}`,
  "1e999",
);

/** Cut for the URL: a longer one is refused before it reaches our code. */
const short = (text: string) => text.slice(0, 400);

/** Generates accepted input with one change, which often but not always makes it invalid. */
export function spoiledInputsOf(operation: Operation, known: Known): fc.Arbitrary<Input> {
  const parts = (["params", "query", "body"] as const).filter((part) => part === "query" || operation[part]);
  const changes = fc.record({
    part: fc.constantFrom(...parts),
    how: fc.constantFrom("replace", "replace", "remove", "add", "double", "whole", "broken"),
    at: fc.nat(20),
    name: fc.oneof(fc.constantFrom("__proto__", "user_id", "is_creator", "a[]"), oddTexts).map(short),
    value: oddValues,
    text: oddTexts.map(short),
    broken: brokenBodies,
  });
  return fc.tuple(inputsOf(operation, known), changes).map(([input, change]) => {
    const { part, how, at, name, value, text, broken } = change;
    if (part === "body" && how === "whole") return { ...input, body: value };
    if (part === "body" && how === "broken") return { ...input, text: broken };
    const fields = Object.entries(input[part] as object);
    const taken = fields[at % Math.max(fields.length, 1)];
    const field = !taken || (how === "add" && part !== "params") ? name : taken[0];
    const others = fields.filter(([each]) => each !== field);
    if (part === "params") return { ...input, params: Object.fromEntries([...others, [field, segment(text)]]) };
    if (how === "remove") return { ...input, [part]: Object.fromEntries(others) };
    const doubled = [taken?.[1] ?? text, text].flat();
    const changed = part === "body" ? (how === "double" ? [taken?.[1]] : value) : how === "double" ? doubled : text;
    return { ...input, [part]: Object.fromEntries([...others, [field, changed]]) };
  });
}

/** Encodes a text as one path segment. Dots alone and an empty text would be another path. */
function segment(text: string): string {
  return /^\.{0,2}$/.test(text) ? `x${text}` : text;
}
