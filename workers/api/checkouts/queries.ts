import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { isNotBlocked } from "../blocks/queries.ts";
import type { RequestContext } from "../http/request-context.ts";
import { refundState } from "../ledger/queries.ts";
import { returnedAt } from "../payments/queries.ts";
import type { Precondition } from "../storage/commit.ts";
import { userJson } from "../users/queries.ts";
import type { Checkout } from "./rules.ts";

type Reading = Pick<RequestContext, "database">;

/** Finds a payment with what its page shows of the receiver, of the campaign, and of what was posted. */
export const findCheckout = ({ database }: Reading, checkout_id: string) =>
  database
    .selectFrom("checkouts")
    .selectAll("checkouts")
    .select(userJson("checkouts.creator_user_id").as("creator"))
    .leftJoin("reaction_settings", "reaction_settings.user_id", "checkouts.creator_user_id")
    .select("paid_ofuse_message")
    .leftJoin("users as payer", "payer.user_id", "checkouts.payer_user_id")
    .select("payer.name as payer_name")
    .leftJoin("payments", (join) =>
      join
        .onRef("payments.cause_id", "=", "checkouts.cause_id")
        .on("payments.kind", "in", ["ofuse_v3", "fan_letter_support", "comment_support"]),
    )
    .select([
      "payment_id",
      "payments.kind as paid_kind",
      returnedAt.as("returned_at"),
      refundState.as("refund_state"),
      "seller_number",
      "fee",
      "donation",
      "creator_share",
    ])
    .select(sql<string | null>`coalesce(campaign_id, words ->> 'donation_campaign_id')`.as("campaign_id"))
    .select(
      sql<string | null>`(SELECT name FROM donation_campaigns
        WHERE donation_campaign_id = coalesce(campaign_id, words ->> 'donation_campaign_id'))`.as("campaign_name"),
    )
    .where("checkout_id", "=", checkout_id)
    .executeTakeFirst();

/** Returns the row of an earlier request with this key, or null. Throws `idempotency_key_reused`. */
export async function findByKey({
  database,
  idempotency,
}: Pick<RequestContext, "database" | "idempotency">): Promise<Checkout | null> {
  if (!idempotency) return null;
  const row = await database
    .selectFrom("checkouts")
    .selectAll()
    .where("idempotency_scope", "=", idempotency.scope)
    .where("idempotency_key", "=", idempotency.key)
    .executeTakeFirst();
  if (row && row.body_hash !== idempotency.body_hash) throw new Problem("idempotency_key_reused");
  return row ?? null;
}

/** Returns the words of a letter that was delivered; null when it was removed. */
export async function findLetter({ database }: Reading, ofuse_id: string | null) {
  const row = await database
    .selectFrom("ofuses")
    .select(["message", "is_public"])
    .where("ofuse_id", "=", ofuse_id)
    .where("removed_at", "is", null)
    .executeTakeFirst();
  return row ? { message: row.message, is_public: row.is_public === 1 } : null;
}

/**
 * Returns the words of a comment that the writer of the post has hidden; null for one that is shown, and for one that an operator
 * has removed.
 */
export async function findHiddenComment({ database }: Reading, comment_id: string) {
  const row = await database
    .selectFrom("event_comments")
    .select("message")
    .where("comment_id", "=", comment_id)
    .where("hidden_at", "is not", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("removals")
            .select("removal_id")
            .where("subject_type", "=", "event_comment")
            .where("subject_id", "=", comment_id)
            .where("given_back_at", "is", null),
        ),
      ),
    )
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the id of the checkout that a payment of the books belongs to; null for a payment of a plan. */
export async function findIdOfPayment({ database }: Reading, payment_id: string): Promise<string | null> {
  const row = await database
    .selectFrom("payments")
    .innerJoin("checkouts", "checkouts.cause_id", "payments.cause_id")
    .select("checkout_id")
    .where("payment_id", "=", payment_id)
    .executeTakeFirst();
  return row?.checkout_id ?? null;
}

/** Finds the payment of a gateway's session; null for a session of something else. */
export async function findBySession({ database }: Reading, session_id: string): Promise<Checkout | null> {
  const row = await database
    .selectFrom("checkouts")
    .selectAll()
    .where("gateway_session_id", "=", session_id)
    .executeTakeFirst();
  return row ?? null;
}

/** Finds payments that wait and were not asked about since `asked_before_ms`, those first that were asked longest ago. */
export const findWaiting = ({ database }: Reading, asked_before_ms: number, limit: number): Promise<Checkout[]> =>
  database
    .selectFrom("checkouts")
    .selectAll()
    .where("status", "in", sql<Checkout["status"]>`('open', 'processing', 'returning')`)
    .where("asked_at", "<=", isoTime(asked_before_ms))
    .orderBy("asked_at")
    .limit(limit)
    .execute();

/** Whether sender and receiver are still there, and have not blocked each other. */
export async function isDeliverable({ database }: Reading, checkout: Checkout): Promise<boolean> {
  const { payer_user_id, creator_user_id } = checkout;
  const { rows } = await sql<{ holds: number }>`SELECT NOT EXISTS (SELECT 1 FROM users
      WHERE user_id IN (${payer_user_id}, ${creator_user_id}) AND (left_at IS NOT NULL OR disabled_at IS NOT NULL))
    AND ${isNotBlocked(payer_user_id, creator_user_id)} AS holds`.execute(database);
  return rows[0]?.holds === 1;
}

/** The precondition that no other run has settled the payment since its row was read. */
export const requireUnsettled = ({ checkout_id, status }: Checkout): Precondition => ({
  code: "transfer_already_posted",
  holds: sql`SELECT status = ${status} FROM checkouts WHERE checkout_id = ${checkout_id}`,
});
