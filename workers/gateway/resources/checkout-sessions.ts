import type Stripe from "stripe";
import * as z from "zod";
import type { Stored } from "../storage/documents.ts";
import { whereField, whereRange } from "../storage/filters.ts";
import { randomText } from "../storage/ids.ts";
import type { Unit } from "../storage/unit.ts";
import { invalidRequest } from "../wire/errors.ts";
import { answerList, listOf } from "../wire/lists.ts";
import { integer, jpy, listing, mergeMetadata, metadata, moment, range, text } from "../wire/params.ts";
import { DAY_S } from "./balances.ts";
import { getCustomer } from "./customers.ts";
import { endpoint } from "./endpoint.ts";
import { cancelIntent, konbiniDays } from "./payment-intents.ts";
import { priceData, priceOf, productName } from "./prices.ts";
import { addSetupIntent } from "./setup-intents.ts";

/** Checkout sessions: the order that a person pays on a hosted page. Only the hosted mode exists. */

type Session = Stored<"checkout.session">;

/** Source: https://docs.stripe.com/api/checkout/sessions/create, "expires_at". */
const [MIN_LIFE_S, MAX_LIFE_S] = [30 * 60, DAY_S];

/** Returns the address of a session's page. */
function sessionUrl(unit: Unit, id: string): string {
  return `${unit.gateway.env.SITE_ORIGIN}/payment-gateway/checkout/${id}`;
}

/** Returns an address of the caller's with the session's id in its place. */
export function fillSessionId(url: string, id: string): string {
  return url.replaceAll("{CHECKOUT_SESSION_ID}", id);
}

