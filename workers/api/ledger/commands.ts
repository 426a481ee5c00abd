import { type CompiledQuery, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Database } from "../storage/database.ts";
import { ACCOUNT_KINDS, accountId, checkTransfer, type Transfer } from "./rules.ts";

/**
 * Returns the statements that post a transfer: accounts that do not exist yet, the postings, and the transfer, which makes
 * them final. This is the only way into the ledger. Add them to the `commit()` of the change that moves the money; two
 * transfers of one change may follow each other. The database refuses with these codes (migration 0021):
 *
 * - `transfer_already_posted`: the cause has had a transfer of this kind;
 * - `transfer_already_settled`: the family has not put into an account what the transfer takes out of it. The payment was
 *   refunded already, or the payout ended already;
 * - `balance_insufficient`: the creator's balance does not have the amount of the payout;
 * - `not_found`: no transfer of the cause in `follows`.
 *
 * @throws RangeError if the entries are not balanced ({@link checkTransfer}).
 */
export function postTransfer(
  { database, now_ms }: { database: Database; now_ms: number },
  transfer: Transfer,
): CompiledQuery[] {
  checkTransfer(transfer);
  const { kind, cause, follows } = transfer;
  const transfer_id = newId(now_ms);
  const entries = JSON.stringify(
    transfer.entries.map(({ kind: account_kind, owner_id, amount }) => {
      const { side, may_be_negative } = ACCOUNT_KINDS[account_kind];
      const account_id = accountId(account_kind, owner_id);
      return { account_id, kind: account_kind, owner_id, side, may_be_negative: Number(may_be_negative), amount };
    }),
  );
  const origin =
    follows === null
      ? sql`${transfer_id}`
      : sql`(SELECT origin_transfer_id FROM ledger_transfers
          WHERE cause_type = ${follows.type} AND cause_id = ${follows.id} LIMIT 1)`;
  return [
    sql`INSERT INTO ledger_accounts (account_id, kind, owner_id, side, may_be_negative)
      SELECT value ->> 'account_id', value ->> 'kind', value ->> 'owner_id', value ->> 'side', value ->> 'may_be_negative'
      FROM json_each(${entries})
      WHERE NOT EXISTS (SELECT 1 FROM ledger_accounts WHERE account_id = value ->> 'account_id')`,
    sql`INSERT INTO ledger_postings (transfer_id, kind, account_id, amount, balance_after)
      SELECT ${transfer_id}, ${kind}, account_id, value ->> 'amount',
        balance + iif(ledger_accounts.side = 'debit', 1, -1) * (value ->> 'amount')
      FROM json_each(${entries}) JOIN ledger_accounts ON account_id = value ->> 'account_id'`,
    sql`INSERT INTO ledger_transfers (transfer_id, kind, cause_type, cause_id, origin_transfer_id, created_at)
      VALUES (${transfer_id}, ${kind}, ${cause.type}, ${cause.id}, ${origin}, ${isoTime(now_ms)})`,
  ].map((statement) => statement.compile(database));
}
