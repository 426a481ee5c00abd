import type { CompiledQuery } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { publishStatements } from "../comments/commands.ts";
import type { RequestContext, Services } from "../http/request-context.ts";
import { postTransfer } from "../ledger/commands.ts";
import { chargeGatewayFee, type PaymentKind, type Split, splitPayment } from "../ledger/rules.ts";
import { deliverStatements } from "../ofuses/commands.ts";
import { CHARGE_FIELDS, readCharge, recordPayment, returnMoney } from "../payments/commands.ts";
import { isAttemptOver } from "../payments/rules.ts";
import { type Change, commit } from "../storage/commit.ts";
import { continuationStatement } from "../storage/outbox.ts";
import { findWaiting, isDeliverable, requireUnsettled } from "./queries.ts";
import { type Checkout, isFanLetter, isWaiting, readSession, readWords } from "./rules.ts";

/**
 * Brings the row of a payment up to the gateway's present state. The webhook, the payer's page and the clock all end here, so
 * it does not matter which of them comes first, twice or never.
 */

/** What {@link settleCheckout} needs. */
type Settling = Pick<RequestContext, "d1" | "database" | "gateway" | "now_ms">;

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long the words of a payment that failed or expired wait for another attempt. */
const KEPT_UNPAID_DAYS = 30;

/** The outbox rows that tell the receiver and the payer. Their ids are made of the checkout's, so that each exists once. */
const noticeId = (checkout_id: string): string => `checkout:${checkout_id}`;
const receiptId = (checkout_id: string): string => `receipt:${checkout_id}`;
const returnId = (checkout_id: string): string => `return:${checkout_id}`;

/**
 * Asks the gateway about a payment, and returns what brings its row up to date: the letter, the payment and the ledger's
 * transfer when it was paid. The batch throws `transfer_already_posted` if another run was first. A payment that
 * cannot be delivered goes back whole, in two steps: the row says so first.
 *
 * @throws as {@link Gateway.call}.
 */
async function findChange(context: Settling, checkout: Checkout): Promise<Change> {
  const { database, gateway, now_ms } = context;
  const { checkout_id, gateway_session_id } = checkout;
  const update = (values: Partial<Checkout>) =>
    database
      .updateTable("checkouts")
      .set({ asked_at: isoTime(now_ms), ...values })
      .where("checkout_id", "=", checkout_id)
      .compile();
  const change = (values: Partial<Checkout>, statements: CompiledQuery[] = []): Change => ({
    preconditions: [requireUnsettled(checkout)],
    statements: [update(values), ...statements],
  });
  const noted: Change = { statements: [update({})] };
  const unpaid = { url: null, voucher_url: null, expires_at: isoTime(now_ms + KEPT_UNPAID_DAYS * DAY_MS) };
  if (!isWaiting(checkout)) return { statements: [] };
  if (gateway_session_id === null) {
    // Nobody got a page to pay on.
    return isAttemptOver(checkout.created_at, now_ms) ? change({ ...unpaid, status: "expired" }) : noted;
  }
  const session = await gateway.call((stripe) =>
    stripe.checkout.sessions.retrieve(gateway_session_id, { expand: [`payment_intent.${CHARGE_FIELDS}`] }),
  );
  const state = readSession(session);
  if (state.status === "open") return noted;
  if (state.status === "processing") {
    const { voucher_url, voucher_expires_at_ms } = state;
    const voucher_expires_at = voucher_expires_at_ms === null ? null : isoTime(voucher_expires_at_ms);
    return change({ status: "processing", url: null, voucher_url, voucher_expires_at });
  }
  if (state.status !== "paid") return change({ ...unpaid, status: state.status });
  const charge = readCharge(state.intent);
  const paid_at = isoTime(charge.paid_at_ms);
  if (checkout.status === "returning") {
    const refund = { payment_intent: charge.payment_intent_id, metadata: { checkout_id } };
    if (!(await returnMoney(gateway, refund, `checkout:${checkout_id}:return`))) return noted;
    const { charge_id: cause_id, gateway_fee_yen: fee_yen } = charge;
    const fee = fee_yen > 0 ? postTransfer(context, chargeGatewayFee({ cause_id, fee_yen })) : [];
    const event = { kind: "checkout_returned", payload: { checkout_id } } as const;
    const mailed = continuationStatement(database, returnId(checkout_id), event, now_ms);
    return change({ ...unpaid, status: "returned", paid_at }, [...fee, mailed]);
  }
  const delivery = await deliveryOf(context, checkout);
  if (!delivery) return change({ status: "returning", url: null, paid_at });
  const { cause_id, kind, campaign_id, split, statements } = delivery;
  const { payer_user_id, creator_user_id } = checkout;
  return change({ status: "paid", cause_id, words: null, url: null, voucher_url: null, paid_at }, [
    ...statements,
    continuationStatement(
      database,
      receiptId(checkout_id),
      { kind: "checkout_paid", payload: { checkout_id } },
      now_ms,
    ),
    ...recordPayment(context, {
      kind,
      cause_id,
      payer_user_id,
      creator_id: creator_user_id,
      campaign_id,
      ...split,
      charge,
    }),
  ]);
}

