import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import type { RequestContext } from "../http/request-context.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { loadUserSummaries, readUser, summaryOf, userJson } from "../users/queries.ts";

type Filter = "all" | "active" | "passive";
interface Row {
  following_id: string;
  other_id: string;
  direction: "active" | "passive";
  receives_notifications: number;
  created_at: string;
}

/**
 * Lists the caller's relationships with enabled accounts, latest first: people whom the caller follows (`active`),
 * people who follow the caller (`passive`), or both.
 */
export async function listRelationships(
  context: RequestContext,
  user_id: string,
  { filter, ...page }: Page & { filter: Filter },
) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const active = sql`SELECT following_id, following_id AS other_id, 'active' AS direction, receives_notifications, created_at
    FROM relationships WHERE follower_id = ${user_id} AND ${isUserEnabled("relationships.following_id")}`;
  const passive = sql`SELECT following_id, follower_id AS other_id, 'passive' AS direction, receives_notifications, created_at
    FROM relationships WHERE following_id = ${user_id} AND ${isUserEnabled("relationships.follower_id")}`;
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
 * Lists the caller's followers, latest first: all of them, or those who pay for one of the caller's plans. The query
 * picks the subscribers while it reads the index of followers. That takes 8 ms for 100,000 followers, and sorting the
 * subscribers instead takes as long for 7,000.
 */
export async function listFollowers(
  context: RequestContext,
  user_id: string,
  { filter, ...page }: Page & { filter: "all" | "subscribing" },
) {
  const { limit, offset, page_size } = rowsOf(page, false);
  let query = context.database
    .selectFrom("relationships")
    .select(["relationships.created_at", userJson("relationships.follower_id").as("person")])
    .where("following_id", "=", user_id)
    .where(isUserEnabled("relationships.follower_id"))
    .orderBy("relationships.created_at", "desc")
    .orderBy("follower_id")
    .limit(limit)
    .offset(offset);
  if (filter === "subscribing") {
    query = query.where(
      sql<boolean>`follower_id IN (
        SELECT s.user_id FROM memberships m JOIN subscriptions s ON s.membership_id = m.membership_id
        WHERE m.user_id = ${user_id} AND s.paid_until > ${isoTime(context.now_ms)})`,
    );
  }
  const { rows, closing } = pageOf(await query.execute(), page.page_number, page_size);
  return { followers: rows.map(({ person, created_at }) => ({ user: readUser(person), created_at })), ...closing };
}
