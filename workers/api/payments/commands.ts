import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import Stripe from "stripe";
import {
  PAYMENTS_OF_A_YOUNG_ACCOUNT,
  PAYMENTS_OF_AN_OLDER_ACCOUNT,
  YOUNG_ACCOUNT_DAYS,
} from "../../contract/limits.ts";
import type { Spending } from "../../contract/payments.ts";
import { endOfJapaneseDay, isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Gateway } from "../gateway/client.ts";
import { commitAnswer, memberId, type RequestContext, type Services } from "../http/request-context.ts";
import { postTransfer } from "../ledger/commands.ts";
import { chargeGatewayFee, type Payment, receivePayment, releaseEarnings } from "../ledger/rules.ts";
import { type Change, commit, type Precondition } from "../storage/commit.ts";
import type { Tables } from "../storage/database.ts";
import { type Bound, countAct, findRetrySeconds, type Limit } from "../storage/limits.ts";
import { continuationStatement, type OutboxEvent } from "../storage/outbox.ts";
import { readSpending } from "./queries.ts";

/** A payment that the gateway has taken. `payer_user_id` is null for a guest. */
export interface TakenPayment extends Payment {
  payer_user_id: string | null;
  charge: Charge;
}

/** The facts of a charge that we keep. */
export interface Charge {
  payment_intent_id: string;
  charge_id: string;
  paid_at_ms: number;
  available_at_ms: number;
  /** What the gateway charged us for it, in yen. */
  gateway_fee_yen: number;
  /** Whether a bank disputes it, or it was refunded, before we knew of it. */
  is_contested: boolean;
}

/** The fields to expand when a payment intent is fetched for {@link readCharge}. */
export const CHARGE_FIELDS = "latest_charge.balance_transaction";

/**
 * Reads the charge of a payment intent that has succeeded. Throws an error when it has not, or when it was fetched without
 * {@link CHARGE_FIELDS}.
 */
export function readCharge({ id, status, latest_charge }: Stripe.PaymentIntent): Charge {
  if (status !== "succeeded" || typeof latest_charge !== "object" || latest_charge === null) {
    throw new Error(`payment intent ${id} has no charge: ${status}`);
  }
  const { balance_transaction } = latest_charge;
  if (typeof balance_transaction !== "object" || balance_transaction === null) {
    throw new Error(`charge ${latest_charge.id} has no balance transaction`);
  }
  return {
    payment_intent_id: id,
    charge_id: latest_charge.id,
    paid_at_ms: latest_charge.created * 1000,
    available_at_ms: balance_transaction.available_on * 1000,
    gateway_fee_yen: balance_transaction.fee,
    is_contested: latest_charge.disputed || latest_charge.amount_refunded > 0,
  };
}

/**
 * Returns the statements that record a payment: its row, the ledger's transfer, and the gateway's fee. Add them to the
 * `commit()` that delivers what was paid for. The batch fails if the payment was recorded before: each letter, comment or
 * invoice is paid once.
 *
 * The ledger dates it by the charge, as the payer's receipt does: after an outage both belong to the same month. Never later than
 * now, because lists end with the present and the gateway's clock may be ahead.
 */
export function recordPayment(
  context: Pick<RequestContext, "database" | "now_ms">,
  { payer_user_id, charge, ...payment }: TakenPayment,
): CompiledQuery[] {
  const row = {
    payment_id: newId(context.now_ms),
    kind: payment.kind,
    cause_id: payment.cause_id,
    payer_user_id,
    creator_user_id: payment.creator_id,
    campaign_id: payment.campaign_id,
    amount: payment.amount_yen,
    fee: payment.fee_yen,
    donation: payment.donation_yen,
    creator_share: payment.creator_yen,
    payment_intent_id: charge.payment_intent_id,
    charge_id: charge.charge_id,
    paid_at: isoTime(charge.paid_at_ms),
    available_at: isoTime(charge.available_at_ms),
    released_at: null,
    withdrawn_at: null,
    seller_number: sql<
      string | null
    >`(SELECT invoice_number FROM creator_accounts WHERE user_id = ${payment.creator_id})`,
  };
  const { charge_id: cause_id, gateway_fee_yen: fee_yen, payment_intent_id, is_contested } = charge;
  const dated = { ...context, now_ms: Math.min(charge.paid_at_ms, context.now_ms) };
  const contested: OutboxEvent = { kind: "payment_contested", payload: { payment_intent_id } };
  return [
    context.database.insertInto("payments").values(row).compile(),
    ...postTransfer(dated, receivePayment(payment)),
    ...(fee_yen > 0 ? postTransfer(dated, chargeGatewayFee({ cause_id, fee_yen })) : []),
    ...(is_contested
      ? [continuationStatement(context.database, `contested:${cause_id}`, contested, context.now_ms)]
      : []),
  ];
}

