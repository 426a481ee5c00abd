import Stripe from "stripe";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Gateway } from "../gateway/client.ts";
import type { RequestContext } from "../http/request-context.ts";
import { postTransfer } from "../ledger/commands.ts";
import { hasGatewayFee } from "../ledger/queries.ts";
import { chargeGatewayFee, splitPayment } from "../ledger/rules.ts";
import { titleInSentence } from "../memberships/rules.ts";
import { CHARGE_FIELDS, type Charge, readCharge, recordPayment, returnMoney } from "../payments/commands.ts";
import { isAttemptOver } from "../payments/rules.ts";
import type { Change } from "../storage/commit.ts";
import { oneOf } from "../storage/database.ts";
import { continuationStatement, type OutboxEvent } from "../storage/outbox.ts";
import { abandonStatement, mayRenew, type OpenJoining, requireRevision } from "./queries.ts";
import { itemOf, MINUTE_MS, nextAskOf, type PaidPeriod, periodOf, statusOf } from "./rules.ts";

/**
 * Brings our rows to the gateway's present state. Webhooks, pages and the clock all end here, so it does not matter which
 * of them comes first, twice or never.
 */

export type SyncContext = Pick<RequestContext, "database" | "gateway" | "now_ms">;

const NOTHING: Change = { statements: [] };

/** A paid invoice of the gateway that we have not recorded yet. */
interface NewInvoice extends PaidPeriod {
  invoice: Stripe.Invoice;
  /** Null for an invoice of 0 yen. */
  charge: Charge | null;
}

interface Known {
  subscription_id: string;
  user_id: string;
  membership_id: string;
  status: "active" | "canceled" | "past_due";
  paid_until: string | null;
  is_ending: number;
  must_end: number;
  next_membership_id: string | null;
  retry_at: string | null;
  ask_at: string | null;
  /** Null before the first paid invoice: there is no row yet. */
  revision: number | null;
  joining_id: string | null;
}

/**
 * Returns the change that brings the rows of a gateway's subscription to its present state: state, paid period, invoices,
 * payments, announcements. A change without statements says that nothing is new, or that the subscription is not ours.
 * Its precondition fails with `unavailable` when another change came between: ask again then.
 *
 * Charges a renewal whose invoice is still a draft: the gateway would wait an hour, and the fan would be locked out.
 */
export async function syncSubscription(context: SyncContext, gateway_id: string): Promise<Change> {
  const { gateway } = context;
  let known = await findKnown(context, gateway_id);
  const fetch = () =>
    gateway.call((stripe) => stripe.subscriptions.retrieve(gateway_id, { expand: ["latest_invoice"] }));
  let subscription = await fetch();
  known ??= await findJoiner(context, subscription);
  if (!known) return returnAbandoned(context, subscription);
  if (known.joining_id !== null && !(await mayRenew(context, known))) {
    return abandonJoining(context, known.joining_id, subscription);
  }
  if (await chargeRenewal(context, known, subscription)) subscription = await fetch();
  const invoices = await findNewInvoices(context, gateway_id);
  return changeOf(context, known, subscription, invoices);
}

async function findKnown({ database }: SyncContext, gateway_id: string): Promise<Known | undefined> {
  const row = await database
    .selectFrom("subscriptions")
    .select(["subscription_id", "user_id", "membership_id", "status", "paid_until", "is_ending", "must_end"])
    .select(["next_membership_id", "retry_at", "ask_at", "revision"])
    .where("gateway_id", "=", gateway_id)
    .executeTakeFirst();
  return row && { ...row, joining_id: null };
}

/** How long an attempt waits whose payment is disputed, before the clock looks again. */
export const DISPUTED_WAIT_MS = 60 * 60 * 1000;

/**
 * Ends a subscription that nobody may have: the member or the creator had left before it was paid, or the plan had closed.
 * Gives the money back at the gateway. Returns the statements for the books: nobody has earned anything, and the gateway
 * keeps its fee. While the payer's bank disputes the payment, the attempt waits. Other unknown subscriptions stay as they
 * are: they may be another deployment's.
 */
