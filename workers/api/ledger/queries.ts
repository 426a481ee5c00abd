import { type RawBuilder, sql } from "kysely";
import { ANONYMOUS_NAME, GUEST_NAME, LEFT_NAME } from "../../contract/bounds.ts";
import type { MonthlyEarnings, Transaction, TransactionKind } from "../../contract/ledger.ts";
import { isoTime, japaneseMonthOf } from "../../kernel/clock.ts";
import { firstIdAt } from "../../kernel/ids.ts";
import type { Database } from "../storage/database.ts";
import type { Invariant } from "./invariants.ts";
import {
  ACCOUNT_KINDS,
  type AccountKind,
  accountId,
  CORRECTIONS,
  PAYMENT_CAUSES,
  PAYMENT_KINDS,
  PAYOUT_TRANSFERS,
  type Payment,
  type PaymentKind,
  type TransactionPosting,
  type TransferKind,
  toTransaction,
  type Withdrawal,
} from "./rules.ts";

/**
 * SQL for what happened to a payment of `payments` after it was made: its payer has the money back, or the payer's bank
 * disputes it. Null otherwise.
 */
export const refundState = sql<"refunded" | "disputed" | null>`CASE
  WHEN EXISTS (SELECT 1 FROM refunds WHERE refunds.payment_id = payments.payment_id AND refunds.status = 'paid')
    OR EXISTS (SELECT 1 FROM disputes WHERE disputes.payment_id = payments.payment_id AND disputes.status = 'lost'
      AND disputes.from_account IS NOT NULL)
    THEN 'refunded'
  WHEN EXISTS (SELECT 1 FROM disputes WHERE disputes.payment_id = payments.payment_id AND disputes.status = 'open')
    THEN 'disputed' END`;

/** SQL for {@link refundState} of the payment of a letter. `letter` is the SQL of the letter's id. */
export const refundStateOfLetter = (letter: RawBuilder<unknown>): RawBuilder<"refunded" | "disputed" | null> =>
  sql`(SELECT ${refundState}
    FROM payments WHERE payments.kind IN ('ofuse_v3', 'fan_letter_support') AND payments.cause_id = ${letter}
      AND payments.withdrawn_at IS NOT NULL)`;

/** A creator's balances in yen. `available_yen` is negative after a refund of money that was paid out. */
export interface CreatorBalances {
  available_yen: number;
  pending_yen: number;
  in_transit_yen: number;
  /** What operators hold. Not part of the other balances. */
  held_yen: number;
  /** The part of `held_yen` that the gateway has not made available yet. */
  held_pending_yen: number;
  /** What open disputes and pending refunds took, and may give back. Not part of the other balances. */
  contested_yen: number;
}

/**
 * SQL: what operators hold of a creator's payments, in yen. Released ones are on `creator_payable`, the others on
 * `creator_pending`.
 */
export const heldYen = (creator_id: string, is_released: boolean): RawBuilder<number> => sql<number>`coalesce(
  (SELECT sum(creator_share) FROM payments WHERE creator_user_id = ${creator_id} AND held_at IS NOT NULL
    AND withdrawn_at IS NULL AND (released_at IS NOT NULL) = ${is_released ? 1 : 0}), 0)`;

/** SQL: what open disputes and pending refunds took of a creator's payments and may give back, in yen. */
export const contestedYen = (creator_id: string): RawBuilder<number> => sql<number>`coalesce(
  (SELECT sum(creator_share) FROM payments WHERE creator_user_id = ${creator_id} AND withdrawn_at IS NOT NULL
    AND (EXISTS (SELECT 1 FROM disputes WHERE disputes.payment_id = payments.payment_id
        AND disputes.status = 'open' AND disputes.from_account IS NOT NULL)
      OR EXISTS (SELECT 1 FROM refunds WHERE refunds.payment_id = payments.payment_id
        AND refunds.status = 'pending'))), 0)`;

