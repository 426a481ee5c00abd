import { type CompiledQuery, sql } from "kysely";
import Stripe from "stripe";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { logSilence } from "../gateway/log-silence.ts";
import type { RequestContext, Services } from "../http/request-context.ts";
import { postTransfer } from "../ledger/commands.ts";
import { hasGatewayFee } from "../ledger/queries.ts";
import {
  chargeGatewayFee,
  completeRefund,
  issueRefund,
  loseDispute,
  openDispute,
  revertRefund,
  winDispute,
} from "../ledger/rules.ts";
import { paymentOf } from "../payments/commands.ts";
import { type Change, commit } from "../storage/commit.ts";
import type { Tables } from "../storage/database.ts";
import { workHourly } from "../storage/hourly.ts";
import { continuationStatement, type OutboxEvent } from "../storage/outbox.ts";
import {
  findDispute,
  findKnownIds,
  findPaidPlan,
  findPayerPath,
  findPaymentOfCharge,
  findRefund,
  findUndelivered,
  hasPendingRefund,
  ID_COLUMNS,
  idOf,
  listDueWithdrawals,
  type PaymentRow,
  type RefundRow,
} from "./queries.ts";
import { isWhole, nextCheck, shareAccountOf, stateOfDispute, stateOfRefund } from "./rules.ts";

/** What a step reads with: a request's context, the clock's services, or a reaction's context. */
type Reading = Pick<RequestContext, "database" | "gateway" | "now_ms">;
type Writing = Reading & Pick<RequestContext, "d1">;
type Cause = Tables["refunds"]["cause"];

/**
 * Returns the change that refunds a whole payment in our books: the refund's row, and the ledger's transfer. The money moves
 * afterwards, with {@link advanceRefund}. Throws `payment_withdrawn` when the payment was refunded or is disputed.
 */
export function refundChange(
  context: Pick<RequestContext, "database" | "now_ms">,
  payment: PaymentRow,
  { cause, gateway_refund_id = null }: { cause: Cause; gateway_refund_id?: string | null },
): { refund_id: string; change: Change } {
  const { database, now_ms } = context;
  const refund_id = newId(now_ms);
  const from = shareAccountOf(payment);
  const row = {
    refund_id,
    payment_id: payment.payment_id,
    from_account: from,
    cause,
    status: "pending" as const,
    gateway_refund_id,
    check_at: isoTime(now_ms),
    created_at: isoTime(now_ms),
    ended_at: null,
  };
  return {
    refund_id,
    change: {
      preconditions: [
        {
          code: "payment_withdrawn",
          holds: sql`EXISTS (SELECT 1 FROM payments WHERE payment_id = ${payment.payment_id} AND withdrawn_at IS NULL)`,
        },
        {
          // The clock has just released the earnings, so the share is on another account. Try again.
          code: "unavailable",
          holds: sql`EXISTS (SELECT 1 FROM payments
            WHERE payment_id = ${payment.payment_id} AND released_at IS ${payment.released_at})`,
        },
      ],
      statements: [
        database.insertInto("refunds").values(row).compile(),
        withdrawnStatement(context, payment.payment_id, true),
        ...postTransfer(context, issueRefund({ cause_id: refund_id, payment: paymentOf(payment), from })),
      ],
    },
  };
}

function withdrawnStatement(
  { database, now_ms }: Pick<RequestContext, "database" | "now_ms">,
  payment_id: string,
  is_withdrawn: boolean,
): CompiledQuery {
  return database
    .updateTable("payments")
    .set({ withdrawn_at: is_withdrawn ? isoTime(now_ms) : null })
    .where("payment_id", "=", payment_id)
    .compile();
}

/**
 * Continues a refund: sends it to the gateway or asks how far it is, and writes that. Does nothing for one that has ended. It
 * may be repeated after a crash at any point, because the gateway makes one refund for the key. Throws
 * `gateway_unreachable`; the clock continues then.
 */
