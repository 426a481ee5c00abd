import { type RawBuilder, sql } from "kysely";
import type { RequestContext } from "../http/request-context.ts";
import type { Precondition } from "./commit.ts";
import type { Database, Tables } from "./database.ts";

/** A person who deletes their account. */
export interface Leaver {
  user_id: string;
  identity_id: string;
}

/** The statements that a domain adds to the batch that deletes an account. */
export interface Departure {
  preconditions?: Precondition[];
  statements?: RawBuilder<unknown>[];
}

/** Deletes a leaver's rows of one table, a limited number at a time. */
export interface Erasure {
  table: keyof Tables;
  /**
   * SQL for WHERE: the rows that must be gone at the end. Another round follows while there are any. Absent when
   * another erasure of the same table has this condition.
   */
  rows?: (leaver: Leaver) => RawBuilder<unknown>;
  /** Returns the statement of one round. `limit` is the LIMIT clause. */
  erase(leaver: Leaver, limit: RawBuilder<unknown>): RawBuilder<unknown>;
}

/**
 * Returns the usual erasure, which deletes rows by their primary key.
 *
 * @param isDeletable SQL: whether no other row depends on this one any more. Deleting a row must not delete thousands
 * of others.
 */
export function deleteByKey(
  table: keyof Tables,
  key: readonly string[],
  rows: NonNullable<Erasure["rows"]>,
  isDeletable: (leaver: Leaver) => RawBuilder<unknown> = () => sql`TRUE`,
): Erasure {
  const keys = sql.join(key.map((column) => sql.ref(column)));
  return {
    table,
    rows,
    erase: (leaver, limit) => sql`DELETE FROM ${sql.table(table)} WHERE (${keys}) IN (
      SELECT ${keys} FROM ${sql.table(table)} WHERE ${rows(leaver)} AND ${isDeletable(leaver)} ${limit})`,
  };
}

/** SQL: whether a column names the leaver. */
export const whereLeaver =
  (column: string) =>
  ({ user_id }: Leaver): RawBuilder<unknown> =>
    sql`${sql.ref(column)} = ${user_id}`;

export type ExportItem = Record<string, unknown>;

/** One part of a person's data export, read page by page. */
export interface ExportPages {
  /**
   * Selects a page of an export: for each row the key to continue after, and the item as JSON. Ends with the LIMIT
   * clause `limit`.
   */
  select(user_id: string, after: string | undefined, limit: RawBuilder<unknown>): RawBuilder<ExportRow>;
  /** How many items a page of the export has. Set it when items are larger than usual. */
  page_size?: number;
  /** Adds to an exported item what the database does not contain. */
  complete?(context: RequestContext, item: ExportItem): Promise<ExportItem>;
}

export interface ExportRow {
  key: string;
  /** The exported item as JSON. */
  item: string;
}

/** Adds fields to the `profile` part of a data export, which is one item. */
export type ExportProfile = (user_id: string) => RawBuilder<{ item: string }>;

/** SQL for a list in the `profile` part of a data export: the person's rows of a table, as JSON. */
export const ownList = (
  database_table: keyof Tables,
  user_id: string,
  item: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`(SELECT json_group_array(${item}) FROM ${sql.table(database_table)} WHERE user_id = ${user_id})`;

/** SQL for a person as the items of a data export show them. */
export const exportedPerson = (column: string): RawBuilder<unknown> =>
  sql`(SELECT json_object('link_id', link_id, 'name', name) FROM users WHERE users.user_id = ${sql.ref(column)})`;

/** Splits a key of two columns. Timestamps and ids contain no blank. */
export function splitKey(after: string | undefined): [string, string] {
  const [first = "", second = ""] = (after ?? "").split(" ");
  return [first, second];
}

/** SQL: whether a row comes after a key of timestamp and id, in a list that begins with the oldest row. */
export function isAfter(moment: string, id: string, after: string | undefined): RawBuilder<unknown> {
  const [at, last] = splitKey(after);
  return sql`(${sql.ref(moment)}, ${sql.ref(id)}) > (${at}, ${last})`;
}

/** SQL: whether a row comes after a key of timestamp and id, in a list that begins with the newest row. */
export function isAfterNewestFirst(moment: string, id: string, after: string | undefined): RawBuilder<unknown> {
  if (after === undefined) return sql`TRUE`;
  const [at, last] = splitKey(after);
  return sql`${sql.ref(moment)} <= ${at} AND NOT (${sql.ref(moment)} = ${at} AND ${sql.ref(id)} <= ${last})`;
}

/** Whether rows are left for another round to erase. */
export async function hasRowsToErase(
  database: Database,
  erasures: readonly Erasure[],
  leaver: Leaver,
): Promise<boolean> {
  const found = erasures.flatMap(({ table, rows }) =>
    rows ? [sql`EXISTS (SELECT 1 FROM ${sql.table(table)} WHERE ${rows(leaver)})`] : [],
  );
  const { rows } = await sql<{ found: number }>`SELECT ${sql.join(found, sql` OR `)} AS found`.execute(database);
  return rows[0]?.found === 1;
}
