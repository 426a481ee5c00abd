import { sha256Hex } from "../../kernel/digest.ts";
import type { RequestContext } from "../http/request-context.ts";

/**
 * Returns the gateway's price of a plan. Makes it, and the product that it belongs to, when there is none. Gives the product
 * the plan's name of today, so that the gateway's page shows the name that the fan has just read.
 */
export async function ensurePrice(
  { database, gateway, request_id }: RequestContext,
  membership_id: string,
): Promise<string> {
  const { title, amount, price_id, product_id, product_name } = await database
    .selectFrom("memberships")
    .leftJoin("plan_prices", "plan_prices.membership_id", "memberships.membership_id")
    .select(["title", "amount", "price_id", "product_id", "product_name"])
    .where("memberships.membership_id", "=", membership_id)
    .executeTakeFirstOrThrow();
  if (price_id !== null && product_id !== null) {
    if (product_name === title) return price_id;
    const once = { idempotencyKey: `product:${product_id}:${request_id}` };
    await gateway.call((stripe) => stripe.products.update(product_id, { name: title }, once));
    await database
      .updateTable("plan_prices")
      .set({ product_name: title })
      .where("membership_id", "=", membership_id)
      .execute();
    return price_id;
  }
  // The name is part of the key: the gateway refuses a key that comes again with another name.
  const once = { idempotencyKey: `price:${membership_id}:${(await sha256Hex(title)).slice(0, 16)}` };
  const price = await gateway.call((stripe) =>
    stripe.prices.create(
      {
        currency: "jpy",
        unit_amount: amount,
        recurring: { interval: "month" },
        tax_behavior: "inclusive",
        product_data: { name: title, metadata: { membership_id } },
      },
      once,
    ),
  );
  const made = typeof price.product === "string" ? price.product : price.product.id;
  await database
    .insertInto("plan_prices")
    .values({ membership_id, price_id: price.id, product_id: made, product_name: title })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return price.id;
}