/** Returns a creator's balances, in one statement. All are 0 for a person without earnings. */
export async function findCreatorBalances(database: Database, creator_id: string): Promise<CreatorBalances> {
  const kinds = ["creator_payable", "creator_pending", "creator_in_transit"] as const;
  const ids = kinds.map((kind) => accountId(kind, creator_id));
  const rows = await database
    .selectFrom("ledger_accounts")
    .select(["account_id", "balance"])
    .select([heldYen(creator_id, true).as("held_payable"), heldYen(creator_id, false).as("held_pending")])
    .select(contestedYen(creator_id).as("contested"))
    .where("account_id", "in", ids)
    .execute();
  const [payable = 0, pending = 0, in_transit_yen = 0] = ids.map(
    (id) => rows.find(({ account_id }) => account_id === id)?.balance ?? 0,
  );
  // A creator with a share of a payment has accounts, so there is a row.
  const { held_payable, held_pending, contested } = rows[0] ?? { held_payable: 0, held_pending: 0, contested: 0 };
  return {
    available_yen: payable - held_payable,
    pending_yen: pending - held_pending,
    in_transit_yen,
    held_yen: held_payable + held_pending,
    held_pending_yen: held_pending,
    contested_yen: contested,
  };
}

/** What the postings of one kind of transfer add up to in one Japanese calendar month. */
export interface MonthlySum {
  /** `2026-11`. */
  month: string;
  kind: TransferKind;
  change_yen: number;
  postings_count: number;
}

/**
 * Sums the postings of an account by kind and by Japanese calendar month, from the month of `from_ms` until before `to_ms`.
 * Reads only an index: the postings of these kinds in these months.
 */
export async function sumByKindAndMonth(
  database: Database,
  account: { kind: AccountKind; owner_id: string | null },
  kinds: readonly TransferKind[],
  { from_ms, to_ms }: { from_ms: number; to_ms: number },
): Promise<MonthlySum[]> {
  const sign = ACCOUNT_KINDS[account.kind].side === "debit" ? 1 : -1;
  const { rows } = await sql<MonthlySum>`SELECT json_each.value ->> 'month' AS month, kind,
      ${sign} * SUM(amount) AS change_yen, COUNT(*) AS postings_count
    FROM json_each(${JSON.stringify(monthsOf(from_ms, to_ms))})
    CROSS JOIN ledger_postings ON transfer_id >= json_each.value ->> 'first' AND transfer_id < json_each.value ->> 'end'
    WHERE account_id = ${accountId(account.kind, account.owner_id)}
      AND kind IN (SELECT value FROM json_each(${JSON.stringify(kinds)}))
    GROUP BY 1, 2 ORDER BY 1, 2`.execute(database);
  return rows;
}

/** Returns the Japanese months from `from_ms` until before `to_ms`, each with its first id and the one after its last. */
function monthsOf(from_ms: number, to_ms: number): { month: string; first: string; end: string }[] {
  const months = [];
  for (let at = from_ms; at < to_ms; ) {
    const { start_ms, end_ms } = japaneseMonthOf(at);
    // The month of Japan is that of UTC in its middle.
    const month = isoTime((start_ms + end_ms) / 2).slice(0, 7);
    months.push({ month, first: firstIdAt(start_ms), end: firstIdAt(Math.min(end_ms, to_ms)) });
    at = end_ms;
  }
  return months;
}

/** A range of time, from `from_ms` until before `to_ms`. */
interface Range {
  from_ms: number;
  to_ms: number;
}

/** Which of a creator's transactions are wanted. */
interface Wanted extends Range {
  kind?: TransactionKind | undefined;
  limit: number;
  offset?: number;
}

/**
 * SQL for the ids of a creator's transactions, newest first. SQLite merges lists that indexes have in this order, and stops at the
 * last entry that is wanted. Only corrections of a kind and payments given away are read whole: they are few.
 */
function transactionIds(creator_id: string, { kind, limit, offset = 0, ...range }: Wanted): RawBuilder<unknown> {
  const lists = kind === undefined ? walkedIds(creator_id, range) : idsOfKind(creator_id, kind, range);
  if (kind !== "payout") lists.push(idsGivenAway(creator_id, { ...range, kind }));
  return sql`${sql.join(lists, sql` UNION ALL `)} ORDER BY transfer_id DESC LIMIT ${limit} OFFSET ${offset}`;
}

