import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { type Departure, deleteByKey, type Erasure, type Leaver, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [deleteByKey("customers", ["user_id"], whereLeaver("user_id"))];

/** Forgets what a person wrote and has not paid for. A payment that arrives later goes back. */
export function departPayer({ user_id }: Leaver): Departure {
  return {
    statements: [sql`UPDATE checkouts SET words = NULL WHERE payer_user_id = ${user_id} AND words IS NOT NULL`],
  };
}

/** Exports what a person has paid, and what they have written and not paid for. What a creator has earned is in the part `transactions`. */
export const exports: Domain["exports"] = {
  checkouts: {
    select: (me, after, limit) => sql`SELECT checkout_id AS key, json_object('checkout_id', checkout_id, 'kind', kind,
        'creator_user_id', creator_user_id, 'amount', amount, 'words', json(words), 'status', status,
        'cause_id', cause_id, 'created_at', created_at, 'paid_at', paid_at) AS item
      FROM checkouts WHERE payer_user_id = ${me} AND checkout_id > ${after ?? ""} ORDER BY checkout_id ${limit}`,
  },
  payments: {
    select: (me, after, limit) => sql`SELECT payment_id AS key, json_object('payment_id', payment_id, 'kind', kind,
        'cause_id', cause_id, 'creator_user_id', creator_user_id, 'campaign_id', campaign_id, 'amount', amount,
        'paid_at', paid_at, 'withdrawn_at', withdrawn_at) AS item
      FROM payments WHERE payer_user_id = ${me} AND payment_id > ${after ?? ""} ORDER BY payment_id ${limit}`,
  },
};