export async function advanceRefund(context: Writing, refund_id: string): Promise<void> {
  const { d1, database, now_ms } = context;
  const found = await findRefund(database, refund_id);
  if (found?.refund.status !== "pending") return;
  const statements = await refundStatements(context, found, await readOrSendRefund(context, found));
  try {
    await commit({ d1, database, now_ms, idempotency: null }, { statements });
  } catch (error) {
    // A webhook or another run wrote the same news first.
    if (!(error instanceof Problem && /^transfer_already_/.test(error.code))) throw error;
  }
}

interface RefundOfPayment {
  refund: RefundRow;
  payment: PaymentRow;
}

/** Returns the gateway's refund, which is made if there is none; null if the gateway refuses it. */
async function readOrSendRefund(
  { gateway }: Pick<Reading, "gateway">,
  { refund: { refund_id, gateway_refund_id }, payment: { payment_intent_id } }: RefundOfPayment,
): Promise<Stripe.Refund | null> {
  if (gateway_refund_id !== null) return gateway.call((stripe) => stripe.refunds.retrieve(gateway_refund_id));
  const asked = { payment_intent: payment_intent_id, metadata: { refund_id } };
  try {
    return await gateway.call((stripe) => stripe.refunds.create(asked, { idempotencyKey: `refund:${refund_id}` }));
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    logUnexpected(error, `refund ${refund_id}`);
    // Somebody may have refunded the payment in the gateway's dashboard. Then that refund is this one.
    const { data } = await gateway.call((stripe) => stripe.refunds.list({ payment_intent: payment_intent_id }));
    return data.find((each) => stateOfRefund(each) !== "failed") ?? null;
  }
}

/** Returns the statements that bring a pending refund to what the gateway says; null says that the gateway refused it. */
async function refundStatements(
  context: Pick<Reading, "database" | "now_ms">,
  { refund, payment }: RefundOfPayment,
  answered: Stripe.Refund | null,
): Promise<CompiledQuery[]> {
  const { database, now_ms } = context;
  const { refund_id, from_account: from } = refund;
  const state = answered ? stateOfRefund(answered) : "failed";
  const update = database.updateTable("refunds").where("refund_id", "=", refund_id).where("status", "=", "pending");
  const seen = { gateway_refund_id: answered?.id ?? refund.gateway_refund_id };
  if (state === "pending") {
    return [update.set({ ...seen, check_at: isoTime(nextCheck(refund.created_at, now_ms)) }).compile()];
  }
  const withdrawal = { cause_id: refund_id, payment: paymentOf(payment), from };
  const ended = update.set({ ...seen, status: state, check_at: null, ended_at: isoTime(now_ms) }).compile();
  if (state === "failed") {
    return [
      ended,
      withdrawnStatement(context, payment.payment_id, false),
      ...postTransfer(context, revertRefund(withdrawal)),
    ];
  }
  const { kind } = payment;
  const [payer_path, plan] = await Promise.all([findPayerPath(database, payment), findPaidPlan(database, payment)]);
  const payload = { ...announcementOf(payment), kind, payer_path, is_renewing: plan?.is_renewing };
  const event: OutboxEvent = { kind: "payment_refunded", payload };
  return [
    ended,
    ...postTransfer(context, completeRefund(withdrawal)),
    continuationStatement(database, `refund:${refund_id}`, event, now_ms),
  ];
}

const announcementOf = ({ payment_id, payer_user_id, creator_user_id, amount, creator_share }: PaymentRow) => ({
  payment_id,
  payer_user_id,
  creator_user_id,
  amount,
  creator_share,
});

/**
 * Logs for an operator that a refund failed after the gateway had reported it as paid. The gateway has the money again, and the
 * payer has not. The ledger has no transfer for that, because nobody knows yet how the payer will be paid.
 */
function logLateFailure({ refund }: RefundOfPayment, answered: Stripe.Refund): void {
  // An earlier attempt of the same refund may have failed.
  if (refund.status !== "paid" || refund.gateway_refund_id !== answered.id) return;
  if (stateOfRefund(answered) !== "failed") return;
  const { refund_id, payment_id } = refund;
  logUnexpected(
    new Error(`refund ${refund_id} (${answered.id}) of payment ${payment_id} failed after it was paid`),
    "",
  );
}

/** Whether a refund is that of a payment that could not be delivered (`returnMoney`). Such a payment is in no book. */
const isReturn = ({ metadata }: Stripe.Refund) =>
  metadata?.checkout_id !== undefined || metadata?.joining_id !== undefined;