/** Returns the payment of a row, as the ledger's rules take it. */
export function paymentOf(row: Tables["payments"]): Payment {
  return {
    kind: row.kind,
    cause_id: row.cause_id,
    creator_id: row.creator_user_id,
    campaign_id: row.campaign_id,
    amount_yen: row.amount,
    fee_yen: row.fee,
    donation_yen: row.donation,
    creator_yen: row.creator_share,
  };
}

/**
 * Returns the id of a person as the gateway's customer. Creates the customer when there is none. Two requests at once get the
 * same one, because the gateway creates one customer for each idempotency key. The gateway learns the user id, and neither
 * name nor address: the person types those into its own pages.
 */
export async function ensureCustomer(
  { database, gateway, now_ms }: Pick<RequestContext, "database" | "gateway" | "now_ms">,
  user_id: string,
): Promise<string> {
  const known = await database
    .selectFrom("customers")
    .select("customer_id")
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  if (known) return known.customer_id;
  const { id: customer_id } = await gateway.call((stripe) =>
    stripe.customers.create({ metadata: { user_id } }, { idempotencyKey: `customer:${user_id}` }),
  );
  await database
    .insertInto("customers")
    .values({ user_id, customer_id, created_at: isoTime(now_ms) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return customer_id;
}

/**
 * Refunds a payment that bought nothing. Returns whether the gateway pays the money back, or has. A refund that it could not pay
 * later is logged (`refundSyncStatements`). The gateway refuses to refund what the payer's bank disputes, or what somebody has
 * refunded in its dashboard.
 *
 * @throws as {@link Gateway.call}.
 */
export async function returnMoney(
  gateway: Gateway,
  refund: { payment_intent: string; metadata: Record<string, string> },
  idempotencyKey: string,
): Promise<boolean> {
  try {
    const { status } = await gateway.call((stripe) => stripe.refunds.create(refund, { idempotencyKey }));
    return status !== "failed" && status !== "canceled";
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    const { payment_intent } = refund;
    const [refunds, disputes] = await gateway.call((stripe) =>
      Promise.all([stripe.refunds.list({ payment_intent }), stripe.disputes.list({ payment_intent })]),
    );
    return (
      refunds.data.some(({ status }) => status === "succeeded") || disputes.data.some(({ status }) => status === "lost")
    );
  }
}

/** How many payments one run of the clock releases. */
const RELEASED_AT_ONCE = 100;

const requireUnheld = (payment_id: string): Precondition => ({
  code: "payment_held",
  holds: sql`EXISTS (SELECT 1 FROM payments WHERE payment_id = ${payment_id} AND held_at IS NULL)`,
});

/**
 * Returns the change by which an operator holds a payment, or stops holding it. A held payment stays where it is in the
 * ledger: while it is pending, the clock does not release it; once it is payable, payouts leave its amount (`requireFree` in
 * payouts/commands.ts). Holding again keeps the first date. Throws `not_found`, `payment_withdrawn`.
 */
export function holdPayment(
  { database, now_ms }: Pick<RequestContext, "database" | "now_ms">,
  payment_id: string,
  is_held: boolean,
): Change {
  const isThere = (what: RawBuilder<unknown>) =>
    sql`EXISTS (SELECT 1 FROM payments WHERE payment_id = ${payment_id} AND ${what})`;
  return {
    preconditions: [
      { code: "not_found", holds: isThere(sql`TRUE`) },
      { code: "payment_withdrawn", holds: isThere(sql`withdrawn_at IS NULL`) },
    ],
    statements: [
      database
        .updateTable("payments")
        .set({ held_at: is_held ? sql<string>`coalesce(held_at, ${isoTime(now_ms)})` : null })
        .where("payment_id", "=", payment_id)
        .compile(),
    ],
  };
}

/** Makes the earnings payable whose money the gateway has made available. The clock runs it. */
export async function releaseDue({ d1, database, clock }: Services, isOver = () => false): Promise<void> {
  const now_ms = clock.now();
  const due = await database
    .selectFrom("payments")
    .selectAll()
    .where("released_at", "is", null)
    .where("withdrawn_at", "is", null)
    .where("held_at", "is", null)
    .where("available_at", "<=", isoTime(now_ms))
    .orderBy("available_at")
    .limit(RELEASED_AT_ONCE)
    .execute();
  const failures: unknown[] = [];
  for (const row of due) {
    if (isOver()) break;
    const payment = paymentOf(row);
    const released = database
      .updateTable("payments")
      .set({ released_at: isoTime(now_ms) })
      .where("payment_id", "=", row.payment_id)
      .compile();
    // A payment may have gone to a campaign as a whole.
    const earned = payment.creator_yen > 0 ? postTransfer({ database, now_ms }, releaseEarnings(payment)) : [];
    try {
      const preconditions = [requireUnheld(row.payment_id)];
      await commit({ d1, database, now_ms, idempotency: null }, { preconditions, statements: [...earned, released] });
    } catch (error) {
      // Another run released it, a refund took it back, or an operator holds it, since the row was read.
      if (error instanceof Problem && /^(?:transfer_already_|payment_held$)/.test(error.code)) continue;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.join("; "));
}

/**
 * Sets the most that the caller wants to pay in a month; null for no limit. A lower amount applies at once. A higher one
 * applies from the next day in Japan, so that nobody raises it in the heat of the moment.
 */
export async function setSpendingLimit(context: RequestContext, monthly_limit: number | null): Promise<Spending> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const before = await readSpending(context);
  const was = before.monthly_limit;
  const is_raised = was !== null && (monthly_limit === null || monthly_limit > was);
  const from = isoTime(endOfJapaneseDay(now_ms));
  const changed_at = isoTime(now_ms);
  // The statement itself compares with the limit of now. Another request may lower it after it was read above, and a raise must
  // not take that back.
  const now_limit = sql<number | null>`iif(next_from <= ${changed_at}, next_amount, amount)`;
  const is_higher = sql`(${now_limit} IS NOT NULL AND (${monthly_limit} IS NULL OR ${monthly_limit} > ${now_limit}))`;
  const statement = database
    .insertInto("spending_limits")
    .values({ user_id, amount: monthly_limit, next_amount: null, next_from: null, changed_at })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet({
        amount: sql`iif(${is_higher}, ${now_limit}, ${monthly_limit})`,
        next_amount: sql`iif(${is_higher}, ${monthly_limit}, NULL)`,
        next_from: sql`iif(${is_higher}, ${from}, NULL)`,
        changed_at,
      }),
    )
    .compile();
  const next_limit = is_raised ? { monthly_limit, from } : null;
  const spending = { ...before, monthly_limit: is_raised ? was : monthly_limit, next_limit };
  return (await commitAnswer(context, { statements: [statement] }, { spending })).spending;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Source: product decisions, "Limits": stolen cards are tried with new accounts. */
export const PAYMENT_LIMIT: Limit = {
  act: "payment",
  times: PAYMENTS_OF_A_YOUNG_ACCOUNT,
  adjustable: "payments_young",
  window_ms: 7 * DAY_MS,
};

/** The limit of older accounts counts the same acts. */
const OLDER_PAYMENT_LIMIT: Limit = {
  ...PAYMENT_LIMIT,
  times: PAYMENTS_OF_AN_OLDER_ACCOUNT,
  adjustable: "payments_older",
  window_ms: DAY_MS,
};

/** Counts a payment that a person begins, and limits them. Throws `payment_limit_reached`. */
export function countPayment(context: Pick<RequestContext, "database" | "now_ms">, user_id: string): Bound {
  const { database, now_ms } = context;
  const young = countAct(context, PAYMENT_LIMIT, user_id);
  const older = countAct(context, OLDER_PAYMENT_LIMIT, user_id);
  const young_since = isoTime(now_ms - YOUNG_ACCOUNT_DAYS * DAY_MS);
  const is_older = sql`SELECT created_at <= ${young_since} FROM users WHERE user_id = ${user_id}`;
  const retryAfter = async () => {
    const user = await database
      .selectFrom("users")
      .select("created_at")
      .where("user_id", "=", user_id)
      .executeTakeFirst();
    const older_at_ms = Date.parse(user?.created_at ?? young_since) + YOUNG_ACCOUNT_DAYS * DAY_MS;
    if (older_at_ms <= now_ms) return findRetrySeconds(context, OLDER_PAYMENT_LIMIT, user_id);
    // A young account waits for the end of its limit, or until it is older, and then perhaps for the other limit.
    const becomes_older_s = Math.max(
      Math.ceil((older_at_ms - now_ms) / 1000),
      await findRetrySeconds(context, OLDER_PAYMENT_LIMIT, user_id),
    );
    return Math.min(await findRetrySeconds(context, PAYMENT_LIMIT, user_id), becomes_older_s);
  };
  const holds = sql`SELECT iif((${is_older}), (${older.precondition.holds}), (${young.precondition.holds}))`;
  return { precondition: { code: "payment_limit_reached", holds, retryAfter }, statement: young.statement };
}