interface Delivery {
  cause_id: string;
  kind: PaymentKind;
  campaign_id: string | null;
  split: Split;
  statements: CompiledQuery[];
}

/** Returns what delivers a paid letter or comment; null when it cannot be delivered. */
async function deliveryOf(context: Settling, checkout: Checkout): Promise<Delivery | null> {
  const { checkout_id, payer_user_id, creator_user_id, event_id, amount } = checkout;
  const words = readWords(checkout);
  if (!words || !(await isDeliverable(context, checkout))) return null;
  const cause_id = newId(context.now_ms);
  const { title: _, sender_name, donation_percent, ...written } = words;
  const split = splitPayment(amount, { donation_percent: donation_percent ?? 0 });
  const campaign_id = words.donation_campaign_id;
  if (event_id === null) {
    const letter = {
      ...written,
      ofuse_id: cause_id,
      sender_user_id: payer_user_id,
      receiver_user_id: creator_user_id,
      amount,
      donation: split.donation_yen,
      guest_name: payer_user_id === null && !words.is_anonymous ? sender_name || null : null,
    };
    const kind = isFanLetter(words) ? "fan_letter_support" : "ofuse_v3";
    const statements = deliverStatements(context, letter, noticeId(checkout_id));
    return { cause_id, kind, campaign_id, split, statements };
  }
  const event = await context.database
    .selectFrom("events")
    .innerJoin("users", "users.user_id", "events.user_id")
    .select(["event_id", "events.user_id", "link_id"])
    .where("event_id", "=", event_id)
    .where("status", "=", "published")
    .executeTakeFirst();
  if (!event || payer_user_id === null) return null;
  const comment = { comment_id: cause_id, event, user_id: payer_user_id, amount, message: words.message };
  const statements = publishStatements(context, comment, noticeId(checkout_id));
  return { cause_id, kind: "comment_support", campaign_id, split, statements };
}

/**
 * Brings a payment up to date. Returns the ids of outbox rows to dispatch. Another run may do the same at this moment: one
 * of them wins, and the other changes nothing.
 *
 * @throws as {@link findChange}.
 */
export async function settleCheckout(context: Settling, checkout: Checkout): Promise<string[]> {
  const change = await findChange(context, checkout);
  try {
    await commit({ ...context, idempotency: null }, change);
    return [noticeId, receiptId, returnId].map((idOf) => idOf(checkout.checkout_id));
  } catch (error) {
    if (!(error instanceof Problem && error.code === "transfer_already_posted")) throw error;
    return [];
  }
}

/** How many payments one run of the clock asks the gateway about, and how many at the same time. */
const ASKED_AT_ONCE = 100;
const ASKED_TOGETHER = 5;
/** A little less than the minute between two runs, so that each run asks about each payment. */
const REST_MS = 45 * 1000;

/**
 * Asks the gateway about the payments that wait, those first that were asked about longest ago. So a lost webhook costs a
 * minute, and an outage is made up for in the first minute after it. The clock runs it.
 */
export async function askAgain({ d1, database, gateway, clock }: Services, isOver = () => false): Promise<void> {
  const now_ms = clock.now();
  const waiting = await findWaiting({ database }, now_ms - REST_MS, ASKED_AT_ONCE);
  const failures: unknown[] = [];
  for (let first = 0; first < waiting.length && !isOver(); first += ASKED_TOGETHER) {
    const asked = waiting.slice(first, first + ASKED_TOGETHER);
    // Before the calls, so that a payment that always fails does not keep the others waiting.
    const ids = asked.map(({ checkout_id }) => checkout_id);
    const mark = database
      .updateTable("checkouts")
      .set({ asked_at: isoTime(now_ms) })
      .where("checkout_id", "in", ids)
      .compile();
    await commit({ d1, database, now_ms, idempotency: null }, { statements: [mark] });
    await Promise.all(
      asked.map((checkout) =>
        settleCheckout({ d1, database, gateway, now_ms }, checkout).catch((error) => failures.push(error)),
      ),
    );
    // The gateway is down. The next run tries again.
    if (failures.some((error) => error instanceof Problem && error.code === "gateway_unreachable")) break;
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.join("; "));
}
