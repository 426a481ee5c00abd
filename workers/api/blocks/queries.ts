import { type RawBuilder, sql } from "kysely";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { type RequestContext, viewerId } from "../http/request-context.ts";
import type { Precondition } from "../storage/commit.ts";
import { readUser, userJson } from "../users/queries.ts";

/** Lists the people whom a person has blocked, latest block first. */
export async function listBlocks(context: RequestContext, blocker_id: string, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const fetched = await context.database
    .selectFrom("blocks")
    .select(["blocks.blocking_id", "blocks.created_at", userJson("blocks.blocking_id").as("person")])
    .where("blocker_id", "=", blocker_id)
    .orderBy("blocks.created_at", "desc")
    .orderBy("blocking_id")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { blocks: rows.map(({ person, ...row }) => ({ ...row, user: readUser(person) })), ...closing };
}

/**
 * SQL: whether neither person has blocked the other. True when either is null.
 *
 * @param one an id, or SQL for one.
 */
export function isNotBlocked(one: string | null | RawBuilder<unknown>, other: typeof one): RawBuilder<boolean> {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM blocks
    WHERE (blocker_id = ${one} AND blocking_id = ${other}) OR (blocker_id = ${other} AND blocking_id = ${one}))`;
}

/**
 * The precondition that neither person has blocked the other. Every follow, comment, like, letter and subscription
 * checks it in its batch. Source: decisions, "Block".
 */
export function requireNotBlocked(one: string, other: string): Precondition {
  return { code: "blocked", holds: isNotBlocked(one, other) };
}

/** SQL: whether the caller has not blocked the writer of a row. */
export function isNotByBlockedUser(context: RequestContext, writer_column: string): RawBuilder<boolean> {
  const viewer = viewerId(context);
  if (viewer === null) return sql<boolean>`1`;
  return sql<boolean>`${sql.ref(writer_column)} NOT IN (SELECT blocking_id FROM blocks WHERE blocker_id = ${viewer})`;
}

/**
 * SQL: as {@link isNotByBlockedUser}, but true for the person whose page has the row. Others still read what a blocked
 * person wrote there, and only the owner can delete it.
 */
export function isNotByBlockedGuest(
  context: RequestContext,
  writer_column: string,
  owner: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql<boolean>`(${owner} = ${viewerId(context)} OR ${isNotByBlockedUser(context, writer_column)})`;
}

/**
 * SQL: whether the caller has not reported the comment or letter in `id_column`. Reporters no longer see what they
 * reported. NOT EXISTS reads fewer rows than NOT IN where a list ends at its limit.
 */
export function isNotReported(
  context: RequestContext,
  subject_type: "event_comment" | "ofuse" | "radio_comment",
  id_column: string,
): RawBuilder<boolean> {
  const viewer = viewerId(context);
  if (viewer === null) return sql<boolean>`1`;
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM reports
    WHERE reporter_user_id = ${viewer} AND subject_type = ${subject_type} AND subject_id = ${sql.ref(id_column)})`;
}
