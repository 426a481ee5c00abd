import { sql } from "kysely";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import type { RequestContext } from "../http/request-context.ts";
import { loadUserSummaries, summaryOf } from "../users/queries.ts";

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
