import type Stripe from "stripe";
import type { Stored } from "../storage/documents.ts";
import type { Unit } from "../storage/unit.ts";
import { GatewayError } from "../wire/errors.ts";
import { addSubscription, payInvoice, settleInvoice } from "./billing.ts";
import { fillSessionId } from "./checkout-sessions.ts";
import { addCustomer, getCustomer } from "./customers.ts";
import { addIntent, attemptPayment, endAction, intentUrl } from "./payment-intents.ts";
import { addCard, addKonbini, addPayPay, attachMethod, type Expiry, type Payer } from "./payment-methods.ts";
import { succeedSetup } from "./setup-intents.ts";
import type { TestCard } from "./test-cards.ts";

/** What happens when a person pays on a hosted page, and what follows the end of a payment. */

type Session = Stored<"checkout.session">;

export type Chosen = { type: "card"; card: TestCard; expiry: Expiry } | { type: "konbini" } | { type: "paypay" };

/** Where the page sends the browser, or why the card refused. */
export type Submitted = { location: string } | { refused: GatewayError };

/** Returns the address that a finished session leads to. */
export function successUrl({ id, body }: Session): string {
  return fillSessionId(body.success_url ?? "/", id);
}

/** Returns the address of the page where the card's owner authenticates it, before a session can be finished. */
function verifyUrl({ body }: Session): string {
  return `${body.url}/verify`;
}

function addMethod(unit: Unit, chosen: Chosen, payer: Payer) {
  if (chosen.type === "konbini") return addKonbini(unit, payer);
  return chosen.type === "paypay" ? addPayPay(unit, payer) : addCard(unit, chosen.card, chosen.expiry, payer);
}

/** Pays an open session, or keeps the card, with what the person chose. */
export async function submitCheckout(unit: Unit, session: Session, chosen: Chosen, payer: Payer): Promise<Submitted> {
  const method = addMethod(unit, chosen, payer);
  const { email = null, name = null, phone = null } = payer;
  session.body.customer_details = {
    address: null,
    business_name: null,
    email: email ?? session.body.customer_email,
    individual_name: null,
    name,
    phone,
    tax_exempt: "none",
    tax_ids: [],
  };
  unit.save(session);
  if (session.body.mode === "payment") return payOnce(unit, session, method);
  if (method.hidden.outcome === "requires_authentication") {
    session.hidden.pending_method = method.id;
    return { location: verifyUrl(session) };
  }
  return keepMethod(unit, session, method);
}

/** Continues a session after the bank's page: the card counts as authenticated, or is forgotten. */
export async function submitVerification(unit: Unit, session: Session, is_verified: boolean): Promise<Submitted> {
  const { pending_method } = session.hidden;
  if (pending_method === undefined) return { location: session.body.url ?? successUrl(session) };
  const method = await unit.get("payment_method", pending_method, "payment_method");
  delete session.hidden.pending_method;
  unit.save(session);
  if (!is_verified) return { refused: new GatewayError(402, "card_error", "", { code: "authentication_required" }) };
  method.hidden.is_authenticated = true;
  unit.save(method);
  return keepMethod(unit, session, method);
}

async function customerOf(unit: Unit, session: Session): Promise<string> {
  if (session.body.customer !== null) return (await getCustomer(unit, String(session.body.customer))).id;
  const { email = null, name = null } = session.body.customer_details ?? {};
  const customer = addCustomer(unit, { email, name });
  unit.emit("customer.created", customer);
  session.body.customer = customer.id;
  return customer.id;
}

