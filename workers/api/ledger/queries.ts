import { sql } from "kysely";
import type { MonthlyEarnings, Transaction, TransactionKind } from "../../contract/ledger.ts";
import { isoTime, japaneseMonthOf } from "../../kernel/clock.ts";
import { firstIdAt } from "../../kernel/ids.ts";
import type { Database } from "../storage/database.ts";
import type { Invariant } from "./invariants.ts";
import {
  ACCOUNT_KINDS,
  type AccountKind,
  accountId,
  type CauseType,
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

/** A creator's balances in yen. `available_yen` is negative after a refund of money that was paid out. */
export interface CreatorBalances {
  available_yen: number;
  pending_yen: number;
  in_transit_yen: number;
}

/** Returns a creator's balances, in one statement. All are 0 for a person without earnings. */
export async function findCreatorBalances(database: Database, creator_id: string): Promise<CreatorBalances> {
  const kinds = ["creator_payable", "creator_pending", "creator_in_transit"] as const;
  const ids = kinds.map((kind) => accountId(kind, creator_id));
  const rows = await database
    .selectFrom("ledger_accounts")
    .select(["account_id", "balance"])
    .where("account_id", "in", ids)
    .execute();
  const [available_yen = 0, pending_yen = 0, in_transit_yen = 0] = ids.map(
    (id) => rows.find(({ account_id }) => account_id === id)?.balance ?? 0,
  );
  return { available_yen, pending_yen, in_transit_yen };
}

/** A posting as a line of an account's statement. */
export interface StatementLine {
  number: number;
  transfer_id: string;
  kind: TransferKind;
  cause_type: CauseType;
  cause_id: string;
  /** By how many yen the balance changed: positive when it rose. */
  change_yen: number;
  balance_after_yen: number;
  created_at: string;
}

/** SQL for the change of a balance by a posting. */
const changeYen = sql<number>`iif(ledger_accounts.side = 'debit', 1, -1) * ledger_postings.amount`;

function selectLines(database: Database, account_id: string) {
  return database
    .selectFrom("ledger_postings")
    .innerJoin("ledger_transfers", "ledger_transfers.transfer_id", "ledger_postings.transfer_id")
    .innerJoin("ledger_accounts", "ledger_accounts.account_id", "ledger_postings.account_id")
    .select(["ledger_postings.number", "ledger_postings.transfer_id", "cause_id", "ledger_transfers.created_at"])
    .select([
      sql<TransferKind>`ledger_postings.kind`.as("kind"),
      sql<CauseType>`cause_type`.as("cause_type"),
      changeYen.as("change_yen"),
      "ledger_postings.balance_after as balance_after_yen",
    ])
    .where("ledger_postings.account_id", "=", account_id);
}

/** Lists an account's postings in the order of commits, newest first. `before` is the `number` of the last line seen. */
export async function listStatement(
  database: Database,
  account: { kind: AccountKind; owner_id: string | null },
  { before, limit }: { before?: number; limit: number },
): Promise<StatementLine[]> {
  const lines = selectLines(database, accountId(account.kind, account.owner_id))
    .orderBy("ledger_postings.number", "desc")
    .limit(limit);
  return (before === undefined ? lines : lines.where("ledger_postings.number", "<", before)).execute();
}

/** The postings of one kind on one account, such as a creator's earnings from comments. */
export interface KindOfPosting {
  account: AccountKind;
  transfer: TransferKind;
}

/**
 * Lists an owner's postings of some kinds on some accounts, newest first, from `from_ms` until before `to_ms`. `before` is
 * the `transfer_id` of the last line seen. Each kind is one statement, which reads `limit` rows at most; the statements
 * travel together.
 */
export async function listPostingsOfKinds(
  database: Database,
  owner_id: string,
  kinds: readonly KindOfPosting[],
  { from_ms, to_ms, before, limit }: { from_ms: number; to_ms: number; before?: string; limit: number },
): Promise<StatementLine[]> {
  const [first, end] = [firstIdAt(from_ms), firstIdAt(to_ms)];
  const lists = await Promise.all(
    kinds.map(({ account, transfer }) =>
      selectLines(database, accountId(account, owner_id))
        .where("ledger_postings.kind", "=", transfer)
        .where("ledger_postings.transfer_id", ">=", first)
        .where("ledger_postings.transfer_id", "<", before !== undefined && before < end ? before : end)
        .orderBy("ledger_postings.transfer_id", "desc")
        .limit(limit)
        .execute(),
    ),
  );
  return lists
    .flat()
    .sort((a, b) => (a.transfer_id < b.transfer_id ? 1 : -1))
    .slice(0, limit);
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

/** Every kind of posting that changes the sum of a creator's pending and available balances. */
const TRANSACTION_POSTINGS: readonly KindOfPosting[] = [
  ...PAYMENT_KINDS.map((transfer) => ({ account: "creator_pending", transfer }) as const),
  ...CORRECTIONS.flatMap((transfer) => [
    { account: "creator_pending", transfer } as const,
    { account: "creator_payable", transfer } as const,
  ]),
  ...PAYOUT_TRANSFERS.map((transfer) => ({ account: "creator_payable", transfer }) as const),
];

const isCorrection = (transfer: TransferKind) => (CORRECTIONS as readonly TransferKind[]).includes(transfer);

/** Whether a transaction of a kind can have a posting of a kind of transfer. */
function canHave(kind: TransactionKind, transfer: TransferKind): boolean {
  if (kind === "payout") return (PAYOUT_TRANSFERS as readonly TransferKind[]).includes(transfer);
  return transfer === kind || isCorrection(transfer);
}

/**
 * Returns the ids of a creator's transactions, newest first. Each kind of posting is one statement, which reads `limit`
 * entries of an index at most; the statements travel together. With `kind` it also reads every correction of the time, which
 * are few, to see what payment each corrects.
 */
async function listTransactionIds(
  database: Database,
  creator_id: string,
  { from_ms, to_ms, kind, limit }: Range & { kind?: TransactionKind | undefined; limit: number },
): Promise<string[]> {
  const asked = TRANSACTION_POSTINGS.filter(({ transfer }) => kind === undefined || canHave(kind, transfer));
  const lists = await Promise.all(
    asked.map(({ account, transfer }) => {
      const ids = database
        .selectFrom("ledger_postings")
        .select("transfer_id")
        .where("account_id", "=", accountId(account, creator_id))
        .where("kind", "=", transfer)
        .where("transfer_id", ">=", firstIdAt(from_ms))
        .where("transfer_id", "<", firstIdAt(to_ms))
        .orderBy("transfer_id", "desc")
        .limit(limit);
      const is_of_kind = sql<boolean>`(SELECT origin.kind FROM ledger_transfers
        JOIN ledger_transfers AS origin ON origin.transfer_id = ledger_transfers.origin_transfer_id
        WHERE ledger_transfers.transfer_id = ledger_postings.transfer_id) = ${kind}`;
      return (kind === undefined || !isCorrection(transfer) ? ids : ids.where(is_of_kind)).execute();
    }),
  );
  return lists
    .flat()
    .map(({ transfer_id }) => transfer_id)
    .sort((a, b) => (a < b ? 1 : -1))
    .slice(0, limit);
}

/** How many transactions one statement loads: about five rows each. */
const LOADED_AT_ONCE = 1000;

/** Returns the transactions with these ids, in the order of the ids. */
async function loadTransactions(database: Database, ids: readonly string[]): Promise<Transaction[]> {
  const loaded: Transaction[] = [];
  for (let start = 0; start < ids.length; start += LOADED_AT_ONCE) {
    const wanted = ids.slice(start, start + LOADED_AT_ONCE);
    const { rows } = await sql<TransactionPosting>`SELECT ledger_transfers.transfer_id, ledger_transfers.kind,
        ledger_transfers.created_at, origin.kind AS origin_kind, origin.cause_id AS origin_cause_id,
        ledger_accounts.kind AS account_kind, ledger_postings.amount
      FROM json_each(${JSON.stringify(wanted)})
      CROSS JOIN ledger_transfers ON ledger_transfers.transfer_id = json_each.value
      CROSS JOIN ledger_transfers AS origin ON origin.transfer_id = ledger_transfers.origin_transfer_id
      CROSS JOIN ledger_postings ON ledger_postings.transfer_id = ledger_transfers.transfer_id
      CROSS JOIN ledger_accounts ON ledger_accounts.account_id = ledger_postings.account_id`.execute(database);
    const postings = Map.groupBy(rows, ({ transfer_id }) => transfer_id);
    for (const id of wanted) {
      const [first, ...others] = postings.get(id) ?? [];
      if (first) loaded.push(toTransaction([first, ...others]));
    }
  }
  return loaded;
}

/** Lists a creator's transactions, newest first, after the first `offset`. */
export async function listTransactions(
  database: Database,
  creator_id: string,
  { offset, limit, ...which }: Range & { kind?: TransactionKind | undefined; offset: number; limit: number },
): Promise<Transaction[]> {
  const ids = await listTransactionIds(database, creator_id, { ...which, limit: offset + limit });
  return loadTransactions(database, ids.slice(offset));
}

/** Returns a creator's transactions of a time, oldest first; null when there are more than `limit`. */
export async function findTransactionsOf(
  database: Database,
  creator_id: string,
  { limit, ...range }: Range & { limit: number },
): Promise<Transaction[] | null> {
  const ids = await listTransactionIds(database, creator_id, { ...range, limit: limit + 1 });
  return ids.length > limit ? null : loadTransactions(database, ids.reverse());
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
