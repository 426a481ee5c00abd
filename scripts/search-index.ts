/** Rebuilds the search index from the product's database. */
import { continueRebuild, maintainTopLists } from "../workers/api/search/commands.ts";
import { openDatabase } from "../workers/api/storage/database.ts";
import { openSearchDatabase } from "../workers/api/storage/search-database.ts";
import type { Storage } from "./demo/seed.ts";

/** One creator has some thousand grams. Larger batches are not faster. */
const REBUILT_AT_ONCE = 500;
const TENDED_AT_ONCE = 20;

/** Completes a rebuild that has begun, with its lists. Does nothing when no rebuild is under way. */
export async function finishSearchRebuild(storage: Storage): Promise<void> {
  const projection = { database: openDatabase(storage.api), search: openSearchDatabase(storage.search) };
  // Nobody serves the data meanwhile, so the rebuild reads every change that the outbox rows announce. Delete the rows
  // unread at the end.
  const continueAlone = () => continueRebuild(projection, REBUILT_AT_ONCE, { is_alone: true });
  if (!(await continueAlone())) return;
  while (await continueAlone());
  while (await maintainTopLists(projection, TENDED_AT_ONCE));
  await storage.api.prepare("DELETE FROM outbox WHERE kind = 'creator_changed' AND processed_at IS NULL").run();
}
