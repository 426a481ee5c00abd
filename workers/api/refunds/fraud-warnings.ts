import type { CompiledQuery } from "kysely";
import { log } from "../../kernel/log.ts";
import type { RequestContext } from "../http/request-context.ts";
import { holdPayment } from "../payments/commands.ts";
import { findPaymentOfCharge } from "./queries.ts";

/**
 * Returns the statements that hold a payment of which its card issuer says that it may be fraud (Stripe's early fraud warning). A
 * dispute usually follows, often after a payout. A held payment is in no payout until an operator refunds it or frees it.
 */
export async function fraudWarningStatements(
  { database, gateway, now_ms }: Pick<RequestContext, "database" | "gateway" | "now_ms">,
  warning_id: string,
): Promise<CompiledQuery[]> {
  const warning = await gateway.call((stripe) => stripe.radar.earlyFraudWarnings.retrieve(warning_id));
  const { charge, payment_intent = null, fraud_type, actionable } = warning;
  const payment = await findPaymentOfCharge(database, { charge, payment_intent });
  // It is disputed or refunded already, or was never delivered, so nobody earned it.
  if (!actionable || !payment || payment.withdrawn_at !== null) return [];
  const { payment_id } = payment;
  log("error", { message: "the card issuer warns of fraud, the payment is held", payment_id, warning_id, fraud_type });
  return holdPayment({ database, now_ms }, payment_id, true).statements;
}
