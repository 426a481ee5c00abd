import * as z from "zod";
import { invalidRequest } from "./errors.ts";

/** The schemas of parameters. A form knows only texts, so each schema reads a text. */

export const text = z.string().min(1).max(5_000);
/** A text, or an empty one, which unsets the field. */
export const emptyable = z
  .string()
  .max(5_000)
  .transform((value) => (value === "" ? null : value));
export const integer = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number);
/** An amount of yen, which has no minor unit. Stripe's own bounds are ¥50 and ¥99,999,999. */
export const amount = integer.refine((yen) => yen >= 1 && yen <= 99_999_999);
/** A moment in seconds since the epoch. */
export const moment = integer.refine((seconds) => seconds > 0);
export const bool = z.enum(["true", "false"]).transform((value) => value === "true");
export const jpy = z.literal("jpy");

/** At most 50 keys, as at Stripe. An empty value unsets its key; an empty text unsets all. */
export const metadata = z
  .union([z.literal("").transform(() => null), z.record(z.string().min(1).max(40), z.string().max(500))])
  .refine((values) => values === null || Object.keys(values).length <= 50);
export type MetadataParam = z.infer<typeof metadata>;

/** Applies a metadata parameter to an object's metadata. */
export function mergeMetadata(old: Record<string, string>, param: MetadataParam | undefined): Record<string, string> {
  if (param === undefined) return old;
  if (param === null) return {};
  return Object.fromEntries(Object.entries({ ...old, ...param }).filter(([, value]) => value !== ""));
}

/** A hash, which may be empty: an empty text unsets it. */
export const address = z.strictObject({
  city: text.optional(),
  country: text.optional(),
  line1: text.optional(),
  line2: text.optional(),
  postal_code: text.optional(),
  state: text.optional(),
  town: text.optional(),
});

/** The parameters that every list takes. */
export const listing = {
  limit: integer.refine((limit) => limit >= 1 && limit <= 100).default(10),
  starting_after: text.optional(),
  ending_before: text.optional(),
};
/** A range of moments, as lists filter by `created`. */
export const range = z.union([
  moment.transform((exact) => ({ gte: exact, lte: exact })),
  z.strictObject({ gt: moment, gte: moment, lt: moment, lte: moment }).partial(),
]);

/**
 * Checks the parameters of a call. Every call also takes `expand`.
 *
 * @throws GatewayError with Stripe's code for an unknown, missing or invalid parameter, and its name.
 */
export function checkParams<Shape extends z.ZodRawShape>(shape: Shape, params: object): z.infer<z.ZodObject<Shape>> {
  const result = z.strictObject(shape).safeParse(params);
  if (result.success) return result.data as z.infer<z.ZodObject<Shape>>;
  const [issue] = result.error.issues;
  throw refusalOf(issue as z.core.$ZodIssue, params);
}

function refusalOf(issue: z.core.$ZodIssue, params: object) {
  if (issue.code === "unrecognized_keys") {
    const param = nameOf([...issue.path, issue.keys[0] ?? ""]);
    return invalidRequest(`Received unknown parameter: ${param}`, { code: "parameter_unknown", param });
  }
  if (issue.code === "invalid_union") {
    // The alternative that got furthest says best what is wrong.
    const deepest = issue.errors.flat().sort((one, other) => other.path.length - one.path.length)[0];
    if (deepest && deepest.path.length > 0) {
      return refusalOf({ ...deepest, path: [...issue.path, ...deepest.path] } as z.core.$ZodIssue, params);
    }
  }
  const param = nameOf(issue.path);
  if (valueAt(params, issue.path) === undefined) {
    return invalidRequest(`Missing required param: ${param}.`, { code: "parameter_missing", param });
  }
  if (issue.code === "invalid_format") {
    return invalidRequest(`Invalid integer: ${param}`, { code: "parameter_invalid_integer", param });
  }
  return invalidRequest(`Invalid ${param}`, { code: "parameter_invalid", param });
}

/** Returns a parameter's name as a form writes it: `items[0][price]`. */
function nameOf([root, ...path]: readonly PropertyKey[]): string {
  return String(root) + path.map((key) => `[${String(key)}]`).join("");
}

function valueAt(params: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], params);
}
