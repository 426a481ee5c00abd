import type Stripe from "stripe";
import { anniversaryOf } from "../clock/anniversary.ts";
import type { Stored } from "../storage/documents.ts";
import { whereField } from "../storage/filters.ts";
import { randomText } from "../storage/ids.ts";
import type { Unit } from "../storage/unit.ts";
import { type GatewayError, invalidRequest } from "../wire/errors.ts";
import { listOf } from "../wire/lists.ts";
import { DAY_S } from "./balances.ts";
import type { Decline } from "./charges.ts";
import { getCustomer } from "./customers.ts";
import { type Attempt, addIntent, attemptPayment, cancelIntent, cardError } from "./payment-intents.ts";
import { decimalText, productName } from "./prices.ts";

/** Subscriptions and their invoices: what is due when, what is tried again, and what ends. */

type Subscription = Stored<"subscription">;
type Invoice = Stored<"invoice">;

/** When a failed invoice is tried again, after its first failure. Source: product decisions, "States": 3 in 7 days. */
const RETRY_AFTER_S = [DAY_S, 3 * DAY_S, 7 * DAY_S];
/**
 * How long a renewal's invoice is a draft, and how long one that a caller finalized waits for its automatic payment.
 * Source: https://docs.stripe.com/invoicing/integration/automatic-advancement-collection, "about one hour"
 */
export const ADVANCE_S = 60 * 60;
/** How long the first payment of a subscription may take. */
const INCOMPLETE_S = 23 * 60 * 60;

/** Returns the address of an invoice's page. */
function invoiceUrl(unit: Unit, id: string): string {
  return `${unit.gateway.env.SITE_ORIGIN}/payment-gateway/invoices/${id}`;
}

/** Returns the only item of a subscription: one plan, once. */
export function itemOf({ body }: Pick<Subscription, "body">): Stripe.SubscriptionItem {
  const [item] = body.items.data;
  if (!item) throw new Error(`${body.id} has no item`);
  return item;
}

const priceYen = (price: Stripe.Price, quantity = 1) => (price.unit_amount ?? 0) * quantity;

/** Returns the old form of a price, which items still carry. */
function planOf(price: Stripe.Price): Stripe.Plan {
  return {
    id: price.id,
    object: "plan",
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: "per_unit",
    created: price.created,
    currency: "jpy",
    interval: "month",
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: "licensed",
  };
}

interface LineOf {
  amount: number;
  description: string;
  price: Stripe.Price;
  quantity: number;
  period: { start: number; end: number };
  subscription: string;
  subscription_item: string;
  is_proration?: boolean;
}

function lineOf(line: LineOf): Stripe.InvoiceLineItem {
  const { amount, description, period, price, quantity, subscription, subscription_item, is_proration = false } = line;
  return {
    id: `il_${randomText(24)}`,
    object: "line_item",
    amount,
    currency: "jpy",
    description,
    discount_amounts: [],
    discountable: !is_proration,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: is_proration,
        proration_details: is_proration ? { credited_items: null } : null,
        subscription,
        subscription_item,
      },
      type: "subscription_item_details",
    },
    period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: price.id, product: String(price.product) },
      type: "price_details",
      unit_amount_decimal: price.unit_amount_decimal,
    },
    quantity,
    quantity_decimal: decimalText(quantity),
    subscription,
    subtotal: amount,
    taxes: [],
  };
}

/** Returns the line of a whole period. */
async function periodLine(unit: Unit, subscription: Subscription): Promise<Stripe.InvoiceLineItem> {
  const item = itemOf(subscription);
  const { price, quantity = 1 } = item;
  return lineOf({
    amount: priceYen(price, quantity),
    description: `${quantity} × ${await productName(unit, price)}`,
    price,
    quantity,
    period: { start: item.current_period_start, end: item.current_period_end },
    subscription: subscription.id,
    subscription_item: item.id,
  });
}

/**
 * Returns the lines of a change of price in the middle of a period: the unused part of the old one back, the rest of the
 * new one. Each part is rounded to the yen, half up.
 */
