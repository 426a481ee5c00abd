import type Stripe from "stripe";
import * as z from "zod";
import { whereField, whereFlag, whereRange } from "../storage/filters.ts";
import type { Unit } from "../storage/unit.ts";
import { invalidRequest } from "../wire/errors.ts";
import { answerList } from "../wire/lists.ts";
import { bool, emptyable, integer, jpy, listing, mergeMetadata, metadata, range, text } from "../wire/params.ts";
import { endpoint } from "./endpoint.ts";

/** Products and prices: what is sold, and for how much, once or every month. */

/** The JSON form of a decimal: a text. The `stripe` package makes an object of it. */
export const decimalText = (yen: number) => String(yen) as unknown as Stripe.Decimal;

/** Prices may be free: ¥0. */
const unit_amount = integer.refine((yen) => yen >= 0 && yen <= 99_999_999);
const recurring = z.strictObject({
  interval: z.literal("month"),
  interval_count: integer.refine((months) => months >= 1 && months <= 12).optional(),
  usage_type: z.literal("licensed").optional(),
});
/** A price that a line brings along instead of naming one. */
export const priceData = z.strictObject({
  currency: jpy,
  unit_amount,
  product: text.optional(),
  product_data: z
    .strictObject({
      name: text,
      description: text.optional(),
      images: z.array(text).optional(),
      metadata: metadata.optional(),
    })
    .optional(),
  recurring: recurring.optional(),
  tax_behavior: z.enum(["inclusive", "exclusive", "unspecified"]).optional(),
});

interface ProductFields {
  name: string;
  description?: string | null | undefined;
  images?: string[] | undefined;
  metadata?: Record<string, string> | null | undefined;
}

function addProduct(unit: Unit, { name, description = null, images = [], metadata: values }: ProductFields) {
  return unit.add("product", {
    body: {
      object: "product",
      active: true,
      created: unit.now,
      default_price: null,
      description,
      images,
      livemode: false,
      marketing_features: [],
      metadata: mergeMetadata({}, values),
      name,
      package_dimensions: null,
      shippable: null,
      statement_descriptor: null,
      tax_code: null,
      tax_details: null,
      type: "service",
      unit_label: null,
      updated: unit.now,
      url: null,
    },
  });
}

interface PriceFields {
  product: string;
  unit_amount: number;
  recurring?: z.infer<typeof recurring> | undefined;
  metadata?: Record<string, string> | null | undefined;
  nickname?: string | null | undefined;
  lookup_key?: string | undefined;
  tax_behavior?: "inclusive" | "exclusive" | "unspecified" | undefined;
  is_active?: boolean;
}

function addPrice(unit: Unit, fields: PriceFields) {
  const { product, nickname = null, lookup_key = null, tax_behavior = "unspecified", is_active = true } = fields;
  return unit.add("price", {
    body: {
      object: "price",
      active: is_active,
      billing_scheme: "per_unit",
      created: unit.now,
      currency: "jpy",
      custom_unit_amount: null,
      livemode: false,
      lookup_key,
      metadata: mergeMetadata({}, fields.metadata),
      nickname,
      product,
      recurring: fields.recurring
        ? {
            interval: "month",
            interval_count: fields.recurring.interval_count ?? 1,
            meter: null,
            trial_period_days: null,
            usage_type: "licensed",
          }
        : null,
      tax_behavior,
      tiers_mode: null,
      transform_quantity: null,
      type: fields.recurring ? "recurring" : "one_time",
      unit_amount: fields.unit_amount,
      unit_amount_decimal: decimalText(fields.unit_amount),
    },
  });
}

/** Finds or makes the price that a line names or brings along. `param` is the line's own name. */
export async function priceOf(
  unit: Unit,
  line: { price?: string | undefined; price_data?: z.infer<typeof priceData> | undefined },
  param: string,
): Promise<Stripe.Price> {
  if (line.price !== undefined) {
    const { body } = await unit.get("price", line.price, `${param}[price]`);
    if (!body.active)
      throw invalidRequest(`The price specified is inactive. This field only accepts active prices.`, { param });
    return body;
  }
  const data = line.price_data;
  if (!data)
    throw invalidRequest(`Missing required param: ${param}[price].`, {
      code: "parameter_missing",
      param: `${param}[price]`,
    });
  const { product, product_data } = data;
  if ((product === undefined) === (product_data === undefined)) {
    throw invalidRequest("You must specify either `product` or `product_data` when creating a price.", { param });
  }
  const found = product_data
    ? addProduct(unit, product_data)
    : await unit.get("product", product ?? "", `${param}[price_data][product]`);
  // A price that a line brought along cannot be used again, as at Stripe.
  return addPrice(unit, { ...data, product: found.id, is_active: false }).body;
}