/** SQL for the ids of a time. */
const inRange = ({ from_ms, to_ms }: Range) =>
  sql`ledger_postings.transfer_id >= ${firstIdAt(from_ms)} AND ledger_postings.transfer_id < ${firstIdAt(to_ms)}`;

/** SQL for the transfers that change the sum of a creator's pending and available balances: a list for each account. */
function walkedIds(creator_id: string, range: Range): RawBuilder<unknown>[] {
  return (["creator_pending", "creator_payable"] as const).map(
    (account) => sql`SELECT transfer_id FROM ledger_postings INDEXED BY ledger_postings_walked
      WHERE account_id = ${accountId(account, creator_id)} AND kind <> 'earnings_released' AND ${inRange(range)}`,
  );
}

/** SQL for the transfers of a kind of transaction: a list for each kind of transfer, and one for the corrections of a payment. */
function idsOfKind(creator_id: string, kind: TransactionKind, range: Range): RawBuilder<unknown>[] {
  const [pending, payable] = [accountId("creator_pending", creator_id), accountId("creator_payable", creator_id)];
  const idsOf = (account_id: string, transfer: TransferKind) => sql`SELECT transfer_id FROM ledger_postings
    WHERE account_id = ${account_id} AND kind = ${transfer} AND ${inRange(range)}`;
  if (kind === "payout") return PAYOUT_TRANSFERS.map((transfer) => idsOf(payable, transfer));
  const corrections = sql`SELECT ledger_postings.transfer_id FROM ledger_postings
      CROSS JOIN ledger_transfers ON ledger_transfers.transfer_id = ledger_postings.transfer_id
      CROSS JOIN ledger_transfers AS origin ON origin.transfer_id = ledger_transfers.origin_transfer_id
    WHERE ledger_postings.account_id IN (${pending}, ${payable}) AND ledger_postings.kind IN (${sql.join(CORRECTIONS)})
      AND ${inRange(range)} AND origin.kind = ${kind}`;
  return [idsOf(pending, kind), corrections];
}

/**
 * SQL for the transfers of payments of which a campaign got everything: they have no posting on the creator's accounts.
 * Reads every such payment of the creator, which are few.
 */
function idsGivenAway(
  creator_id: string,
  { from_ms, to_ms, kind }: Range & { kind: PaymentKind | undefined },
): RawBuilder<unknown> {
  const kinds = JSON.stringify([...(kind === undefined ? PAYMENT_KINDS : [kind]), ...CORRECTIONS]);
  return sql`SELECT ledger_transfers.transfer_id
    FROM payments INDEXED BY payments_given_away
      CROSS JOIN ledger_transfers AS origin
        ON origin.cause_type = 'ofuse' AND origin.cause_id = payments.cause_id AND origin.kind = payments.kind
      CROSS JOIN ledger_transfers ON ledger_transfers.origin_transfer_id = origin.transfer_id
    WHERE payments.creator_user_id = ${creator_id} AND payments.creator_share = 0
      AND origin.kind IN (SELECT value FROM json_each(${kinds}))
      AND ledger_transfers.kind IN (SELECT value FROM json_each(${kinds}))
      AND ledger_transfers.transfer_id >= ${firstIdAt(from_ms)} AND ledger_transfers.transfer_id < ${firstIdAt(to_ms)}`;
}

