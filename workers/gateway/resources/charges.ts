import type Stripe from "stripe";
import type * as z from "zod";
import type { Stored } from "../storage/documents.ts";
import { whereField, whereRange } from "../storage/filters.ts";
import type { Unit } from "../storage/unit.ts";
import { answerList } from "../wire/lists.ts";
import { listing, mergeMetadata, metadata, range, text } from "../wire/params.ts";
import { addMovement, addPaymentMovement } from "./balances.ts";
import { endpoint } from "./endpoint.ts";

/** Charges: one for each attempt to take money. */

/** Why an attempt failed, in Stripe's words. */
export interface Decline {
  code: string;
  decline_code: string;
  message: string;
}
const generic: Decline = { code: "card_declined", decline_code: "generic_decline", message: "Your card was declined." };
const insufficient: Decline = {
  code: "card_declined",
  decline_code: "insufficient_funds",
  message: "Your card has insufficient funds.",
};
export const unauthenticated: Decline = {
  code: "authentication_required",
  decline_code: "authentication_required",
  message: "Your card was declined. This transaction requires authentication.",
};

/**
 * Returns why a card refuses; null when it pays.
 *
 * @param is_saved whether the card was kept at an earlier visit, and its owner is away or has only chosen it.
 */
export function declineOf({ outcome, is_authenticated }: Stored["hidden"], is_saved: boolean): Decline | null {
  if (outcome === "declined" || (outcome === "declined_later" && is_saved)) return generic;
  if (outcome === "insufficient_funds") return insufficient;
  return outcome === "requires_authentication" && !is_authenticated ? unauthenticated : null;
}