/**
 * Logs for an operator that the money of a payment that could not be delivered came back to the gateway. Logs nothing while the
 * clock still returns the money, or when another refund of the payment returns it: an operator would pay the payer twice.
 */
async function logFailedReturn({ database, gateway }: Reading, failed: Stripe.Refund): Promise<void> {
  const { checkout_id, joining_id } = failed.metadata ?? {};
  const waiting = checkout_id
    ? database
        .selectFrom("checkouts")
        .select("checkout_id")
        .where("checkout_id", "=", checkout_id)
        .where("status", "=", sql.lit("returning"))
    : database
        .selectFrom("abandoned_joinings")
        .select("joining_id")
        .where("joining_id", "=", joining_id ?? "");
  if (await waiting.executeTakeFirst()) return;
  const payment_intent = typeof failed.payment_intent === "string" ? failed.payment_intent : failed.payment_intent?.id;
  if (payment_intent !== undefined) {
    const { data } = await gateway.call((stripe) => stripe.refunds.list({ payment_intent, limit: 100 }));
    if (data.some((each) => stateOfRefund(each) !== "failed")) return;
  }
  const what = checkout_id ? `checkout ${checkout_id}` : `joining ${joining_id}`;
  logUnexpected(new Error(`refund ${failed.id} of the undelivered ${what} failed`), "");
}

/**
 * Returns the statements that bring our rows to a refund at the gateway, also to one that somebody made in its dashboard. A
 * refund of a part is not in our books, and neither is one that fails late: they are logged for an operator.
 */
export async function refundSyncStatements(context: Reading, gateway_refund_id: string): Promise<CompiledQuery[]> {
  const { database, gateway } = context;
  const answered = await gateway.call((stripe) => stripe.refunds.retrieve(gateway_refund_id));
  const known = await findRefund(database, { gateway_refund_id, refund_id: answered.metadata?.refund_id });
  if (known?.refund.status === "pending") return refundStatements(context, known, answered);
  if (known) {
    logLateFailure(known, answered);
    return [];
  }
  const payment = await findPaymentOfCharge(database, answered);
  if (stateOfRefund(answered) === "failed") {
    if (!payment && isReturn(answered)) await logFailedReturn(context, answered);
    return [];
  }
  if (!payment) return [];
  if (payment.withdrawn_at !== null || !isWhole(payment, answered)) {
    logUnexpected(new Error(`refund ${gateway_refund_id} is not in the books: a part, or the payment's second`), "");
    return [];
  }
  // The clock asks again within a minute, and ends it.
  return refundChange(context, payment, { cause: "dashboard", gateway_refund_id }).change.statements;
}

/**
 * Returns the statements that bring our rows to a dispute at the gateway. Opening one sets the shares aside, so that nobody
 * is paid out what may be lost. An inquiry, which moves no money, is ignored. A dispute of a part, or of a payment that was taken
 * back before, gets a row and moves nothing: it is logged for an operator.
 */
