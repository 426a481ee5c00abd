import { invalidRequest } from "./errors.ts";

/** The values of a decoded form: texts, nested objects and arrays. */
export type FormValue = string | FormValue[] | { [name: string]: FormValue };
export type FormObject = { [name: string]: FormValue };

/** More than any call of Stripe's needs that we answer. */
export const FORM_BYTES = 256 * 1024;
const MAX_FIELDS = 1_000;
const MAX_DEPTH = 8;
const MAX_INDEX = 200;

const NAME = /^([^[\]]{1,100})((?:\[[^[\]]{0,100}\])*)$/;
/** Names that would reach into an object's prototype. */
const UNSAFE = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Decodes a form with bracket nesting: `items[0][price]=p` becomes `{items: [{price: "p"}]}`, and `expand[]=a` becomes
 * `{expand: ["a"]}`.
 *
 * @throws GatewayError for a malformed name, and for more fields or deeper nesting than any call needs.
 */
export function decodeForm(text: string): FormObject {
  const form: FormObject = {};
  let fields = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    if (++fields > MAX_FIELDS) throw invalidRequest("Invalid request: too many parameters.");
    const [, root = "", brackets = ""] = NAME.exec(name) ?? [];
    const path = [root, ...[...brackets.matchAll(/\[([^[\]]*)\]/g)].map(([, key = ""]) => key)];
    if (root === "" || path.length > MAX_DEPTH || path.some((key) => UNSAFE.has(key))) {
      throw invalidRequest(`Invalid parameter name: ${name.slice(0, 100)}`);
    }
    place(form, path, value);
  }
  return arraysOf(form) as FormObject;
}

/** Marks an object whose keys are the indexes of an array, until {@link arraysOf} makes it one. */
type Building = Record<string, FormValue>;

function place(target: Building, [key = "", ...rest]: string[], value: string): void {
  const name = key === "" ? String(Object.keys(target).length) : key;
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = target[name];
  if (typeof inner === "string") throw invalidRequest(`Invalid parameter: ${name} is both a value and a hash`);
  const next: Building = (inner as Building | undefined) ?? {};
  target[name] = next;
  place(next, rest, value);
}

/** Turns every object whose keys are 0, 1, 2 ... into an array. */
function arraysOf(value: FormValue): FormValue {
  if (typeof value === "string" || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  const is_array =
    entries.length > 0 && entries.length <= MAX_INDEX && entries.every(([key], index) => key === String(index));
  return is_array
    ? entries.map(([, inner]) => arraysOf(inner))
    : Object.fromEntries(entries.map(([key, inner]) => [key, arraysOf(inner)]));
}
