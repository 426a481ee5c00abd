import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { deleteByKey, type Erasure, type ExportProfile, ownList, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [
  // A trigger leaves the gateway's customer to the clock (0075_ends_elsewhere.sql).
  deleteByKey("customers", ["user_id"], whereLeaver("user_id")),
  deleteByKey("spending_limits", ["user_id"], whereLeaver("user_id")),
];

export const exportProfile: ExportProfile = (me) => {
  const limit = sql`json_object('amount', amount, 'next_amount', next_amount, 'next_from', next_from,
    'changed_at', changed_at)`;
  return sql`SELECT json_object('spending_limits', ${ownList("spending_limits", me, limit)}) AS item`;
};

/** Exports what a person has paid. What a creator has earned is in the part `transactions`. */
export const exports: Domain["exports"] = {
  payments: {
    select: (me, after, limit) => sql`SELECT payment_id AS key, json_object('payment_id', payment_id, 'kind', kind,
        'cause_id', cause_id, 'creator_user_id', creator_user_id, 'campaign_id', campaign_id, 'amount', amount,
        'paid_at', paid_at, 'withdrawn_at', withdrawn_at, 'seller_number', seller_number) AS item
      FROM payments WHERE payer_user_id = ${me} AND payment_id > ${after ?? ""} ORDER BY payment_id ${limit}`,
  },
};
