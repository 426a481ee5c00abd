import { type CompiledQuery, sql } from "kysely";
import { sha256Hex } from "../../kernel/digest.ts";
import { findGenres } from "../references/queries.ts";
import { type Database, oneOf } from "../storage/database.ts";
import type { SearchDatabase } from "../storage/search-database.ts";
import { gramsOf, INDEX_FORMAT, type IndexedCreator, popularityOf } from "./rules.ts";

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
  const rows = JSON.stringify(changed.map(({ bio: _, genres: __, ...entry }) => entry));
  const grams = JSON.stringify(changed.map((entry) => ({ user_id: entry.user_id, ...gramsOf(entry) })));
  const leaving = [...gone, ...changed.map(({ user_id }) => user_id)];
  return [
    // Where they stood: a new popularity is a new place.
    sql`DELETE FROM creator_grams WHERE rowid IN (SELECT place FROM creators WHERE user_id IN ${oneOf(leaving)})`,
    sql`DELETE FROM creators WHERE user_id IN ${oneOf(gone)}`,
    sql`INSERT INTO creators (user_id, popularity, digest, generation)
      SELECT value ->> 'user_id', value ->> 'popularity', value ->> 'digest', (SELECT generation FROM rebuilds)
      FROM json_each(${rows}) WHERE TRUE
      ON CONFLICT (user_id) DO UPDATE SET
        popularity = excluded.popularity, digest = excluded.digest, generation = excluded.generation`,
    sql`INSERT INTO creator_grams (rowid, name, link_id, about)
      SELECT place, value ->> 'name', value ->> 'link_id', value ->> 'about'
      FROM json_each(${grams}) JOIN creators ON creators.user_id = value ->> 'user_id'`,
  ].map((statement) => statement.compile(search.read));
}

/** Has every creator indexed anew, from now on and step by step: {@link continueRebuild}. What is there is found meanwhile. */
export async function startRebuild({ search }: Projection): Promise<void> {
  await search.write([sql`UPDATE rebuilds SET generation = generation + 1, after_user_id = ''`.compile(search.read)]);
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
  return last !== undefined;
}
