import { type CompiledQuery, type RawBuilder, type Selectable, sql } from "kysely";
import type { CreatorAccount, Payout } from "../../contract/payouts.ts";
import { isoTime } from "../../kernel/clock.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { type Database, oneOf, type Tables } from "../storage/database.ts";
import type { OutboxEvents } from "../storage/outbox.ts";
import { isPaused } from "../storage/paused-features.ts";
import { FAILURES_THAT_PASS } from "./rules.ts";

export type AccountRow = Selectable<Tables["creator_accounts"]>;
export type PayoutRow = Tables["payouts"];

/** Returns a person's row of the account at the gateway; undefined when the registration has not begun. */
export async function findAccountRow(database: Database, user_id: string): Promise<AccountRow | undefined> {
  return database.selectFrom("creator_accounts").selectAll().where("user_id", "=", user_id).executeTakeFirst();
}

/** Returns the row with an id of the gateway; undefined for an account of somebody else's. */
export async function findRowOfAccount(database: Database, account_id: string): Promise<AccountRow | undefined> {
  return database.selectFrom("creator_accounts").selectAll().where("account_id", "=", account_id).executeTakeFirst();
}

/**
 * Whether a payout to the registered bank account cannot arrive, as far as is known: the gateway refused the account, or the last
 * payout since its registration failed for a reason of the account.
 */
export async function isBankFailing(database: Database, user_id: string): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`SELECT EXISTS (
    SELECT 1 FROM bank_accounts AS bank JOIN creator_accounts AS account ON account.user_id = bank.user_id
    WHERE bank.user_id = ${user_id} AND (account.bank_refused = 1 AND account.bank_given_at = bank.updated_at
      OR (SELECT status FROM payouts
        WHERE payouts.user_id = bank.user_id AND payouts.created_at >= bank.updated_at
          AND (status = 'paid' OR failure_reason NOT IN ${oneOf(FAILURES_THAT_PASS)})
        ORDER BY payout_id DESC LIMIT 1) = 'failed')) AS found`.execute(database);
  return rows[0]?.found === 1;
}

export function toCreatorAccount(row: AccountRow, is_bank_failing: boolean): CreatorAccount {
  const { account_type, identity_verification } = row;
  return {
    account_type,
    steps: [
      ...(row.tos_accepted === 1 ? (["tos_accepted"] as const) : []),
      ...(row.payouts_enabled === 1 ? (["payouts_enabled"] as const) : []),
    ],
    identity_verification,
    is_bank_refused: row.bank_refused === 1,
    is_bank_failing,
    is_automatic: row.automatic_since !== null,
    invoice_number: row.invoice_number,
  };
}

/** Returns the accounts about which the clock asks the gateway now, the longest due first. */
export async function findAccountsToCheck(database: Database, now_ms: number, limit: number): Promise<AccountRow[]> {
  return database
    .selectFrom("creator_accounts")
    .selectAll()
    .where("account_id", "is not", null)
    .where("check_at", "<=", isoTime(now_ms))
    .orderBy("check_at")
    .limit(limit)
    .execute();
}

/**
 * SQL for when an account is checked next: at `next`, but a bank account that the gateway does not have yet keeps its moment. An
 * event of the gateway may be handled just after the bank account was registered.
 */
export const nextCheckOf = (user_id: string, next: string): RawBuilder<string> =>
  sql<string>`iif(EXISTS (SELECT 1 FROM bank_accounts WHERE bank_accounts.user_id = ${user_id}
    AND bank_accounts.updated_at IS NOT bank_given_at), check_at, ${next})`;

/**
 * Returns the statement that announces how the check of an identity ended, unless the row says so already. It runs before the
 * row changes. The return page shows a result that is there right after the gateway's form, so that one is not announced.
 */
export const announceCheck = (database: Database, payload: OutboxEvents["identity_checked"]): CompiledQuery =>
  sql`INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts)
    SELECT ${`checked:${payload.user_id}:${payload.checked_at}`}, 'identity_checked', ${JSON.stringify(payload)},
      ${payload.checked_at}, 0
    FROM creator_accounts
    WHERE user_id = ${payload.user_id} AND identity_verification NOT IN ('none', ${payload.identity_verification})
      AND (read_at IS NULL OR read_at <= ${payload.checked_at})
    ON CONFLICT DO NOTHING`.compile(database);

