import type Stripe from "stripe";

/** What the gateway says of a checkout session. */
export type SessionState =
  | { status: "open" | "expired" | "failed" }
  | { status: "processing"; voucher_url: string | null; voucher_expires_at_ms: number | null }
  | { status: "paid"; intent: Stripe.PaymentIntent };

/**
 * Reads the state of a session in payment mode, fetched with its payment intent. A session is complete when the payer has
 * finished the gateway's pages: a payment at a shop comes later, or never.
 *
 * @throws Error when the intent was not fetched.
 */
export function readSession({ id, status, payment_status, payment_intent }: Stripe.Checkout.Session): SessionState {
  if (status === "expired") return { status: "expired" };
  if (status !== "complete") return { status: "open" };
  if (typeof payment_intent !== "object" || payment_intent === null) throw new Error(`${id} has no payment intent`);
  if (payment_status === "paid" || payment_intent.status === "succeeded") {
    return { status: "paid", intent: payment_intent };
  }
  if (payment_intent.status !== "requires_action" && payment_intent.status !== "processing")
    return { status: "failed" };
  const voucher = payment_intent.next_action?.konbini_display_details;
  return {
    status: "processing",
    voucher_url: voucher?.hosted_voucher_url ?? null,
    voucher_expires_at_ms: voucher ? voucher.expires_at * 1000 : null,
  };
}
