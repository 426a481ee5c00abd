import { type CompiledQuery, sql } from "kysely";
import { errorCatalogue } from "../../contract/errors.ts";
import { PAYOUT_FEE_YEN, PAYOUT_MIN_YEN } from "../../contract/limits.ts";
import type { AccountType, CreatorAccount, Payout } from "../../contract/payouts.ts";
import { isoTime } from "../../kernel/clock.ts";
import { creationOf, newId } from "../../kernel/ids.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { findBankAccount, toMaskedAccount } from "../banks/queries.ts";
import { logSilence } from "../gateway/log-silence.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext, type Services } from "../http/request-context.ts";
import { postTransfer } from "../ledger/commands.ts";
import { findCreatorBalances, heldYen } from "../ledger/queries.ts";
import { accountId, requestPayout } from "../ledger/rules.ts";
import { type Change, commit, type Precondition } from "../storage/commit.ts";
import type { Database } from "../storage/database.ts";
import { requireEnabled } from "../storage/disabled.ts";
import { countAct, type Limit, withBounds } from "../storage/limits.ts";
import { requireOpen } from "../storage/paused-features.ts";
import { requireCreator } from "../users/commands.ts";
import { createAccountLink, ensureAccount, refreshAccount, type Working } from "./accounts.ts";
import { advancePayout, endPending, findGatewayPayout, noteOf } from "./progress.ts";
import {
  type AccountRow,
  arePayoutsPaused,
  findAccountRow,
  findAccountsToCheck,
  findAutomaticAccounts,
  findPayoutRow,
  findPayoutsToCheck,
  findRowOfAccount,
  isBankFailing,
  isDisabled,
  mayContinue,
  type PayoutRow,
  toCreatorAccount,
  toPayout,
} from "./queries.ts";
import { automaticMonthAt, nextAccountCheck, WAIT_MS } from "./rules.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** More visits to the gateway's pages, and more payouts, than a person needs in a day. */
export const ACCOUNT_LINK_LIMIT: Limit = { act: "account_link", times: 20, window_ms: DAY_MS };
export const PAYOUT_LIMIT: Limit = { act: "payout", times: 20, window_ms: DAY_MS };

/**
 * Begins or continues the registration for monetization. Our row comes first, then the gateway's account. The type can be
 * chosen again until the terms are accepted. Throws `payments_unavailable`, `gateway_unreachable`, `too_many_requests`.
 */
export async function linkCreatorAccount(
  context: RequestContext,
  { account_type }: { account_type: AccountType },
): Promise<{ url: string }> {
  const { database, d1, now_ms } = context;
  const user_id = memberId(context);
  const row = database
    .insertInto("creator_accounts")
    .values({
      user_id,
      account_type,
      check_at: isoTime(nextAccountCheck(isoTime(now_ms), now_ms)),
      created_at: isoTime(now_ms),
    })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet({ account_type }).where("creator_accounts.tos_accepted", "=", 0),
    )
    .compile();
  const change: Change = { preconditions: requireEnabled(user_id), statements: [row] };
  const bound = countAct(context, ACCOUNT_LINK_LIMIT, user_id);
  await commit({ database, d1, now_ms, idempotency: null }, withBounds(change, bound));
  const account = await findAccountRow(database, user_id);
  if (!account) throw new Problem("not_found");
  const account_id = await ensureAccount(context, account);
  const url = await createAccountLink(context, account_id, account.account_type);
  return commitAnswer(context, { statements: [] }, { url });
}

/**
 * Asks the gateway how far the caller's registration is, or chooses the automatic payout and the number on invoices. Throws `payout_account_required`,
 * `payments_unavailable`, `gateway_unreachable`.
 */
export async function updateCreatorAccount(
  context: RequestContext,
  { is_automatic, invoice_number }: { is_automatic?: boolean | undefined; invoice_number?: string | null | undefined },
): Promise<{ creator_account: CreatorAccount }> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const before = await findAccountRow(database, user_id);
  if (!before?.account_id) throw new Problem("payout_account_required");
  const is_asked = is_automatic === undefined && invoice_number === undefined;
  // Our own settings do not need the gateway.
  if (is_asked) await refreshAccount(context, before);
  const [row = before, is_bank_failing] = await Promise.all([
    findAccountRow(database, user_id),
    isBankFailing(database, user_id),
  ]);
  const now = isoTime(now_ms);
  // Writes only what the caller changes: another request may change the other setting after the row was read.
  const update = database
    .updateTable("creator_accounts")
    .set({
      ...(is_automatic !== undefined && {
        automatic_since: is_automatic ? sql<string>`coalesce(automatic_since, ${now})` : null,
      }),
      ...(invoice_number !== undefined && { invoice_number }),
    })
    .where("user_id", "=", user_id);
  const changed = {
    ...row,
    ...(is_automatic !== undefined && { automatic_since: is_automatic ? now : null }),
    ...(invoice_number !== undefined && { invoice_number }),
  };
  const answer = { creator_account: toCreatorAccount(changed, is_bank_failing) };
  return commitAnswer(context, { statements: is_asked ? [] : [update.compile()] }, answer);
}

