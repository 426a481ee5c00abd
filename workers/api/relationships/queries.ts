import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import type { RequestContext } from "../http/request-context.ts";
import { loadUserSummaries, readUser, summaryOf, userJson } from "../users/queries.ts";

type Filter = "all" | "active" | "passive";
interface Row {
  following_id: string;
  other_id: string;
  direction: "active" | "passive";
  receives_notifications: number;
  created_at: string;
}

/** The caller's relations, latest first: those they follow (`active`), those who follow them (`passive`), or both. */
export async function listRelationships(
  context: RequestContext,
  user_id: string,
  { filter, ...page }: Page & { filter: Filter },
) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const active = sql`SELECT following_id, following_id AS other_id, 'active' AS direction, receives_notifications, created_at
    FROM relationships WHERE follower_id = ${user_id}`;
  const passive = sql`SELECT following_id, follower_id AS other_id, 'passive' AS direction, receives_notifications, created_at
    FROM relationships WHERE following_id = ${user_id}`;
  const source = { active, passive, all: sql`${active} UNION ALL ${passive}` }[filter];
  const fetched = await sql<Row>`${source} ORDER BY created_at DESC, other_id LIMIT ${limit} OFFSET ${offset}`.execute(
    context.database,
  );
  const { rows, closing } = pageOf(fetched.rows, page.page_number, page_size);
  const users = await loadUserSummaries(
    context,
    rows.map((row) => row.other_id),
  );
  const relationships = rows.map(({ following_id, other_id, direction, receives_notifications, created_at }) => ({
    following_id,
    user: summaryOf(users, other_id),
    direction,
    receives_notifications: receives_notifications === 1,
    created_at,
  }));
  return { relationships, ...closing };
}

/**
 * Who follows the caller, latest first: all of them, or those who pay for one of the caller's plans. The latter are
 * found from the plans: of a star's followers few have joined, and all would have to be looked at.
 */
export async function listFollowers(
  context: RequestContext,
  user_id: string,
  { filter, ...page }: Page & { filter: "all" | "subscribing" },
) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const joined = sql`(SELECT DISTINCT s.user_id FROM memberships m JOIN subscriptions s ON s.membership_id = m.membership_id
    WHERE m.user_id = ${user_id} AND s.paid_until > ${isoTime(context.now_ms)}) AS joined
    CROSS JOIN relationships ON follower_id = joined.user_id`;
  const fetched = await sql<{ created_at: string; person: string }>`
    SELECT relationships.created_at, ${userJson("follower_id")} AS person
    FROM ${{ all: sql`relationships`, subscribing: joined }[filter]}
    WHERE following_id = ${user_id} ORDER BY relationships.created_at DESC, follower_id
    LIMIT ${limit} OFFSET ${offset}`.execute(context.database);
  const { rows, closing } = pageOf(fetched.rows, page.page_number, page_size);
  return { followers: rows.map(({ person, created_at }) => ({ user: readUser(person), created_at })), ...closing };
}
