import { type RawBuilder, sql } from "kysely";
import type { Precondition } from "./commit.ts";

/** What an operator's word about an account comes to: nothing it made is there for anybody, and it writes nothing. */

/**
 * Whether the person a column names is not disabled, as SQL; true of a column that names nobody. Reads an index of the few who are.
 *
 * @param column with its table: `users` has a `user_id` too.
 */
export function isOfEnabled(column: `${string}.${string}`): RawBuilder<boolean> {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM users AS disabled INDEXED BY users_disabled
    WHERE disabled.user_id = ${sql.ref(column)} AND disabled.disabled_at IS NOT NULL)`;
}

/** That the writer is not disabled, said in the batch: a request that was let in before an operator's command writes nothing after. */
export function stillEnabled(user_id: string | null): Precondition[] {
  const holds = sql`NOT EXISTS (SELECT 1 FROM users WHERE user_id = ${user_id} AND disabled_at IS NOT NULL)`;
  return user_id === null ? [] : [{ code: "account_disabled", holds }];
}
