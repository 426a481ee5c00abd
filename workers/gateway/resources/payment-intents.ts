import type Stripe from "stripe";
import * as z from "zod";
import { endOfJapaneseDay } from "../../kernel/clock.ts";
import type { PaymentIntentData, Stored } from "../storage/documents.ts";
import { whereField, whereRange } from "../storage/filters.ts";
import { randomText } from "../storage/ids.ts";
import type { Unit } from "../storage/unit.ts";
import { GatewayError, invalidRequest } from "../wire/errors.ts";
import { answerList } from "../wire/lists.ts";
import { amount, bool, integer, jpy, listing, mergeMetadata, metadata, range, text } from "../wire/params.ts";
import { DAY_S } from "./balances.ts";
import { addCharge, type Decline, declineOf, openDispute, unauthenticated } from "./charges.ts";
import { getCustomer } from "./customers.ts";
import { endpoint } from "./endpoint.ts";
import { attachMethod, getMethod } from "./payment-methods.ts";

/** Payment intents: one payment from its beginning to its end, over as many attempts as it takes. */

type Intent = Stored<"payment_intent">;
type Method = Stored<"payment_method">;

/** How many calendar days a payment code of a shop is valid, by default. Source: Stripe's konbini, `expires_after_days`. */
const KONBINI_DAYS = 3;
export const konbiniDays = integer.refine((days) => days >= 1 && days <= 60);

/** Returns the last second in Japan of the day on which a payment code ends. Source: as above. */
function endOfCode(now: number, days: number): number {
  return endOfJapaneseDay(now * 1000) / 1000 + days * DAY_S - 1;
}

/** Returns the address of the hosted page of an intent: the shop's code, the bank's or PayPay's page. */
export function intentUrl(unit: Unit, id: string): string {
  return `${unit.gateway.env.SITE_ORIGIN}/payment-gateway/pay/${id}`;
}

interface NewIntent extends PaymentIntentData {
  amount: number;
  customer: string | null;
  types: string[];
  konbini_days?: number | null | undefined;
}

/** Adds an intent that waits for a payment method. */
export function addIntent(unit: Unit, given: NewIntent, hidden: Stored["hidden"] = {}): Intent {
  const expires_after_days = given.konbini_days ?? null;
  const konbini = { confirmation_number: null, expires_after_days, expires_at: null, product_description: null };
  const intent = unit.add("payment_intent", {
    hidden,
    body: {
      object: "payment_intent",
      allowed_payment_method_types: null,
      amount: given.amount,
      amount_capturable: 0,
      amount_received: 0,
      application: null,
      application_fee_amount: null,
      automatic_payment_methods: null,
      canceled_at: null,
      cancellation_reason: null,
      capture_method: "automatic",
      client_secret: null,
      confirmation_method: "automatic",
      created: unit.now,
      currency: "jpy",
      customer: given.customer,
      customer_account: null,
      description: given.description ?? null,
      excluded_payment_method_types: null,
      last_payment_error: null,
      latest_charge: null,
      livemode: false,
      managed_payments: null,
      metadata: given.metadata ?? {},
      next_action: null,
      on_behalf_of: null,
      payment_method: null,
      payment_method_configuration_details: null,
      payment_method_options: expires_after_days === null ? {} : { konbini },
      payment_method_types: given.types,
      payment_record: null,
      processing: null,
      receipt_email: given.receipt_email ?? null,
      review: null,
      setup_future_usage: given.setup_future_usage ?? null,
      shipping: null,
      source: null,
      statement_descriptor: null,
      statement_descriptor_suffix: null,
      status: "requires_payment_method",
      transfer_data: null,
      transfer_group: given.transfer_group ?? null,
    },
  });
  intent.body.client_secret = `${intent.id}_secret_${randomText(24)}`;
  unit.emit("payment_intent.created", intent);
  return intent;
}

function failIntent(unit: Unit, intent: Intent, method: Method, decline: Decline, charge?: string): void {
  Object.assign(intent.body, {
    status: "requires_payment_method",
    next_action: null,
    payment_method: null,
    last_payment_error: {
      ...(charge && { charge }),
      code: decline.code,
      decline_code: decline.decline_code,
      message: decline.message,
      payment_method: method.body,
      type: "card_error",
    },
  } satisfies Partial<Stripe.PaymentIntent>);
  intent.due_at = null;
  unit.emit("payment_intent.payment_failed", unit.save(intent));
}

/** Takes the money: the intent has succeeded. */
function succeedIntent(unit: Unit, intent: Intent, method: Method): void {
  const charge = addCharge(unit, intent.body, method.body, null);
  Object.assign(intent.body, {
    status: "succeeded",
    amount_received: intent.body.amount,
    latest_charge: charge.id,
    next_action: null,
    payment_method: method.id,
    last_payment_error: null,
  } satisfies Partial<Stripe.PaymentIntent>);
  intent.due_at = null;
  unit.emit("payment_intent.succeeded", unit.save(intent));
  if (method.hidden.outcome === "disputed") openDispute(unit, charge);
}

