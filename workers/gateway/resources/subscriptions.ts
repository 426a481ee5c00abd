import * as z from "zod";
import type { Stored } from "../storage/documents.ts";
import { whereField, whereOneOf, whereRange } from "../storage/filters.ts";
import type { Unit } from "../storage/unit.ts";
import { invalidRequest } from "../wire/errors.ts";
import { answerList } from "../wire/lists.ts";
import { bool, emptyable, integer, listing, mergeMetadata, metadata, moment, range, text } from "../wire/params.ts";
import {
  addSubscription,
  announceUpdate,
  endSubscription,
  invoiceNow,
  itemOf,
  payInvoice,
  prorationLines,
  replacePrice,
} from "./billing.ts";
import { getCustomer } from "./customers.ts";
import { endpoint } from "./endpoint.ts";
import { priceData, priceOf } from "./prices.ts";

const quantity = integer.refine((count) => count >= 1 && count <= 1_000);
const payment_behavior = z.enum(["allow_incomplete", "default_incomplete", "error_if_incomplete"]);
const cancellation_details = z.strictObject({
  comment: text.optional(),
  feedback: z
    .enum([
      "customer_service",
      "low_quality",
      "missing_features",
      "other",
      "switched_service",
      "too_complex",
      "too_expensive",
      "unused",
    ])
    .optional(),
});
const items = z
  .array(
    z.strictObject({
      id: text.optional(),
      price: text.optional(),
      price_data: priceData.optional(),
      quantity: quantity.optional(),
    }),
  )
  .length(1);
const proration_behavior = z.enum(["always_invoice", "create_prorations", "none"]);
/** How a change of price is asked for, in an update and in a preview. */
export const changes = {
  items: items.optional(),
  proration_behavior: proration_behavior.optional(),
  proration_date: moment.optional(),
};
export type Changes = z.infer<z.ZodObject<typeof changes>>;

async function getOwnMethod(unit: Unit, id: string, customer: string): Promise<string> {
  const method = await unit.get("payment_method", id, "default_payment_method");
  if (method.body.customer === customer) return method.id;
  throw invalidRequest(`The customer does not have a payment method with the ID ${id}.`, {
    code: "resource_missing",
    param: "default_payment_method",
  });
}

/** Returns the price and quantity that a change asks for, and the lines that it costs now. */
export async function readChange(unit: Unit, subscription: Stored<"subscription">, change: Changes) {
  const [wanted] = change.items ?? [];
  const item = itemOf(subscription);
  if (wanted?.id !== undefined && wanted.id !== item.id) {
    throw invalidRequest(`No such subscription item: '${wanted.id}'`, {
      code: "resource_missing",
      param: "items[0][id]",
    });
  }
  if (wanted && wanted.id === undefined) {
    throw invalidRequest("This gateway keeps one item in a subscription: name it to change it.", {
      param: "items[0][id]",
    });
  }
  const is_priced = wanted?.price !== undefined || wanted?.price_data !== undefined;
  const price = wanted && is_priced ? await priceOf(unit, wanted, "items[0]") : item.price;
  if (!price.recurring || price.recurring.interval_count !== item.price.recurring?.interval_count) {
    throw invalidRequest("This gateway changes a price only to another of the same interval.", {
      param: "items[0][price]",
    });
  }
  const count = wanted?.quantity ?? item.quantity ?? 1;
  const is_other = price.id !== item.price.id || count !== (item.quantity ?? 1);
  const at = change.proration_date ?? unit.now;
  if (at < item.current_period_start || at >= item.current_period_end) {
    throw invalidRequest("Cannot prorate outside of the current period.", { param: "proration_date" });
  }
  const is_free = !is_other || change.proration_behavior === "none";
  return {
    price,
    quantity: count,
    is_other,
    lines: is_free ? [] : await prorationLines(unit, subscription, price, count, at),
  };
}

async function changePrice(
  unit: Unit,
  subscription: Stored<"subscription">,
  params: Changes & { payment_behavior?: string | undefined },
) {
  const { price, quantity: count, lines } = await readChange(unit, subscription, params);
  replacePrice(subscription, price, count);
  if (lines.length === 0) return;
  if (params.proration_behavior !== "always_invoice") {
    subscription.hidden.pending_lines = [...(subscription.hidden.pending_lines ?? []), ...lines];
    return;
  }
  const invoice = await invoiceNow(unit, subscription, lines);
  const failed = await payInvoice(unit, invoice, { is_present: true, is_saved: true });
  if (failed && params.payment_behavior === "error_if_incomplete") {
    unit.discard();
    throw failed;
  }
}

