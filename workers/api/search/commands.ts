import { type CompiledQuery, sql } from "kysely";
import { sha256Hex } from "../../kernel/digest.ts";
import { findGenres } from "../references/queries.ts";
import { type Database, oneOf } from "../storage/database.ts";
import type { SearchDatabase } from "../storage/search-database.ts";
import {
  gramsOf,
  INDEX_FORMAT,
  type IndexedCreator,
  keptQuestionsOf,
  LAST_PLACE,
  lettersOf,
  MAX_FOUND,
  popularityOf,
} from "./rules.ts";

/** Batch sizes and time limit of one run of {@link tendSearch}. */
const REBUILT_AT_ONCE = 200;
const TENDED_AT_ONCE = 10;
const TEND_MS = 15_000;

/** Continues a rebuild of the index, if one is under way, and then tends its lists; the next run of the clock continues. */
export async function tendSearch(projection: Projection): Promise<void> {
  const began_at = Date.now();
  const hasTime = () => Math.abs(Date.now() - began_at) < TEND_MS;
  while (await continueRebuild(projection, REBUILT_AT_ONCE)) if (!hasTime()) return;
  while ((await tendTopLists(projection, TENDED_AT_ONCE)) && hasTime());
}

/** What the index is made of, and the index. */
export interface Projection {
  database: Database;
  search: SearchDatabase;
}

interface Entry extends IndexedCreator {
  user_id: string;
  popularity: number;
  digest: string;
}

/** How many a list of who comes first is made with, and from how many on it is cut to that. */
const LISTED = 1500;
const MOST_LISTED = 2500;
/** Word for word what the index `top_lists_untended` holds, or SQLite would not use it. */
const IS_UNTENDED = `(listed < ${MAX_FOUND} AND reach < ${LAST_PLACE}) OR listed > ${MOST_LISTED} OR reach = 0`;

/** Somebody whom every look finds changed again is left to the next one. */
const MAX_LOOKS = 5;

/**
 * Brings the index to what the product's database says of these people. It looks, writes what differs, and looks again until
 * nothing does: of two that run at once, whoever writes last has still to look, so what is older never stays. Doing it
 * again does nothing. Throws when it cannot be brought to rest.
 *
 * @param anew writes them even where nothing differs.
 */
export async function indexCreators(
  projection: Projection,
  user_ids: readonly string[],
  { anew = false } = {},
): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const entries = await readEntries(projection, user_ids);
    const indexed = await readDigests(projection, user_ids);
    const is_forced = anew && look === 0;
    const changed = entries.filter(({ user_id, digest }) => is_forced || indexed.get(user_id) !== digest);
    const wanted = new Set(entries.map(({ user_id }) => user_id));
    const gone = [...indexed.keys()].filter((user_id) => !wanted.has(user_id));
    if (changed.length === 0 && gone.length === 0) return;
    await projection.search.write(statementsOf(projection, changed, gone));
  }
  throw new Error(`the index of ${user_ids.length} creators does not come to rest`);
}

/** The creators among these people whom anybody may meet, as they are to be indexed. */
async function readEntries({ database }: Projection, user_ids: readonly string[]): Promise<Entry[]> {
  const rows = await database
    .selectFrom("users")
    .select(["user_id", "name", "link_id", "bio", "followers_count"])
    .select(
      sql<string>`(SELECT json_group_array(genre_id ORDER BY genre_id) FROM user_genres
        WHERE user_genres.user_id = users.user_id)`.as("genre_ids"),
    )
    .where("user_id", "in", oneOf(user_ids))
    .where("is_creator", "=", sql.lit(1))
    .where("disabled_at", "is", null)
    .execute();
  return Promise.all(
    rows.map(async ({ genre_ids, followers_count, ...person }) => {
      const genres = findGenres(JSON.parse(genre_ids) as string[]);
      const popularity = popularityOf(followers_count);
      const { user_id, name, link_id, bio } = person;
      const source = [INDEX_FORMAT, user_id, name, link_id, bio, genres, popularity];
      return { ...person, genres, popularity, digest: await sha256Hex(JSON.stringify(source)) };
    }),
  );
}

async function readDigests({ search }: Projection, user_ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await search.read
    .selectFrom("creators")
    .select(["user_id", "digest"])
    .where("user_id", "in", oneOf(user_ids))
    .execute();
  return new Map(rows.map(({ user_id, digest }) => [user_id, digest]));
}