export async function disputeSyncStatements(context: Reading, dispute_id: string): Promise<CompiledQuery[]> {
  const { database, gateway, now_ms } = context;
  const dispute = await gateway.call((stripe) => stripe.disputes.retrieve(dispute_id));
  const state = stateOfDispute(dispute);
  const known = await findDispute(database, dispute_id);
  if (!state || (known && known.dispute.status !== "open")) return [];
  const payment = known?.payment ?? (await findPaymentOfCharge(database, dispute));
  if (!payment) return undeliveredStatements(context, dispute);
  // The gateway refuses to refund what is disputed, and the shares come back first. The next run takes them.
  if (!known && (await hasPendingRefund(database, payment.payment_id))) throw new Problem("unavailable");
  const is_in_books = payment.withdrawn_at === null && isWhole(payment, dispute);
  const from = known ? known.dispute.from_account : is_in_books ? shareAccountOf(payment) : null;
  const withdrawal = from && { cause_id: dispute_id, payment: paymentOf(payment), from };
  const statements: CompiledQuery[] = [];
  if (!known) {
    const row = {
      dispute_id,
      payment_id: payment.payment_id,
      from_account: from,
      status: "open" as const,
      reason: dispute.reason,
      check_at: isoTime(now_ms),
      opened_at: isoTime(dispute.created * 1000),
      ended_at: null,
    };
    const { subscription_id = null } = (await findPaidPlan(database, payment)) ?? {};
    const payload = { ...announcementOf(payment), subscription_id, is_taken: withdrawal !== null };
    const event: OutboxEvent = { kind: "payment_disputed", payload };
    statements.push(
      database.insertInto("disputes").values(row).compile(),
      continuationStatement(database, `dispute:${dispute_id}`, event, now_ms),
      ...(await feeStatements(context, dispute)),
    );
    if (withdrawal) {
      statements.push(
        withdrawnStatement(context, payment.payment_id, true),
        ...postTransfer(context, openDispute(withdrawal)),
      );
    } else {
      const { payment_id, amount } = payment;
      const why = isWhole(payment, dispute)
        ? "was refunded before"
        : `has ${amount} yen, of which it disputes ${dispute.amount}`;
      logUnexpected(new Error(`dispute ${dispute_id} is about payment ${payment_id}, which ${why}`), "");
    }
  }
  const update = database.updateTable("disputes").where("dispute_id", "=", dispute_id).where("status", "=", "open");
  if (state === "open") {
    const check_at = isoTime(nextCheck(isoTime(dispute.created * 1000), now_ms));
    return [...statements, update.set({ check_at }).compile()];
  }
  statements.push(update.set({ status: state, check_at: null, ended_at: isoTime(now_ms) }).compile());
  if (!withdrawal) return statements;
  const payload = { ...announcementOf(payment), dispute_id, is_won: state === "won" };
  const ended: OutboxEvent = { kind: "dispute_ended", payload };
  statements.push(continuationStatement(database, `dispute_ended:${dispute_id}`, ended, now_ms));
  if (state === "lost") return [...statements, ...postTransfer(context, loseDispute(withdrawal))];
  return [
    ...statements,
    withdrawnStatement(context, payment.payment_id, false),
    ...postTransfer(context, winDispute(withdrawal)),
  ];
}

/** Returns the statements for what the gateway charges us for a dispute, unless the ledger has them. */
async function feeStatements(context: Reading, { id, balance_transactions }: Stripe.Dispute): Promise<CompiledQuery[]> {
  const fee_yen = balance_transactions.reduce((sum, { fee }) => sum + fee, 0);
  if (fee_yen <= 0 || (await hasGatewayFee(context.database, id))) return [];
  return postTransfer(context, chargeGatewayFee({ cause_id: id, fee_yen }));
}

/**
 * Logs for an operator an open dispute about a payment of ours that could not be delivered: no row names it. Returns the
 * statements for its fee. Returns none for a payment of another deployment, and for one that may still be delivered.
 */
async function undeliveredStatements(context: Reading, dispute: Stripe.Dispute): Promise<CompiledQuery[]> {
  const payment_intent = idOf(dispute.payment_intent);
  const undelivered = payment_intent && (await findUndelivered(context, payment_intent));
  if (!undelivered) return [];
  const { id, amount } = dispute;
  if (stateOfDispute(dispute) === "open") {
    logUnexpected(new Error(`dispute ${id} of ${amount} yen is about the undelivered ${undelivered}`), "");
  }
  return feeStatements(context, dispute);
}

/** How many refunds and disputes one run of the clock looks at. */
const CHECKED_AT_ONCE = 50;

/** Continues refunds, and asks the gateway about open disputes. The clock runs it. */
export async function advanceWithdrawals(
  { d1, database, gateway, clock }: Services,
  isOver = () => false,
): Promise<void> {
  const now_ms = clock.now();
  const context = { d1, database, gateway, now_ms };
  const due = await listDueWithdrawals(database, now_ms, CHECKED_AT_ONCE);
  await runEach(
    due.map(({ table, id, check_at }) => ({
      name: `${table} ${id}`,
      work: () => (table === "refunds" ? advanceRefund(context, id) : commitDispute(context, id)),
      // Behind the others that are due. A webhook may have brought the row up to date meanwhile.
      postpone: () =>
        sql`UPDATE ${sql.table(table)} SET check_at = ${isoTime(now_ms)}
          WHERE ${sql.ref(ID_COLUMNS[table])} = ${id} AND check_at = ${check_at}`.execute(database),
    })),
    { silences: 1, isOver },
  );
}