/** Source: https://docs.stripe.com/api/checkout/sessions/create, "custom_text". */
const customText = text.refine((value) => value.length <= 1_200);
const url = text.refine((value) => /^https?:\/\//.test(value) && URL.canParse(value.replaceAll(/[{}]/g, "")));
const lineItem = z.strictObject({
  price: text.optional(),
  price_data: priceData.optional(),
  quantity: integer.refine((count) => count >= 1 && count <= 1_000).optional(),
});

const fields = {
  allow_promotion_codes: z.literal("false").optional(),
  allowed_payment_method_types: z
    .array(z.enum(["card", "konbini", "paypay"]))
    .min(1)
    .optional(),
  billing_address_collection: z.literal("auto").optional(),
  cancel_url: url.optional(),
  client_reference_id: text.refine((value) => value.length <= 200).optional(),
  currency: jpy.optional(),
  custom_text: z.strictObject({ submit: z.strictObject({ message: customText }).optional() }).optional(),
  customer: text.optional(),
  customer_creation: z.enum(["always", "if_required"]).optional(),
  customer_email: text.optional(),
  expires_at: moment.optional(),
  line_items: z.array(lineItem).min(1).max(100).optional(),
  locale: z.enum(["auto", "ja"]).optional(),
  metadata: metadata.optional(),
  mode: z.enum(["payment", "setup", "subscription"]),
  payment_intent_data: z
    .strictObject({
      description: text.optional(),
      metadata: metadata.optional(),
      receipt_email: text.optional(),
      setup_future_usage: z.enum(["off_session", "on_session"]).optional(),
      transfer_group: text.optional(),
    })
    .optional(),
  payment_method_options: z
    .strictObject({ konbini: z.strictObject({ expires_after_days: konbiniDays.optional() }).optional() })
    .optional(),
  setup_intent_data: z.strictObject({ metadata: metadata.optional() }).optional(),
  submit_type: z.enum(["auto", "donate", "pay", "subscribe"]).optional(),
  subscription_data: z.strictObject({ description: text.optional(), metadata: metadata.optional() }).optional(),
  success_url: url,
  ui_mode: z.literal("hosted_page").optional(),
};
type Fields = z.infer<z.ZodObject<typeof fields>>;

async function readLines(unit: Unit, { mode, line_items = [] }: Fields): Promise<Stripe.LineItem[]> {
  if (mode !== "setup" && line_items.length === 0) {
    throw invalidRequest("Missing required param: line_items.", { code: "parameter_missing", param: "line_items" });
  }
  if (mode === "setup" && line_items.length > 0) {
    throw invalidRequest("You can not pass `line_items` in `setup` mode.", { param: "line_items" });
  }
  const lines: Stripe.LineItem[] = [];
  for (const [index, line] of line_items.entries()) {
    const price = await priceOf(unit, line, `line_items[${index}]`);
    if ((mode === "subscription") !== (price.type === "recurring")) {
      throw invalidRequest(
        mode === "payment"
          ? "You must use `subscription` mode when a price is recurring."
          : "This gateway takes only recurring prices in `subscription` mode.",
        { param: "line_items" },
      );
    }
    const quantity = line.quantity ?? 1;
    const total = (price.unit_amount ?? 0) * quantity;
    lines.push({
      id: `li_${randomText(24)}`,
      object: "item",
      adjustable_quantity: null,
      amount_discount: 0,
      amount_subtotal: total,
      amount_tax: 0,
      amount_total: total,
      currency: "jpy",
      description: await productName(unit, price),
      metadata: null,
      price,
      quantity,
    });
  }
  if (mode === "subscription" && lines.length > 1) {
    throw invalidRequest("This gateway keeps one item in a subscription.", { param: "line_items" });
  }
  return lines;
}

/**
 * Returns when a session expires, on the billing clock. When that clock was advanced, the product still lives in real time: its
 * moment then keeps its distance to the real clock.
 */
function readExpiry(unit: Unit, expires_at = unit.now + MAX_LIFE_S): number {
  const lives = [expires_at - unit.now, expires_at - Math.floor(Date.now() / 1000)];
  const life = lives.find((each) => each >= MIN_LIFE_S && each <= MAX_LIFE_S);
  if (life !== undefined) return unit.now + life;
  throw invalidRequest(
    "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.",
    {
      param: "expires_at",
    },
  );
}

async function createSession(unit: Unit, params: Fields): Promise<Session> {
  const { mode, payment_intent_data, subscription_data, setup_intent_data } = params;
  if (params.customer !== undefined && params.customer_email !== undefined) {
    throw invalidRequest("You may only specify one of these parameters: customer, customer_email.", {
      param: "customer",
    });
  }
  const customer = params.customer === undefined ? null : await getCustomer(unit, params.customer);
  const types = params.allowed_payment_method_types ?? ["card"];
  if (mode !== "payment" && types.some((type) => type !== "card")) {
    throw invalidRequest(`In \`${mode}\` mode the only payment method type is card.`, {
      param: "allowed_payment_method_types",
    });
  }
  const lines = await readLines(unit, params);
  const konbini_days = params.payment_method_options?.konbini?.expires_after_days;
  const total = mode === "setup" ? null : lines.reduce((sum, { amount_total }) => sum + amount_total, 0);
  const expires_at = readExpiry(unit, params.expires_at);
  const setup_metadata = mergeMetadata({}, setup_intent_data?.metadata);
  const setup = mode === "setup" ? addSetupIntent(unit, customer?.id ?? null, setup_metadata) : null;
  const session = unit.add("checkout.session", {
    due_at: expires_at,
    hidden: {
      line_items: lines,
      payment_intent_data: {
        ...payment_intent_data,
        metadata: mergeMetadata({}, payment_intent_data?.metadata),
      },
      subscription_data: { ...subscription_data, metadata: mergeMetadata({}, subscription_data?.metadata) },
    },
    body: {
      object: "checkout.session",
      adaptive_pricing: null,
      after_expiration: null,
      allow_promotion_codes: null,
      allowed_payment_method_types: params.allowed_payment_method_types ?? null,
      amount_subtotal: total,
      amount_total: total,
      automatic_tax: { enabled: false, liability: null, provider: null, status: null },
      billing_address_collection: null,
      cancel_url: params.cancel_url ?? null,
      client_reference_id: params.client_reference_id ?? null,
      client_secret: null,
      collected_information: null,
      consent: null,
      consent_collection: null,
      created: unit.now,
      currency: mode === "setup" ? null : "jpy",
      currency_conversion: null,
      custom_fields: [],
      custom_text: {
        after_submit: null,
        shipping_address: null,
        submit: params.custom_text?.submit ?? null,
        terms_of_service_acceptance: null,
      },
      customer: customer?.id ?? null,
      customer_account: null,
      customer_creation: customer
        ? null
        : (params.customer_creation ?? (mode === "payment" ? "if_required" : "always")),
      customer_details: null,
      customer_email: params.customer_email ?? null,
      discounts: [],
      expires_at,
      integration_identifier: null,
      invoice: null,
      invoice_creation: null,
      livemode: false,
      locale: params.locale ?? null,
      managed_payments: null,
      metadata: mergeMetadata({}, params.metadata),
      mode,
      origin_context: null,
      payment_intent: null,
      payment_link: null,
      payment_method_collection: mode === "payment" ? "if_required" : "always",
      payment_method_configuration_details: null,
      payment_method_options: konbini_days === undefined ? {} : { konbini: { expires_after_days: konbini_days } },
      payment_method_types: types,
      payment_status: mode === "setup" ? "no_payment_required" : "unpaid",
      permissions: null,
      recovered_from: null,
      saved_payment_method_options: null,
      setup_intent: setup?.id ?? null,
      shipping_address_collection: null,
      shipping_cost: null,
      shipping_options: [],
      status: "open",
      submit_type: params.submit_type ?? null,
      subscription: null,
      success_url: params.success_url,
      total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
      ui_mode: "hosted_page",
      url: null,
      wallet_options: null,
    },
  });
  session.body.url = sessionUrl(unit, session.id);
  return session;
}

/** Ends an open session unpaid. */
export async function expireSession(unit: Unit, session: Session): Promise<void> {
  if (session.body.status !== "open") {
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.body.status}.`,
    );
  }
  const intent = session.hidden.intent ? await unit.find("payment_intent", session.hidden.intent) : null;
  if (intent) cancelIntent(unit, intent, "abandoned");
  Object.assign(session.body, { status: "expired", url: null });
  session.due_at = null;
  unit.emit("checkout.session.expired", unit.save(session));
}

export const checkoutSessionEndpoints = [
  endpoint(
    "POST",
    "/v1/checkout/sessions",
    fields,
    async ({ unit, params }) => (await createSession(unit, params)).body,
  ),
  endpoint(
    "GET",
    "/v1/checkout/sessions",
    {
      ...listing,
      created: range.optional(),
      customer: text.optional(),
      payment_intent: text.optional(),
      status: z.enum(["complete", "expired", "open"]).optional(),
      subscription: text.optional(),
    },
    ({ unit, params }) =>
      answerList(unit, "checkout.session", "/v1/checkout/sessions", {
        ...params,
        where: [
          ...whereRange("created", params.created),
          ...whereField("customer", params.customer),
          ...whereField("payment_intent", params.payment_intent),
          ...whereField("status", params.status),
          ...whereField("subscription", params.subscription),
        ],
      }),
  ),
  endpoint(
    "GET",
    "/v1/checkout/sessions/:id",
    {},
    async ({ unit, id }) => (await unit.get("checkout.session", id)).body,
  ),
  endpoint("GET", "/v1/checkout/sessions/:id/line_items", listing, async ({ unit, id }) =>
    sessionLines(await unit.get("checkout.session", id)),
  ),
  endpoint("POST", "/v1/checkout/sessions/:id", { metadata: metadata.optional() }, async ({ unit, id, params }) => {
    const session = await unit.get("checkout.session", id);
    session.body.metadata = mergeMetadata(session.body.metadata ?? {}, params.metadata);
    return unit.save(session).body;
  }),
  endpoint("POST", "/v1/checkout/sessions/:id/expire", {}, async ({ unit, id }) => {
    const session = await unit.get("checkout.session", id);
    await expireSession(unit, session);
    return session.body;
  }),
];

/** Returns what the session sells. Answered only when expanded, or by its own call. */
export function sessionLines({ id, hidden }: Session) {
  return listOf(hidden.line_items ?? [], `/v1/checkout/sessions/${id}/line_items`);
}
