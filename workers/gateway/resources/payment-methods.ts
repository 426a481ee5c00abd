import type Stripe from "stripe";
import * as z from "zod";
import type { Stored } from "../storage/documents.ts";
import { whereField } from "../storage/filters.ts";
import type { Unit } from "../storage/unit.ts";
import { GatewayError, invalidRequest } from "../wire/errors.ts";
import { answerList } from "../wire/lists.ts";
import { listing, mergeMetadata, metadata, text } from "../wire/params.ts";
import { getCustomer } from "./customers.ts";
import { endpoint } from "./endpoint.ts";
import { type TestCard, testCards } from "./test-cards.ts";

/** Payment methods: a card of which only brand, last four digits, expiry and outcome are kept, konbini, and PayPay. */

export interface Payer {
  name?: string | null;
  email?: string | null;
  phone?: string | null;
}
export interface Expiry {
  exp_month: number;
  exp_year: number;
}

type Details = Pick<Stripe.PaymentMethod, "type" | "card" | "konbini" | "paypay">;

function addMethod(unit: Unit, details: Details, payer: Payer, hidden: Stored["hidden"] = {}) {
  const { name = null, email = null, phone = null } = payer;
  return unit.add("payment_method", {
    hidden,
    body: {
      object: "payment_method",
      allow_redisplay: "unspecified",
      billing_details: { address: emptyAddress(), email, name, phone, tax_id: null },
      created: unit.now,
      customer: null,
      customer_account: null,
      livemode: false,
      metadata: {},
      ...details,
    },
  });
}

function emptyAddress(): Stripe.Address {
  return { city: null, country: "JP", line1: null, line2: null, postal_code: null, state: null };
}

/** Adds a card that behaves as the test card does. */
export function addCard(unit: Unit, card: TestCard, expiry: Expiry, payer: Payer = {}) {
  const { brand, number, outcome } = card;
  const details: Details = {
    type: "card",
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" },
      country: "JP",
      display_brand: brand,
      exp_month: expiry.exp_month,
      exp_year: expiry.exp_year,
      // The same for every card of this number, and holds none of its digits.
      fingerprint: card.token,
      funding: "credit",
      generated_from: null,
      last4: number.slice(-4),
      networks: { available: [brand === "jcb" ? "jcb" : brand], preferred: null },
      regulated_status: "unregulated",
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
  };
  return addMethod(unit, details, payer, { outcome });
}

export const addKonbini = (unit: Unit, payer: Payer) => addMethod(unit, { type: "konbini", konbini: {} }, payer);
export const addPayPay = (unit: Unit, payer: Payer) => addMethod(unit, { type: "paypay", paypay: {} }, payer);

/**
 * Finds a payment method. An id of the table of test cards, such as `pm_card_visa`, makes a new card each time.
 */
export async function getMethod(unit: Unit, id: string, param = "payment_method"): Promise<Stored<"payment_method">> {
  const card = testCards.find(({ token }) => token === id);
  if (!card) return unit.get("payment_method", id, param);
  return addCard(unit, card, { exp_month: 12, exp_year: new Date(unit.now * 1000).getUTCFullYear() + 3 });
}

/** Attaches a payment method to a customer, or throws when the card refuses or belongs to another customer. */
export function attachMethod(unit: Unit, method: Stored<"payment_method">, customer: string): void {
  if (method.body.customer === customer) return;
  if (method.body.customer !== null) {
    throw invalidRequest("The payment method you provided has already been attached to a customer.", {
      code: "payment_method_unexpected_state",
      param: "payment_method",
    });
  }
  if (method.hidden.outcome === "declined" || method.hidden.outcome === "insufficient_funds") {
    const is_poor = method.hidden.outcome === "insufficient_funds";
    throw new GatewayError(
      402,
      "card_error",
      is_poor ? "Your card has insufficient funds." : "Your card was declined.",
      {
        code: "card_declined",
        decline_code: is_poor ? "insufficient_funds" : "generic_decline",
      },
    );
  }
  method.body.customer = customer;
  unit.emit("payment_method.attached", unit.save(method));
}