export async function prorationLines(
  unit: Unit,
  subscription: Subscription,
  price: Stripe.Price,
  quantity: number,
  at: number,
) {
  const item = itemOf(subscription);
  const { current_period_start: start, current_period_end: end } = item;
  const partOf = (yen: number) => Math.floor((yen * (end - at) * 2 + (end - start)) / ((end - start) * 2));
  const common = {
    period: { start: at, end },
    subscription: subscription.id,
    subscription_item: item.id,
    is_proration: true,
  };
  const old_quantity = item.quantity ?? 1;
  return [
    lineOf({
      ...common,
      amount: -partOf(priceYen(item.price, old_quantity)),
      description: `Unused time on ${await productName(unit, item.price)}`,
      price: item.price,
      quantity: old_quantity,
    }),
    lineOf({
      ...common,
      amount: partOf(priceYen(price, quantity)),
      description: `Remaining time on ${await productName(unit, price)}`,
      price,
      quantity,
    }),
  ];
}

/** Source: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const MINIMUM_CHARGE_YEN = 50;

/**
 * Returns what an invoice charges of its total and the customer's balance. What is less than the minimum becomes the balance.
 * Source: https://docs.stripe.com/api/invoices/object, `amount_due`
 */
const amountDue = (rest: number) => (rest < MINIMUM_CHARGE_YEN ? 0 : rest);

interface NewInvoice {
  customer: Stripe.Customer;
  subscription: Subscription;
  lines: Stripe.InvoiceLineItem[];
  billing_reason: Stripe.Invoice.BillingReason;
}

/** Returns a draft's document. The customer's balance is taken into account when it is finalized. */
export function draftOf(
  unit: Unit,
  { customer, subscription, lines, billing_reason }: NewInvoice,
): Omit<Stripe.Invoice, "id"> {
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  const starting_balance = customer.balance;
  const amount_due = amountDue(total + starting_balance);
  const item = itemOf(subscription);
  return {
    object: "invoice",
    account_country: "JP",
    account_name: "OFUSE（デモ）",
    account_tax_ids: null,
    amount_due,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: amount_due,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason,
    collection_method: "charge_automatically",
    created: unit.now,
    currency: "jpy",
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: null,
    customer_tax_exempt: "none",
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: "self" },
    last_finalization_error: null,
    latest_revision: null,
    lines: listOf(lines, ""),
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.body.metadata, subscription: subscription.id },
      type: "subscription_details",
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: item.current_period_end,
    period_start: item.current_period_start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance,
    statement_descriptor: null,
    status: "draft",
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: total,
    subtotal_excluding_tax: total,
    test_clock: null,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  };
}

/** Adds a draft of an invoice. It becomes the subscription's latest one. */
async function addInvoice(
  unit: Unit,
  subscription: Subscription,
  lines: Stripe.InvoiceLineItem[],
  billing_reason: Stripe.Invoice.BillingReason,
): Promise<Invoice> {
  const customer = await getCustomer(unit, String(subscription.body.customer));
  const invoice = unit.add("invoice", {
    body: draftOf(unit, { customer: customer.body, subscription, lines, billing_reason }),
  });
  for (const line of lines) line.invoice = invoice.id;
  invoice.body.lines.url = `/v1/invoices/${invoice.id}/lines`;
  subscription.body.latest_invoice = invoice.id;
  unit.save(subscription);
  unit.emit("invoice.created", invoice);
  return invoice;
}

/**
 * Makes a draft final: it gets its number, uses the customer's balance, and may now be paid. The billing clock tries to pay it
 * at `attempt_at` (in seconds); at null it leaves that to the caller.
 */
export async function finalizeInvoice(unit: Unit, invoice: Invoice, attempt_at: number | null = null): Promise<void> {
  if (invoice.body.status !== "draft") {
    throw invalidRequest("This invoice is already finalized, you can't re-finalize a non-draft invoice.", {
      code: "invoice_not_editable",
    });
  }
  const customer = await getCustomer(unit, String(invoice.body.customer));
  const sequence = customer.body.next_invoice_sequence ?? 1;
  const rest = invoice.body.total + customer.body.balance;
  const amount_due = amountDue(rest);
  Object.assign(invoice.body, {
    status: "open",
    number: `${customer.body.invoice_prefix}-${String(sequence).padStart(4, "0")}`,
    starting_balance: customer.body.balance,
    ending_balance: rest - amount_due,
    amount_due,
    amount_remaining: amount_due,
    automatically_finalizes_at: null,
    next_payment_attempt: attempt_at,
    effective_at: unit.now,
    hosted_invoice_url: invoiceUrl(unit, invoice.id),
  } satisfies Partial<Stripe.Invoice>);
  invoice.body.status_transitions.finalized_at = unit.now;
  invoice.due_at = attempt_at;
  customer.body.balance = rest - amount_due;
  customer.body.next_invoice_sequence = sequence + 1;
  unit.save(customer);
  unit.emit("invoice.finalized", unit.save(invoice));
}

