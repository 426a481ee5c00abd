import type { Reaction } from "../storage/outbox.ts";
import { nextRound, tracesRemoved } from "./commands.ts";
import { hasTraces } from "./queries.ts";

/** More than anybody has: something is left that no round deletes, and an operator has to look. */
const MAX_ROUNDS = 20_000;

/** Goes on deleting what was theirs who left, a batch at a time, until there is nothing. Doing it again does no harm. */
export const forgetLeaver: Reaction = async (event, database) => {
  if (event.kind !== "account_left") return [];
  const { round, ...leaver } = event.payload;
  if (!(await hasTraces(database, leaver.user_id))) return [];
  if (round > MAX_ROUNDS) throw new Error(`something of ${leaver.user_id}, who left, does not go`);
  return [...tracesRemoved(database, leaver), nextRound(database, leaver, round, Date.now())];
};