/** Detaches a payment method and forgets it as the customer's default. */
export async function detachMethod(unit: Unit, method: Stored<"payment_method">): Promise<void> {
  const owner = method.body.customer;
  if (owner === null) {
    throw invalidRequest("The payment method you provided is not attached to a customer so detachment is impossible.", {
      code: "payment_method_unexpected_state",
    });
  }
  const customer = await unit.find("customer", String(owner));
  if (customer && !customer.body.deleted && customer.body.invoice_settings.default_payment_method === method.id) {
    customer.body.invoice_settings.default_payment_method = null;
    unit.emit("customer.updated", unit.save(customer));
  }
  method.body.customer = null;
  unit.emit("payment_method.detached", unit.save(method), { customer: owner });
}

const types = z.enum(["card", "konbini", "paypay"]);
const billing = z.strictObject({ email: text.optional(), name: text.optional(), phone: text.optional() }).optional();

/** Card numbers must never pass through a program of ours, so the gateway takes none: as Stripe by default. */
function refuseCardNumber(): never {
  throw new GatewayError(
    402,
    "invalid_request_error",
    "Sending credit card numbers directly to the Stripe API is generally unsafe. Use a hosted page, or a test payment method such as pm_card_visa.",
    { param: "card[number]" },
  );
}

export const paymentMethodEndpoints = [
  endpoint(
    "POST",
    "/v1/payment_methods",
    {
      type: types,
      billing_details: billing,
      metadata: metadata.optional(),
      card: z.record(text, text).optional(),
      konbini: z.literal("").optional(),
      paypay: z.literal("").optional(),
    },
    async ({ unit, params }) => {
      if (params.type === "card") return refuseCardNumber();
      const payer = params.billing_details ?? {};
      const method = params.type === "konbini" ? addKonbini(unit, payer) : addPayPay(unit, payer);
      method.body.metadata = mergeMetadata({}, params.metadata);
      return method.body;
    },
  ),
  endpoint(
    "GET",
    "/v1/payment_methods",
    { ...listing, customer: text.optional(), type: types.optional() },
    ({ unit, params }) => listMethods(unit, "/v1/payment_methods", params),
  ),
  endpoint(
    "GET",
    "/v1/customers/:id/payment_methods",
    { ...listing, type: types.optional() },
    async ({ unit, id, params }) => {
      await getCustomer(unit, id, "id");
      return listMethods(unit, `/v1/customers/${id}/payment_methods`, { ...params, customer: id });
    },
  ),
  endpoint("GET", "/v1/payment_methods/:id", {}, async ({ unit, id }) => (await unit.get("payment_method", id)).body),
  endpoint(
    "POST",
    "/v1/payment_methods/:id",
    { billing_details: billing, metadata: metadata.optional() },
    async ({ unit, id, params }) => {
      const method = await unit.get("payment_method", id);
      Object.assign(method.body.billing_details, params.billing_details);
      method.body.metadata = mergeMetadata(method.body.metadata ?? {}, params.metadata);
      unit.emit("payment_method.updated", unit.save(method));
      return method.body;
    },
  ),
  endpoint("POST", "/v1/payment_methods/:id/attach", { customer: text }, async ({ unit, id, params }) => {
    const customer = await getCustomer(unit, params.customer);
    const method = await getMethod(unit, id, "id");
    attachMethod(unit, method, customer.id);
    return method.body;
  }),
  endpoint("POST", "/v1/payment_methods/:id/detach", {}, async ({ unit, id }) => {
    const method = await unit.get("payment_method", id);
    await detachMethod(unit, method);
    return method.body;
  }),
];

interface MethodQuery extends z.infer<z.ZodObject<typeof listing>> {
  customer?: string | undefined;
  type?: string | undefined;
}

function listMethods(unit: Unit, url: string, { customer, type, ...page }: MethodQuery) {
  return answerList(unit, "payment_method", url, {
    ...page,
    where: [...whereField("customer", customer), ...whereField("type", type)],
  });
}