/** Loads a creator's transactions whose ids a SELECT returns, newest first. */
async function loadTransactions(
  database: Database,
  creator_id: string,
  ids: RawBuilder<unknown>,
): Promise<Transaction[]> {
  const { rows } = await sql<TransactionPosting>`WITH chosen AS MATERIALIZED (${ids})
    SELECT ledger_transfers.transfer_id, ledger_transfers.kind,
      ledger_transfers.created_at, origin.kind AS origin_kind, origin.cause_id AS origin_cause_id,
      ledger_accounts.kind AS account_kind, ledger_postings.amount, invoices.title AS plan_title,
      ofuses.ofuse_id IS NOT NULL AND ofuses.removed_at IS NULL AND ofuses.ofuse_id NOT IN (SELECT subject_id FROM reports
        WHERE reporter_user_id = ${creator_id} AND subject_type = 'ofuse') AS can_open_letter,
      CASE WHEN payments.payment_id IS NULL THEN NULL
        WHEN payments.kind NOT IN ('ofuse_v3', 'fan_letter_support') THEN coalesce(payer.name, ${LEFT_NAME})
        WHEN ofuses.ofuse_id IS NULL OR ofuses.is_anonymous = 1 THEN ${ANONYMOUS_NAME}
        ELSE coalesce(payer.name, ofuses.guest_name, ${GUEST_NAME}) END AS sender_name,
      coalesce(invoices.number, payments.payment_id) AS receipt_number, payments.seller_number,
      iif(payments.released_at IS NULL AND payments.withdrawn_at IS NULL AND payments.held_at IS NULL,
        payments.available_at, NULL) AS available_at,
      (SELECT status FROM disputes WHERE ledger_transfers.kind = 'dispute_opened'
        AND disputes.dispute_id = ledger_transfers.cause_id) AS dispute_status
    FROM chosen
    CROSS JOIN ledger_transfers ON ledger_transfers.transfer_id = chosen.transfer_id
    CROSS JOIN ledger_transfers AS origin ON origin.transfer_id = ledger_transfers.origin_transfer_id
    CROSS JOIN ledger_postings ON ledger_postings.transfer_id = ledger_transfers.transfer_id
    CROSS JOIN ledger_accounts ON ledger_accounts.account_id = ledger_postings.account_id
    LEFT JOIN payments ON payments.kind = origin.kind AND payments.cause_id = origin.cause_id
    LEFT JOIN invoices ON payments.kind = 'membership' AND invoices.invoice_id = payments.cause_id
    LEFT JOIN ofuses ON ofuses.ofuse_id = payments.cause_id
    LEFT JOIN users AS payer ON payer.user_id = payments.payer_user_id`.execute(database);
  return [...Map.groupBy(rows, ({ transfer_id }) => transfer_id)]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .flatMap(([, [first, ...others]]) => (first ? toTransaction([first, ...others]) : []));
}

/** Lists a creator's transactions, newest first, after the first `offset`. */
export async function listTransactions(
  database: Database,
  creator_id: string,
  wanted: Wanted & { offset: number },
): Promise<Transaction[]> {
  return loadTransactions(database, creator_id, transactionIds(creator_id, wanted));
}

/** How many transactions of a report one statement loads: about five rows each. */
const LOADED_AT_ONCE = 1000;

/** Returns a creator's transactions of a time, oldest first; null when there are more than `limit`. */
export async function findTransactionsOf(
  database: Database,
  creator_id: string,
  { limit, ...range }: Range & { limit: number },
): Promise<Transaction[] | null> {
  const { rows } = await sql<{
    transfer_id: string;
  }>`${transactionIds(creator_id, { ...range, limit: limit + 1 })}`.execute(database);
  if (rows.length > limit) return null;
  const ids = rows.map(({ transfer_id }) => transfer_id).reverse();
  const loaded: Transaction[] = [];
  for (let start = 0; start < ids.length; start += LOADED_AT_ONCE) {
    const part = JSON.stringify(ids.slice(start, start + LOADED_AT_ONCE));
    const found = await loadTransactions(
      database,
      creator_id,
      sql`SELECT value AS transfer_id FROM json_each(${part})`,
    );
    loaded.push(...found.reverse());
  }
  return loaded;
}

/** Returns what a creator earned in each Japanese calendar month of a time, after fees, shares for campaigns and refunds. */
export async function sumMonthlyEarnings(
  database: Database,
  creator_id: string,
  range: Range,
): Promise<MonthlyEarnings[]> {
  const sums = await Promise.all([
    sumByKindAndMonth(
      database,
      { kind: "creator_pending", owner_id: creator_id },
      [...PAYMENT_KINDS, ...CORRECTIONS],
      range,
    ),
    sumByKindAndMonth(database, { kind: "creator_payable", owner_id: creator_id }, CORRECTIONS, range),
  ]);
  const all = sums.flat();
  return monthsOf(range.from_ms, range.to_ms).map(({ month }) => {
    const ofMonth = all.filter((sum) => sum.month === month);
    const sumOf = (...kinds: readonly TransferKind[]) =>
      ofMonth.reduce((sum, { kind, change_yen }) => (kinds.includes(kind) ? sum + change_yen : sum), 0);
    return {
      month,
      ofuse_v3: sumOf("ofuse_v3"),
      fan_letter_support: sumOf("fan_letter_support"),
      membership: sumOf("membership"),
      comment_support: sumOf("comment_support"),
      corrections: sumOf(...CORRECTIONS),
      earned: sumOf(...PAYMENT_KINDS, ...CORRECTIONS),
    };
  });
}