/**
 * Returns accounts whose automatic payout of a month has not been done, `without` some; none while payouts are paused. They chose it
 * before `since_ms`.
 */
export async function findAutomaticAccounts(
  database: Database,
  { month, since_ms }: { month: string; since_ms: number },
  { without, limit }: { without: readonly string[]; limit: number },
): Promise<AccountRow[]> {
  return database
    .selectFrom("creator_accounts")
    .selectAll()
    .where("automatic_since", "is not", null)
    .where("automatic_month", "<", month)
    .where("automatic_since", "<", isoTime(since_ms))
    .where(sql<boolean>`NOT ${isPaused("payouts")}`)
    .where(sql<boolean>`user_id NOT IN (SELECT value FROM json_each(${JSON.stringify(without)}))`)
    .limit(limit)
    .execute();
}

export async function findPayoutRow(database: Database, payout_id: string): Promise<PayoutRow | undefined> {
  return database.selectFrom("payouts").selectAll().where("payout_id", "=", payout_id).executeTakeFirst();
}

/** Returns the payout with an id of the gateway; undefined for one that we do not know. */
export async function findRowOfGatewayPayout(database: Database, id: string): Promise<PayoutRow | undefined> {
  return database.selectFrom("payouts").selectAll().where("gateway_payout_id", "=", id).executeTakeFirst();
}

/**
 * SQL for whether the clock, or a cancellation, may work on a payout. While payouts are paused, it leaves alone what may be at the
 * gateway without our knowledge.
 */
export const mayContinue = sql<boolean>`(gateway_payout_id IS NOT NULL OR status <> 'pending'
  OR NOT ${isPaused("payouts")})`;

/** Returns the payouts that the clock continues now, the longest due first. */
export async function findPayoutsToCheck(database: Database, now_ms: number, limit: number): Promise<PayoutRow[]> {
  return database
    .selectFrom("payouts")
    .selectAll()
    .where("held_at", "is", null)
    .where("check_at", "<=", isoTime(now_ms))
    .where(mayContinue)
    .orderBy("check_at")
    .limit(limit)
    .execute();
}

/** Whether an operator has paused payouts. */
export async function arePayoutsPaused(database: Database): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`SELECT ${isPaused("payouts")} AS found`.execute(database);
  return rows[0]?.found === 1;
}

/**
 * Returns the accounts of creators who left that the clock tries to delete now, the longest due first. Leaves out those whose
 * creators' payouts may still need them.
 */
export async function findAbandonedAccounts(database: Database, now_ms: number, limit: number) {
  return database
    .selectFrom("abandoned_accounts")
    .select(["account_id", "left_at"])
    .where("ask_at", "<=", isoTime(now_ms))
    .where(
      sql<boolean>`NOT EXISTS (SELECT 1 FROM payouts
        WHERE payouts.user_id = abandoned_accounts.user_id AND payouts.check_at IS NOT NULL)`,
    )
    .orderBy("ask_at")
    .limit(limit)
    .execute();
}

/** Whether an operator has disabled a person's account. */
export async function isDisabled(database: Database, user_id: string): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`SELECT EXISTS (SELECT 1 FROM users
    WHERE user_id = ${user_id} AND disabled_at IS NOT NULL) AS found`.execute(database);
  return rows[0]?.found === 1;
}

export function toPayout(row: PayoutRow): Payout {
  const { payout_id, amount, bank_fee, status, failure_reason, bank_name, branch_name, account_number_last3 } = row;
  return {
    payout_id,
    currency: "jpy",
    amount,
    bank_fee,
    transferred: amount - bank_fee,
    status,
    failure_reason,
    bank: { bank_name, branch_name, account_number_last3 },
    is_automatic: row.automatic_month !== null,
    created_at: row.created_at,
    arrives_at: row.arrives_at,
    ended_at: row.ended_at,
  };
}

/** Lists a person's payouts, newest first. */
export async function listPayouts(database: Database, user_id: string, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const found = await database
    .selectFrom("payouts")
    .selectAll()
    .where("user_id", "=", user_id)
    .orderBy("payout_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(found, page.page_number, page_size);
  return { payouts: rows.map(toPayout), ...closing };
}
