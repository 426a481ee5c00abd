import type { CheckoutSession } from "../../contract/payments.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import type { RequestContext } from "../http/request-context.ts";
import { splitPayment } from "../ledger/rules.ts";
import { endOfSession } from "../payments/rules.ts";
import { commit } from "../storage/commit.ts";
import { countAct, type Limit, withBounds } from "../storage/limits.ts";
import { readUser } from "../users/queries.ts";
import { claimKeyOf } from "./commands.ts";
import { findCheckout, findHiddenComment, findLetter } from "./queries.ts";
import { isFanLetter, isWaiting, readWords } from "./rules.ts";
import { settleCheckout } from "./settle.ts";

/** How often a payment's page asks the gateway. Somebody may load the page again and again; the webhook comes anyway. */
export const PAGE_ASKS: Limit = { act: "checkout_ask", times: 5, window_ms: 10_000 };

/**
 * Returns a payment for the holder of its id. Asks the gateway first while the payment waits, because the payer may return
 * before the webhook. Without an answer the payment is as we know it, and not confirmed. Throws `not_found`.
 */
export async function getCheckout(context: RequestContext, checkout_id: string): Promise<CheckoutSession> {
  const known = await findCheckout(context, checkout_id);
  if (!known) throw new Problem("not_found");
  if (!isWaiting(known) || known.gateway_session_id === null) return presentCheckout(context, known);
  try {
    const asked = withBounds({ statements: [] }, countAct(context, PAGE_ASKS, checkout_id));
    await commit({ ...context, idempotency: null }, asked);
    context.announce(await settleCheckout(context, known));
  } catch (error) {
    // Present the row as it is. The clock asks again.
    if (!(error instanceof Problem)) logUnexpected(error, context.request_id);
    return { ...(await presentCheckout(context, known)), is_confirmed: false };
  }
  return presentCheckout(context, (await findCheckout(context, checkout_id)) ?? known);
}

type CheckoutRow = NonNullable<Awaited<ReturnType<typeof findCheckout>>>;

/** Returns who gets what of a payment: as it was posted, or as it will be. */
function sharesOf(row: CheckoutRow): Pick<CheckoutSession, "fee" | "donation" | "creator_share"> {
  const split = splitPayment(row.amount, { donation_percent: readWords(row)?.donation_percent ?? 0 });
  const { campaign_id, campaign_name } = row;
  return {
    fee: row.fee ?? split.fee_yen,
    donation:
      campaign_id !== null
        ? {
            donation_campaign_id: campaign_id,
            name: campaign_name ?? campaign_id,
            amount: row.donation ?? split.donation_yen,
          }
        : null,
    creator_share: row.creator_share ?? split.creator_yen,
  };
}

/** A payment at a shop fails when its time is over, and only then. */
function shownStatus({ status, voucher_expires_at }: CheckoutRow): CheckoutSession["status"] {
  if (status === "returning") return "returned";
  return status === "failed" && voucher_expires_at !== null ? "expired" : status;
}

async function presentCheckout(context: RequestContext, row: CheckoutRow): Promise<CheckoutSession> {
  const { status, voucher_url, voucher_expires_at } = row;
  const words = readWords(row);
  const claim_key = await claimKeyOf(context, row);
  return {
    session_id: row.checkout_id,
    kind: row.kind,
    status: shownStatus(row),
    is_confirmed: true,
    amount: row.amount,
    currency: "jpy",
    creator: readUser(row.creator),
    is_guest: row.payer_user_id === null,
    url: status === "open" ? row.url : null,
    expires_at: status === "open" ? endOfSession(row.created_at) : null,
    voucher:
      status === "processing" && voucher_url !== null && voucher_expires_at !== null
        ? { url: voucher_url, expires_at: voucher_expires_at }
        : null,
    words: words && {
      message: words.message,
      is_public: words.is_public,
      is_anonymous: words.is_anonymous,
      stamp_id: words.stamp_id,
      letter_appearance_id: words.letter_appearance_id,
      donation_percent: words.donation_percent,
      sender_name: row.payer_name ?? words.sender_name,
      sender_email: row.payer_email,
    },
    is_fan_letter: words ? isFanLetter(words) : row.paid_kind === "fan_letter_support",
    ...sharesOf(row),
    ofuse_id: row.kind === "ofuse" ? row.cause_id : null,
    event_id: row.event_id,
    comment_id: row.kind === "event_comment" ? row.cause_id : null,
    reaction: status === "paid" && row.kind === "ofuse" ? row.paid_ofuse_message : null,
    claim_key,
    letter: claim_key === null ? null : await findLetter(context, row.cause_id),
    hidden_comment:
      row.kind === "event_comment" && row.cause_id !== null ? await findHiddenComment(context, row.cause_id) : null,
    payment_id: row.payment_id,
    replaced_by: row.replaced_by,
    created_at: row.created_at,
    paid_at: row.paid_at,
    withdrawn_at: row.returned_at,
    refund_state: row.refund_state,
    seller_number: row.seller_number,
  };
}
