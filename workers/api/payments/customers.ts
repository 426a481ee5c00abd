import Stripe from "stripe";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Gateway } from "../gateway/client.ts";
import type { Services } from "../http/request-context.ts";

const DELETED_AT_ONCE = 20;
/** How long a customer waits who still pays for something, before the clock looks again. */
export const LOOK_AGAIN_MS = 60 * 60 * 1000;

/** States in which a payment may still succeed: its payer has a code for a shop, or authenticates. */
const OPEN_PAYMENTS = ["processing", "requires_action"];
/**
 * How long a payer may authenticate, or pay at a shop; the gateway's codes for shops are valid for three days. The gateway keeps the payment
 * of a canceled subscription's invoice in `requires_action` without end.
 */
const PAYERS_TIME_MS = 7 * 24 * 60 * 60 * 1000;
/** States in which nothing of a subscription is charged any more. */
const ENDED_SUBSCRIPTIONS = ["canceled", "incomplete_expired"];

/**
 * Deletes people who have left at the gateway, with their cards. The clock runs it. A customer waits while a subscription
 * runs or a payment may still succeed: the money of those goes its usual way first.
 */
export async function deleteAbandonedCustomers({ database, gateway, clock }: Services): Promise<void> {
  const now_ms = clock.now();
  const due = await database
    .selectFrom("abandoned_customers")
    .select("customer_id")
    .where("ask_at", "<=", isoTime(now_ms))
    .orderBy("ask_at")
    .limit(DELETED_AT_ONCE)
    .execute();
  const waitUntil = (customer_id: string, ms: number) =>
    database
      .updateTable("abandoned_customers")
      .set({ ask_at: isoTime(ms) })
      .where("customer_id", "=", customer_id)
      .execute();
  const failures: unknown[] = [];
  for (const { customer_id } of due) {
    let is_deleted = false;
    try {
      is_deleted = await deleteCustomer(gateway, customer_id, now_ms);
    } catch (error) {
      if (error instanceof Problem && error.code === "payments_unavailable") return;
      failures.push(error);
      // Nothing else has a chance while the gateway is away. The next run continues, with this one behind the others.
      if (error instanceof Problem && error.code === "gateway_unreachable") {
        await waitUntil(customer_id, now_ms);
        break;
      }
    }
    if (is_deleted) await database.deleteFrom("abandoned_customers").where("customer_id", "=", customer_id).execute();
    else await waitUntil(customer_id, now_ms + LOOK_AGAIN_MS);
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.join("; "));
}

/** Deletes a customer at the gateway. Returns false while the customer still pays for something. */
async function deleteCustomer(gateway: Gateway, customer: string, now_ms: number): Promise<boolean> {
  try {
    const subscriptions = await gateway.call((stripe) => stripe.subscriptions.list({ customer, limit: 100 }));
    if (subscriptions.data.some(({ status }) => !ENDED_SUBSCRIPTIONS.includes(status))) return false;
    const payments = await gateway.call((stripe) => stripe.paymentIntents.list({ customer, limit: 100 }));
    const may_succeed = ({ status, created }: Stripe.PaymentIntent) =>
      OPEN_PAYMENTS.includes(status) && created * 1000 > now_ms - PAYERS_TIME_MS;
    if (payments.data.some(may_succeed)) return false;
    await gateway.call((stripe) => stripe.customers.del(customer));
  } catch (error) {
    // The answer of an earlier call was lost.
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "resource_missing")) throw error;
  }
  return true;
}