async function returnAbandoned(context: SyncContext, { id, metadata, status }: Stripe.Subscription): Promise<Change> {
  const { database, gateway } = context;
  const joining_id = metadata.joining_id ?? "";
  const abandoned = database.selectFrom("abandoned_joinings").where("joining_id", "=", joining_id);
  if (!(await abandoned.select("joining_id").executeTakeFirst())) return NOTHING;
  if (status !== "canceled") await cancelSubscription(gateway, id);
  const returned = await returnNewInvoices(context, id, { joining_id });
  if (returned === null) {
    const later = isoTime(context.now_ms + DISPUTED_WAIT_MS);
    const waiting = database.updateTable("abandoned_joinings").set({ created_at: later });
    return { statements: [waiting.where("joining_id", "=", joining_id).compile()] };
  }
  const events = returned.amounts.map((amount) => {
    const event = { kind: "joining_returned", payload: { joining_id, amount } } as const;
    return continuationStatement(database, `return:${joining_id}`, event, context.now_ms);
  });
  return {
    statements: [
      ...returned.statements,
      ...events,
      database
        .updateTable("joinings")
        .set({ returned_at: isoTime(context.now_ms) })
        .where("joining_id", "=", joining_id)
        .compile(),
      database.deleteFrom("abandoned_joinings").where("joining_id", "=", joining_id).compile(),
    ],
  };
}

/**
 * Refunds payments of a subscription that are not in the books. Nobody has earned anything, and the gateway keeps its fee.
 * Returns the statements for the books, or null while the payer's bank disputes a payment. Repeatable.
 */
export async function returnNewInvoices(
  context: SyncContext,
  gateway_id: string,
  metadata: Record<string, string>,
): Promise<{ statements: Change["statements"]; amounts: number[] } | null> {
  const statements: Change["statements"] = [];
  const amounts: number[] = [];
  for (const { invoice, charge } of await findNewInvoices(context, gateway_id)) {
    if (!charge) continue;
    const { payment_intent_id: payment_intent, charge_id: cause_id, gateway_fee_yen: fee_yen } = charge;
    const key = `invoice-return:${invoice.id}`;
    if (!(await returnMoney(context.gateway, { payment_intent, metadata }, key))) return null;
    const is_booked = await hasGatewayFee(context.database, cause_id);
    if (fee_yen > 0 && !is_booked) statements.push(...postTransfer(context, chargeGatewayFee({ cause_id, fee_yen })));
    amounts.push(invoice.amount_paid);
  }
  return { statements, amounts };
}

/**
 * Ends an attempt to join that was paid after the plan closed, or after one of the two blocked the other or was disabled. The
 * row says so first, and the clock gives the money back as for people who left.
 */
function abandonJoining(
  { database, now_ms }: SyncContext,
  joining_id: string,
  { id, status }: Stripe.Subscription,
): Change {
  // Nothing was paid yet.
  if (status === "incomplete" || status === "incomplete_expired") return NOTHING;
  const now = isoTime(now_ms);
  return {
    preconditions: [requireRevision({ subscription_id: "", revision: null }, id)],
    statements: [
      database
        .updateTable("joinings")
        .set({ status: "expired", returned_at: now, checkout_url: null, ask_at: null })
        .where("joining_id", "=", joining_id)
        .compile(),
      abandonStatement(database, joining_id, now),
    ],
  };
}

/** Finds the attempt to join that a new subscription comes from, unless its payment went back. */
async function findJoiner(
  { database, now_ms }: SyncContext,
  { metadata }: Stripe.Subscription,
): Promise<Known | undefined> {
  const joining = await database
    .selectFrom("joinings")
    .select(["joining_id", "user_id", "membership_id"])
    .where("joining_id", "=", metadata.joining_id ?? "")
    .where("returned_at", "is", null)
    .executeTakeFirst();
  return (
    joining && {
      ...joining,
      subscription_id: newId(now_ms),
      status: "active",
      paid_until: null,
      is_ending: 0,
      must_end: 0,
      next_membership_id: null,
      retry_at: null,
      ask_at: null,
      revision: null,
    }
  );
}

/**
 * Charges the invoice of a renewal at once, or ends the subscription when it may not renew. Returns whether it did either. An earlier
 * run may have died between finalizing the invoice and paying it. An invoice that was tried is left to the gateway's retries,
 * while the subscription may renew.
 */
