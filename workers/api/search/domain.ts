import type { Domain } from "../domain.ts";
import { maintainSearch } from "./commands.ts";
import { indexCreator, rebuildIndex } from "./reactions.ts";
import { searchRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A creator's searchable texts or popularity changed. Triggers write this row (0008_creators_to_search.sql). */
    creator_changed: { user_id: string };
    /** An operator or a migration of the search index wants it rebuilt. */
    search_rebuild_wanted: Record<string, never>;
  }
}

export const domain: Domain = {
  endpoints: searchRoutes,
  kinds_of_triggers: ["creator_changed"],
  reactions: { creator_changed: indexCreator, search_rebuild_wanted: rebuildIndex },
  upkeep: { maintainSearch },
};
