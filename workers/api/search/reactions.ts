import type { Reaction } from "../storage/outbox.ts";
import { indexCreators, startRebuild } from "./commands.ts";

/**
 * Indexes a creator as they are now, so rows that come twice, late or in another order do no harm. The index is another
 * database: this writes it before the row is marked in its own.
 */
export const indexCreator: Reaction<"creator_changed"> = async ({ payload }, reacting) => {
  await indexCreators(reacting, [payload.user_id]);
  return [];
};

export const rebuildIndex: Reaction<"search_rebuild_wanted"> = async (_event, reacting) => {
  await startRebuild(reacting);
  return [];
};