async function chargeRenewal(context: SyncContext, known: Known, subscription: Stripe.Subscription): Promise<boolean> {
  const { gateway } = context;
  const { latest_invoice: invoice, id } = subscription;
  if (known.revision === null || typeof invoice !== "object" || !invoice || !isUnpaid(invoice)) return false;
  if (subscription.status === "canceled" || invoice.billing_reason !== "subscription_cycle") return false;
  const { id: invoice_id = "" } = invoice;
  // The period may be over before the clock has told the gateway.
  if (known.must_end === 0 && (await mayRenew(context, nextPlanOf(known)))) {
    if (!isUntried(invoice)) return false;
    if (invoice.status === "draft") {
      await attempt(gateway, (stripe) =>
        stripe.invoices.finalizeInvoice(invoice_id, {}, { idempotencyKey: `invoice-finalize:${invoice_id}` }),
      );
    }
    await payInvoice(gateway, invoice_id, "renewal");
  } else {
    await cancelSubscription(gateway, id);
  }
  return true;
}

/** Returns whose plan the next period is. */
export const nextPlanOf = ({
  user_id,
  membership_id,
  next_membership_id,
}: Pick<Known, "user_id" | "membership_id" | "next_membership_id">) => ({
  user_id,
  membership_id: next_membership_id ?? membership_id,
});

const isUnpaid = ({ status }: Stripe.Invoice) => status === "draft" || status === "open";

const isUntried = ({ status, attempt_count }: Stripe.Invoice) =>
  status === "draft" || (status === "open" && attempt_count === 0);

/**
 * Tries to pay an open invoice, with a card or with the subscription's own. `occasion` names the attempt: each is made once,
 * because the gateway repeats its answer to a key, also a refusal, for a day.
 */
export function payInvoice(gateway: Gateway, invoice_id: string, occasion: string, card?: string): Promise<void> {
  const params = { off_session: true, ...(card !== undefined && { payment_method: card }) };
  return attempt(gateway, (stripe) =>
    stripe.invoices.pay(invoice_id, params, { idempotencyKey: `invoice-pay:${invoice_id}:${occasion}` }),
  );
}

/** Makes a call whose refusal is an outcome that the next fetch shows: a declined card, or another attempt came first. */
async function attempt(gateway: Gateway, ask: (stripe: Stripe) => Promise<unknown>): Promise<void> {
  try {
    await gateway.call(ask);
  } catch (error) {
    const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
    if (!(error instanceof StripeCardError || error instanceof StripeInvalidRequestError)) throw error;
  }
}

/**
 * Makes a change of a subscription, which the gateway refuses after the subscription has ended. Returns whether it was made.
 * Throws any other refusal.
 */
export async function changeUnlessEnded(
  gateway: Gateway,
  gateway_id: string,
  change: (stripe: Stripe) => Promise<Stripe.Subscription>,
): Promise<boolean> {
  try {
    await gateway.call(change);
    return true;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    const { status } = await gateway.call((stripe) => stripe.subscriptions.retrieve(gateway_id));
    if (status !== "canceled") throw error;
    return false;
  }
}

/** Ends a subscription at once. Succeeds also when it has ended already. */
export const cancelSubscription = (gateway: Gateway, gateway_id: string): Promise<boolean> =>
  changeUnlessEnded(gateway, gateway_id, (stripe) =>
    stripe.subscriptions.cancel(gateway_id, {}, { idempotencyKey: `subscription-cancel:${gateway_id}` }),
  );

async function findNewInvoices({ database, gateway }: SyncContext, subscription: string): Promise<NewInvoice[]> {
  const paid = await gateway.call((stripe) =>
    stripe.invoices.list({ subscription, status: "paid", limit: 100 }).autoPagingToArray({ limit: 1_000 }),
  );
  const ids = paid.map(({ id = "" }) => id);
  const rows = await database
    .selectFrom("invoices")
    .select("gateway_id")
    .where("gateway_id", "in", oneOf(ids))
    .execute();
  const recorded = new Set(rows.map((row) => row.gateway_id));
  const found: NewInvoice[] = [];
  for (const invoice of paid.reverse()) {
    if (recorded.has(invoice.id ?? "")) continue;
    found.push({ invoice, ...periodOf(invoice), charge: await findCharge(gateway, invoice) });
  }
  return found;
}

async function findCharge(gateway: Gateway, { id = "", amount_paid }: Stripe.Invoice): Promise<Charge | null> {
  if (amount_paid === 0) return null;
  return gateway.call(async (stripe) => {
    const { data } = await stripe.invoicePayments.list({ invoice: id, limit: 10 });
    const intent = data.find(({ status }) => status === "paid")?.payment.payment_intent;
    if (!intent) throw new Error(`invoice ${id} is paid without a payment intent`);
    const intent_id = typeof intent === "string" ? intent : intent.id;
    return readCharge(await stripe.paymentIntents.retrieve(intent_id, { expand: [CHARGE_FIELDS] }));
  });
}