function awaitAction(unit: Unit, intent: Intent, method: Method, next_action: Stripe.PaymentIntent.NextAction): void {
  Object.assign(intent.body, { status: "requires_action", next_action, payment_method: method.id });
  unit.emit("payment_intent.requires_action", unit.save(intent));
}

function awaitKonbini(unit: Unit, intent: Intent, method: Method): void {
  const digits = (count: number) =>
    Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => byte % 10).join("");
  const konbini = { payment_code: digits(10), confirmation_number: digits(11) };
  intent.hidden.konbini = konbini;
  const days = intent.body.payment_method_options?.konbini?.expires_after_days ?? KONBINI_DAYS;
  intent.due_at = endOfCode(unit.now, days);
  awaitAction(unit, intent, method, {
    type: "konbini_display_details",
    konbini_display_details: {
      expires_at: intent.due_at,
      hosted_voucher_url: intentUrl(unit, intent.id),
      stores: { familymart: konbini, lawson: konbini, ministop: konbini, seicomart: konbini },
    },
  });
}

export interface Attempt {
  /** Whether the payer is here and can be sent to the bank's page. */
  is_present: boolean;
  /** Whether the method was kept at an earlier visit. */
  is_saved: boolean;
  return_url?: string | null;
}

/**
 * Tries to pay an intent with a method. The intent then has succeeded, waits for the payer's action, or has failed and
 * waits for another method. Returns why it failed; null otherwise.
 */
export function attemptPayment(unit: Unit, intent: Intent, method: Method, attempt: Attempt): Decline | null {
  const { type } = method.body;
  if (type === "konbini") awaitKonbini(unit, intent, method);
  else if (type === "paypay") redirectPayer(unit, intent, method, attempt.return_url);
  else {
    const decline = declineOf(method.hidden, attempt.is_saved);
    if (decline === unauthenticated && attempt.is_present) redirectPayer(unit, intent, method, attempt.return_url);
    else if (decline) {
      const charge = addCharge(unit, intent.body, method.body, decline);
      intent.body.latest_charge = charge.id;
      failIntent(unit, intent, method, decline, charge.id);
      return decline;
    } else succeedIntent(unit, intent, method);
  }
  return null;
}

function redirectPayer(unit: Unit, intent: Intent, method: Method, return_url: string | null = null): void {
  awaitAction(unit, intent, method, {
    type: "redirect_to_url",
    redirect_to_url: { return_url, url: intentUrl(unit, intent.id) },
  });
}

/**
 * Ends the wait for the payer: the shop was paid, the bank's or PayPay's page was answered, or the time is over. Does
 * nothing when the intent no longer waits. Returns whether it did.
 */
export async function endAction(unit: Unit, intent: Intent, is_paid: boolean): Promise<boolean> {
  if (intent.body.status !== "requires_action") return false;
  const method = await unit.get("payment_method", String(intent.body.payment_method), "payment_method");
  if (is_paid) {
    if (method.body.type === "card") {
      method.hidden.is_authenticated = true;
      unit.save(method);
    }
    succeedIntent(unit, intent, method);
    return true;
  }
  const decline: Decline =
    method.body.type === "card"
      ? {
          code: "payment_intent_authentication_failure",
          decline_code: "authentication_required",
          message: "The provided PaymentMethod has failed authentication.",
        }
      : {
          code: "payment_intent_payment_attempt_failed",
          decline_code: "generic_decline",
          message: "The payment was not completed.",
        };
  failIntent(unit, intent, method, decline);
  return true;
}

/** Cancels an intent that has not succeeded. */
export function cancelIntent(unit: Unit, intent: Intent, reason: Stripe.PaymentIntent.CancellationReason | null): void {
  if (intent.body.status === "succeeded" || intent.body.status === "canceled") {
    throw unexpectedState(intent, "cancel");
  }
  Object.assign(intent.body, {
    status: "canceled",
    canceled_at: unit.now,
    cancellation_reason: reason,
    next_action: null,
  });
  intent.due_at = null;
  unit.emit("payment_intent.canceled", unit.save(intent));
}

function unexpectedState({ body }: Intent, act: string): GatewayError {
  return invalidRequest(`You cannot ${act} this PaymentIntent because it has a status of ${body.status}.`, {
    code: "payment_intent_unexpected_state",
    payment_intent: body,
  });
}

const confirmation = {
  off_session: z.union([bool, z.enum(["one_off", "recurring"]).transform(() => true)]).optional(),
  payment_method: text.optional(),
  return_url: text.optional(),
  error_on_requires_action: bool.optional(),
};
type Confirmation = z.infer<z.ZodObject<typeof confirmation>>;

/** Returns the error of a declined attempt, as the caller reads it. */
export function cardError(decline: Decline, intent: Intent): GatewayError {
  const { code, decline_code, message } = decline;
  const charge = intent.body.latest_charge;
  return new GatewayError(402, "card_error", message, {
    code,
    decline_code,
    ...(charge !== null && { charge: String(charge) }),
    payment_intent: intent.body,
  });
}

