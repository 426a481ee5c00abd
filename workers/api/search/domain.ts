import type { Domain } from "../domain.ts";
import { tendSearch } from "./commands.ts";
import { indexCreator, rebuildIndex } from "./reactions.ts";
import { searchRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** Something changed that search finds or orders a creator by. Written by triggers (0008_creators_to_search.sql). */
    creator_changed: { user_id: string };
    /** An operator, or a migration of the index, wants it made again. */
    search_rebuild_wanted: Record<string, never>;
  }
}

export const domain: Domain = {
  endpoints: searchRoutes,
  kinds_of_triggers: ["creator_changed"],
  reactions: { creator_changed: indexCreator, search_rebuild_wanted: rebuildIndex },
  upkeep: [tendSearch],
};
