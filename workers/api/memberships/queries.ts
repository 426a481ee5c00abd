import { sql } from "kysely";
import type { Membership } from "../../contract/memberships.ts";
import type { RequestContext } from "../http/request-context.ts";
import { isOfEnabled } from "../storage/disabled.ts";

/** The plans of a person that can be joined now, cheapest first. */
export async function listUserMemberships(context: RequestContext, user_id: string): Promise<Membership[]> {
  const rows = await context.database
    .selectFrom("memberships")
    .select(["membership_id", "user_id", "title", "description", "amount", "active_state"])
    .where("user_id", "=", user_id)
    .where(isOfEnabled("memberships.user_id"))
    .where("active_state", "=", sql.lit("active"))
    .orderBy("amount")
    .orderBy("membership_id")
    .execute();
  return rows.map((row) => ({ ...row, currency: "jpy" }));
}
