import { sql } from "kysely";
import type { Membership } from "../../contract/memberships.ts";
import { Problem } from "../../kernel/problem.ts";
import type { RequestContext } from "../http/request-context.ts";
import { isUserEnabled } from "../storage/disabled.ts";

/** Returns a list that belongs to a plan. Throws `not_found` when the plan does not exist or its creator has left. */
export async function listForMembership<List>(
  context: RequestContext,
  membership_id: string,
  list: Promise<List>,
): Promise<List> {
  const membership = context.database
    .selectFrom("memberships")
    .innerJoin("users", "users.user_id", "memberships.user_id")
    .select("membership_id")
    .where("membership_id", "=", membership_id)
    .where("users.left_at", "is", null)
    .executeTakeFirst();
  const [found, answer] = await Promise.all([membership, list]);
  if (!found) throw new Problem("not_found");
  return answer;
}

/** Lists the plans of a person that can be joined now, cheapest first. */
export async function listUserMemberships(context: RequestContext, user_id: string): Promise<Membership[]> {
  const rows = await context.database
    .selectFrom("memberships")
    .select(["membership_id", "user_id", "title", "description", "amount", "active_state"])
    .where("user_id", "=", user_id)
    .where(isUserEnabled("memberships.user_id"))
    .where("active_state", "=", sql.lit("active"))
    .orderBy("amount")
    .orderBy("membership_id")
    .execute();
  return rows.map((row) => ({ ...row, currency: "jpy" }));
}
