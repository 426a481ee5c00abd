import { type CompiledQuery, Kysely } from "kysely";
import { runBatch } from "../../storage/commit.ts";
import { ReadDialect } from "../../storage/joined-reads.ts";

/**
 * The tables of the search index of creators, which is a database of its own. A test compares them with its migrations.
 */
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

/** Executes reads of the search index. Writes are compiled and go through {@link SearchDatabase.write}. */
export interface SearchDatabase {
  read: Kysely<SearchTables>;
  /** Writes all queries in one D1 `batch()`, which is one transaction. */
  write(queries: readonly CompiledQuery[]): Promise<void>;
}

/** Opens the search index for one request. */
export function openSearchDatabase(d1: D1Database): SearchDatabase {
  return {
    read: new Kysely<SearchTables>({ dialect: new ReadDialect(d1) }),
    async write(queries) {
      await runBatch(d1, queries);
    },
  };
}