async function confirmIntent(unit: Unit, intent: Intent, params: Confirmation): Promise<void> {
  if (!["requires_payment_method", "requires_confirmation"].includes(intent.body.status)) {
    throw unexpectedState(intent, "confirm");
  }
  const id = params.payment_method ?? intent.body.payment_method;
  if (id === null || id === undefined) {
    throw invalidRequest("You cannot confirm this PaymentIntent because it's missing a payment method.", {
      code: "payment_intent_unexpected_state",
      payment_intent: intent.body,
    });
  }
  const method = await getMethod(unit, String(id));
  if (!intent.body.payment_method_types.includes(method.body.type)) {
    throw invalidRequest("The provided PaymentMethod type is not allowed on this PaymentIntent.", {
      param: "payment_method",
    });
  }
  const owner = method.body.customer;
  if (owner !== null && owner !== intent.body.customer) {
    throw invalidRequest("The customer of the PaymentMethod does not match that of the PaymentIntent.", {
      param: "payment_method",
    });
  }
  const is_saved = owner !== null;
  const attempt = { is_present: !params.off_session, is_saved, return_url: params.return_url ?? null };
  const decline = attemptPayment(unit, intent, method, attempt);
  if (decline) throw cardError(decline, intent);
  if (intent.body.setup_future_usage && intent.body.customer !== null && !is_saved) {
    attachMethod(unit, method, String(intent.body.customer));
  }
}

const fields = {
  amount: amount.optional(),
  customer: text.optional(),
  description: text.optional(),
  metadata: metadata.optional(),
  receipt_email: text.optional(),
  setup_future_usage: z.enum(["off_session", "on_session"]).optional(),
  transfer_group: text.optional(),
};

export const paymentIntentEndpoints = [
  endpoint(
    "POST",
    "/v1/payment_intents",
    {
      ...fields,
      ...confirmation,
      amount,
      currency: jpy,
      confirm: bool.optional(),
      allowed_payment_method_types: z
        .array(z.enum(["card", "konbini", "paypay"]))
        .min(1)
        .optional(),
      automatic_payment_methods: z
        .strictObject({ enabled: bool, allow_redirects: z.enum(["always", "never"]).optional() })
        .optional(),
    },
    async ({ unit, params }) => {
      const customer = params.customer === undefined ? null : (await getCustomer(unit, params.customer)).id;
      const types = params.allowed_payment_method_types ?? ["card"];
      const metadata = mergeMetadata({}, params.metadata);
      const intent = addIntent(unit, { ...params, customer, types, metadata });
      if (params.confirm) await confirmIntent(unit, intent, params);
      else if (params.payment_method !== undefined) {
        intent.body.payment_method = (await getMethod(unit, params.payment_method)).id;
        intent.body.status = "requires_confirmation";
      }
      return intent.body;
    },
  ),
  endpoint(
    "GET",
    "/v1/payment_intents",
    { ...listing, created: range.optional(), customer: text.optional() },
    ({ unit, params }) =>
      answerList(unit, "payment_intent", "/v1/payment_intents", {
        ...params,
        where: [...whereRange("created", params.created), ...whereField("customer", params.customer)],
      }),
  ),
  endpoint("GET", "/v1/payment_intents/:id", {}, async ({ unit, id }) => (await unit.get("payment_intent", id)).body),
  endpoint("POST", "/v1/payment_intents/:id", { ...fields, payment_method: text.optional() }, async (call) => {
    const { unit, id, params } = call;
    const intent = await unit.get("payment_intent", id);
    const { metadata: values, payment_method, ...plain } = params;
    if (
      plain.amount !== undefined &&
      !["requires_payment_method", "requires_confirmation"].includes(intent.body.status)
    ) {
      throw unexpectedState(intent, "update the amount of");
    }
    if (plain.customer !== undefined) await getCustomer(unit, plain.customer);
    Object.assign(intent.body, Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)));
    intent.body.metadata = mergeMetadata(intent.body.metadata, values);
    if (payment_method !== undefined) {
      intent.body.payment_method = (await getMethod(unit, payment_method)).id;
      if (intent.body.status === "requires_payment_method") intent.body.status = "requires_confirmation";
    }
    return unit.save(intent).body;
  }),
  endpoint("POST", "/v1/payment_intents/:id/confirm", confirmation, async ({ unit, id, params }) => {
    const intent = await unit.get("payment_intent", id);
    await confirmIntent(unit, intent, params);
    return intent.body;
  }),
  endpoint(
    "POST",
    "/v1/payment_intents/:id/cancel",
    { cancellation_reason: z.enum(["abandoned", "duplicate", "fraudulent", "requested_by_customer"]).optional() },
    async ({ unit, id, params }) => {
      const intent = await unit.get("payment_intent", id);
      cancelIntent(unit, intent, params.cancellation_reason ?? null);
      return intent.body;
    },
  ),
];