/**
 * The preconditions of a payout, in the order in which their refusals make sense to a person.
 *
 * @param seen_bank when the bank account that the person has seen was registered; undefined when the caller does not say.
 */
function payoutPreconditions(user_id: string, seen_bank: string | undefined): Precondition[] {
  const account = sql`SELECT 1 FROM creator_accounts WHERE user_id = ${user_id} AND account_id IS NOT NULL`;
  return [
    requireOpen("payouts"),
    requireCreator(user_id),
    { code: "payout_account_required", holds: sql`EXISTS (${account} AND tos_accepted = 1)` },
    {
      code: "bank_account_required",
      holds: sql`EXISTS (SELECT 1 FROM bank_accounts WHERE user_id = ${user_id})`,
    },
    ...(seen_bank === undefined
      ? []
      : [
          {
            code: "bank_account_conflict" as const,
            holds: sql`EXISTS (SELECT 1 FROM bank_accounts WHERE user_id = ${user_id} AND updated_at = ${seen_bank})`,
          },
        ]),
    { code: "payouts_not_enabled", holds: sql`EXISTS (${account} AND payouts_enabled = 1)` },
  ];
}

/** The precondition that an amount is on the balance without what operators hold. The batch checks it before it posts. */
const requireFree = (user_id: string, amount: number): Precondition => ({
  code: "balance_insufficient",
  holds: sql`coalesce((SELECT balance FROM ledger_accounts WHERE account_id = ${accountId("creator_payable", user_id)}), 0)
    - ${heldYen(user_id, true)} >= ${amount}`,
});

/** Returns a new payout of this amount (null without a bank account), and the statements that write it and take the amount from the balance. */
async function newPayout(
  working: Working,
  {
    user_id,
    amount,
    automatic_month,
    payout_id = newId(working.now_ms),
  }: { user_id: string; amount: number; automatic_month: string | null; payout_id?: string },
): Promise<{ row: PayoutRow; preconditions: Precondition[]; statements: CompiledQuery[] } | null> {
  const { database, now_ms } = working;
  const [account, bank] = await Promise.all([findAccountRow(database, user_id), findBankAccount(working, user_id)]);
  if (!account?.account_id || !bank) return null;
  const { bank_code, bank_name, branch_code, branch_name, account_number_last3 } = toMaskedAccount(bank);
  const row: PayoutRow = {
    payout_id,
    user_id,
    amount,
    bank_fee: PAYOUT_FEE_YEN,
    status: "pending",
    failure_reason: null,
    transfer_id: null,
    gateway_payout_id: null,
    reversal_id: null,
    refusals: 0,
    account_id: account.account_id,
    ...{ bank_code, bank_name, branch_code, branch_name, account_number_last3 },
    automatic_month,
    created_at: isoTime(creationOf(payout_id)),
    arrives_at: null,
    ended_at: null,
    held_at: null,
    claimed_until: null,
    check_at: isoTime(now_ms),
  };
  const transfer = requestPayout({ payout_id, creator_id: user_id, amount_yen: amount, bank_fee_yen: PAYOUT_FEE_YEN });
  return {
    row,
    preconditions: [requireFree(user_id, amount)],
    statements: [...postTransfer({ database, now_ms }, transfer), database.insertInto("payouts").values(row).compile()],
  };
}

/**
 * Asks for a payout of an amount, or of all that is available. The batch takes the amount from the balance; the clock sends the
 * money. Throws `payouts_paused`, `creator_required`, `payout_account_required`, `bank_account_required`, `payouts_not_enabled`,
 * `balance_insufficient`, `payout_below_minimum`, `too_many_requests`, `bank_account_unreadable`, `unavailable` (see
 * {@link findBankAccount}), and `bank_account_conflict` when the bank account is no longer the one that the person has seen.
 */
