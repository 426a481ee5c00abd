import type { Reaction } from "../storage/outbox.ts";
import type { SearchDatabase } from "../storage/search-database.ts";
import { indexCreators, startRebuild } from "./commands.ts";

/**
 * Keeps the index at what creators are. What is read is how they are now, so rows that come twice, late or in another
 * order do no harm. The index is another database: it is written here, before the row is marked in its own.
 */
export const indexChanges =
  (search: SearchDatabase): Reaction =>
  async (event, database) => {
    const projection = { database, search };
    if (event.kind === "creator_changed") await indexCreators(projection, [event.payload.user_id]);
    if (event.kind === "search_rebuild_wanted") await startRebuild(projection);
    return [];
  };
