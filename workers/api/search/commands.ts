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

/** Batch sizes and time limit of one run of {@link maintainSearch}. */
const REBUILD_BATCH_SIZE = 200;
const TOP_LISTS_BATCH_SIZE = 10;
const MAINTENANCE_MS = 15_000;

/**
 * Continues a rebuild of the search index, if one is in progress, and then updates the top lists. Stops at the time
 * limit, and the next run of the cron job continues.
 */
export async function maintainSearch(projection: Projection, isOver = () => false): Promise<void> {
  const began_at = Date.now();
  const hasTime = () => Math.abs(Date.now() - began_at) < MAINTENANCE_MS && !isOver();
  while (await continueRebuild(projection, REBUILD_BATCH_SIZE)) if (!hasTime()) return;
  while ((await maintainTopLists(projection, TOP_LISTS_BATCH_SIZE)) && hasTime());
}

/** The product's database, and the search index that is built from it. */
export interface Projection {
  database: Database;
  search: SearchDatabase;
}

interface Entry extends IndexedCreator {
  user_id: string;
  popularity: number;
  digest: string;
}

/**
 * A top list stores the most popular creators who match one question. These are the size of a new list, and the size
 * above which an existing one is cut back.
 */
const TOP_LIST_SIZE = 1500;
const MAX_TOP_LIST_SIZE = 2500;
/**
 * Must repeat the condition of the database index `top_lists_untended` word for word. Otherwise SQLite does not use
 * that index.
 */
const NEEDS_UPDATE = `(listed < ${MAX_FOUND} AND reach < ${LAST_PLACE}) OR listed > ${MAX_TOP_LIST_SIZE} OR reach = 0`;

/** Indexing gives up on creators that still change after this many attempts. The outbox retries later. */
const MAX_INDEX_ATTEMPTS = 5;

/**
 * Updates the search index for these people from the product's database. It compares, writes what differs, and compares
 * again until nothing differs. When two calls overlap, the last one to write still has to compare, so outdated entries
 * never stay. Idempotent. Throws when the entries keep changing.
 *
 * @param rebuilds writes entries even when nothing differs, and leaves their top lists to be made after the rebuild.
 * @param is_alone whether nobody else writes meanwhile, so that comparing again is needless.
 */
export async function indexCreators(
  projection: Projection,
  user_ids: readonly string[],
  { rebuilds = false, is_alone = false } = {},
): Promise<void> {
  for (let attempt = 0; attempt < MAX_INDEX_ATTEMPTS; attempt++) {
    const entries = await readEntries(projection, user_ids);
    const indexed = await readDigests(projection, user_ids);
    const is_forced = rebuilds && attempt === 0;
    const changed = entries.filter(({ user_id, digest }) => is_forced || indexed.get(user_id) !== digest);
    const wanted = new Set(entries.map(({ user_id }) => user_id));
    const removed = [...indexed.keys()].filter((user_id) => !wanted.has(user_id));
    if (changed.length === 0 && removed.length === 0) return;
    await projection.search.write(indexStatements(projection, changed, removed, rebuilds));
    if (is_alone) return;
  }
  throw new Error(`the index of ${user_ids.length} creators does not come to rest`);
}

/** Reads the entries to index: those of these people who are creators and not disabled. */
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

function indexStatements(
  { search }: Projection,
  changed: readonly Entry[],
  removed: readonly string[],
  rebuilds: boolean,
): CompiledQuery[] {
  const rows = JSON.stringify(
    changed.map(({ user_id, popularity, digest, name }) => ({
      ...{ user_id, popularity, digest },
      name: lettersOf(name).join(""),
    })),
  );
  const grams = JSON.stringify(changed.map((entry) => ({ user_id: entry.user_id, ...gramsOf(entry) })));
  const answers = changed.map((entry) => ({ user_id: entry.user_id, questions: keptQuestionsOf(entry) }));
  const questions = JSON.stringify([...new Set(answers.flatMap((answer) => answer.questions))]);
  const leaving = [...removed, ...changed.map(({ user_id }) => user_id)];
  const places = sql`(SELECT place FROM creators WHERE user_id IN ${oneOf(leaving)})`;
  return [
    // A creator's place depends on popularity, so delete the entries at the old places first.
    sql`DELETE FROM creator_grams WHERE rowid IN ${places}`,
    sql`DELETE FROM top_creators WHERE place IN ${places}`,
    sql`DELETE FROM creators WHERE user_id IN ${oneOf(removed)}`,
    sql`INSERT INTO creators (user_id, popularity, digest, generation, name)
      SELECT value ->> 'user_id', value ->> 'popularity', value ->> 'digest', (SELECT generation FROM rebuilds),
        value ->> 'name'
      FROM json_each(${rows}) WHERE TRUE
      ON CONFLICT (user_id) DO UPDATE SET popularity = excluded.popularity, digest = excluded.digest,
        generation = excluded.generation, name = excluded.name`,
    sql`INSERT INTO creator_grams (rowid, name, link_id, about)
      SELECT place, value ->> 'name', value ->> 'link_id', value ->> 'about'
      FROM json_each(${grams}) JOIN creators ON creators.user_id = value ->> 'user_id'`,
    // New top lists begin empty, and `maintainTopLists` fills them.
    sql`INSERT INTO top_lists (question) SELECT value FROM json_each(${questions}) WHERE TRUE
      ON CONFLICT (question) DO NOTHING`,
    rebuilds
      ? // A list is ready during a rebuild only if two rebuilds overlap. It is made again.
        sql`UPDATE top_lists SET reach = 0 WHERE question IN (SELECT value FROM json_each(${questions})) AND reach > 0`
      : sql`INSERT INTO top_creators (list_id, place)
          SELECT list_id, place FROM json_each(${JSON.stringify(answers)}) AS answer
            JOIN creators ON creators.user_id = answer.value ->> 'user_id'
            JOIN json_each(answer.value, '$.questions') AS asked
            JOIN top_lists ON top_lists.question = asked.value AND place <= top_lists.reach`,
  ].map((statement) => statement.compile(search.read));
}