/** A piece of the clock's work, and what moves its row behind the others after it failed. */
interface Piece {
  name: string;
  work: () => Promise<void>;
  postpone?: () => Promise<unknown>;
}

/**
 * Runs pieces of work in order. One that fails delays no other. While the gateway is away nothing has a chance: after so many
 * `silences` it ends, and returns false.
 */
async function runEach(
  pieces: readonly Piece[],
  { silences, isOver = () => false }: { silences: number; isOver?: () => boolean },
): Promise<boolean> {
  let silent = 0;
  for (const { name, work, postpone } of pieces) {
    if (isOver()) return true;
    try {
      await work();
    } catch (error) {
      const is_silent = error instanceof Problem && error.code === "gateway_unreachable";
      if (is_silent) logSilence(name, error);
      else logUnexpected(error, name);
      await postpone?.();
      if (is_silent && ++silent === silences) return false;
    }
  }
  return true;
}

const HOUR_MS = 60 * 60 * 1000;
/** For how long the clock looks for a dispute or a refund that no webhook brought: as long as the gateway repeats webhooks. */
const MISSED_MS = 3 * 24 * HOUR_MS;

/** How many objects may get no answer before the gateway counts as away. It may fail at one for good. */
const MISSED_SILENCES = 3;

/**
 * Takes over the disputes and the dashboard's refunds of the last days that have no row, once an hour. A webhook may be lost for
 * good, or come before the payment that it is about is in the books. Throws `gateway_unreachable`; the next run tries again.
 */
export async function takeOverMissed(services: Services): Promise<void> {
  try {
    await workHourly(services, "takeOverMissed", () => takeOverRecent(services));
  } catch (error) {
    // A deployment without a gateway has nothing to take over.
    if (!(error instanceof Problem && error.code === "payments_unavailable")) throw error;
  }
}

async function takeOverRecent({ d1, database, gateway, clock }: Services): Promise<void> {
  const now_ms = clock.now();
  const context = { d1, database, gateway, now_ms };
  const recent = { created: { gte: Math.floor((now_ms - MISSED_MS) / 1000) }, limit: 100 };
  const [disputes, refunds] = await gateway.call((stripe) =>
    Promise.all([
      stripe.disputes.list(recent).autoPagingToArray({ limit: 1_000 }),
      stripe.refunds.list(recent).autoPagingToArray({ limit: 1_000 }),
    ]),
  );
  // One read for all: D1 takes few queries in one run of the clock.
  const known = await findKnownIds(
    database,
    [...disputes, ...refunds].map(({ id }) => id),
  );
  const isNew = ({ id }: { id: string }) => !known.has(id);
  const pieces = [
    ...disputes.filter(isNew).map(({ id }) => ({ name: `dispute ${id}`, work: () => commitDispute(context, id) })),
    ...refunds
      .filter((refund) => isNew(refund) || stateOfRefund(refund) === "failed")
      .map((refund) => ({ name: `refund ${refund.id}`, work: () => commitRefund(context, refund) })),
  ];
  if (!(await runEach(pieces, { silences: MISSED_SILENCES }))) throw new Problem("gateway_unreachable");
}

async function commitDispute(context: Writing, dispute_id: string): Promise<void> {
  const { d1, database, now_ms } = context;
  const statements = await disputeSyncStatements(context, dispute_id);
  await commit({ d1, database, now_ms, idempotency: null }, { statements });
}

async function commitRefund(context: Writing, refund: Stripe.Refund): Promise<void> {
  const { d1, database, now_ms } = context;
  const { id: gateway_refund_id } = refund;
  const known = await findRefund(database, { gateway_refund_id, refund_id: undefined });
  if (known) return logLateFailure(known, refund);
  const statements = await refundSyncStatements(context, gateway_refund_id);
  await commit({ d1, database, now_ms, idempotency: null }, { statements });
}
