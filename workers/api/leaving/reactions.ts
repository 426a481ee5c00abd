import type { Domain } from "../domain.ts";
import type { Reaction } from "../storage/outbox.ts";
import { hasRowsToErase } from "../storage/personal-data.ts";
import { erasureStatements, erasuresOf, nextRoundStatement } from "./commands.ts";

/**
 * The largest number of rounds in which an account is erased, more than any account needs. Reaching it means that some
 * row cannot be deleted, and an operator has to look.
 */
const MAX_ROUNDS = 20_000;

/** Erases the next batch of rows of a person who has left. Repeating it is harmless. */
export const forgetLeaver =
  (domains: readonly Domain[]): Reaction<"account_left"> =>
  async ({ payload: { round, ...leaver } }, { database, now_ms }) => {
    if (!(await hasRowsToErase(database, erasuresOf(domains), leaver))) return [];
    if (round > MAX_ROUNDS) throw new Error(`rows of ${leaver.user_id}, who left, are still there`);
    return [...erasureStatements(database, domains, leaver), nextRoundStatement(database, leaver, round, now_ms)];
  };
