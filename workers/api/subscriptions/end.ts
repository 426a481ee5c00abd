import Stripe from "stripe";
import type { Membership, Subscription } from "../../contract/memberships.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import { findMembership, findSubscription } from "../memberships/queries.ts";
import { commit, type Precondition } from "../storage/commit.ts";
import { continuationStatement } from "../storage/outbox.ts";
import { commitSync } from "./apply-sync.ts";
import { answerRecorded, answerSynced, findLive, type LiveRow, subscriptionKeyOf } from "./live.ts";
import { requireJoinable, requireRevision } from "./queries.ts";
import { leftEvent, syncSubscription } from "./sync.ts";

/**
 * Ends one of the caller's subscriptions with its paid period, or continues it after all. A subscription that is past due ends at
 * once: nothing is paid, and nothing more shall be charged. So does one without a gateway's subscription (of the demo).
 * A member may end it while the gateway does not answer: the row records it, and the clock tells the gateway.
 *
 * @throws `not_found`, `subscription_transition_refused` (it has ended), and to continue `membership_not_open`, `blocked`.
 */
export async function setEnding(
  context: RequestContext,
  subscription_id: string,
  is_ending: boolean,
): Promise<Subscription> {
  const user_id = memberId(context);
  const row = await findLive(context, user_id, subscription_id);
  const { gateway_id } = row;
  if (gateway_id === null) return endUnbilled(context, row, is_ending);
  if (!is_ending) {
    const plan = await findContinuedPlan(context, row);
    const [open, unblocked] = requireJoinable(context, user_id, plan);
    await continueHere(context, subscription_id, [open, unblocked]);
  }
  const once = subscriptionKeyOf(context, subscription_id);
  const is_unpaid = row.status === "past_due";
  try {
    await context.gateway.call((stripe) =>
      is_ending && is_unpaid
        ? stripe.subscriptions.cancel(gateway_id, {}, { idempotencyKey: `${once}:cancel` })
        : stripe.subscriptions.update(gateway_id, { cancel_at_period_end: is_ending }, { idempotencyKey: once }),
    );
    return await answerSynced(context, gateway_id, subscription_id);
  } catch (error) {
    if (error instanceof Problem && error.code === "gateway_unreachable") {
      if (is_ending) return endLater(context, row, gateway_id, error);
      // The gateway may not know yet that it ends, and the caller reads that it does not continue.
      if (row.must_end === 1) await setMustEnd(context, subscription_id);
    }
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    // It has ended at the gateway, and our row is behind.
    await commitSync(context, await syncSubscription(context, gateway_id));
    await findLive(context, user_id, subscription_id);
    throw error;
  }
}

/**
 * Records that the caller has ended a subscription, although the gateway did not answer. Until the clock has told the gateway, no
 * renewal (`chargeRenewal`) and no newly chosen card (`payOrCancel`) is charged.
 *
 * @param row as it was before the gateway was asked.
 * @throws the gateway's silence, when another request changed the subscription meanwhile and it still renews.
 */
async function endLater(
  context: RequestContext,
  row: LiveRow,
  gateway_id: string,
  silence: Problem,
): Promise<Subscription> {
  const { database, now_ms } = context;
  const { subscription_id, status, revision } = row;
  if (row.is_ending === 0 && row.must_end === 0) {
    // The new revision makes a sync that runs at this moment read the row again.
    const statement = database
      .updateTable("subscriptions")
      .set({ must_end: 1, revision: revision + 1 })
      .where("subscription_id", "=", subscription_id)
      .compile();
    const mailed = status === "active" ? [continuationStatement(database, ...leftEvent(row, gateway_id), now_ms)] : [];
    await commitSync(context, {
      preconditions: [requireRevision(row, gateway_id)],
      statements: [statement, ...mailed],
    });
  }
  const subscription = await findSubscription(context, memberId(context), subscription_id);
  if (!subscription.is_ending && subscription.status !== "canceled") throw silence;
  return answerRecorded(context, subscription);
}

async function setMustEnd({ database }: RequestContext, subscription_id: string): Promise<void> {
  await database
    .updateTable("subscriptions")
    .set({ must_end: 1 })
    .where("subscription_id", "=", subscription_id)
    .where("status", "!=", "canceled")
    .execute();
}

/** Returns the plan of the next period: the scheduled one, or the present one when the scheduled one has closed. */
async function findContinuedPlan(
  context: RequestContext,
  { membership_id, next_membership_id }: LiveRow,
): Promise<Membership> {
  const next = next_membership_id === null ? null : await findMembership(context, next_membership_id);
  // The clock takes back a change to a plan that has closed.
  return next?.active_state === "active" ? next : findMembership(context, membership_id);
}

/**
 * Checks conditions now: what they guard happens at the gateway, so no batch of ours can hold them. Then the clock need not
 * end the subscription any more because its plan was closed.
 */
async function continueHere(
  context: RequestContext,
  subscription_id: string,
  conditions: (Precondition | undefined)[],
): Promise<void> {
  const { d1, database, now_ms } = context;
  const preconditions = conditions.filter((each) => each !== undefined);
  const statement = database
    .updateTable("subscriptions")
    .set({ must_end: 0 })
    .where("subscription_id", "=", subscription_id)
    .compile();
  await commit({ d1, database, now_ms, idempotency: null }, { preconditions, statements: [statement] });
}

async function endUnbilled(context: RequestContext, row: LiveRow, is_ending: boolean): Promise<Subscription> {
  if (!is_ending) throw new Problem("subscription_transition_refused");
  const { database } = context;
  const { subscription_id } = row;
  const subscription = await findSubscription(context, memberId(context), subscription_id);
  const statement = database
    .updateTable("subscriptions")
    .set({ status: "canceled" })
    .where("subscription_id", "=", subscription_id)
    .compile();
  const answer = { subscription: { ...subscription, status: "canceled" as const } };
  return (await commitAnswer(context, { statements: [statement] }, answer)).subscription;
}
