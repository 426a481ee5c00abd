import { sql } from "kysely";
import type { CheckoutSession } from "../../contract/payments.ts";
import { Problem } from "../../kernel/problem.ts";
import type { RequestContext } from "../http/request-context.ts";
import { readUser, userJson } from "../users/queries.ts";
import { claimKeyOf, isWaiting, readWords, settleCheckout } from "./commands.ts";

const findCheckout = ({ database }: RequestContext, checkout_id: string) =>
  database
    .selectFrom("checkouts")
    .selectAll("checkouts")
    .select(userJson("checkouts.creator_user_id").as("creator"))
    .leftJoin("reaction_settings", "reaction_settings.user_id", "checkouts.creator_user_id")
    .select("paid_ofuse_message")
    .select(
      sql<string | null>`(SELECT withdrawn_at FROM payments WHERE payments.cause_id = checkouts.cause_id
        AND payments.kind = iif(checkouts.kind = 'ofuse', 'ofuse_v3', 'comment_support'))`.as("withdrawn_at"),
    )
    .where("checkout_id", "=", checkout_id)
    .executeTakeFirst();

/**
 * Returns a payment for the holder of its id. Asks the gateway first while the payment waits, because the payer may return
 * before the webhook. Throws `not_found`.
 */
export async function getCheckout(context: RequestContext, checkout_id: string): Promise<CheckoutSession> {
  const known = await findCheckout(context, checkout_id);
  if (!known) throw new Problem("not_found");
  if (!isWaiting(known) || known.gateway_session_id === null) return presentCheckout(context, known);
  try {
    context.announce(await settleCheckout(context, known));
  } catch (error) {
    // The gateway gave no answer: present the row as it is. The clock asks again.
    if (!(error instanceof Problem)) throw error;
    return presentCheckout(context, known);
  }
  return presentCheckout(context, (await findCheckout(context, checkout_id)) ?? known);
}

async function presentCheckout(
  context: RequestContext,
  row: NonNullable<Awaited<ReturnType<typeof findCheckout>>>,
): Promise<CheckoutSession> {
  const { status, voucher_url, voucher_expires_at } = row;
  const words = readWords(row);
  return {
    session_id: row.checkout_id,
    kind: row.kind,
    status: status === "returning" ? "returned" : status,
    amount: row.amount,
    currency: "jpy",
    creator: readUser(row.creator),
    is_guest: row.payer_user_id === null,
    url: status === "open" ? row.url : null,
    voucher:
      status === "processing" && voucher_url !== null && voucher_expires_at !== null
        ? { url: voucher_url, expires_at: voucher_expires_at }
        : null,
    words: words && {
      message: words.message,
      is_public: words.is_public,
      is_anonymous: words.is_anonymous,
      sender_name: words.sender_name,
    },
    ofuse_id: row.kind === "ofuse" ? row.cause_id : null,
    event_id: row.event_id,
    comment_id: row.kind === "event_comment" ? row.cause_id : null,
    reaction: status === "paid" && row.kind === "ofuse" ? row.paid_ofuse_message : null,
    claim_key: await claimKeyOf(context, row),
    created_at: row.created_at,
    paid_at: row.paid_at,
    withdrawn_at: row.withdrawn_at,
  };
}