interface Plan {
  membership_id: string;
  title: string;
  creator_user_id: string;
}

/** Returns the plans of the gateway's prices. */
async function findPlans({ database }: SyncContext, price_ids: readonly string[]): Promise<Map<string, Plan>> {
  const rows = await database
    .selectFrom("plan_prices")
    .innerJoin("memberships", "memberships.membership_id", "plan_prices.membership_id")
    .select(["price_id", "memberships.membership_id", "title", "memberships.user_id as creator_user_id"])
    .where("price_id", "in", [...new Set(price_ids)])
    .execute();
  return new Map(rows.map(({ price_id, ...plan }) => [price_id, plan]));
}

async function changeOf(
  context: SyncContext,
  known: Known,
  subscription: Stripe.Subscription,
  invoices: readonly NewInvoice[],
): Promise<Change> {
  const { database, now_ms } = context;
  const { subscription_id, user_id } = known;
  // Nothing is joined before the first payment.
  if (known.revision === null && invoices.length === 0) return NOTHING;
  const price_id = itemOf(subscription).price.id;
  const plans = await findPlans(context, [price_id, ...invoices.map((each) => each.price_id)]);
  const planOf = (id: string): Plan => {
    const plan = plans.get(id);
    if (!plan) throw new Error(`subscription ${subscription.id} has the price ${id}, which no plan has`);
    return plan;
  };
  const status = statusOf(subscription.status);
  const last = invoices.at(-1);
  const membership_id = last ? planOf(last.price_id).membership_id : known.membership_id;
  const next = planOf(price_id);
  const is_ending = subscription.cancel_at_period_end || subscription.cancel_at !== null;
  const { latest_invoice } = subscription;
  const retry_s = typeof latest_invoice === "object" ? latest_invoice?.next_payment_attempt : null;
  const known_until_ms = known.paid_until === null ? 0 : Date.parse(known.paid_until);
  const paid_until = isoTime(Math.max(known_until_ms, ...invoices.map(({ end_ms }) => end_ms)));
  const state = {
    membership_id,
    status,
    paid_until,
    is_ending: Number(is_ending),
    // Only clears it: a plan may close, or a person block the other, while the gateway is asked.
    ...((is_ending || status === "canceled") && { must_end: 0 }),
    next_membership_id: next.membership_id === membership_id ? null : next.membership_id,
    retry_at: status === "past_due" && retry_s ? isoTime(retry_s * 1000) : null,
  };
  const ask_at = askAtOf(status, paid_until, now_ms);
  const is_changed = (Object.keys(state) as (keyof typeof state)[]).some((name) => state[name] !== known[name]);
  if (invoices.length === 0 && !is_changed) {
    // Only the next question moves. It needs no precondition.
    const asked = database.updateTable("subscriptions").set({ ask_at }).where("subscription_id", "=", subscription_id);
    return known.ask_at === ask_at ? NOTHING : { statements: [asked.compile()] };
  }
  const written = { ...state, ask_at };
  const { title } = last ? planOf(last.price_id) : next;
  const events = announcementsOf(known, subscription, { ...state, creator_user_id: next.creator_user_id, title });
  const dropped = await findDroppedChange(context, known, state);
  if (dropped) {
    const people = { subscription_id, user_id, creator_user_id: next.creator_user_id };
    const amount = is_ending ? null : itemOf(subscription).price.unit_amount;
    const payload = { ...people, ...dropped, revision: known.revision ?? 0, amount };
    events.push([`dropped:${subscription.id}:${known.revision}`, { kind: "subscription_change_dropped", payload }]);
  }
  const recorded = invoices.flatMap((each) =>
    recordInvoice(context, { subscription_id, user_id, ...planOf(each.price_id) }, each, known.revision === null),
  );
  return {
    preconditions: [requireRevision(known, subscription.id)],
    statements: [
      known.revision === null
        ? database
            .insertInto("subscriptions")
            .values({
              subscription_id,
              user_id,
              gateway_id: subscription.id,
              created_at: isoTime(subscription.created * 1000),
              ...written,
            })
            .compile()
        : database
            .updateTable("subscriptions")
            .set({ ...written, revision: known.revision + 1 })
            .where("subscription_id", "=", subscription_id)
            .compile(),
      ...(known.joining_id === null ? [] : [endJoining(context, known.joining_id, subscription_id)]),
      ...recorded,
      ...events.map(([id, event]) => continuationStatement(database, id, event, now_ms)),
    ],
  };
}

