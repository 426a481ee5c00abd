import Stripe from "stripe";
import type { Subscription } from "../../contract/memberships.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import { findMembership, findSubscription } from "../memberships/queries.ts";
import { countPayment } from "../payments/commands.ts";
import { type Change, commit, type Precondition } from "../storage/commit.ts";
import { withBounds } from "../storage/limits.ts";
import { commitSync } from "./apply-sync.ts";
import { endOpenJoining, type Preview } from "./join.ts";
import { answerSynced, findLive, subscriptionKeyOf } from "./live.ts";
import { ensurePrice } from "./prices.ts";
import { checkJoinable, requireJoinable, requireNoChange, selectOpenChange } from "./queries.ts";
import { itemOf, nextAskOf } from "./rules.ts";
import { syncSubscription } from "./sync.ts";

/**
 * A live subscription that may change to another plan of the same creator. A dearer plan begins at once. A cheaper one
 * begins with the next period, so that nobody holds a credit with us. So does a dearer one whose difference is too small to charge.
 */
async function findChange(context: RequestContext, subscription_id: string, membership_id: string) {
  const user_id = memberId(context);
  const row = await findLive(context, user_id, subscription_id);
  const [from, to] = await Promise.all([
    findMembership(context, row.membership_id),
    findMembership(context, membership_id),
  ]);
  const { gateway_id } = row;
  const { is_ending, next_charge } = await findSubscription(context, user_id, subscription_id);
  if (gateway_id === null || row.status !== "active" || is_ending || from.user_id !== to.user_id) {
    throw new Problem("subscription_transition_refused");
  }
  // A member who continues in an open plan does not come back to a closed one.
  if (from.membership_id === membership_id && from.active_state !== "active") throw new Problem("membership_not_open");
  const is_upgrade = to.amount > from.amount;
  // The gateway reckons what is left of the month by the plan that comes next, which is not the one that was paid.
  // A parallel request may have made this change between the two reads.
  const is_scheduled =
    next_charge !== null && ![from.membership_id, membership_id].includes(next_charge.membership.membership_id);
  if (is_upgrade && is_scheduled) throw new Problem("subscription_change_scheduled");
  return { user_id, row, from, to, gateway_id, is_upgrade };
}

type PlanChange = Awaited<ReturnType<typeof findChange>>;

/**
 * Returns the gateway's item, and the change of its price that both a preview and the change itself ask for. `is_made` says that
 * the item has the price already; `is_known`, that the gateway has neither renewed the subscription nor changed its plan
 * since our rows were written.
 */
async function readItem(
  context: RequestContext,
  { row, gateway_id, from, is_upgrade }: PlanChange,
  membership_id: string,
) {
  const { gateway } = context;
  const [subscription, present, price] = await Promise.all([
    gateway.call((stripe) => stripe.subscriptions.retrieve(gateway_id, { expand: ["latest_invoice"] })),
    ensurePrice(context, from.membership_id),
    ensurePrice(context, membership_id),
  ]);
  const item = itemOf(subscription);
  const { latest_invoice } = subscription;
  const is_known =
    subscription.status === "active" &&
    typeof latest_invoice === "object" &&
    latest_invoice?.status === "paid" &&
    item.current_period_end * 1000 === Date.parse(row.paid_until) &&
    (!is_upgrade || item.price.id === present);
  return { items: [{ id: item.id, price }], period: item, is_made: item.price.id === price, is_known };
}

/** Brings our rows up to date when they are behind. Throws `subscription_price_moved` then: the person reads the new price first. */
async function requireKnown(
  context: RequestContext,
  { gateway_id }: PlanChange,
  { is_known }: { is_known: boolean },
): Promise<void> {
  if (is_known) return;
  await commitSync(context, await syncSubscription(context, gateway_id));
  throw new Problem("subscription_price_moved");
}

/** Says what a change to another plan of the same creator would cost: the difference to the yen, and what follows. */
export async function previewChange(
  context: RequestContext,
  subscription_id: string,
  membership_id: string,
): Promise<Preview> {
  try {
    return await priceChange(context, subscription_id, membership_id);
  } catch (error) {
    // Our rows are up to date now.
    if (!(error instanceof Problem && error.code === "subscription_price_moved")) throw error;
    return priceChange(context, subscription_id, membership_id);
  }
}

