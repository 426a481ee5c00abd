/** The index of creators, made again from the product's database. */
import { continueRebuild, maintainTopLists } from "../workers/api/search/commands.ts";
import { openDatabase } from "../workers/api/storage/database.ts";
import { openSearchDatabase } from "../workers/api/storage/search-database.ts";
import type { Storage } from "./demo/seed.ts";

/** Each is some thousand grams; more at once are no faster. */
const REBUILT_AT_ONCE = 500;
const TENDED_AT_ONCE = 20;

/** Takes a rebuild that is under way to its end, lists and all; none is in a database that has had its first. */
export async function finishSearchRebuild(storage: Storage): Promise<void> {
  const projection = { database: openDatabase(storage.api), search: openSearchDatabase(storage.search) };
  if (!(await continueRebuild(projection, REBUILT_AT_ONCE))) return;
  // What waits to be told now is read by what follows; nobody serves, so nothing comes in between.
  while (await continueRebuild(projection, REBUILT_AT_ONCE));
  while (await maintainTopLists(projection, TENDED_AT_ONCE));
  await storage.api.prepare("DELETE FROM outbox WHERE kind = 'creator_changed' AND processed_at IS NULL").run();
}
