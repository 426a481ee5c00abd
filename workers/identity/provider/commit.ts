import { Problem } from "../../kernel/problem.ts";
import { commitChange, type Precondition, type RowsOf, type Statement } from "../../storage/commit.ts";
import type { Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { Refusal, type RefusalMessage } from "./refusal.ts";

/**
 * Runs all of the statements, provided every precondition holds then, or none. Returns the rows of each. Throws {@link Refusal}
 * with the message of a precondition that does not hold.
 */
export async function commitIf<const S extends readonly Statement[]>(
  { db, env, now_ms }: Identity,
  preconditions: Precondition<RefusalMessage>[],
  ...statements: S
): Promise<RowsOf<S>> {
  try {
    const { rows } = await commitChange({ d1: env.DB, database: db, now_ms }, { preconditions, statements });
    return rows;
  } catch (error) {
    throw error instanceof Problem ? new Refusal(error.code as RefusalMessage) : error;
  }
}

/**
 * A query that finds the account only while it is enabled and its credentials are those that the caller proved: every change
 * of credentials moves `valid_since`.
 */
export function unchangedAccount({ db }: Identity, { local_id, valid_since }: Account) {
  return db
    .selectFrom("accounts")
    .select("local_id")
    .where("local_id", "=", local_id)
    .where("valid_since", "=", valid_since)
    .where("disabled", "=", 0);
}