export const subscriptionEndpoints = [
  endpoint(
    "POST",
    "/v1/subscriptions",
    {
      cancel_at_period_end: bool.optional(),
      collection_method: z.literal("charge_automatically").optional(),
      currency: z.literal("jpy").optional(),
      customer: text,
      default_payment_method: text.optional(),
      description: text.optional(),
      items,
      metadata: metadata.optional(),
      off_session: bool.optional(),
      payment_behavior: payment_behavior.optional(),
      proration_behavior: proration_behavior.optional(),
    },
    async ({ unit, params }) => {
      const customer = await getCustomer(unit, params.customer);
      const [item] = params.items;
      const price = await priceOf(unit, item ?? {}, "items[0]");
      const { subscription, invoice } = await addSubscription(unit, {
        customer: customer.id,
        price,
        quantity: item?.quantity ?? 1,
        metadata: mergeMetadata({}, params.metadata),
        description: params.description ?? null,
        default_payment_method: params.default_payment_method
          ? await getOwnMethod(unit, params.default_payment_method, customer.id)
          : null,
      });
      if (params.cancel_at_period_end) subscription.body.cancel_at_period_end = true;
      if (params.payment_behavior === "default_incomplete" && invoice.body.amount_due > 0) return subscription.body;
      const failed = await payInvoice(unit, invoice, { is_present: !params.off_session, is_saved: true });
      if (failed && params.payment_behavior === "error_if_incomplete") {
        unit.discard();
        throw failed;
      }
      return subscription.body;
    },
  ),
  endpoint(
    "GET",
    "/v1/subscriptions",
    {
      ...listing,
      created: range.optional(),
      customer: text.optional(),
      price: text.optional(),
      status: z.enum(["active", "all", "canceled", "ended", "incomplete", "incomplete_expired", "past_due"]).optional(),
    },
    ({ unit, params }) =>
      answerList(unit, "subscription", "/v1/subscriptions", {
        ...params,
        where: [
          ...whereField("customer", params.customer),
          ...whereField("items.data[0].price.id", params.price),
          ...whereRange("created", params.created),
          ...whereStatus(params.status),
        ],
      }),
  ),
  endpoint("GET", "/v1/subscriptions/:id", {}, async ({ unit, id }) => (await unit.get("subscription", id)).body),
  endpoint(
    "POST",
    "/v1/subscriptions/:id",
    {
      ...changes,
      cancel_at_period_end: bool.optional(),
      cancellation_details: cancellation_details.optional(),
      default_payment_method: emptyable.optional(),
      description: emptyable.optional(),
      metadata: metadata.optional(),
      off_session: bool.optional(),
      payment_behavior: payment_behavior.optional(),
    },
    async ({ unit, id, params }) => {
      const subscription = await unit.get("subscription", id);
      const { body } = subscription;
      if (body.status === "canceled" || body.status === "incomplete_expired") {
        throw invalidRequest("A canceled subscription can only update its cancellation_details and metadata.");
      }
      const before = structuredClone(body);
      if (params.default_payment_method !== undefined) {
        const method = params.default_payment_method;
        body.default_payment_method = method && (await getOwnMethod(unit, method, String(body.customer)));
      }
      if (params.description !== undefined) body.description = params.description;
      body.metadata = mergeMetadata(body.metadata, params.metadata);
      if (params.cancel_at_period_end !== undefined) setEnd(unit, subscription, params.cancel_at_period_end);
      if (body.cancellation_details) Object.assign(body.cancellation_details, params.cancellation_details);
      if (params.items) await changePrice(unit, subscription, params);
      announceUpdate(unit, subscription, before);
      return body;
    },
  ),
  endpoint(
    "DELETE",
    "/v1/subscriptions/:id",
    {
      cancellation_details: cancellation_details.optional(),
      invoice_now: bool.optional(),
      prorate: z.literal("false").optional(),
    },
    async ({ unit, id, params }) => {
      const subscription = await unit.get("subscription", id);
      if (subscription.body.status === "canceled") {
        throw invalidRequest(`No such subscription: '${id}'`, { code: "resource_missing", param: "id" });
      }
      if (subscription.body.cancellation_details) {
        Object.assign(subscription.body.cancellation_details, params.cancellation_details);
      }
      await endSubscription(unit, subscription, "cancellation_requested");
      return subscription.body;
    },
  ),
];

/** Lets a subscription end with its period, or go on after all. */
export function setEnd(unit: Unit, { body }: Stored<"subscription">, is_ending: boolean): void {
  body.cancel_at_period_end = is_ending;
  body.cancel_at = is_ending ? itemOf({ body }).current_period_end : null;
  body.canceled_at = is_ending ? unit.now : null;
  if (body.cancellation_details) body.cancellation_details.reason = is_ending ? "cancellation_requested" : null;
}

function whereStatus(status: string | undefined) {
  if (status === "all") return [];
  if (status === "ended") return whereOneOf("status", ["canceled", "incomplete_expired"]);
  if (status !== undefined) return whereField("status", status);
  return whereOneOf("status", ["active", "incomplete", "past_due"]);
}