async function subscriptionOf(unit: Unit, { body }: Invoice): Promise<Subscription | null> {
  const id = body.parent?.subscription_details?.subscription;
  return id ? unit.find("subscription", String(id)) : null;
}

/** Returns the payment method that an invoice is paid with; null when there is none. */
async function methodOf(unit: Unit, invoice: Invoice, subscription: Subscription | null) {
  const customer = await getCustomer(unit, String(invoice.body.customer));
  const id =
    invoice.body.default_payment_method ??
    subscription?.body.default_payment_method ??
    customer.body.invoice_settings.default_payment_method;
  const method = id ? await unit.find("payment_method", String(id)) : null;
  // A detached card can pay no more.
  return method?.body.customer === customer.id ? method : null;
}

/** Returns the intent that pays an invoice. A failed attempt leaves it for the next. */
async function intentOf(unit: Unit, invoice: Invoice) {
  const known = invoice.hidden.intent && (await unit.find("payment_intent", invoice.hidden.intent));
  if (known && known.body.status !== "canceled") return known;
  const customer = String(invoice.body.customer);
  const fields = { amount: invoice.body.amount_due, customer, types: ["card"], description: "Subscription" };
  const intent = addIntent(unit, fields, { invoice: invoice.id });
  invoice.hidden.intent = intent.id;
  return intent;
}

const noMethod: Decline = {
  code: "missing_payment_method",
  decline_code: "generic_decline",
  message: "The customer has no payment method to pay this invoice with.",
};

/**
 * Tries to pay an open invoice. The subscription follows: active, or past_due with a later retry. Returns the error of a
 * failed attempt; null when the invoice is paid or waits for the payer.
 */
export async function payInvoice(
  unit: Unit,
  invoice: Invoice,
  { method: wanted, ...attempt }: Attempt & { method?: Stored<"payment_method"> },
): Promise<GatewayError | null> {
  if (invoice.body.status !== "open") {
    throw invalidRequest(`Invoice is ${invoice.body.status}: it cannot be paid.`, {
      code: invoice.body.status === "paid" ? "invoice_already_paid" : "invoice_not_editable",
    });
  }
  if (invoice.body.amount_due === 0) {
    await settleInvoice(unit, invoice, true);
    return null;
  }
  const method = wanted ?? (await methodOf(unit, invoice, await subscriptionOf(unit, invoice)));
  const intent = await intentOf(unit, invoice);
  const decline = method ? attemptPayment(unit, intent, method, attempt) : noMethod;
  if (decline) {
    await settleInvoice(unit, invoice, false);
    return cardError(decline, intent);
  }
  if (intent.body.status === "succeeded") await settleInvoice(unit, invoice, true);
  else unit.emit("invoice.payment_action_required", unit.save(invoice));
  return null;
}

/** Writes the outcome of an attempt to pay an invoice, and what follows for its subscription. */
export async function settleInvoice(unit: Unit, invoice: Invoice, is_paid: boolean): Promise<void> {
  const { body } = invoice;
  body.attempted = true;
  if (body.amount_due > 0) body.attempt_count++;
  const subscription = await subscriptionOf(unit, invoice);
  if (is_paid) {
    Object.assign(body, {
      status: "paid",
      amount_paid: body.amount_due,
      amount_remaining: 0,
      next_payment_attempt: null,
    });
    body.status_transitions.paid_at = unit.now;
    invoice.due_at = null;
    unit.save(invoice);
    unit.emit("invoice.paid", invoice);
    unit.emit("invoice.payment_succeeded", invoice);
    if (subscription && ["incomplete", "past_due"].includes(subscription.body.status)) activate(unit, subscription);
    return;
  }
  const is_first = body.billing_reason === "subscription_create";
  invoice.hidden.failed_at ??= unit.now;
  const { failed_at } = invoice.hidden;
  const retry = is_first ? undefined : RETRY_AFTER_S.map((after) => failed_at + after).find((at) => at > unit.now);
  invoice.due_at = retry ?? null;
  body.next_payment_attempt = invoice.due_at;
  unit.emit("invoice.payment_failed", unit.save(invoice));
  if (!subscription || is_first || subscription.body.status === "canceled") return;
  if (invoice.due_at === null && unit.gateway.env.GATEWAY_AFTER_RETRIES === "canceled") {
    await endSubscription(unit, subscription, "payment_failed");
  } else if (subscription.body.status === "active") {
    const before = structuredClone(subscription.body);
    subscription.body.status = "past_due";
    announceUpdate(unit, subscription, before);
  }
}