async function priceChange(context: RequestContext, subscription_id: string, membership_id: string): Promise<Preview> {
  const wanted = await findChange(context, subscription_id, membership_id);
  const { user_id, row, from, to, gateway_id } = wanted;
  const is_back = from.membership_id === membership_id;
  if (!is_back) await checkJoinable(context, user_id, to);
  const read = await readItem(context, wanted, membership_id);
  await requireKnown(context, wanted, read);
  const { items, period } = read;
  const next_charge_at = isoTime(period.current_period_end * 1000);
  if (!wanted.is_upgrade) {
    const later = { amount_now: 0, next_amount: to.amount, next_charge_at, priced_at: isoTime(context.now_ms) };
    return { ...later, begins_at: is_back ? later.priced_at : row.paid_until };
  }
  const { amount_now, priced_s } = await previewPrice(context, gateway_id, { items });
  const priced_at = isoTime(priced_s * 1000);
  const begins_at = amount_now > 0 ? priced_at : row.paid_until;
  return { amount_now, next_amount: to.amount, next_charge_at, begins_at, priced_at };
}

/** Stripe's smallest charge in yen. Source: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const MINIMUM_CHARGE_YEN = 50;

/**
 * Returns what a change costs now, and the moment from which the gateway reckons: its present one, unless another is given. A
 * difference under the minimum costs nothing: the gateway would add it to the customer's next invoice, perhaps for another
 * creator's plan. Throws `subscription_price_moved` if the gateway would not charge but owe.
 */
async function previewPrice(
  { gateway }: Pick<RequestContext, "gateway">,
  subscription: string,
  details: { items: { id: string; price: string }[]; proration_date?: number },
): Promise<{ amount_now: number; priced_s: number }> {
  const { amount_due, total, lines, created } = await gateway.call((stripe) =>
    stripe.invoices.createPreview({
      subscription,
      subscription_details: { ...details, proration_behavior: "always_invoice" },
    }),
  );
  if (total < 0) throw new Problem("subscription_price_moved");
  const amount_now = total < MINIMUM_CHARGE_YEN ? 0 : amount_due;
  return { amount_now, priced_s: lines.data.at(-1)?.period.start ?? created };
}

/**
 * Changes one of the caller's subscriptions to another plan of the same creator. Charges the difference that the preview
 * showed, or nothing.
 *
 * @throws `not_found`, `membership_not_open`, `membership_full`, `already_joined`, `blocked`, `subscription_transition_refused`,
 * `subscription_change_scheduled`, `subscription_price_moved`, `card_declined`, `too_many_requests`, `idempotency_key_reused`.
 */
export async function changePlan(
  context: RequestContext,
  subscription_id: string,
  wanted: { membership_id: string; priced_at: string; amount_now: number },
): Promise<Subscription> {
  const { membership_id } = wanted;
  const change = await findChange(context, subscription_id, membership_id);
  const { gateway_id } = change;
  const read = await readItem(context, change, membership_id);
  // An earlier request made the change, and its answer was lost. The clock frees the place that it held.
  if (read.is_made) return answerSynced(context, gateway_id, subscription_id);
  try {
    return await makeChange(context, change, read, wanted);
  } catch (error) {
    // A parallel request may have made the change, and that may be the reason this one was refused.
    const is_refused = error instanceof Problem && error.code !== "gateway_unreachable";
    if (!is_refused || !(await readItem(context, change, membership_id)).is_made) throw error;
    return answerSynced(context, gateway_id, subscription_id);
  }
}

async function makeChange(
  context: RequestContext,
  change: PlanChange,
  read: Awaited<ReturnType<typeof readItem>>,
  wanted: { membership_id: string; priced_at: string; amount_now: number },
): Promise<Subscription> {
  const { gateway } = context;
  const { membership_id } = wanted;
  const { user_id, row, from, to, gateway_id, is_upgrade } = change;
  const { subscription_id } = row;
  const is_back = from.membership_id === membership_id;
  const is_charged = wanted.amount_now > 0;
  if (is_charged && !is_upgrade) throw new Problem("subscription_price_moved");
  await endOpenJoining(context, user_id, membership_id);
  await requireKnown(context, change, read);
  const { items } = read;
  const proration_date = Math.floor(Date.parse(wanted.priced_at) / 1000);
  const idempotencyKey = subscriptionKeyOf(context, subscription_id);
  const joinable = is_back ? [] : requireJoinable(context, user_id, to, wanted.amount_now);
  const place = await reservePlace(context, { subscription_id, change_key: idempotencyKey, to, joinable }, wanted);
  try {
    // The price is read while no other change can be made: it is what the gateway will charge.
    if (is_upgrade) await requirePrice(context, gateway_id, { items, proration_date }, wanted.amount_now);
  } catch (error) {
    // After any other error a twin may still charge: the clock frees the place.
    const is_moved = error instanceof Problem && error.code === "subscription_price_moved";
    if (place.is_new && is_moved) await closePlace(context, place, "expired");
    throw error;
  }
  try {
    await gateway.call((stripe) =>
      stripe.subscriptions.update(
        gateway_id,
        is_charged
          ? { items, proration_date, proration_behavior: "always_invoice", payment_behavior: "error_if_incomplete" }
          : { items, proration_behavior: "none" },
        { idempotencyKey },
      ),
    );
  } catch (error) {
    const { StripeError, StripeIdempotencyError, StripeCardError } = Stripe.errors;
    // The twin of this request, sent with other values, still holds the place.
    const is_twins = error instanceof StripeIdempotencyError && !place.is_new;
    // Without an answer the change may have been made: the place is held until the clock has asked.
    if (error instanceof StripeError && !is_twins) await closePlace(context, place, "expired");
    if (error instanceof StripeIdempotencyError) throw new Problem("idempotency_key_reused");
    if (error instanceof StripeCardError) throw new Problem("card_declined", { cause: error });
    throw error;
  }
  const subscription = await answerSynced(context, gateway_id, subscription_id);
  await closePlace(context, place, "joined");
  return subscription;
}

