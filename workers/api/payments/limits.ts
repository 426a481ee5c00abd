import { sql } from "kysely";
import { PAYMENTS_OF_A_YOUNG_ACCOUNT, YOUNG_ACCOUNT_DAYS } from "../../contract/limits.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { RequestContext } from "../http/request-context.ts";
import { type Bound, countAct, type Limit } from "../storage/limits.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Source: product decisions, "Limits": stolen cards are tried with new accounts. */
export const PAYMENT_LIMIT: Limit = {
  act: "payment",
  times: PAYMENTS_OF_A_YOUNG_ACCOUNT,
  window_ms: 7 * DAY_MS,
};

/** Counts a payment that a person begins, and limits those of a young account. Throws `too_many_requests`. */
export function countPayment(context: Pick<RequestContext, "database" | "now_ms">, user_id: string): Bound {
  const { precondition, statement } = countAct(context, PAYMENT_LIMIT, user_id);
  const young_since = isoTime(context.now_ms - YOUNG_ACCOUNT_DAYS * DAY_MS);
  const is_older = sql`SELECT created_at <= ${young_since} FROM users WHERE user_id = ${user_id}`;
  return { precondition: { ...precondition, holds: sql`(${is_older}) OR (${precondition.holds})` }, statement };
}