/**
 * Returns null unless the plan of a scheduled change has closed, and the change is gone or the subscription must end instead.
 * `title` is that of the closed plan. `is_present_closed` says whether the present plan has closed too: a block also ends a subscription to an open plan.
 */
async function findDroppedChange(
  { database }: SyncContext,
  known: Known,
  now: Pick<Known, "status" | "membership_id" | "next_membership_id" | "is_ending">,
): Promise<{ is_present_closed: boolean; title: string } | null> {
  const { next_membership_id } = known;
  // A renewal makes the change.
  const is_kept = now.status === "active" && now.membership_id === known.membership_id;
  const must_end = known.must_end === 1 && now.is_ending > known.is_ending;
  if (next_membership_id === null || !is_kept || (now.next_membership_id !== null && !must_end)) return null;
  const rows = await database
    .selectFrom("memberships")
    .select(["membership_id", "title"])
    .where("membership_id", "in", [now.membership_id, next_membership_id])
    .where("active_state", "=", "inactive")
    .execute();
  const next = rows.find(({ membership_id }) => membership_id === next_membership_id);
  const is_present_closed = rows.some(({ membership_id }) => membership_id === now.membership_id);
  return next ? { is_present_closed, title: titleInSentence(next.title) } : null;
}

/**
 * A live subscription is asked for when its paid period ends. Then every few minutes, until it is paid or over. One that
 * was canceled earlier is asked for once, when the period ends: writing its row renews the pages that say 満員.
 */
function askAtOf(status: Known["status"], paid_until: string, now_ms: number): string | null {
  const ends_ms = Date.parse(paid_until);
  if (status === "canceled" && ends_ms <= now_ms) return null;
  return ends_ms > now_ms ? paid_until : isoTime(nextAskOf(ends_ms, now_ms));
}

function endJoining(
  { database }: SyncContext,
  joining_id: string,
  subscription_id: string,
): Change["statements"][number] {
  return database
    .updateTable("joinings")
    .set({ status: "joined", subscription_id, checkout_url: null, ask_at: null })
    .where("joining_id", "=", joining_id)
    .compile();
}

/** Returns the statements of one paid invoice: its row, its payment in the books, and the news of it. */
function recordInvoice(
  context: SyncContext,
  of: { subscription_id: string; user_id: string } & Plan,
  { invoice, charge, start_ms, end_ms }: NewInvoice,
  is_first: boolean,
): Change["statements"] {
  const { database, now_ms } = context;
  const { creator_user_id, user_id, subscription_id } = of;
  const paid_ms = charge?.paid_at_ms ?? (invoice.status_transitions.paid_at ?? invoice.created) * 1000;
  const invoice_id = newId(paid_ms);
  const row = {
    invoice_id,
    ...of,
    gateway_id: invoice.id ?? "",
    number: invoice.number ?? invoice_id,
    amount: invoice.amount_paid,
    period_start: isoTime(start_ms),
    period_end: isoTime(end_ms),
    paid_at: isoTime(paid_ms),
  };
  const payment = charge && {
    kind: "membership" as const,
    cause_id: invoice_id,
    creator_id: creator_user_id,
    campaign_id: null,
    payer_user_id: user_id,
    charge,
    ...splitPayment(invoice.amount_paid),
  };
  const renewed: OutboxEvent = {
    kind: "subscription_renewed",
    payload: {
      ...{ invoice_id, subscription_id, user_id, creator_user_id },
      ...{ amount: invoice.amount_paid, title: titleInSentence(of.title) },
    },
  };
  const is_cycle = invoice.billing_reason === "subscription_cycle";
  const paid: OutboxEvent = { kind: "plan_paid", payload: { invoice_id } };
  return [
    database.insertInto("invoices").values(row).compile(),
    ...(payment ? recordPayment(context, payment) : []),
    ...(is_cycle && !is_first ? [continuationStatement(database, `renewed:${invoice.id}`, renewed, now_ms)] : []),
    ...(payment && !is_cycle ? [continuationStatement(database, `paid:${invoice.id}`, paid, now_ms)] : []),
  ];
}

/** Returns the news that a member has left a plan, with the id of its outbox row. */
export const leftEvent = (
  { subscription_id, revision }: { subscription_id: string; revision: number },
  gateway_id: string,
): [id: string, event: OutboxEvent] => [
  `left:${gateway_id}:${revision}`,
  { kind: "subscription_left", payload: { subscription_id, revision } },
];