/**
 * Returns a payment as it was posted, and the account that has the creator's share: what a refund, a dispute and the
 * release of earnings need. Null if nothing was paid for the letter, comment or invoice.
 */
export async function findPayment(
  database: Database,
  kind: PaymentKind,
  cause_id: string,
): Promise<Pick<Withdrawal, "payment" | "from"> | null> {
  const rows = await database
    .selectFrom("ledger_transfers")
    .innerJoin("ledger_postings", "ledger_postings.transfer_id", "ledger_transfers.transfer_id")
    .innerJoin("ledger_accounts", "ledger_accounts.account_id", "ledger_postings.account_id")
    .select(["ledger_transfers.kind as transfer_kind", "ledger_accounts.kind", "owner_id", "amount"])
    .where("cause_type", "=", PAYMENT_CAUSES[kind])
    .where("cause_id", "=", cause_id)
    .where("ledger_transfers.kind", "in", [kind, "earnings_released"])
    .execute();
  const paid = rows.filter(({ transfer_kind }) => transfer_kind === kind);
  const partOf = (account: AccountKind) => paid.find((row) => row.kind === account);
  const yenOf = (account: AccountKind) => Math.abs(partOf(account)?.amount ?? 0);
  if (paid.length === 0) return null;
  const payment: Payment = {
    kind,
    cause_id,
    // A campaign may have got everything. Then there is no share to move.
    creator_id: partOf("creator_pending")?.owner_id ?? "",
    campaign_id: partOf("campaign_donations")?.owner_id ?? null,
    amount_yen: yenOf("gateway_clearing"),
    fee_yen: yenOf("platform_fee"),
    donation_yen: yenOf("campaign_donations"),
    creator_yen: yenOf("creator_pending"),
  };
  return { payment, from: rows.length > paid.length ? "creator_payable" : "creator_pending" };
}

/** Whether the ledger has what the gateway charged us for a payment or a dispute. `cause_id` is the gateway's id. */
export async function hasGatewayFee(database: Database, cause_id: string): Promise<boolean> {
  const booked = await database
    .selectFrom("ledger_transfers")
    .select("transfer_id")
    .where("cause_type", "=", "gateway_fee")
    .where("cause_id", "=", cause_id)
    .executeTakeFirst();
  return booked !== undefined;
}

/** A part of the ledger: the rows of each table whose number lies between `first` and `last`, both included. */
export interface Part {
  first: number;
  last: number;
}

const MAX_OFFENDERS = 10;
const OFFENDER_IDS: Record<Invariant["table"], string> = {
  ledger_accounts: "account_id",
  ledger_transfers: "transfer_id",
  ledger_postings: "transfer_id || ' ' || account_id",
};

/** Returns the ids of the first ten rows of a part that break an invariant. */
export async function findOffenders(
  database: Database,
  { table, isBroken }: Invariant,
  { first, last }: Part,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT ${sql.raw(OFFENDER_IDS[table])} AS id FROM ${sql.table(table)}
    WHERE rowid BETWEEN ${first} AND ${last} AND (${sql.raw(isBroken)}) LIMIT ${sql.lit(MAX_OFFENDERS)}`.execute(
    database,
  );
  return rows.map(({ id }) => id);
}

/** Returns the highest number of a row in any of the three tables; 0 when the ledger is empty. */
export async function findLastNumber(database: Database): Promise<number> {
  const { rows } = await sql<{ last: number }>`SELECT max(coalesce((SELECT MAX(rowid) FROM ledger_postings), 0),
    coalesce((SELECT MAX(rowid) FROM ledger_transfers), 0),
    coalesce((SELECT MAX(rowid) FROM ledger_accounts), 0)) AS last`.execute(database);
  return rows[0]?.last ?? 0;
}
