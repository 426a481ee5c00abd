import type { CompiledQuery } from "kysely";
import Stripe from "stripe";
import type { PayoutFailureReason, PayoutStatus } from "../../contract/payouts.ts";
import { isoTime } from "../../kernel/clock.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { toMaskedAccount } from "../banks/queries.ts";
import { postTransfer } from "../ledger/commands.ts";
import { completePayout, restorePayout, returnPayout } from "../ledger/rules.ts";
import { commit } from "../storage/commit.ts";
import type { Database, Tables } from "../storage/database.ts";
import { continuationStatement } from "../storage/outbox.ts";
import { confirmBankAccount, type Working } from "./accounts.ts";
import { findAccountRow, findPayoutRow, isDisabled, type PayoutRow } from "./queries.ts";
import { failureOf, nextPayoutCheck, statusOf, WAIT_MS } from "./rules.ts";

/**
 * How a payout goes from one step to the next: money to the connected account (transfer), from there to the bank (payout), and
 * back if that fails (reversal). Each step calls the gateway with an idempotency key of its own, then writes the id that the
 * gateway answered. A run that dies between the two is continued by the next one, which gets the same answer.
 */

/** The gateway forgets idempotency keys after a day. Before that, we begin to look for the reversal that was made. */
const KEY_MS = 12 * 60 * 60 * 1000;

type Changes = Partial<Tables["payouts"]>;

async function updatePayout(database: Database, payout_id: string, changes: Changes): Promise<PayoutRow> {
  await database.updateTable("payouts").set(changes).where("payout_id", "=", payout_id).execute();
  const row = await findPayoutRow(database, payout_id);
  if (!row) throw new Error(`payout ${payout_id} is gone`);
  return row;
}

/** The gateway refused to make a transfer or a payout: it made nothing. */
class Refusal extends Error {
  readonly code: string | undefined;

  constructor(cause: Stripe.errors.StripeInvalidRequestError) {
    super(cause.message, { cause });
    this.name = "Refusal";
    this.code = cause.code;
  }
}

/** A conflict (409) is none: another run makes the same with the same key at this moment. */
const REFUSING_STATUSES: readonly (number | undefined)[] = [400, 402, 403, 404];

function throwRefusal(error: unknown): never {
  const is_refusal =
    error instanceof Stripe.errors.StripeInvalidRequestError && REFUSING_STATUSES.includes(error.statusCode);
  throw is_refusal ? new Refusal(error) : error;
}

/**
 * Does every step of a payout that can be done now. Two runs must not work on one payout at once. Throws
 * `gateway_unreachable`; call it again then.
 */
export async function advancePayout(working: Working, row: PayoutRow): Promise<void> {
  if (row.status === "failed" || row.status === "canceled") return reverseTransfer(working, row);
  const sent = row.gateway_payout_id === null ? await trySending(working, row) : row;
  if (sent) await lookAtPayout(working, sent);
}

/** Sends a payout. After a refusal it returns null, and the payout waits or has failed. */
async function trySending(working: Working, row: PayoutRow): Promise<PayoutRow | null> {
  const { database, now_ms } = working;
  try {
    return await sendPayout(working, row);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The gateway repeats a refusal for the same key, so the next attempt has another.
    const refused = await updatePayout(database, row.payout_id, {
      refusals: row.refusals + 1,
      check_at: isoTime(now_ms + WAIT_MS),
    });
    // Money of fans is on its way to the gateway's balance, or the bank account was given again since its id was read. Anything
    // else does not pass by waiting.
    const is_bank_replaced = error.code === "resource_missing" && refused.transfer_id !== null;
    if (error.code !== "balance_insufficient" && !is_bank_replaced)
      await endPayout(working, refused, "failed", "could_not_process");
    return null;
  }
}

/**
 * Sends the money to the connected account and on to the bank. Returns null when that must wait or has failed. The row names the
 * bank account before the gateway pays to it, and the gateway pays to no other.
 */
