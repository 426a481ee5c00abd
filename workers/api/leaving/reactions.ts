import type { Domain } from "../domain.ts";
import type { Reaction } from "../storage/outbox.ts";
import { hasErasable } from "../storage/personal-data.ts";
import { erasureRound, erasuresOf, nextRound } from "./commands.ts";

/** More rounds than anybody needs: some row does not go, and an operator has to look. */
const MAX_ROUNDS = 20_000;

/** Erases what is left of somebody who left, a batch at a time. Repeating it does no harm. */
export const forgetLeaver =
  (domains: readonly Domain[]): Reaction<"account_left"> =>
  async ({ payload: { round, ...leaver } }, { database }) => {
    if (!(await hasErasable(database, erasuresOf(domains), leaver))) return [];
    if (round > MAX_ROUNDS) throw new Error(`rows of ${leaver.user_id}, who left, are still there`);
    return [...erasureRound(database, domains, leaver), nextRound(database, leaver, round, Date.now())];
  };