function activate(unit: Unit, subscription: Subscription): void {
  const before = structuredClone(subscription.body);
  if (before.status === "incomplete") subscription.due_at = itemOf(subscription).current_period_end;
  subscription.body.status = "active";
  announceUpdate(unit, subscription, before);
}

/** Saves and announces a change with the old values of what changed, if anything did. */
export function announceUpdate(unit: Unit, subscription: Subscription, before: Stripe.Subscription): void {
  const now = subscription.body as unknown as Record<string, unknown>;
  const changed = Object.entries(before).filter(([name, old]) => JSON.stringify(old) !== JSON.stringify(now[name]));
  unit.save(subscription);
  if (changed.length > 0) unit.emit("customer.subscription.updated", subscription, Object.fromEntries(changed));
}

/** Takes back an invoice that nobody will pay. */
export async function voidInvoice(unit: Unit, invoice: Invoice): Promise<void> {
  if (invoice.body.status !== "open" && invoice.body.status !== "draft") {
    throw invalidRequest(`You cannot void an invoice that is ${invoice.body.status}.`, {
      code: "invoice_not_editable",
    });
  }
  const intent = invoice.hidden.intent ? await unit.find("payment_intent", invoice.hidden.intent) : null;
  if (intent && intent.body.status !== "canceled") cancelIntent(unit, intent, "void_invoice");
  Object.assign(invoice.body, { status: "void", next_payment_attempt: null, auto_advance: false });
  invoice.body.status_transitions.voided_at = unit.now;
  invoice.due_at = null;
  unit.emit("invoice.voided", unit.save(invoice));
}

export interface NewSubscription {
  customer: string;
  price: Stripe.Price;
  quantity: number;
  metadata: Record<string, string>;
  description: string | null;
  default_payment_method: string | null;
}

/** Adds a subscription with its first invoice, which is open and not yet tried. */
export async function addSubscription(
  unit: Unit,
  given: NewSubscription,
): Promise<{ subscription: Subscription; invoice: Invoice }> {
  const { price, quantity } = given;
  if (!price.recurring) {
    throw invalidRequest(
      "The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.",
      {
        param: "items[0][price]",
      },
    );
  }
  const now = unit.now;
  const months = price.recurring.interval_count;
  const subscription = unit.add("subscription", {
    due_at: now + INCOMPLETE_S,
    hidden: { periods: 1, pending_lines: [] },
    body: {
      object: "subscription",
      application: null,
      application_fee_percent: null,
      automatic_tax: { disabled_reason: null, enabled: false, liability: null },
      billing_cycle_anchor: now,
      billing_cycle_anchor_config: null,
      billing_mode: { flexible: null, type: "classic" },
      billing_schedules: [],
      billing_thresholds: null,
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
      collection_method: "charge_automatically",
      created: now,
      currency: "jpy",
      customer: given.customer,
      customer_account: null,
      days_until_due: null,
      default_payment_method: given.default_payment_method,
      default_source: null,
      default_tax_rates: [],
      description: given.description,
      discounts: [],
      ended_at: null,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        description: null,
        footer: null,
        issuer: { type: "self" },
      },
      items: listOf<Stripe.SubscriptionItem>([], ""),
      latest_invoice: null,
      livemode: false,
      managed_payments: null,
      metadata: given.metadata,
      next_pending_invoice_item_invoice: null,
      on_behalf_of: null,
      pause_collection: null,
      payment_settings: {
        payment_method_options: null,
        payment_method_types: null,
        save_default_payment_method: "off",
      },
      pending_invoice_item_interval: null,
      pending_setup_intent: null,
      pending_update: null,
      schedule: null,
      start_date: now,
      status: "incomplete",
      test_clock: null,
      transfer_data: null,
      trial_end: null,
      trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: "create_invoice" } },
      trial_start: null,
    },
  });
  subscription.body.items = listOf(
    [
      {
        id: `si_${randomText(14)}`,
        object: "subscription_item",
        billing_thresholds: null,
        created: now,
        current_period_end: anniversaryOf(now, months),
        current_period_start: now,
        current_trial: null,
        discounts: [],
        metadata: {},
        plan: planOf(price),
        price,
        quantity,
        subscription: subscription.id,
        tax_rates: [],
      },
    ],
    `/v1/subscription_items?subscription=${subscription.id}`,
  );
  const invoice = await addInvoice(unit, subscription, [await periodLine(unit, subscription)], "subscription_create");
  await finalizeInvoice(unit, invoice);
  unit.emit("customer.subscription.created", subscription);
  return { subscription, invoice };
}

