import { Problem } from "../../kernel/problem.ts";
import { commitChange, type Precondition, type RowsOf, type Statement } from "../../storage/commit.ts";
import type { Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { Refusal, type RefusalMessage } from "./refusal.ts";

/**
 * Runs all of the statements if every precondition holds, or none. Returns the rows of each. Throws {@link Refusal}
 * with the message of the precondition that fails.
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
 * Returns a query that finds the account only while it is enabled and has the credentials the caller proved. Every
 * change of credentials changes `valid_since`.
 */
export function unchangedAccount({ db }: Identity, { local_id, valid_since }: Account) {
  return db
    .selectFrom("accounts")
    .select("local_id")
    .where("local_id", "=", local_id)
    .where("valid_since", "=", valid_since)
    .where("disabled", "=", 0);
}
