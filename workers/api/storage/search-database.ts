import { type CompiledQuery, Kysely } from "kysely";
import { D1Dialect } from "kysely-d1";
import { runBatch } from "../../storage/commit.ts";

/** The tables of the index of creators, which has a database of its own. A test holds these against its migrations. */
export interface SearchTables {
  creators: {
    serial: number;
    user_id: string;
    popularity: number;
    digest: string;
    generation: number;
    place: number;
    name: string;
  };
  top_lists: { list_id: number; question: string; reach: number; listed: number };
  top_creators: { list_id: number; place: number };
  rebuilds: { singleton: number; generation: number; after_user_id: string | null };
}

/** Executes reads; writes are compiled and go through {@link SearchDatabase.write}. */
export interface SearchDatabase {
  read: Kysely<SearchTables>;
  /** Writes all of it in one D1 `batch()`, which is one transaction. */
  write(queries: readonly CompiledQuery[]): Promise<void>;
}

/** Made for each request, as the product's database is. */
export function openSearchDatabase(d1: D1Database): SearchDatabase {
  return {
    read: new Kysely<SearchTables>({ dialect: new D1Dialect({ database: d1 }) }),
    async write(queries) {
      await runBatch(d1, queries);
    },
  };
}
