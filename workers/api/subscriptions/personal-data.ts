import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import type { Domain } from "../domain.ts";
import { type Departure, deleteByKey, type Erasure, type Leaver, whereLeaver } from "../storage/personal-data.ts";

/**
 * Writes down, for the clock, the leaver's subscriptions and open checkouts, and those of others to the leaver's plans. The
 * clock ends them at the gateway, so that nobody is charged after the leave.
 */
export function departSubscriber({ user_id }: Leaver, now_ms: number): Departure {
  return {
    statements: [
      sql`INSERT OR IGNORE INTO abandoned_subscriptions (gateway_id, created_at)
        SELECT gateway_id, ${isoTime(now_ms)} FROM subscriptions
        WHERE gateway_id IS NOT NULL AND status <> 'canceled' AND (user_id = ${user_id}
          OR membership_id IN (SELECT membership_id FROM memberships WHERE memberships.user_id = ${user_id}))`,
      sql`INSERT OR IGNORE INTO abandoned_joinings (joining_id, session_id, created_at)
        SELECT joining_id, session_id, created_at FROM joinings WHERE status = 'open' AND (user_id = ${user_id}
          OR membership_id IN (SELECT membership_id FROM memberships WHERE memberships.user_id = ${user_id}))`,
    ],
  };
}

export const erasures: Erasure[] = [
  deleteByKey("joinings", ["joining_id"], whereLeaver("user_id")),
  deleteByKey(
    "joinings",
    ["joining_id"],
    ({ user_id }) => sql`membership_id IN (SELECT membership_id FROM memberships WHERE user_id = ${user_id})`,
  ),
];

/** Exports what the gateway invoiced a person for. */
export const exports: Domain["exports"] = {
  invoices: {
    select: (me, after, limit) => sql`SELECT invoice_id AS key, json_object('number', number, 'title', title,
        'amount', amount, 'period_start', period_start, 'period_end', period_end, 'paid_at', paid_at) AS item
      FROM invoices WHERE user_id = ${me} AND invoice_id > ${after ?? ""} ORDER BY invoice_id ${limit}`,
  },
};
