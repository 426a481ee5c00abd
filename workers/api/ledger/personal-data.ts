import { sql } from "kysely";
import { PAYOUT_MIN_YEN } from "../../contract/limits.ts";
import type { Domain } from "../domain.ts";
import type { Departure, Leaver } from "../storage/personal-data.ts";
import { contestedYen } from "./queries.ts";
import { accountId } from "./rules.ts";

/**
 * Returns the precondition that the leaver has been paid out: nothing is pending or in transit, no dispute or refund may give
 * anything back, and less is available than a payout needs. It throws `account_has_balance`. The leaver gives up the rest,
 * which the page names; it stays in the books.
 */
export function departCreator({ user_id }: Leaver): Departure {
  const waiting = sql.join([accountId("creator_pending", user_id), accountId("creator_in_transit", user_id)]);
  return {
    preconditions: [
      {
        code: "account_has_balance",
        holds: sql`NOT EXISTS (SELECT 1 FROM ledger_accounts WHERE account_id IN (${waiting}) AND balance > 0)
          AND NOT EXISTS (SELECT 1 FROM ledger_accounts
            WHERE account_id = ${accountId("creator_payable", user_id)} AND balance >= ${PAYOUT_MIN_YEN})
          AND ${contestedYen(user_id)} = 0`,
      },
    ],
  };
}

/** Exports every posting on a person's own accounts. Its key is the account and the number of the posting. */
export const exports: Domain["exports"] = {
  transactions: {
    select(me, after, limit) {
      const accounts = (["creator_in_transit", "creator_payable", "creator_pending"] as const).map((kind) =>
        accountId(kind, me),
      );
      const [account = "", number = "0"] = (after ?? "").split(" ");
      return sql`SELECT ledger_postings.account_id || ' ' || ledger_postings.number AS key, json_object(
          'transfer_id', ledger_postings.transfer_id, 'account', ledger_accounts.kind, 'kind', ledger_postings.kind,
          'amount', iif(ledger_accounts.side = 'debit', 1, -1) * ledger_postings.amount,
          'balance_after', ledger_postings.balance_after, 'cause_type', ledger_transfers.cause_type,
          'cause_id', ledger_transfers.cause_id, 'created_at', ledger_transfers.created_at) AS item
        FROM ledger_postings JOIN ledger_transfers USING (transfer_id) JOIN ledger_accounts USING (account_id)
        WHERE ledger_postings.account_id IN (${sql.join(accounts)})
          AND (ledger_postings.account_id, ledger_postings.number) > (${account}, ${Number(number)})
        ORDER BY ledger_postings.account_id, ledger_postings.number ${limit}`;
    },
  },
};
