import type { Kind } from "../storage/ids.ts";
import type { ListQuery, Unit } from "../storage/unit.ts";

/** Returns the answer of a list call: one page of documents. */
export async function answerList<K extends Kind>(unit: Unit, kind: K, url: string, query: ListQuery) {
  const { data, has_more } = await unit.list(kind, query);
  return { object: "list" as const, data: data.map(({ body }) => body), has_more, url };
}

/** Returns a list that is part of another object. */
export function listOf<T>(data: T[], url: string) {
  return { object: "list" as const, data, has_more: false, url };
}
