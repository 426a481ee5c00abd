import { type RawBuilder, sql } from "kysely";
import type { Precondition } from "./commit.ts";

/**
 * An operator can disable an account. Nobody then sees what the account has published, and the account can write
 * nothing.
 */

/**
 * SQL: whether the person in a column is not disabled; true when the column is null. Reads an index of the few disabled
 * accounts.
 *
 * @param column with its table, because `users` has a `user_id` too.
 */
export function isUserEnabled(column: `${string}.${string}`): RawBuilder<boolean> {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM users AS disabled INDEXED BY users_disabled
    WHERE disabled.user_id = ${sql.ref(column)} AND disabled.disabled_at IS NOT NULL)`;
}

/**
 * The precondition that the writer is not disabled. The batch checks it, so that a request admitted before an operator
 * disabled the account writes nothing afterwards.
 */
export function requireEnabled(user_id: string | null): Precondition[] {
  const holds = sql`NOT EXISTS (SELECT 1 FROM users WHERE user_id = ${user_id} AND disabled_at IS NOT NULL)`;
  return user_id === null ? [] : [{ code: "account_disabled", holds }];
}