function statementsOf({ search }: Projection, changed: readonly Entry[], gone: readonly string[]): CompiledQuery[] {
  const rows = JSON.stringify(
    changed.map(({ user_id, popularity, digest, name }) => ({
      ...{ user_id, popularity, digest },
      name: lettersOf(name).join(""),
    })),
  );
  const grams = JSON.stringify(changed.map((entry) => ({ user_id: entry.user_id, ...gramsOf(entry) })));
  const answers = changed.map((entry) => ({ user_id: entry.user_id, questions: keptQuestionsOf(entry) }));
  const questions = new Set(answers.flatMap((answer) => answer.questions));
  const leaving = [...gone, ...changed.map(({ user_id }) => user_id)];
  const places = sql`(SELECT place FROM creators WHERE user_id IN ${oneOf(leaving)})`;
  return [
    // Where they stood: a new popularity is a new place.
    sql`DELETE FROM creator_grams WHERE rowid IN ${places}`,
    sql`DELETE FROM top_creators WHERE place IN ${places}`,
    sql`DELETE FROM creators WHERE user_id IN ${oneOf(gone)}`,
    sql`INSERT INTO creators (user_id, popularity, digest, generation, name)
      SELECT value ->> 'user_id', value ->> 'popularity', value ->> 'digest', (SELECT generation FROM rebuilds),
        value ->> 'name'
      FROM json_each(${rows}) WHERE TRUE
      ON CONFLICT (user_id) DO UPDATE SET popularity = excluded.popularity, digest = excluded.digest,
        generation = excluded.generation, name = excluded.name`,
    sql`INSERT INTO creator_grams (rowid, name, link_id, about)
      SELECT place, value ->> 'name', value ->> 'link_id', value ->> 'about'
      FROM json_each(${grams}) JOIN creators ON creators.user_id = value ->> 'user_id'`,
    // New ones reach nobody, and are made by `tendTopLists`.
    sql`INSERT INTO top_lists (question) SELECT value FROM json_each(${JSON.stringify([...questions])}) WHERE TRUE
      ON CONFLICT (question) DO NOTHING`,
    sql`INSERT INTO top_creators (list_id, place)
      SELECT list_id, place FROM json_each(${JSON.stringify(answers)}) AS answer
        JOIN creators ON creators.user_id = answer.value ->> 'user_id'
        JOIN json_each(answer.value, '$.questions') AS asked
        JOIN top_lists ON top_lists.question = asked.value AND place <= top_lists.reach`,
  ].map((statement) => statement.compile(search.read));
}

/**
 * Makes the next `lists` of who comes first that are to be made, were shortened below what may be shown, or grew too long.
 * Returns whether there are more. What is asked meanwhile is answered from the grams: docs/decisions/0008.
 */
export async function tendTopLists({ search }: Projection, lists: number): Promise<boolean> {
  const untended = await search.read
    .selectFrom("top_lists")
    .select(["list_id", "question"])
    .where(sql<boolean>`${sql.raw(IS_UNTENDED)}`)
    .limit(lists)
    .execute();
  const statements = untended.flatMap(({ list_id, question }) => [
    // Left from before a rebuild.
    sql`DELETE FROM top_creators
      WHERE list_id = ${list_id} AND place > (SELECT reach FROM top_lists WHERE list_id = ${list_id})`,
    sql`INSERT INTO top_creators (list_id, place)
      SELECT ${list_id}, rowid FROM creator_grams
      WHERE creator_grams MATCH ${question} AND rowid > (SELECT reach FROM top_lists WHERE list_id = ${list_id})
      ORDER BY rowid LIMIT (SELECT MAX(0, ${LISTED} - listed) FROM top_lists WHERE list_id = ${list_id})`,
    sql`UPDATE top_lists SET reach = COALESCE(
        (SELECT place FROM top_creators WHERE list_id = ${list_id} ORDER BY place LIMIT 1 OFFSET ${LISTED - 1}),
        ${LAST_PLACE})
      WHERE list_id = ${list_id}`,
    sql`DELETE FROM top_creators
      WHERE list_id = ${list_id} AND place > (SELECT reach FROM top_lists WHERE list_id = ${list_id})`,
  ]);
  if (untended.length > 0) await search.write(statements.map((statement) => statement.compile(search.read)));
  return untended.length === lists;
}

/** Has every creator indexed anew, from now on and step by step: {@link continueRebuild}. What is there is found meanwhile. */
export async function startRebuild({ search }: Projection): Promise<void> {
  const statements = [
    sql`UPDATE rebuilds SET generation = generation + 1, after_user_id = ''`,
    // Not trusted any more: made again, when everybody is indexed anew.
    sql`UPDATE top_lists SET reach = 0`,
  ];
  await search.write(statements.map((statement) => statement.compile(search.read)));
}

/**
 * Indexes the next `creators` of a rebuild, then takes out whom it did not meet. Returns whether there is more to do; false,
 * too, when no rebuild is under way. Two that run at once do the same twice and no harm.
 */
export async function continueRebuild(projection: Projection, creators: number): Promise<boolean> {
  const { database, search } = projection;
  const { generation, after_user_id } = await search.read.selectFrom("rebuilds").selectAll().executeTakeFirstOrThrow();
  if (after_user_id === null) return false;
  const next = await database
    .selectFrom("users")
    .select("user_id")
    .where("is_creator", "=", sql.lit(1))
    .where("user_id", ">", after_user_id)
    .orderBy("user_id")
    .limit(creators)
    .execute();
  const last = next.at(-1);
  if (last) {
    await indexCreators(
      projection,
      next.map(({ user_id }) => user_id),
      { anew: true },
    );
  } else {
    const left = await search.read
      .selectFrom("creators")
      .select("user_id")
      .where("generation", "<", generation)
      .limit(creators)
      .execute();
    if (left.length > 0) {
      await indexCreators(
        projection,
        left.map(({ user_id }) => user_id),
        { anew: true },
      );
      return true;
    }
  }
  await search.write([
    search.read
      .updateTable("rebuilds")
      .set({ after_user_id: last?.user_id ?? null })
      // Only the rebuild that was read: another may have been started.
      .where("generation", "=", generation)
      .where("after_user_id", "=", after_user_id)
      .compile(),
  ]);
  // The grams of before are dead weight in every walk until they are merged away. Not in the batch above: one that fails
  // for being too long leaves the index as good as it was, and the rebuild done.
  if (!last)
    await search.write([sql`INSERT INTO creator_grams (creator_grams) VALUES ('optimize')`.compile(search.read)]);
  return last !== undefined;
}
