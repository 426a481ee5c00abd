import type * as z from "zod";
import type { Unit } from "../storage/unit.ts";
import { checkParams } from "../wire/params.ts";

/** What a handler gets: the unit of the change, the checked parameters, and the ids of the path, `id` first. */
export interface Call<Params> {
  unit: Unit;
  params: Params;
  id: string;
  ids: Record<string, string>;
}

/** One call of the API. `path` is in Hono's syntax. */
export interface Endpoint {
  method: "GET" | "POST" | "DELETE";
  path: string;
  handle(unit: Unit, ids: Record<string, string>, params: object): Promise<unknown>;
}

/** Declares a call. Its parameters are checked against `shape` before `handle` runs. */
export function endpoint<Shape extends z.ZodRawShape>(
  method: Endpoint["method"],
  path: string,
  shape: Shape,
  handle: (call: Call<z.infer<z.ZodObject<Shape>>>) => Promise<unknown>,
): Endpoint {
  return {
    method,
    path,
    handle: async (unit, ids, params) => handle({ unit, ids, id: ids.id ?? "", params: checkParams(shape, params) }),
  };
}
