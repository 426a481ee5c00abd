import { type RawBuilder, sql } from "kysely";

/** Conditions of lists, for `ListQuery.where`. */

/** Whether a field of the document has the value. A filter without a value filters nothing. */
export function whereField(field: string, value: string | number | null | undefined): RawBuilder<unknown>[] {
  return value === undefined || value === null ? [] : [sql`body ->> ${sql.lit(`$.${field}`)} = ${value}`];
}

/** Whether a field of the document has one of the values. */
export function whereOneOf(field: string, values: readonly string[]): RawBuilder<unknown>[] {
  return [sql`body ->> ${sql.lit(`$.${field}`)} IN (${sql.join(values)})`];
}

/** Whether a flag of the document has the value. */
export function whereFlag(field: string, value: boolean | undefined): RawBuilder<unknown>[] {
  return value === undefined ? [] : whereField(field, value ? 1 : 0);
}

type Range = { gt?: number | undefined; gte?: number | undefined; lt?: number | undefined; lte?: number | undefined };
const operators = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` };

/** Whether a moment of the document lies within the range. */
export function whereRange(field: string, range: Range | undefined): RawBuilder<unknown>[] {
  return (Object.keys(operators) as (keyof Range)[]).flatMap((name) =>
    range?.[name] === undefined ? [] : [sql`body ->> ${sql.lit(`$.${field}`)} ${operators[name]} ${range[name]}`],
  );
}
