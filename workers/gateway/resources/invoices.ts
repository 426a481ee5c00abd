import { sql } from "kysely";
import type Stripe from "stripe";
import * as z from "zod";
import type { Stored } from "../storage/documents.ts";
import { whereField, whereRange } from "../storage/filters.ts";
import { randomText } from "../storage/ids.ts";
import type { Unit } from "../storage/unit.ts";
import { invalidRequest } from "../wire/errors.ts";
import { answerList, listOf } from "../wire/lists.ts";
import { bool, listing, mergeMetadata, metadata, range, text } from "../wire/params.ts";
import { ADVANCE_S, draftOf, finalizeInvoice, payInvoice, replacePrice, voidInvoice } from "./billing.ts";
import { getCustomer } from "./customers.ts";
import { endpoint } from "./endpoint.ts";
import { getMethod } from "./payment-methods.ts";
import { changes, readChange } from "./subscriptions.ts";

/** Returns the payments of an invoice: its intent, if it needed one. Answered only when expanded. */
export async function paymentsOf(unit: Unit, { id, body, hidden }: Stored<"invoice">) {
  const intent = hidden.intent ? await unit.find("payment_intent", hidden.intent) : null;
  const is_paid = intent?.body.status === "succeeded";
  const payment: Stripe.InvoicePayment | null = intent && {
    id: `inpay_${intent.id.slice(3)}`,
    object: "invoice_payment",
    amount_paid: is_paid ? intent.body.amount_received : null,
    amount_requested: intent.body.amount,
    created: intent.body.created,
    currency: "jpy",
    invoice: id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent.id, type: "payment_intent" },
    status: is_paid ? "paid" : intent.body.status === "canceled" ? "canceled" : "open",
    status_transitions: {
      canceled_at: intent.body.canceled_at,
      paid_at: is_paid ? body.status_transitions.paid_at : null,
    },
  };
  return listOf(payment ? [payment] : [], `/v1/invoice_payments?invoice=${id}`);
}

export const invoiceEndpoints = [
  endpoint(
    "GET",
    "/v1/invoices",
    {
      ...listing,
      created: range.optional(),
      customer: text.optional(),
      status: z.enum(["draft", "open", "paid", "uncollectible", "void"]).optional(),
      subscription: text.optional(),
    },
    ({ unit, params }) =>
      answerList(unit, "invoice", "/v1/invoices", {
        ...params,
        where: [
          ...whereField("customer", params.customer),
          ...whereField("status", params.status),
          ...whereField("parent.subscription_details.subscription", params.subscription),
          ...whereRange("created", params.created),
        ],
      }),
  ),
  endpoint("GET", "/v1/invoices/:id", {}, async ({ unit, id }) => (await unit.get("invoice", id)).body),
  endpoint(
    "GET",
    "/v1/invoices/:id/lines",
    listing,
    async ({ unit, id }) => (await unit.get("invoice", id)).body.lines,
  ),
  endpoint(
    "GET",
    "/v1/invoice_payments",
    {
      ...listing,
      invoice: text.optional(),
      payment: z.strictObject({ type: z.literal("payment_intent"), payment_intent: text }).optional(),
    },
    async ({ unit, params: { invoice, payment } }) => {
      if (invoice !== undefined) return paymentsOf(unit, await unit.get("invoice", invoice, "invoice"));
      if (!payment) throw invalidRequest("Name an invoice or a payment.");
      const [paid] = await unit.all("invoice", sql`hidden ->> '$.intent' = ${payment.payment_intent}`);
      return paid ? paymentsOf(unit, paid) : listOf([], "/v1/invoice_payments");
    },
  ),
  // Shows what a change of plan would cost, and changes nothing. Before the call whose path would match it.
  endpoint(
    "POST",
    "/v1/invoices/create_preview",
    { customer: text.optional(), subscription: text, subscription_details: z.strictObject(changes).optional() },
    async ({ unit, params }) => {
      const subscription = structuredClone(await unit.get("subscription", params.subscription, "subscription"));
      const change = params.subscription_details ?? {};
      const { price, quantity, lines } = await readChange(unit, subscription, change);
      replacePrice(subscription, price, quantity);
      const customer = await getCustomer(unit, String(subscription.body.customer));
      const id = `upcoming_in_${randomText(24)}`;
      const body = draftOf(unit, { customer: customer.body, subscription, lines, billing_reason: "upcoming" });
      body.lines.url = `/v1/invoices/${id}/lines`;
      unit.discard();
      return { id, ...body };
    },
  ),
  endpoint(
    "POST",
    "/v1/invoices/:id",
    { default_payment_method: text.optional(), description: text.optional(), metadata: metadata.optional() },
    async ({ unit, id, params }) => {
      const invoice = await unit.get("invoice", id);
      invoice.body.metadata = mergeMetadata(invoice.body.metadata ?? {}, params.metadata);
      if (params.description !== undefined) invoice.body.description = params.description;
      if (params.default_payment_method !== undefined) {
        const method = await unit.get("payment_method", params.default_payment_method, "default_payment_method");
        invoice.body.default_payment_method = method.id;
      }
      unit.emit("invoice.updated", unit.save(invoice));
      return invoice.body;
    },
  ),
  endpoint("POST", "/v1/invoices/:id/finalize", { auto_advance: bool.optional() }, async ({ unit, id, params }) => {
    const invoice = await unit.get("invoice", id);
    if (params.auto_advance !== undefined) invoice.body.auto_advance = params.auto_advance;
    await finalizeInvoice(unit, invoice, invoice.body.auto_advance ? unit.now + ADVANCE_S : null);
    return invoice.body;
  }),
  endpoint(
    "POST",
    "/v1/invoices/:id/pay",
    { off_session: bool.optional(), payment_method: text.optional() },
    async ({ unit, id, params }) => {
      const invoice = await unit.get("invoice", id);
      const method = params.payment_method ? await getMethod(unit, params.payment_method) : undefined;
      const failed = await payInvoice(unit, invoice, {
        is_present: params.off_session === false,
        is_saved: true,
        ...(method && { method }),
      });
      if (failed) throw failed;
      return invoice.body;
    },
  ),
  endpoint("POST", "/v1/invoices/:id/void", {}, async ({ unit, id }) => {
    const invoice = await unit.get("invoice", id);
    await voidInvoice(unit, invoice);
    return invoice.body;
  }),
];