export async function createPayout(
  context: RequestContext,
  asked: number | "all",
  seen_bank?: string,
): Promise<{ payout: Payout }> {
  const { database } = context;
  const user_id = memberId(context);
  const amount = asked === "all" ? (await findCreatorBalances(database, user_id)).available_yen : asked;
  const preconditions = payoutPreconditions(user_id, seen_bank);
  const made = amount < PAYOUT_MIN_YEN ? null : await newPayout(context, { user_id, amount, automatic_month: null });
  if (!made) {
    // Nothing can be written. The batch of preconditions finds the reason, which may not be the amount.
    await commitAnswer({ ...context, idempotency: null }, { preconditions, statements: [] }, null);
    throw new Problem(amount < PAYOUT_MIN_YEN ? "payout_below_minimum" : "bank_account_required");
  }
  const change = { preconditions: [...preconditions, ...made.preconditions], statements: made.statements };
  try {
    return await commitLimited(context, PAYOUT_LIMIT, user_id, change, { payout: toPayout(made.row) });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "balance_insufficient") throw error;
    const { code } = error;
    throw new Problem(code, { fields: { amount: [errorCatalogue[code].detail] }, cause: error });
  }
}

/** How often, and in which steps, a cancellation looks whether another run has ended. A cancellation takes a second or two. */
const CLAIM_LOOKS = 12;
export const CLAIM_LOOK_MS = 250;

/**
 * Cancels one of the caller's payouts that is pending; idempotent. Claims it first, so that the clock does not send it
 * meanwhile. Waits some seconds while another run has it: the button may have been pressed twice, and a browser without scripts shows
 * the answer to the last press.
 *
 * @throws `not_found`, `payouts_paused`, `payout_transition_refused` (under way, ended, held by an operator, or the clock has it),
 * `payments_unavailable`, `gateway_unreachable`. After the last one nothing is canceled, and the clock continues with the payout.
 */
export async function cancelPayout(context: RequestContext, payout_id: string): Promise<Payout> {
  const { database, now_ms } = context;
  const answer = async (canceled: PayoutRow) =>
    (await commitAnswer(context, { statements: [] }, { payout: toPayout(canceled) })).payout;
  for (let looks = 0; ; looks++) {
    const row = await findPayoutRow(database, payout_id);
    if (row?.user_id !== memberId(context)) throw new Problem("not_found");
    if (row.status === "canceled") return answer(row);
    if (row.status !== "pending") throw new Problem("payout_transition_refused");
    if (await claimPayout(database, row, now_ms)) {
      return answer(await workClaimed(database, row, now_ms, () => endPending(context, row)));
    }
    if (row.held_at !== null || looks === CLAIM_LOOKS) throw new Problem("payout_transition_refused");
    if (row.gateway_payout_id === null && (await arePayoutsPaused(database))) throw new Problem("payouts_paused");
    await new Promise((resolve) => setTimeout(resolve, CLAIM_LOOK_MS));
  }
}

/** How many accounts and payouts one run of the clock looks at. */
const CHECKED_AT_ONCE = 50;

/** The clock's services as the steps take them. */
function workingAt(services: Services, request_id: string): Working {
  return { ...services, now_ms: services.clock.now(), request_id };
}

/**
 * Does a piece of the clock's work for each row. A row that fails is logged and postponed, so that it delays no
 * other. While the gateway is silent the other rows wait for the next run of the clock, and this one goes behind them.
 */
export async function forEachRow<Row>(
  rows: readonly Row[],
  work: (row: Row) => Promise<void>,
  {
    nameOf,
    postpone,
    isOver,
  }: {
    nameOf: (row: Row) => string;
    postpone: (row: Row, wait_ms: number) => Promise<unknown>;
    isOver: () => boolean;
  },
): Promise<void> {
  for (const row of rows) {
    if (isOver()) return;
    try {
      await work(row);
    } catch (error) {
      const is_silent = error instanceof Problem && error.code === "gateway_unreachable";
      if (is_silent) logSilence(nameOf(row), error);
      else logUnexpected(error, nameOf(row));
      await postpone(row, is_silent ? 0 : WAIT_MS);
      if (is_silent) return;
    }
  }
}

/** Asks the gateway about the accounts that are due, and gives it new bank accounts. */
export async function checkAccounts(services: Services, isOver = () => false): Promise<void> {
  const { database } = services;
  const now_ms = services.clock.now();
  const rows = await findAccountsToCheck(database, now_ms, CHECKED_AT_ONCE);
  await forEachRow(rows, (row) => refreshAccount(workingAt(services, `account ${row.user_id}`), row), {
    isOver,
    nameOf: ({ user_id }) => `account ${user_id}`,
    postpone: ({ user_id }, wait_ms) =>
      database
        .updateTable("creator_accounts")
        .set({ check_at: isoTime(now_ms + wait_ms) })
        .where("user_id", "=", user_id)
        .execute(),
  });
}

