import { isoTime } from "../../kernel/clock.ts";
import type { RequestContext } from "../http/request-context.ts";

/**
 * Returns the id of a person as the gateway's customer. Creates the customer when there is none. Two requests at once get the
 * same one, because the gateway creates one customer for each idempotency key. The gateway learns the user id, and neither
 * name nor address: the person types those into its own pages.
 */
export async function ensureCustomer(
  { database, gateway, now_ms }: Pick<RequestContext, "database" | "gateway" | "now_ms">,
  user_id: string,
): Promise<string> {
  const known = await database
    .selectFrom("customers")
    .select("customer_id")
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  if (known) return known.customer_id;
  const { id: customer_id } = await gateway.call((stripe) =>
    stripe.customers.create({ metadata: { user_id } }, { idempotencyKey: `customer:${user_id}` }),
  );
  await database
    .insertInto("customers")
    .values({ user_id, customer_id, created_at: isoTime(now_ms) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return customer_id;
}