function detailsOf({ type, card }: Stripe.PaymentMethod): Stripe.Charge.PaymentMethodDetails {
  if (type === "konbini") return { type, konbini: { store: { chain: "lawson" } } };
  if (type === "paypay" || !card) return { type, paypay: {} };
  return {
    type,
    card: {
      amount_authorized: null,
      authorization_code: null,
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" },
      country: card.country,
      electronic_commerce_indicator: null,
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      fingerprint: card.fingerprint,
      funding: card.funding,
      installments: null,
      last4: card.last4,
      mandate: null,
      network: card.brand,
      network_transaction_id: null,
      regulated_status: "unregulated",
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
  };
}

/** Adds the charge of an attempt, and for a paid one its part of the balance. Announces it. */
export function addCharge(
  unit: Unit,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  decline: Decline | null,
) {
  const { amount } = intent;
  const charge = unit.add("charge", {
    body: {
      object: "charge",
      amount,
      amount_captured: decline ? 0 : amount,
      amount_refunded: 0,
      application: null,
      application_fee: null,
      application_fee_amount: null,
      balance_transaction: null,
      billing_details: { ...method.billing_details },
      calculated_statement_descriptor: "OFUSE DEMO",
      captured: !decline,
      created: unit.now,
      currency: "jpy",
      customer: intent.customer,
      description: intent.description,
      disputed: false,
      failure_balance_transaction: null,
      failure_code: decline?.code ?? null,
      failure_message: decline?.message ?? null,
      fraud_details: {},
      livemode: false,
      metadata: { ...intent.metadata },
      on_behalf_of: null,
      outcome: {
        advice_code: null,
        network_advice_code: null,
        network_decline_code: null,
        network_status: decline ? "declined_by_network" : "approved_by_network",
        reason: decline?.decline_code ?? null,
        risk_level: "normal",
        risk_score: 12,
        seller_message: decline ? decline.message : "Payment complete.",
        type: decline ? "issuer_declined" : "authorized",
      },
      paid: !decline,
      payment_intent: intent.id,
      payment_method: method.id,
      payment_method_details: detailsOf(method),
      receipt_email: intent.receipt_email,
      receipt_number: null,
      receipt_url: null,
      refunded: false,
      review: null,
      shipping: null,
      source: null,
      source_transfer: null,
      statement_descriptor: null,
      statement_descriptor_suffix: null,
      status: decline ? "failed" : "succeeded",
      transfer_data: null,
      transfer_group: intent.transfer_group,
    },
  });
  if (!decline) {
    charge.body.balance_transaction = addPaymentMovement(unit, unit.account, charge.id, amount).id;
  }
  unit.emit(decline ? "charge.failed" : "charge.succeeded", charge);
  return charge;
}

/** Opens a dispute of a charge: its amount leaves the balance until the dispute is won. */
export function openDispute(unit: Unit, charge: Stored<"charge">) {
  const { amount, payment_intent } = charge.body;
  const nothing = null;
  const dispute = unit.add("dispute", {
    body: {
      object: "dispute",
      amount,
      balance_transactions: [],
      charge: charge.id,
      created: unit.now,
      currency: "jpy",
      enhanced_eligibility_types: [],
      evidence: {
        access_activity_log: nothing,
        billing_address: nothing,
        cancellation_policy: nothing,
        cancellation_policy_disclosure: nothing,
        cancellation_rebuttal: nothing,
        customer_communication: nothing,
        customer_email_address: nothing,
        customer_name: nothing,
        customer_purchase_ip: nothing,
        customer_signature: nothing,
        duplicate_charge_documentation: nothing,
        duplicate_charge_explanation: nothing,
        duplicate_charge_id: nothing,
        enhanced_evidence: {},
        product_description: nothing,
        receipt: nothing,
        refund_policy: nothing,
        refund_policy_disclosure: nothing,
        refund_refusal_explanation: nothing,
        service_date: nothing,
        service_documentation: nothing,
        shipping_address: nothing,
        shipping_carrier: nothing,
        shipping_date: nothing,
        shipping_documentation: nothing,
        shipping_tracking_number: nothing,
        uncategorized_file: nothing,
        uncategorized_text: nothing,
      },
      evidence_details: {
        due_by: unit.now + 7 * 24 * 60 * 60,
        enhanced_eligibility: {},
        has_evidence: false,
        past_due: false,
        submission_count: 0,
        submission_method: "manual",
      },
      intended_submission_method: null,
      is_charge_refundable: false,
      livemode: false,
      metadata: {},
      payment_intent,
      reason: "fraudulent",
      status: "needs_response",
    },
  });
  charge.body.disputed = true;
  unit.save(charge);
  unit.emit("charge.dispute.created", dispute);
  moveDisputed(unit, dispute, -amount);
  unit.emit("charge.dispute.funds_withdrawn", dispute);
  return dispute;
}

function moveDisputed(unit: Unit, dispute: Stored<"dispute">, amount: number): void {
  const { body } = addMovement(unit, {
    account: dispute.account,
    amount,
    type: "adjustment",
    reporting_category: amount < 0 ? "dispute" : "dispute_reversal",
    source: dispute.id,
  });
  dispute.body.balance_transactions.push(body);
}

/** Ends a dispute. A won dispute returns the amount. */
export function closeDispute(unit: Unit, dispute: Stored<"dispute">, is_won: boolean): void {
  dispute.body.status = is_won ? "won" : "lost";
  if (is_won) {
    moveDisputed(unit, dispute, dispute.body.amount);
    unit.emit("charge.dispute.funds_reinstated", dispute);
  }
  unit.emit("charge.dispute.closed", unit.save(dispute));
}

const filters = { ...listing, created: range.optional(), charge: text.optional(), payment_intent: text.optional() };
type Filters = z.infer<z.ZodObject<typeof filters>>;
const whereOf = ({ created, charge, payment_intent }: Filters) => [
  ...whereRange("created", created),
  ...whereField("charge", charge),
  ...whereField("payment_intent", payment_intent),
];

export const chargeEndpoints = [
  endpoint("GET", "/v1/charges", { ...filters, customer: text.optional() }, ({ unit, params }) =>
    answerList(unit, "charge", "/v1/charges", {
      ...params,
      where: [...whereOf(params), ...whereField("customer", params.customer)],
    }),
  ),
  endpoint("GET", "/v1/charges/:id", {}, async ({ unit, id }) => (await unit.get("charge", id)).body),
  endpoint("POST", "/v1/charges/:id", { metadata: metadata.optional(), description: text.optional() }, async (call) => {
    const { unit, id, params } = call;
    const charge = await unit.get("charge", id);
    charge.body.metadata = mergeMetadata(charge.body.metadata, params.metadata);
    if (params.description !== undefined) charge.body.description = params.description;
    unit.emit("charge.updated", unit.save(charge));
    return charge.body;
  }),
];
/** How the lists of refunds and disputes are filtered. */
export { filters as chargeFilters, whereOf as whereCharge };
