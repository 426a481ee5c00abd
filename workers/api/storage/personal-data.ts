import { type RawBuilder, sql } from "kysely";
import type { RequestContext } from "../http/request-context.ts";
import type { Precondition } from "./commit.ts";
import type { Database, Tables } from "./database.ts";

/** Somebody who leaves the product. */
export interface Leaver {
  user_id: string;
  identity_id: string;
}

/** What happens in the batch in which somebody leaves. */
export interface Departure {
  preconditions?: Precondition[];
  statements?: RawBuilder<unknown>[];
}

/** The leaver's rows of one table, deleted some at a time. */
export interface Erasure {
  table: keyof Tables;
  /**
   * SQL behind WHERE: the rows that must be gone at the end. Absent where another erasure of the table has them. While there
   * are any, the next round follows.
   */
  rows?: (leaver: Leaver) => RawBuilder<unknown>;
  /** The statement of one round. `limit` is the LIMIT clause. */
  erase(leaver: Leaver, limit: RawBuilder<unknown>): RawBuilder<unknown>;
}

/**
 * The usual erasure: deletes rows by their primary key.
 *
 * @param isFree SQL: nothing else depends on the row any more. A row must not drag thousands of others along.
 */
export function deletion(
  table: keyof Tables,
  key: readonly string[],
  rows: NonNullable<Erasure["rows"]>,
  isFree: (leaver: Leaver) => RawBuilder<unknown> = () => sql`TRUE`,
): Erasure {
  const keys = sql.join(key.map((column) => sql.ref(column)));
  return {
    table,
    rows,
    erase: (leaver, limit) => sql`DELETE FROM ${sql.table(table)} WHERE (${keys}) IN (
      SELECT ${keys} FROM ${sql.table(table)} WHERE ${rows(leaver)} AND ${isFree(leaver)} ${limit})`,
  };
}

/** The rows in which a column names the leaver. */
export const whereLeaver =
  (column: string) =>
  ({ user_id }: Leaver): RawBuilder<unknown> =>
    sql`${sql.ref(column)} = ${user_id}`;

export type ExportItem = Record<string, unknown>;

/** One part of a person's copy of their data, read a page at a time. */
export interface ExportPages {
  /** A page: for each row the key to continue after, and the item as JSON. Ends with LIMIT `limit`. */
  select(user_id: string, after: string | undefined, limit: RawBuilder<unknown>): RawBuilder<ExportRow>;
  /** Items in a page, where they are larger than usual. */
  page_size?: number;
  /** Adds what is not in the database to an item. */
  complete?(context: RequestContext, item: ExportItem): Promise<ExportItem>;
}

export interface ExportRow {
  key: string;
  /** JSON. */
  item: string;
}

/** Adds fields to the part `profile`, which is one item. */
export type ExportProfile = (user_id: string) => RawBuilder<{ item: string }>;

/** A list in the part `profile`: JSON of all rows of a table that are the person's. */
export const ownList = (
  database_table: keyof Tables,
  user_id: string,
  item: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`(SELECT json_group_array(${item}) FROM ${sql.table(database_table)} WHERE user_id = ${user_id})`;

/** A person as items name them. */
export const exportedPerson = (column: string): RawBuilder<unknown> =>
  sql`(SELECT json_object('link_id', link_id, 'name', name) FROM users WHERE users.user_id = ${sql.ref(column)})`;

/** Splits a key of two columns. Neither a moment nor an id contains a blank. */
export function splitKey(after: string | undefined): [string, string] {
  const [first = "", second = ""] = (after ?? "").split(" ");
  return [first, second];
}

/** SQL: the rows behind a key of a moment and an id, oldest first. */
export function isAfter(moment: string, id: string, after: string | undefined): RawBuilder<unknown> {
  const [at, last] = splitKey(after);
  return sql`(${sql.ref(moment)}, ${sql.ref(id)}) > (${at}, ${last})`;
}

/** SQL: the rows behind such a key in an index that is walked newest first. */
export function isAfterNewestFirst(moment: string, id: string, after: string | undefined): RawBuilder<unknown> {
  if (after === undefined) return sql`TRUE`;
  const [at, last] = splitKey(after);
  return sql`${sql.ref(moment)} <= ${at} AND NOT (${sql.ref(moment)} = ${at} AND ${sql.ref(id)} <= ${last})`;
}

/** Whether rows are left that one more round would erase. */
export async function hasErasable(database: Database, erasures: readonly Erasure[], leaver: Leaver): Promise<boolean> {
  const found = erasures.flatMap(({ table, rows }) =>
    rows ? [sql`EXISTS (SELECT 1 FROM ${sql.table(table)} WHERE ${rows(leaver)})`] : [],
  );
  const { rows } = await sql<{ found: number }>`SELECT ${sql.join(found, sql` OR `)} AS found`.execute(database);
  return rows[0]?.found === 1;
}
