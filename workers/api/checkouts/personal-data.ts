import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import type { Departure, Leaver } from "../storage/personal-data.ts";

/** Forgets what a person wrote and has not paid for. A payment that arrives later goes back. */
export function departPayer({ user_id }: Leaver): Departure {
  return {
    statements: [sql`UPDATE checkouts SET words = NULL WHERE payer_user_id = ${user_id} AND words IS NOT NULL`],
  };
}

/** Exports a person's payments for letters and comments, with the words of those that are not delivered. */
export const exports: Domain["exports"] = {
  checkouts: {
    select: (me, after, limit) => sql`SELECT checkout_id AS key, json_object('checkout_id', checkout_id, 'kind', kind,
        'creator_user_id', creator_user_id, 'event_id', event_id, 'amount', amount, 'words', json(words), 'status', status,
        'cause_id', cause_id, 'created_at', created_at, 'paid_at', paid_at) AS item
      FROM checkouts WHERE payer_user_id = ${me} AND checkout_id > ${after ?? ""} ORDER BY checkout_id ${limit}`,
  },
};