/** Returns what other domains must learn, each with the id of its outbox row: the same news is written once. */
function announcementsOf(
  known: Known,
  subscription: Stripe.Subscription,
  now: Pick<Known, "status" | "membership_id" | "is_ending"> & {
    paid_until: string;
    creator_user_id: string;
    /** The title of the plan. */
    title: string;
  },
): [id: string, event: OutboxEvent][] {
  const { subscription_id, user_id, revision } = known;
  const { creator_user_id, membership_id, status, paid_until, title } = now;
  const subscribed = { subscription_id, user_id, creator_user_id, title: titleInSentence(title) };
  const events: [string, OutboxEvent][] = [];
  const joined = { ...subscribed, membership_id };
  if (revision === null) {
    events.push([`joined:${subscription.id}`, { kind: "subscription_joined", payload: joined }]);
  } else if (membership_id !== known.membership_id) {
    const payload = { ...joined, revision };
    events.push([`moved:${subscription.id}:${revision}`, { kind: "subscription_moved", payload }]);
  }
  // A closed plan, a block, a dispute or an operator ends a subscription with `must_end`; otherwise the member has left. A member
  // who leaves while the gateway is silent (`endLater`) sets it too, with the same news.
  const has_left = now.is_ending > known.is_ending && known.must_end === 0;
  if (revision !== null && has_left && status === "active") {
    events.push(leftEvent({ subscription_id, revision }, subscription.id));
  }
  if (status === "past_due" && known.status !== "past_due") {
    events.push([
      `unpaid:${subscription.id}:${paid_until}`,
      { kind: "subscription_unpaid", payload: { ...subscribed, paid_until } },
    ]);
  }
  if (status === "canceled") {
    const is_unpaid = subscription.cancellation_details?.reason === "payment_failed";
    events.push([`ended:${subscription.id}`, { kind: "subscription_ended", payload: { ...subscribed, is_unpaid } }]);
  }
  return events;
}

/**
 * How long a change of plan whose request was interrupted keeps its subscription from another change. No request lives as
 * long, so the gateway has made the change by then, or never will.
 */
export const CHANGE_MINUTES = 5;

/**
 * Returns the change that brings an open attempt to join to its session's present state, and whether the session is still
 * open. An attempt whose session the gateway never made ends after some minutes. So does a change of plan that was interrupted: the
 * gateway may have made it.
 */
export async function syncJoining(
  context: SyncContext,
  { joining_id, session_id, created_at, subscription_id }: OpenJoining,
): Promise<{ change: Change; is_open: boolean }> {
  const { database, gateway, now_ms } = context;
  const session =
    session_id === null ? null : await gateway.call((stripe) => stripe.checkout.sessions.retrieve(session_id));
  const began_ms = Date.parse(created_at);
  const change_ends_ms = subscription_id === null ? Number.POSITIVE_INFINITY : began_ms + CHANGE_MINUTES * MINUTE_MS;
  const is_unanswered_over = isAttemptOver(created_at, now_ms) || change_ends_ms <= now_ms;
  const is_over = session ? session.status === "expired" : is_unanswered_over;
  const joined = session?.subscription ?? null;
  if (joined !== null) {
    const change = await syncSubscription(context, typeof joined === "string" ? joined : joined.id);
    if (change.statements.length > 0) return { change, is_open: false };
  }
  const written = is_over
    ? { status: "expired" as const, checkout_url: null, ask_at: null }
    : { ask_at: isoTime(Math.min(nextAskOf(began_ms, now_ms), change_ends_ms)) };
  const statement = database
    .updateTable("joinings")
    .set(written)
    .where("joining_id", "=", joining_id)
    .where("status", "=", "open")
    .compile();
  const { preconditions = [], statements } = await syncChanged(context, subscription_id);
  return { change: { preconditions, statements: [...statements, statement] }, is_open: !is_over };
}

async function syncChanged(context: SyncContext, subscription_id: string | null): Promise<Change> {
  if (subscription_id === null) return NOTHING;
  const row = await context.database
    .selectFrom("subscriptions")
    .select("gateway_id")
    .where("subscription_id", "=", subscription_id)
    .executeTakeFirst();
  return row?.gateway_id ? syncSubscription(context, row.gateway_id) : NOTHING;
}