/** Longer than the steps of one payout can take. A run that dies keeps its payout for so long. */
export const CLAIM_MS = 2 * 60 * 1000;

/** SQL for whether no run works on a payout. */
const isUnclaimed = (now_ms: number) => sql<boolean>`coalesce(claimed_until <= ${isoTime(now_ms)}, TRUE)`;

/**
 * Takes a payout for this run. Returns false when another run has it, or has had it since the row was read, and while an operator
 * holds it or has paused payouts: otherwise its creator could cancel it, and ask for the same money in a payout that nobody holds.
 */
async function claimPayout(database: Database, { payout_id, check_at }: PayoutRow, now_ms: number): Promise<boolean> {
  const until = isoTime(now_ms + CLAIM_MS);
  const claimed = await database
    .updateTable("payouts")
    .set({ check_at: until, claimed_until: until })
    .where("payout_id", "=", payout_id)
    .where("check_at", "=", check_at)
    .where("held_at", "is", null)
    .where(mayContinue)
    .where(isUnclaimed(now_ms))
    .returning("payout_id")
    .executeTakeFirst();
  return claimed !== undefined;
}

/**
 * Works on a payout that this run has claimed, and then gives the claim back. A run that dies keeps it for its time.
 * `claimed_until` stays NULL until a run first works on the payout: until then nothing of it can be at the gateway.
 */
async function workClaimed<Result>(
  database: Database,
  { payout_id }: PayoutRow,
  now_ms: number,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } finally {
    await database
      .updateTable("payouts")
      .set({ claimed_until: isoTime(now_ms) })
      .where("payout_id", "=", payout_id)
      .where("claimed_until", "=", isoTime(now_ms + CLAIM_MS))
      .execute();
  }
}

/** Continues the payouts that are due, and asks the gateway about those under way. */
export async function advancePayouts(services: Services, isOver = () => false): Promise<void> {
  const { database } = services;
  const now_ms = services.clock.now();
  const rows = await findPayoutsToCheck(database, now_ms, CHECKED_AT_ONCE);
  const advance = async (row: PayoutRow) => {
    if (await claimPayout(database, row, now_ms)) {
      const working = workingAt(services, `payout ${row.payout_id}`);
      await workClaimed(database, row, now_ms, () => advancePayout(working, row));
    }
  };
  await forEachRow(rows, advance, {
    isOver,
    nameOf: ({ payout_id }) => `payout ${payout_id}`,
    postpone: ({ payout_id }, wait_ms) =>
      database
        .updateTable("payouts")
        .set({ check_at: isoTime(now_ms + wait_ms) })
        .where("payout_id", "=", payout_id)
        .execute(),
  });
}

/**
 * Requests the payouts of the 20th: the whole balance of each creator who chose it before that day. A creator with less than
 * the smallest payout, or who cannot be paid out, waits for the next month. So does one whose bank account is known to fail: the
 * balance would be tied up for days, each month.
 */
export async function requestAutomaticPayouts(services: Services, isOver = () => false): Promise<void> {
  const { database, d1 } = services;
  const now_ms = services.clock.now();
  const due = automaticMonthAt(now_ms);
  if (!due) return;
  const skip = ({ user_id }: AccountRow) =>
    database
      .updateTable("creator_accounts")
      .set({ automatic_month: due.month })
      .where("user_id", "=", user_id)
      .compile();
  const failed: string[] = [];
  const request = async (row: AccountRow) => {
    const { user_id } = row;
    const working = workingAt(services, `automatic payout ${user_id}`);
    const [{ available_yen: amount }, is_disabled, is_bank_failing] = await Promise.all([
      findCreatorBalances(database, user_id),
      isDisabled(database, user_id),
      isBankFailing(database, user_id),
    ]);
    const is_possible = amount >= PAYOUT_MIN_YEN && row.payouts_enabled === 1 && !is_disabled && !is_bank_failing;
    const made = is_possible ? await newAutomaticPayout(working, { user_id, amount, month: due.month }) : null;
    await commit(
      { d1, database, now_ms, idempotency: null },
      { preconditions: made?.preconditions ?? [], statements: [...(made?.statements ?? []), skip(row)] },
    );
  };
  // An error passes: a creator who was skipped would wait a month for the money. The next run tries again, and accounts that all
  // fail delay no other in this one.
  for (let has_failed = true; has_failed; ) {
    const rows = await findAutomaticAccounts(database, due, { without: failed, limit: CHECKED_AT_ONCE });
    const before = failed.length;
    await forEachRow(rows, request, {
      isOver,
      nameOf: ({ user_id }) => `automatic payout ${user_id}`,
      postpone: async ({ user_id }) => failed.push(user_id),
    });
    has_failed = rows.length > 0 && failed.length === before + rows.length;
  }
}