/** Puts another price on a subscription's item. */
export function replacePrice(subscription: Subscription, price: Stripe.Price, quantity: number): void {
  Object.assign(itemOf(subscription), { price, quantity, plan: planOf(price) });
}

/** Adds an invoice for lines that are due now, and finalizes it. */
export async function invoiceNow(
  unit: Unit,
  subscription: Subscription,
  lines: Stripe.InvoiceLineItem[],
): Promise<Invoice> {
  const invoice = await addInvoice(unit, subscription, lines, "subscription_update");
  await finalizeInvoice(unit, invoice);
  return invoice;
}

/** Ends a subscription at once. Its unpaid invoices are not tried again. */
export async function endSubscription(
  unit: Unit,
  subscription: Subscription,
  reason: Stripe.Subscription.CancellationDetails.Reason,
): Promise<void> {
  const { body } = subscription;
  Object.assign(body, { status: "canceled", canceled_at: body.canceled_at ?? unit.now, ended_at: unit.now });
  if (body.cancellation_details) body.cancellation_details.reason = reason;
  subscription.due_at = null;
  for (const invoice of await unit.all("invoice", ...whereField("customer", String(body.customer)))) {
    const { status, parent } = invoice.body;
    const is_its = parent?.subscription_details?.subscription === subscription.id;
    if (!is_its || (status !== "open" && status !== "draft")) continue;
    Object.assign(invoice.body, { next_payment_attempt: null, automatically_finalizes_at: null, auto_advance: false });
    invoice.due_at = null;
    unit.save(invoice);
  }
  unit.emit("customer.subscription.deleted", unit.save(subscription));
}

/** Does what is due of a subscription: its next period, its end, or the end of the wait for its first payment. */
export async function advanceSubscription(unit: Unit, subscription: Subscription): Promise<void> {
  const { body } = subscription;
  const before = structuredClone(body);
  if (body.status === "incomplete") {
    const invoice = await unit.find("invoice", String(body.latest_invoice));
    if (invoice?.body.status === "open") await voidInvoice(unit, invoice);
    body.status = "incomplete_expired";
    subscription.due_at = null;
    return announceUpdate(unit, subscription, before);
  }
  if (body.cancel_at_period_end) return endSubscription(unit, subscription, "cancellation_requested");
  const item = itemOf(subscription);
  const periods = (subscription.hidden.periods ?? 1) + 1;
  const months = (item.price.recurring?.interval_count ?? 1) * periods;
  item.current_period_start = item.current_period_end;
  item.current_period_end = anniversaryOf(body.billing_cycle_anchor, months);
  subscription.due_at = item.current_period_end;
  const lines = [...(subscription.hidden.pending_lines ?? []), await periodLine(unit, subscription)];
  Object.assign(subscription.hidden, { periods, pending_lines: [] });
  const invoice = await addInvoice(unit, subscription, lines, "subscription_cycle");
  invoice.due_at = unit.now + ADVANCE_S;
  invoice.body.automatically_finalizes_at = invoice.due_at;
  announceUpdate(unit, subscription, before);
}

/** Does what is due of an invoice: a draft becomes final and is tried, an open one is tried again. */
export async function advanceInvoice(unit: Unit, invoice: Invoice): Promise<void> {
  if (invoice.body.status === "draft") await finalizeInvoice(unit, invoice);
  await payInvoice(unit, invoice, { is_present: false, is_saved: true });
}