async function payOnce(unit: Unit, session: Session, method: Stored<"payment_method">): Promise<Submitted> {
  const data = session.hidden.payment_intent_data ?? {};
  const keeps_method = data.setup_future_usage !== undefined && method.body.type === "card";
  if (session.body.customer_creation === "always" || keeps_method) await customerOf(unit, session);
  const known = session.hidden.intent ? await unit.find("payment_intent", session.hidden.intent) : null;
  const fields = {
    ...data,
    amount: session.body.amount_total ?? 0,
    customer: session.body.customer === null ? null : String(session.body.customer),
    types: session.body.payment_method_types,
    konbini_days: session.body.payment_method_options?.konbini?.expires_after_days,
  };
  const intent = known ?? addIntent(unit, fields, { checkout_session: session.id });
  intent.body.customer = fields.customer;
  session.hidden.intent = intent.id;
  session.body.payment_intent = intent.id;
  // The person left the page of another method and chose again.
  if (intent.body.status === "requires_action") await endAction(unit, intent, false);
  const attempt = { is_present: true, is_saved: false, return_url: successUrl(session) };
  const decline = attemptPayment(unit, intent, method, attempt);
  if (decline) {
    const { code, decline_code, message } = decline;
    return { refused: new GatewayError(402, "card_error", message, { code, decline_code }) };
  }
  if (keeps_method) attachMethod(unit, method, String(session.body.customer));
  if (intent.body.status === "succeeded") {
    completeSession(unit, session, "paid");
    return { location: successUrl(session) };
  }
  // A shop's code ends the session: the person pays at the shop, later.
  if (method.body.type === "konbini") completeSession(unit, session, "unpaid");
  return { location: intentUrl(unit, intent.id) };
}

/** Keeps the card for later, and in a subscription pays its first invoice. */
async function keepMethod(unit: Unit, session: Session, method: Stored<"payment_method">): Promise<Submitted> {
  try {
    const customer = await customerOf(unit, session);
    if (session.body.mode === "setup") {
      const setup = await unit.get("setup_intent", String(session.body.setup_intent), "setup_intent");
      setup.body.customer = customer;
      succeedSetup(unit, setup, method);
      completeSession(unit, session, "no_payment_required");
    } else {
      attachMethod(unit, method, customer);
      await subscribe(unit, session, customer, method);
    }
    return { location: successUrl(session) };
  } catch (error) {
    // Nothing of a refused subscription or setup is kept: the session is as it was.
    if (!(error instanceof GatewayError) || error.type !== "card_error") throw error;
    unit.discard();
    return { refused: error };
  }
}

async function subscribe(
  unit: Unit,
  session: Session,
  customer: string,
  method: Stored<"payment_method">,
): Promise<void> {
  const [line] = session.hidden.line_items ?? [];
  if (!line?.price) throw new Error(`${session.id} sells nothing`);
  const { metadata = {}, description = null } = session.hidden.subscription_data ?? {};
  const { subscription, invoice } = await addSubscription(unit, {
    customer,
    price: line.price,
    quantity: line.quantity ?? 1,
    metadata,
    description: description ?? null,
    default_payment_method: method.id,
  });
  const refused = await payInvoice(unit, invoice, { is_present: true, is_saved: false });
  if (refused) throw refused;
  session.body.subscription = subscription.id;
  session.body.invoice = invoice.id;
  completeSession(unit, session, "paid");
}

function completeSession(unit: Unit, session: Session, payment_status: Stripe.Checkout.Session.PaymentStatus): void {
  Object.assign(session.body, { status: "complete", payment_status, url: null });
  session.due_at = null;
  unit.emit("checkout.session.completed", unit.save(session));
}

/**
 * Ends the wait for a payer and does what follows: the session or invoice that the intent pays is paid, or not. Does
 * nothing for an intent that no longer waits.
 */
export async function settleIntent(unit: Unit, intent: Stored<"payment_intent">, is_paid: boolean): Promise<void> {
  if (!(await endAction(unit, intent, is_paid))) return;
  const { checkout_session, invoice } = intent.hidden;
  const paid = invoice ? await unit.find("invoice", invoice) : null;
  if (paid?.body.status === "open") await settleInvoice(unit, paid, is_paid);
  const session = checkout_session ? await unit.find("checkout.session", checkout_session) : null;
  if (session?.body.status === "open" && is_paid) completeSession(unit, session, "paid");
  else if (session?.body.status === "complete") {
    if (is_paid) session.body.payment_status = "paid";
    unit.emit(`checkout.session.async_payment_${is_paid ? "succeeded" : "failed"}`, unit.save(session));
  }
}
