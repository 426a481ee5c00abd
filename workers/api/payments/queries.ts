import { type RawBuilder, sql } from "kysely";
import { MINOR_LIMITS } from "../../contract/limits.ts";
import type { Spending } from "../../contract/payments.ts";
import { isoTime, japaneseMonthOf, japaneseYearOf } from "../../kernel/clock.ts";
import { firstIdAt } from "../../kernel/ids.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import type { Precondition } from "../storage/commit.ts";

/** The limits of what a person pays in a Japanese calendar month. Source: docs/decisions/0034. */

type Moment = Pick<RequestContext, "now_ms">;

/**
 * SQL for what a person has paid in the month. What went back does not count. What their bank disputes counts until it is lost:
 * otherwise each dispute would free the limit again.
 */
function sumPaid(user_id: string, { now_ms }: Moment): RawBuilder<number> {
  const { start_ms } = japaneseMonthOf(now_ms);
  // A payment is recorded after it was made, so the ids of the month's payments begin with the month.
  return sql<number>`(SELECT COALESCE(SUM(amount), 0) FROM payments WHERE payer_user_id = ${user_id}
    AND payment_id >= ${firstIdAt(start_ms)} AND paid_at >= ${isoTime(start_ms)} AND (withdrawn_at IS NULL
      OR EXISTS (SELECT 1 FROM disputes WHERE disputes.payment_id = payments.payment_id AND disputes.status = 'open'
        AND from_account IS NOT NULL)))`;
}

/** SQL for what a person may still pay on pages that are open. */
const sumPending = (user_id: string): RawBuilder<number> => sql<number>`((SELECT COALESCE(SUM(amount), 0) FROM checkouts
    WHERE payer_user_id = ${user_id} AND status IN ('open', 'processing'))
  + (SELECT COALESCE(SUM(amount), 0) FROM joinings WHERE user_id = ${user_id} AND status = 'open'))`;

/** SQL for the limit that the person has chosen; null for none. */
const ownLimit = (user_id: string, { now_ms }: Moment): RawBuilder<number | null> =>
  sql<number | null>`(SELECT iif(next_from <= ${isoTime(now_ms)}, next_amount, amount) FROM spending_limits
    WHERE user_id = ${user_id})`;

/** SQL for the limit of a young person; null for none, and where the year of birth is unknown. */
function minorLimit(user_id: string, { now_ms }: Moment): RawBuilder<number | null> {
  const lowest_age = sql`${japaneseYearOf(now_ms)} - birth_year - 1`;
  const cases = MINOR_LIMITS.map(({ until_age, yen }) => sql`WHEN ${lowest_age} < ${until_age} THEN ${yen}`);
  return sql<number | null>`(SELECT CASE ${sql.join(cases, sql` `)} END FROM users WHERE user_id = ${user_id})`;
}

/**
 * Returns the preconditions that a person may begin to pay an amount this month: `spending_limit_reached`,
 * `minor_limit_reached`. Open checkouts count, so that several of them cannot exceed the limit together.
 */
export function requireSpendable(moment: Moment, user_id: string, amount: number): Precondition[] {
  const total = sql`${sumPaid(user_id, moment)} + ${sumPending(user_id)} + ${amount}`;
  const within = (limit: RawBuilder<number | null>) => sql`${limit} IS NULL OR ${total} <= ${limit}`;
  return [
    { code: "spending_limit_reached", holds: within(ownLimit(user_id, moment)) },
    { code: "minor_limit_reached", holds: within(minorLimit(user_id, moment)) },
  ];
}

/** SQL for when a payment of `payments` went back to its payer: by a refund, or by a dispute that was lost. Null otherwise. */
export const returnedAt = sql<string | null>`(SELECT ended_at FROM refunds
    WHERE refunds.payment_id = payments.payment_id AND refunds.status = 'paid'
  UNION ALL SELECT ended_at FROM disputes
    WHERE disputes.payment_id = payments.payment_id AND disputes.status = 'lost' AND from_account IS NOT NULL LIMIT 1)`;

/** Returns what the caller pays this month and may pay. Renewals of plans count when they are paid. */
export async function readSpending(context: RequestContext): Promise<Spending> {
  const user_id = memberId(context);
  const now = isoTime(context.now_ms);
  const { end_ms } = japaneseMonthOf(context.now_ms);
  const { rows } =
    await sql<SpendingRow>`SELECT ${sumPaid(user_id, context)} AS paid, ${sumPending(user_id)} AS pending,
      ${minorLimit(user_id, context)} AS minor_limit, ${ownLimit(user_id, context)} AS monthly_limit,
      (SELECT next_from FROM spending_limits WHERE user_id = ${user_id} AND next_from > ${now}) AS next_from,
      (SELECT next_amount FROM spending_limits WHERE user_id = ${user_id}) AS next_amount,
      (SELECT COALESCE(SUM(memberships.amount), 0) FROM subscriptions
        JOIN memberships ON memberships.membership_id = coalesce(next_membership_id, subscriptions.membership_id)
        WHERE subscriptions.user_id = ${user_id} AND status <> 'canceled' AND gateway_id IS NOT NULL
          AND is_ending = 0 AND must_end = 0 AND paid_until < ${isoTime(end_ms)}) AS renewals`.execute(
      context.database,
    );
  const [row] = rows;
  if (!row) throw new Error("a SELECT without FROM has a row");
  const { next_from, next_amount, ...spending } = row;
  return { ...spending, next_limit: next_from === null ? null : { monthly_limit: next_amount, from: next_from } };
}

interface SpendingRow extends Omit<Spending, "next_limit"> {
  next_from: string | null;
  next_amount: number | null;
}
