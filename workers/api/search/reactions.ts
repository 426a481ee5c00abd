import type { Reaction } from "../storage/outbox.ts";
import { indexCreators, startRebuild } from "./commands.ts";

/**
 * Indexes the current state of a creator, so that outbox rows that come twice, late or out of order are harmless. The
 * search index is another database, which is written before the outbox row is marked as processed.
 */
export const indexCreator: Reaction<"creator_changed"> = async ({ payload }, reacting) => {
  await indexCreators(reacting, [payload.user_id]);
  return [];
};

export const rebuildIndex: Reaction<"search_rebuild_wanted"> = async (_event, reacting) => {
  await startRebuild(reacting);
  return [];
};