async function sendPayout(working: Working, row: PayoutRow): Promise<PayoutRow | null> {
  const { database, now_ms } = working;
  const { payout_id, user_id } = row;
  if (await isHeld(working, row)) return null;
  if (row.transfer_id === null && (await isDisabled(database, user_id))) {
    await updatePayout(database, payout_id, { check_at: isoTime(now_ms + WAIT_MS) });
    return null;
  }
  // Before the row names another bank account: an earlier run may have paid to the one that it names.
  const noted = await noteWhatWasMade(working, row);
  if (noted.gateway_payout_id !== null) return noted;
  const prepared = await prepareBankAccount(working, user_id);
  if (!prepared) {
    await endPayout(working, noted, "failed", "could_not_process");
    return null;
  }
  const { external_id, columns } = prepared;
  const transfer_id = noted.transfer_id ?? (await makeTransfer(working, noted));
  const transferred = await updatePayout(database, payout_id, { ...columns, transfer_id });
  if (transferred.held_at !== null) return null;
  return updatePayout(database, payout_id, noteOf(await makeGatewayPayout(working, transferred, external_id)));
}

/** Whether an operator has stopped the payout since the row was read. */
async function isHeld({ database }: Working, { payout_id }: PayoutRow): Promise<boolean> {
  return (await findPayoutRow(database, payout_id))?.held_at !== null;
}

/**
 * Returns the registered bank account, which the gateway has now; null when it is missing, unreadable or refused. Throws
 * `unavailable` while BANK_KEYS lacks its key: the payout waits.
 */
async function prepareBankAccount(working: Working, user_id: string) {
  const known = await findAccountRow(working.database, user_id);
  if (!known) return null;
  try {
    const confirmed = await confirmBankAccount(working, known);
    if (!confirmed) return null;
    const { bank_code, bank_name, branch_code, branch_name, account_number_last3 } = toMaskedAccount(confirmed.bank);
    const columns = { bank_code, bank_name, branch_code, branch_name, account_number_last3 };
    return { external_id: confirmed.external_id, columns };
  } catch (error) {
    if (error instanceof Problem && error.code === "bank_account_unreadable") return null;
    throw error;
  }
}

const isOlderThanKeys = ({ created_at }: PayoutRow, now_ms: number) => now_ms - Date.parse(created_at) > KEY_MS;
const yenSent = ({ amount, bank_fee }: PayoutRow) => amount - bank_fee;

async function findTransfer(stripe: Stripe, payout_id: string): Promise<string | undefined> {
  return (await stripe.transfers.list({ transfer_group: payout_id })).data[0]?.id;
}

async function makeTransfer({ gateway }: Working, row: PayoutRow): Promise<string> {
  const { payout_id, account_id: destination, refusals } = row;
  return gateway.call(async (stripe) => {
    const transfer = { amount: yenSent(row), currency: "jpy", destination, transfer_group: payout_id };
    const { id } = await stripe.transfers
      .create({ ...transfer, metadata: { payout_id } }, { idempotencyKey: `payout:${payout_id}:transfer:${refusals}` })
      .catch(throwRefusal);
    return id;
  });
}

/** Finds the gateway's payout of a row by its metadata. */
export async function findGatewayPayout(stripe: Stripe, row: PayoutRow): Promise<Stripe.Payout | undefined> {
  const { payout_id, account_id: stripeAccount, created_at } = row;
  const since = { gte: Math.floor(Date.parse(created_at) / 1000) };
  for await (const each of stripe.payouts.list({ created: since, limit: 100 }, { stripeAccount })) {
    if (each.metadata?.payout_id === payout_id) return each;
  }
  return undefined;
}

async function makeGatewayPayout({ gateway }: Working, row: PayoutRow, destination: string): Promise<Stripe.Payout> {
  const { payout_id, account_id: stripeAccount, refusals } = row;
  return gateway.call((stripe) =>
    stripe.payouts
      .create(
        { amount: yenSent(row), currency: "jpy", destination, metadata: { payout_id } },
        { idempotencyKey: `payout:${payout_id}:payout:${refusals}`, stripeAccount },
      )
      .catch(throwRefusal),
  );
}

/** Asks the gateway how far a payout is, and writes it. */
async function lookAtPayout({ database, d1, gateway, now_ms }: Working, row: PayoutRow): Promise<void> {
  const statements = await payoutStatements({ database, gateway, now_ms }, row);
  await commitOnce({ database, d1, now_ms }, statements);
}

