import { type RawBuilder, sql } from "kysely";
import type { User } from "../../contract/users.ts";
import { pageOf, rowsOf } from "../http/pagination.ts";
import { type RequestContext, viewerId } from "../http/request-context.ts";
import { findCreators } from "../users/queries.ts";
import { LAST_PLACE, MAX_FOUND, type Question, questionsOf, type SearchTerms } from "./rules.ts";

/**
 * The last Unicode letter. Texts that begin with a prefix sort between the prefix and the prefix with this letter
 * added.
 */
const LAST_LETTER = "\u{10ffff}";

/**
 * Returns a page of the creators found, in the order that the contract defines. The search index says who is found. The
 * product's database says who may be shown and supplies what is shown. A page may therefore lack a creator who was
 * disabled just now, and still have a next page.
 */
export async function searchUsers(
  context: RequestContext,
  { limit: page_size, page_number, ...sought }: SearchTerms & { limit: number; page_number: number },
): Promise<{ users: User[]; page_number: number; page_size: number; has_next: boolean }> {
  const wanted = rowsOf({ page_number, page_size }, viewerId(context) === null);
  const limit = Math.max(0, Math.min(wanted.limit, MAX_FOUND - wanted.offset));
  const found = limit === 0 ? [] : await findCreatorIds(context, sought, limit, wanted.offset);
  const { rows, closing } = pageOf(found, page_number, wanted.page_size);
  return { users: await findCreators(context, rows), ...closing };
}

async function findCreatorIds(
  { search }: RequestContext,
  sought: SearchTerms,
  limit: number,
  offset: number,
): Promise<string[]> {
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
  const answers = questions.map((question) => selectAnswers(question, offset + limit));
  // Looks up user ids for the page alone, and not for every row read to find it.
  const { rows } = await sql<{ user_id: string }>`
    SELECT (SELECT user_id FROM creators WHERE creators.place = shown.place) AS user_id
    FROM (
      SELECT place, MIN(tier) AS tier FROM (${sql.join(answers, sql` UNION ALL `)}) AS found
      GROUP BY place ORDER BY MIN(tier), place LIMIT ${limit} OFFSET ${offset}
    ) AS shown ORDER BY tier, place`.execute(search.read);
  return rows.map(({ user_id }) => user_id);
}

/**
 * SQL for the first `most` answers to a question, as `(place, tier)`. SQLite reads them in the order of popularity and
 * then stops.
 */
function selectAnswers({ match, tier, name, is_kept }: Question, most: number): RawBuilder<unknown> {
  const found = sql`SELECT rowid AS place, ${sql.lit(tier)} AS tier FROM creator_grams WHERE creator_grams MATCH ${match}`;
  if (is_kept) {
    // Read the grams only beyond the reach of the top list, which happens while the list is being filled.
    return sql`SELECT * FROM (
      SELECT * FROM (
        SELECT top_creators.place, ${sql.lit(tier)} AS tier FROM top_lists JOIN top_creators USING (list_id)
        WHERE question = ${match} AND top_creators.place <= reach ORDER BY top_creators.place LIMIT ${most})
      UNION ALL SELECT * FROM (
        ${found} AND rowid > COALESCE((SELECT reach FROM top_lists WHERE question = ${match}), 0) ORDER BY rowid
        LIMIT iif(EXISTS (
          SELECT 1 FROM top_lists
          WHERE question = ${match} AND reach > 0 AND (listed >= ${most} OR reach = ${LAST_PLACE})
        ), 0, ${most})))`;
  }
  // A typed sentence is hardly ever a name. When no name is this text or begins with it, skip the slow reading of the
  // grams.
  const names = !name
    ? null
    : "is" in name
      ? sql`name = ${name.is}`
      : sql`name >= ${name.begins} AND name < ${name.begins + LAST_LETTER}`;
  const limit = names ? sql`iif(EXISTS (SELECT 1 FROM creators WHERE ${names}), ${most}, 0)` : sql`${most}`;
  return sql`SELECT * FROM (${found} ORDER BY rowid LIMIT ${limit})`;
}