/**
 * Updates the next `lists` top lists that are new, too short or too long. Returns whether there may be more. Until a
 * list is ready, searches read the grams instead (docs/decisions/0008).
 */
export async function maintainTopLists({ search }: Projection, lists: number): Promise<boolean> {
  const outdated_lists = await search.read
    .selectFrom("top_lists")
    .select(["list_id", "question"])
    .where(sql<boolean>`${sql.raw(NEEDS_UPDATE)}`)
    .limit(lists)
    .execute();
  const statements = outdated_lists.flatMap(({ list_id, question }) => [
    // Delete the entries beyond a list's reach that are left from before a rebuild.
    sql`DELETE FROM top_creators
      WHERE list_id = ${list_id} AND place > (SELECT reach FROM top_lists WHERE list_id = ${list_id})`,
    sql`INSERT INTO top_creators (list_id, place)
      SELECT ${list_id}, rowid FROM creator_grams
      WHERE creator_grams MATCH ${question} AND rowid > (SELECT reach FROM top_lists WHERE list_id = ${list_id})
      ORDER BY rowid LIMIT (SELECT MAX(0, ${TOP_LIST_SIZE} - listed) FROM top_lists WHERE list_id = ${list_id})`,
    sql`UPDATE top_lists SET reach = COALESCE(
        (SELECT place FROM top_creators WHERE list_id = ${list_id} ORDER BY place LIMIT 1 OFFSET ${TOP_LIST_SIZE - 1}),
        ${LAST_PLACE})
      WHERE list_id = ${list_id}`,
    sql`DELETE FROM top_creators
      WHERE list_id = ${list_id} AND place > (SELECT reach FROM top_lists WHERE list_id = ${list_id})`,
  ]);
  if (outdated_lists.length > 0) await search.write(statements.map((statement) => statement.compile(search.read)));
  return outdated_lists.length === lists;
}

/**
 * Starts to index every creator again, step by step: {@link continueRebuild}. Searches use the existing entries
 * meanwhile.
 */
export async function startRebuild({ search }: Projection): Promise<void> {
  const statements = [
    sql`UPDATE rebuilds SET generation = generation + 1, after_user_id = ''`,
    // The top lists may be wrong now. They are filled again after every creator has been indexed.
    sql`UPDATE top_lists SET reach = 0`,
  ];
  await search.write(statements.map((statement) => statement.compile(search.read)));
}

/**
 * Indexes the next `creators` of a rebuild. After the last one, removes the entries that the rebuild did not reach.
 * Returns whether there is more to do, and false when no rebuild is in progress. Two calls at once repeat work but do
 * no harm.
 *
 * @param is_alone see {@link indexCreators}.
 */
export async function continueRebuild(
  projection: Projection,
  creators: number,
  { is_alone = false } = {},
): Promise<boolean> {
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
      { rebuilds: true, is_alone },
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
        { rebuilds: true, is_alone },
      );
      return true;
    }
  }
  await search.write([
    search.read
      .updateTable("rebuilds")
      .set({ after_user_id: last?.user_id ?? null })
      // Another rebuild may have started since this one was read. Do not change that one.
      .where("generation", "=", generation)
      .where("after_user_id", "=", after_user_id)
      .compile(),
  ]);
  // Deleted grams slow down every search until SQLite merges them away. Merging is not in the batch above: if it takes
  // too long and fails, the index is no worse than before, and the rebuild is complete.
  if (!last)
    await search.write([sql`INSERT INTO creator_grams (creator_grams) VALUES ('optimize')`.compile(search.read)]);
  return last !== undefined;
}