/**
 * Ends a pending payout that this run has claimed, at the gateway and in the books. The money comes back to the balance, and
 * what was transferred already comes back from the connected account. Throws `payout_transition_refused` when the gateway's
 * payout is under way.
 */
export async function endPending(working: Working, row: PayoutRow): Promise<PayoutRow> {
  const { database, gateway, now_ms } = working;
  const noted = await noteWhatWasMade(working, row);
  const { payout_id, gateway_payout_id, account_id: stripeAccount } = noted;
  if (gateway_payout_id === null) {
    await endPayout(working, noted, "canceled", null);
  } else {
    const once = { idempotencyKey: `payout:${payout_id}:cancel`, stripeAccount };
    try {
      await gateway.call((stripe) => stripe.payouts.cancel(gateway_payout_id, {}, once));
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
      await updatePayout(database, payout_id, { check_at: isoTime(now_ms) });
      throw new Problem("payout_transition_refused", { cause: error });
    }
    await lookAtPayout(working, noted);
  }
  const ended = (await findPayoutRow(database, payout_id)) ?? noted;
  // Otherwise the clock takes the money back.
  await advancePayout(working, ended).catch((error: unknown) => logUnexpected(error, `payout ${payout_id}`));
  return ended;
}

/** Writes the ids of what earlier runs made at the gateway without getting the answer. */
async function noteWhatWasMade({ database, gateway, now_ms }: Working, row: PayoutRow): Promise<PayoutRow> {
  const { payout_id, gateway_payout_id } = row;
  // No run has worked on it. Before rows kept that they were claimed, a run showed in its next check alone. A restored database
  // may have forgotten a run, and the gateway forgets its key.
  const is_new = row.claimed_until === null && row.check_at === row.created_at && !isOlderThanKeys(row, now_ms);
  if (is_new || gateway_payout_id !== null) return row;
  const transfer_id = row.transfer_id ?? (await gateway.call((stripe) => findTransfer(stripe, payout_id)));
  if (!transfer_id) return row;
  const made = await gateway.call((stripe) => findGatewayPayout(stripe, row));
  return updatePayout(database, payout_id, { transfer_id, ...(made && noteOf(made)) });
}

/** What a payout's row keeps of the gateway's. */
export const noteOf = ({ id, arrival_date }: Stripe.Payout) => ({
  gateway_payout_id: id,
  arrives_at: isoTime(arrival_date * 1000),
});

/** Ends a payout that the gateway refused to make, or that its creator canceled. */
async function endPayout(
  { database, d1, now_ms }: Working,
  row: PayoutRow,
  status: PayoutStatus,
  reason: PayoutFailureReason | null,
): Promise<void> {
  await commitOnce({ database, d1, now_ms }, statementsFor({ database, now_ms }, row, { status, reason }));
}

/** Commits statements, unless another run has committed the same before. */
async function commitOnce(
  store: Pick<Working, "database" | "d1" | "now_ms">,
  statements: CompiledQuery[],
): Promise<void> {
  try {
    await commit({ ...store, idempotency: null }, { statements });
  } catch (error) {
    if (!(error instanceof Problem && /^transfer_already_/.test(error.code))) throw error;
  }
}

/**
 * Returns the statements for a payout of the gateway whose id no row has. Its run may have died before it wrote the id, and no
 * later run writes it while an operator holds the payout.
 */
export async function unnotedPayoutStatements(
  { database, gateway, now_ms }: Pick<Working, "database" | "gateway" | "now_ms">,
  { id, account_id }: { id: string; account_id: string },
): Promise<CompiledQuery[]> {
  const made = await gateway.call((stripe) => stripe.payouts.retrieve(id, {}, { stripeAccount: account_id }));
  const payout_id = made.metadata?.payout_id;
  const row = payout_id === undefined ? undefined : await findPayoutRow(database, payout_id);
  if (row?.account_id !== account_id || row.gateway_payout_id !== null) return [];
  const transfer_id = row.transfer_id ?? (await gateway.call((stripe) => findTransfer(stripe, row.payout_id))) ?? null;
  const noted = { ...noteOf(made), transfer_id };
  const note = database
    .updateTable("payouts")
    .set(noted)
    .where("payout_id", "=", row.payout_id)
    .where("gateway_payout_id", "is", null)
    .compile();
  return [note, ...statementsFor({ database, now_ms }, { ...row, ...noted }, stateOf(made))];
}

