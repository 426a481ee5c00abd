import { type RawBuilder, sql } from "kysely";
import type { User } from "../../contract/users.ts";
import { pageOf, rowsOf } from "../http/pagination.ts";
import { type RequestContext, viewerId } from "../http/request-context.ts";
import { findCreators } from "../users/queries.ts";
import { questionsOf, type Sought } from "./rules.ts";

/** Nobody reads on so far, and what lies behind a page is walked for it. */
const MAX_FOUND = 1000;

/**
 * A page of the creators sought, in the order of the contract. Who they are the index says; whether they are to be shown,
 * and what of them, the product's database: somebody who was just disabled may be missing from a page that has a next one.
 */
export async function searchUsers(
  context: RequestContext,
  { limit: page_size, page_number, ...sought }: Sought & { limit: number; page_number: number },
): Promise<{ users: User[]; page_number: number; page_size: number; has_next: boolean }> {
  const wanted = rowsOf({ page_number, page_size }, viewerId(context) === null);
  const limit = Math.max(0, Math.min(wanted.limit, MAX_FOUND - wanted.offset));
  const found = limit === 0 ? [] : await listFound(context, sought, limit, wanted.offset);
  const { rows, closing } = pageOf(found, page_number, wanted.page_size);
  return { users: await findCreators(context, rows), ...closing };
}

async function listFound({ search }: RequestContext, sought: Sought, limit: number, offset: number): Promise<string[]> {
  const questions = questionsOf(sought);
  if (questions === "nobody") return [];
  if (questions === "everybody") {
    const popular = await search.read
      .selectFrom("creators")
      .select("user_id")
      .orderBy("place")
      .limit(limit)
      .offset(offset)
      .execute();
    return popular.map(({ user_id }) => user_id);
  }
  // Each question is walked in the order of popularity and left when it has given as many as could be shown.
  const tiers = questions.map(
    (question, tier): RawBuilder<unknown> => sql`SELECT * FROM (
      SELECT rowid AS place, ${sql.lit(tier)} AS tier FROM creator_grams WHERE creator_grams MATCH ${question}
      ORDER BY rowid LIMIT ${offset + limit})`,
  );
  const { rows } = await sql<{ user_id: string }>`
    SELECT (SELECT user_id FROM creators WHERE creators.place = found.place) AS user_id
    FROM (${sql.join(tiers, sql` UNION ALL `)}) AS found
    GROUP BY place ORDER BY MIN(tier), place LIMIT ${limit} OFFSET ${offset}`.execute(search.read);
  return rows.map(({ user_id }) => user_id);
}
