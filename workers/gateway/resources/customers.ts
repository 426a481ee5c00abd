import type Stripe from "stripe";
import * as z from "zod";
import { whereField, whereRange } from "../storage/filters.ts";
import type { Unit } from "../storage/unit.ts";
import { invalidRequest } from "../wire/errors.ts";
import { answerList } from "../wire/lists.ts";
import { address, emptyable, integer, listing, mergeMetadata, metadata, range, text } from "../wire/params.ts";
import { endpoint } from "./endpoint.ts";

const fields = {
  address: z.union([z.literal("").transform(() => null), address]).optional(),
  balance: integer.optional(),
  description: emptyable.optional(),
  email: emptyable.optional(),
  invoice_settings: z.strictObject({ default_payment_method: emptyable.optional() }).optional(),
  metadata: metadata.optional(),
  name: emptyable.optional(),
  phone: emptyable.optional(),
  preferred_locales: z.array(text).max(10).optional(),
};
type Fields = z.infer<z.ZodObject<typeof fields>>;

function addressOf(given: z.infer<typeof address>): Stripe.Address {
  const { city = null, country = null, line1 = null, line2 = null, postal_code = null, state = null } = given;
  return { city, country, line1, line2, postal_code, state };
}

/** Adds a customer. Checkout makes one too, when it keeps a way to pay. */
export function addCustomer(
  unit: Unit,
  { email = null, name = null }: { email?: string | null; name?: string | null },
) {
  const customer = unit.add("customer", {
    body: {
      object: "customer",
      address: null,
      balance: 0,
      created: unit.now,
      currency: null,
      customer_account: null,
      default_source: null,
      delinquent: false,
      description: null,
      discount: null,
      email,
      invoice_prefix: null,
      invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
      livemode: false,
      metadata: {},
      name,
      next_invoice_sequence: 1,
      phone: null,
      preferred_locales: [],
      shipping: null,
      tax_exempt: "none",
      test_clock: null,
    },
  });
  customer.body.invoice_prefix = customer.id.slice(-8).toUpperCase();
  return customer;
}

async function applyFields(unit: Unit, customer: Stripe.Customer, params: Fields): Promise<void> {
  const { address: given, invoice_settings, metadata: values, ...plain } = params;
  Object.assign(customer, Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)));
  if (given !== undefined) customer.address = given && addressOf(given);
  customer.metadata = mergeMetadata(customer.metadata, values);
  const method = invoice_settings?.default_payment_method;
  if (method) {
    const param = "invoice_settings[default_payment_method]";
    const found = await unit.get("payment_method", method, param);
    if (found.body.customer !== customer.id) {
      throw invalidRequest(`The customer does not have a payment method with the ID ${method}.`, {
        code: "resource_missing",
        param,
      });
    }
  }
  if (method !== undefined) customer.invoice_settings.default_payment_method = method;
}

/** Finds a customer who is not deleted, or throws `resource_missing`. */
export async function getCustomer(unit: Unit, id: string, param = "customer") {
  const customer = await unit.get("customer", id, param);
  if (customer.body.deleted) throw invalidRequest(`No such customer: '${id}'`, { code: "resource_missing", param });
  return customer;
}

export const customerEndpoints = [
  endpoint("POST", "/v1/customers", fields, async ({ unit, params }) => {
    const customer = addCustomer(unit, {});
    await applyFields(unit, customer.body, params);
    unit.emit("customer.created", customer);
    return customer.body;
  }),
  endpoint(
    "GET",
    "/v1/customers",
    { ...listing, created: range.optional(), email: text.optional() },
    ({ unit, params }) =>
      answerList(unit, "customer", "/v1/customers", {
        ...params,
        where: [...whereRange("created", params.created), ...whereField("email", params.email)],
      }),
  ),
  endpoint("GET", "/v1/customers/:id", {}, async ({ unit, id }) => (await unit.get("customer", id)).body),
  endpoint("POST", "/v1/customers/:id", fields, async ({ unit, id, params }) => {
    const customer = await getCustomer(unit, id, "id");
    await applyFields(unit, customer.body, params);
    unit.emit("customer.updated", unit.save(customer));
    return customer.body;
  }),
  endpoint("DELETE", "/v1/customers/:id", {}, async ({ unit, id }) => {
    const customer = await getCustomer(unit, id, "id");
    unit.emit("customer.deleted", customer);
    customer.body = { id, object: "customer", deleted: true } as unknown as Stripe.Customer;
    unit.save(customer);
    return customer.body;
  }),
];