/** Returns the name of what is sold. */
export async function productName(unit: Unit, price: Stripe.Price): Promise<string> {
  return (await unit.get("product", String(price.product), "product")).body.name;
}

const productFields = {
  active: bool.optional(),
  description: emptyable.optional(),
  images: z.array(text).max(8).optional(),
  metadata: metadata.optional(),
};

export const priceEndpoints = [
  endpoint("POST", "/v1/products", { ...productFields, name: text }, async ({ unit, params }) => {
    const product = addProduct(unit, params);
    product.body.active = params.active ?? true;
    unit.emit("product.created", product);
    return product.body;
  }),
  endpoint(
    "GET",
    "/v1/products",
    { ...listing, active: bool.optional(), created: range.optional() },
    ({ unit, params }) =>
      answerList(unit, "product", "/v1/products", {
        ...params,
        where: [...whereFlag("active", params.active), ...whereRange("created", params.created)],
      }),
  ),
  endpoint("GET", "/v1/products/:id", {}, async ({ unit, id }) => (await unit.get("product", id)).body),
  endpoint("POST", "/v1/products/:id", { ...productFields, name: text.optional() }, async ({ unit, id, params }) => {
    const product = await unit.get("product", id);
    const { metadata: values, ...plain } = params;
    Object.assign(product.body, Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)));
    product.body.metadata = mergeMetadata(product.body.metadata, values);
    product.body.updated = unit.now;
    unit.emit("product.updated", unit.save(product));
    return product.body;
  }),
  endpoint(
    "POST",
    "/v1/prices",
    {
      active: bool.optional(),
      currency: jpy,
      lookup_key: text.optional(),
      metadata: metadata.optional(),
      nickname: text.optional(),
      product: text.optional(),
      product_data: z.strictObject({ name: text, metadata: metadata.optional() }).optional(),
      recurring: recurring.optional(),
      tax_behavior: z.enum(["inclusive", "exclusive", "unspecified"]).optional(),
      unit_amount,
    },
    async ({ unit, params }) => {
      if ((params.product === undefined) === (params.product_data === undefined)) {
        throw invalidRequest("You must specify either `product` or `product_data` when creating a price.");
      }
      const product = params.product_data
        ? addProduct(unit, params.product_data)
        : await unit.get("product", params.product ?? "", "product");
      const price = addPrice(unit, { ...params, product: product.id, is_active: params.active ?? true });
      unit.emit("price.created", price);
      return price.body;
    },
  ),
  endpoint(
    "GET",
    "/v1/prices",
    {
      ...listing,
      active: bool.optional(),
      product: text.optional(),
      type: z.enum(["one_time", "recurring"]).optional(),
    },
    ({ unit, params }) =>
      answerList(unit, "price", "/v1/prices", {
        ...params,
        where: [
          ...whereFlag("active", params.active),
          ...whereField("product", params.product),
          ...whereField("type", params.type),
        ],
      }),
  ),
  endpoint("GET", "/v1/prices/:id", {}, async ({ unit, id }) => (await unit.get("price", id)).body),
  // A price's amount never changes.
  endpoint(
    "POST",
    "/v1/prices/:id",
    { active: bool.optional(), metadata: metadata.optional(), nickname: emptyable.optional() },
    async ({ unit, id, params }) => {
      const price = await unit.get("price", id);
      if (params.active !== undefined) price.body.active = params.active;
      if (params.nickname !== undefined) price.body.nickname = params.nickname;
      price.body.metadata = mergeMetadata(price.body.metadata, params.metadata);
      unit.emit("price.updated", unit.save(price));
      return price.body;
    },
  ),
];