/** An open row of `joinings`: a place in a plan, and the right to change the subscription. */
interface Place {
  joining_id: string;
  /** Whether this request wrote the row. Otherwise its twin did. */
  is_new: boolean;
}

/**
 * Holds a place in the plan that a subscription changes to, in the batch that checks whether it may. While the place is held, the
 * subscription has no other change. The same request sent twice shares the place, and the gateway makes its change once.
 *
 * @throws what `joinable` says, `too_many_requests`, and `unavailable` while another change is under way.
 */
async function reservePlace(
  context: RequestContext,
  {
    subscription_id,
    change_key,
    to,
    joinable,
  }: { subscription_id: string; change_key: string; to: { membership_id: string }; joinable: Precondition[] },
  { amount_now: amount }: { amount_now: number },
): Promise<Place> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const twin = { subscription_id, change_key, membership_id: to.membership_id };
  const shared = await selectOpenChange(context, twin);
  if (shared) return { ...shared, is_new: false };
  const joining_id = newId(now_ms);
  const row = {
    joining_id,
    user_id,
    membership_id: to.membership_id,
    scope: "change of plan",
    idempotency_key: joining_id,
    body_hash: "",
    status: "open" as const,
    session_id: null,
    checkout_url: null,
    subscription_id,
    ask_at: isoTime(nextAskOf(now_ms, now_ms)),
    created_at: isoTime(now_ms),
    amount,
    change_key,
  };
  const change: Change = {
    preconditions: [requireNoChange(subscription_id), ...joinable],
    statements: [database.insertInto("joinings").values(row).compile()],
  };
  const bounded = amount > 0 ? withBounds(change, countPayment(context, user_id)) : change;
  try {
    await commit({ ...context, idempotency: null }, bounded);
  } catch (error) {
    const first = await selectOpenChange(context, twin);
    if (first) return { ...first, is_new: false };
    const is_busy = error instanceof Error && error.message.includes("UNIQUE constraint failed: joinings.");
    throw is_busy ? new Problem("unavailable", { cause: error }) : error;
  }
  return { joining_id, is_new: true };
}

async function closePlace(
  { database }: RequestContext,
  { joining_id }: Place,
  status: "joined" | "expired",
): Promise<void> {
  await database.updateTable("joinings").set({ status, ask_at: null }).where("joining_id", "=", joining_id).execute();
}

/** How long the price of a preview is valid. */
const PRICE_VALID_S = 30 * 60;

/**
 * Throws `subscription_price_moved` unless the change costs what the person has read. The moment of the price comes from the
 * person's form, so the gateway's present moment bounds it: at the end of the paid period every plan costs nothing more.
 */
async function requirePrice(
  context: Pick<RequestContext, "gateway">,
  subscription: string,
  { items, proration_date }: { items: { id: string; price: string }[]; proration_date: number },
  amount_now: number,
): Promise<void> {
  try {
    const { priced_s } = await previewPrice(context, subscription, { items });
    const is_valid = proration_date <= priced_s && proration_date >= priced_s - PRICE_VALID_S;
    if (is_valid) {
      const read = await previewPrice(context, subscription, { items, proration_date });
      if (read.amount_now === amount_now) return;
    }
  } catch (error) {
    // The subscription was renewed since the page was opened.
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
  }
  throw new Problem("subscription_price_moved");
}
