import { kindOf } from "../storage/ids.ts";
import type { Unit } from "../storage/unit.ts";
import { invalidRequest } from "./errors.ts";

const MAX_PATHS = 20;
const MAX_STEPS = 6;

/** What an answer holds only when it is expanded, by kind and field. */
type Includable = (unit: Unit, id: string) => Promise<unknown>;

/**
 * Replaces ids in an answer by their objects, as `expand[]` asks: `["customer", "data.payment_intent.latest_charge"]`.
 *
 * @param includable reads the fields that an answer holds only when expanded, named `kind.field`.
 * @throws GatewayError for a path that leads to no id.
 */
export async function expandAnswer(
  unit: Unit,
  answer: unknown,
  paths: readonly string[],
  includable: Readonly<Record<string, Includable>>,
): Promise<unknown> {
  if (paths.length > MAX_PATHS) throw invalidRequest("Too many properties to expand.");
  const copy: unknown = structuredClone(answer);
  for (const path of paths) {
    const steps = path.split(".");
    if (steps.length > MAX_STEPS) throw refuse(path);
    const is_found = await expandPath(unit, copy, steps, includable);
    if (!is_found) throw refuse(path);
  }
  return copy;
}

const refuse = (path: string) =>
  invalidRequest(`This property cannot be expanded (${path}).`, { code: "property_unexpandable", param: "expand" });

/** Returns whether the path leads to something that can be expanded. An empty list or null proves nothing. */
async function expandPath(
  unit: Unit,
  holder: unknown,
  [field = "", ...rest]: string[],
  includable: Readonly<Record<string, Includable>>,
): Promise<boolean> {
  if (Array.isArray(holder)) {
    const found = await Promise.all(holder.map((each) => expandPath(unit, each, [field, ...rest], includable)));
    return found.every(Boolean);
  }
  if (typeof holder !== "object" || holder === null) return false;
  const fields = holder as Record<string, unknown>;
  const include = includable[`${String(fields.object)}.${field}`];
  if (include) fields[field] = await include(unit, String(fields.id));
  else if (!Object.hasOwn(fields, field)) return false;
  const value = fields[field];
  if (value === null || value === undefined) return true;
  if (typeof value === "string") {
    const kind = kindOf(value);
    const found = kind && ((await unit.find(kind, value)) ?? (await unit.find(kind, value, "")));
    if (!found) return false;
    fields[field] = structuredClone(found.body);
  }
  if (rest.length === 0) return typeof value === "string" || include !== undefined || typeof value === "object";
  return expandPath(unit, fields[field], rest, includable);
}