/** Returns the statements that bring a payout's row and the ledger to what the gateway says. */
export async function payoutStatements(
  { database, gateway, now_ms }: Pick<Working, "database" | "gateway" | "now_ms">,
  row: PayoutRow,
): Promise<CompiledQuery[]> {
  const { gateway_payout_id: id, account_id: stripeAccount } = row;
  if (id === null) return [];
  const found = await gateway.call((stripe) => stripe.payouts.retrieve(id, {}, { stripeAccount }));
  return statementsFor({ database, now_ms }, row, stateOf(found));
}

function stateOf(found: Stripe.Payout): { status: PayoutStatus; reason: PayoutFailureReason | null } {
  const status = statusOf(found);
  return { status, reason: status === "failed" ? failureOf(found) : null };
}

/** The statuses after which nothing changes, but that a paid payout may come back. */
const ENDS: readonly PayoutStatus[] = ["paid", "failed", "canceled"];

function statementsFor(
  { database, now_ms }: { database: Database; now_ms: number },
  row: PayoutRow,
  { status, reason }: { status: PayoutStatus; reason: PayoutFailureReason | null },
): CompiledQuery[] {
  const { payout_id, user_id, amount } = row;
  const is_new = status !== row.status;
  const has_ended = ENDS.includes(status);
  const ended_at = !has_ended ? null : is_new ? isoTime(now_ms) : row.ended_at;
  const check_ms = nextPayoutCheck({ ...row, status, ended_at }, now_ms);
  const check_at = check_ms === null ? null : isoTime(check_ms);
  const update = database
    .updateTable("payouts")
    // A hold stops money that leaves. It would keep the clock from taking back what was transferred.
    .set({ status, failure_reason: reason, ended_at, check_at, ...(has_ended && { held_at: null }) })
    .where("payout_id", "=", payout_id)
    .where("status", "=", row.status)
    .compile();
  // The gateway never says that an ended payout is under way again.
  if (!is_new) return [update];
  if (ENDS.includes(row.status) && !(row.status === "paid" && status === "failed")) return [];
  const transfer = transferFor(row, status);
  const told = reason && { user_id, payout_id, amount, reason };
  return [
    ...(transfer ? postTransfer({ database, now_ms }, transfer) : []),
    update,
    ...(told
      ? [
          continuationStatement(
            database,
            `payout_failed ${payout_id}`,
            { kind: "payout_failed", payload: told },
            now_ms,
          ),
        ]
      : []),
  ];
}

/** Returns the transfer of the ledger for a payout's new status; null when none is posted. */
function transferFor(row: PayoutRow, status: PayoutStatus) {
  const payout = {
    payout_id: row.payout_id,
    creator_id: row.user_id,
    amount_yen: row.amount,
    bank_fee_yen: row.bank_fee,
  };
  if (status === "paid") return completePayout(payout);
  if (status === "failed") return row.status === "paid" ? returnPayout(payout) : restorePayout(payout, "payout_failed");
  return status === "canceled" ? restorePayout(payout, "payout_canceled") : null;
}

/** Takes the money of a payout that failed or was canceled back from the connected account. */
async function reverseTransfer({ database, gateway, now_ms }: Working, row: PayoutRow): Promise<void> {
  const { payout_id, transfer_id, refusals } = row;
  if (transfer_id === null || row.reversal_id !== null) {
    await updatePayout(database, payout_id, { check_at: null });
    return;
  }
  const reversal_id = await gateway.call(async (stripe) => {
    const made = isOlderThanKeys(row, now_ms) && (await stripe.transfers.retrieve(transfer_id)).reversals.data[0];
    if (made) return made.id;
    const { id } = await stripe.transfers.createReversal(
      transfer_id,
      { metadata: { payout_id } },
      { idempotencyKey: `payout:${payout_id}:reversal:${refusals}` },
    );
    return id;
  });
  await updatePayout(database, payout_id, { reversal_id, check_at: null });
}