/** Returns a new automatic payout; null while the bank account is missing or unreadable, which only its creator can mend. */
async function newAutomaticPayout(
  working: Working,
  { user_id, amount, month }: { user_id: string; amount: number; month: string },
) {
  try {
    return await newPayout(working, { user_id, amount, automatic_month: month });
  } catch (error) {
    if (error instanceof Problem && error.code === "bank_account_unreadable") return null;
    throw error;
  }
}

/** A payout that the gateway has, by its transfer to the connected account. */
export interface MadePayout {
  payout_id: string;
  transfer_id: string;
  account_id: string;
  transferred_yen: number;
}

/**
 * Returns the change that takes a payout of the gateway into the books which a restored database has forgotten; the clock then
 * follows it. A row that does not know of its transfer learns it. The bank fee and the bank account of a new row are those of now.
 *
 * @throws `not_found` for an account of nobody, `bank_account_required`, `bank_account_unreadable`; `payout_transition_refused` when the
 * row has ended, or has another transfer. The batch throws `balance_insufficient`.
 */
export async function recordMadePayout(working: Working, made: MadePayout): Promise<Change> {
  const { database, gateway, now_ms } = working;
  const { payout_id, transfer_id } = made;
  const known = await findPayoutRow(database, payout_id);
  if (known && (known.status !== "pending" || known.transfer_id !== null)) {
    throw new Problem("payout_transition_refused");
  }
  const forgotten = known ? null : await newForgottenPayout(working, made);
  const row = known ?? (forgotten as NonNullable<typeof forgotten>).row;
  const paid = await gateway.call((stripe) => findGatewayPayout(stripe, row));
  const noted = { transfer_id, ...(paid && noteOf(paid)), check_at: isoTime(now_ms) };
  const note = database
    .updateTable("payouts")
    .set({ ...noted, claimed_until: sql<string>`coalesce(claimed_until, ${isoTime(now_ms)})` })
    .where("payout_id", "=", payout_id)
    .where("transfer_id", "is", null)
    .compile();
  return { statements: [...(forgotten?.statements ?? []), note] };
}

async function newForgottenPayout(working: Working, { payout_id, account_id, transferred_yen }: MadePayout) {
  const account = await findRowOfAccount(working.database, account_id);
  if (!account) throw new Problem("not_found");
  const amount = transferred_yen + PAYOUT_FEE_YEN;
  const made = await newPayout(working, { user_id: account.user_id, amount, automatic_month: null, payout_id });
  if (!made) throw new Problem("bank_account_required");
  return made;
}

/** Returns the change by which an operator stops a payout that has not been sent, or lets it continue. Throws `not_found`. */
export function holdPayout(
  { database, now_ms }: Pick<RequestContext, "database" | "now_ms">,
  payout_id: string,
  is_held: boolean,
): Change {
  return {
    preconditions: [
      {
        code: "not_found",
        holds: sql`EXISTS (SELECT 1 FROM payouts WHERE payout_id = ${payout_id} AND gateway_payout_id IS NULL
          AND status = 'pending')`,
      },
    ],
    statements: [
      database
        .updateTable("payouts")
        .set({ held_at: is_held ? isoTime(now_ms) : null })
        .where("payout_id", "=", payout_id)
        .compile(),
    ],
  };
}

/**
 * Returns the change by which an operator lets the clock continue a payout in its next run. Changes nothing while a run works
 * on it: two runs must not. Throws `not_found`.
 */
export function retryPayout(
  { database, now_ms }: Pick<RequestContext, "database" | "now_ms">,
  payout_id: string,
): Change {
  return {
    preconditions: [
      {
        code: "not_found",
        holds: sql`EXISTS (SELECT 1 FROM payouts WHERE payout_id = ${payout_id} AND check_at IS NOT NULL)`,
      },
    ],
    statements: [
      database
        .updateTable("payouts")
        .set({ check_at: isoTime(now_ms) })
        .where("payout_id", "=", payout_id)
        .where(isUnclaimed(now_ms))
        .compile(),
    ],
  };
}
