import { type RawBuilder, sql } from "kysely";
import { UNSEEN_RENEWAL_MS } from "../../contract/limits.ts";
import { isoTime } from "../../kernel/clock.ts";

/**
 * SQL: whether the person of a row of `subscriptions` reads what the plan's members read. Its paid time has not ended, or
 * the gateway renews it and our rows do not have the payment yet. Both bounds can be read from an index that ends with
 * `paid_until`.
 *
 * @param table its name in the statement.
 */
export function isMember(now_ms: number, table = "subscriptions"): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql<boolean>`(${column("paid_until")} > ${isoTime(now_ms - UNSEEN_RENEWAL_MS)}
    AND (${column("paid_until")} > ${isoTime(now_ms)} OR (${column("status")} = 'active'
      AND ${column("gateway_id")} IS NOT NULL AND ${column("is_ending")} = 0 AND ${column("must_end")} = 0)))`;
}
