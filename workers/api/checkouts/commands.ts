import { type CompiledQuery, sql } from "kysely";
import Stripe from "stripe";
import type { createPaidEventComment } from "../../contract/comments.ts";
import { GUEST_PAYMENTS_OF_AN_ADDRESS, SESSION_MINUTES } from "../../contract/limits.ts";
import type { sendOfuse } from "../../contract/ofuses.ts";
import type { CheckedInputOf } from "../../contract/operation.ts";
import type { OpenedCheckout } from "../../contract/support.ts";
import { isoTime } from "../../kernel/clock.ts";
import { signText, verifySignature } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { requireNotBlocked } from "../blocks/queries.ts";
import { findReadableEvent, requireReadableEvent } from "../comments/queries.ts";
import { commitAnswer, memberId, type RequestContext, type Services, viewerId } from "../http/request-context.ts";
import { claimStatement } from "../ofuses/commands.ts";
import { countPayment, ensureCustomer } from "../payments/commands.ts";
import { requireSpendable } from "../payments/queries.ts";
import { isAttemptOver, TRANSACTIONS_PATH } from "../payments/rules.ts";
import { requireOpenCampaign } from "../references/queries.ts";
import { type Change, commit, type Precondition } from "../storage/commit.ts";
import { countAct, type Limit, withBounds } from "../storage/limits.ts";
import { requireOpen } from "../storage/paused-features.ts";
import { daysAgo } from "../storage/retention.ts";
import { findByKey, findCheckout } from "./queries.ts";
import {
  type Checkout,
  checkoutPath,
  isFanLetter,
  isWaiting,
  NO_CHOICES,
  type PaidWords,
  readWords,
  titleOfLetter,
} from "./rules.ts";
import { settleCheckout } from "./settle.ts";
import { KONBINI_DAYS, termsOfCheckout } from "./terms.ts";

/** The limit for visitors; see GUEST_PAYMENTS_OF_AN_ADDRESS. */
export const guestPayments: Limit = {
  act: "guest_payment",
  times: GUEST_PAYMENTS_OF_AN_ADDRESS,
  adjustable: "guest_payments_of_an_address",
  window_ms: 24 * 60 * 60 * 1000,
};

/** What a checkout pays for. */
interface Order {
  kind: Checkout["kind"];
  creator_user_id: string;
  event_id: string | null;
  amount: number;
  /** Where a guest wants the receipt. */
  payer_email: string | null;
  words: PaidWords;
  /** The payment whose words the payer corrects. */
  replaces_session_id: string | null;
  preconditions: Precondition[];
}

/**
 * Begins the payment for a letter, by a member or a guest. Throws `cannot_ofuse_yourself`, `not_found` (no such person),
 * `support_not_accepted` (no creator), `blocked`, `donation_campaign_closed`, and as {@link beginCheckout}.
 */
export async function beginPaidLetter(
  context: RequestContext,
  input: CheckedInputOf<typeof sendOfuse>["body"],
): Promise<{ checkout_session: OpenedCheckout }> {
  // A member without a profile must register first, and does not count as a guest.
  const sender = context.caller ? memberId(context) : null;
  const { receiver_user_id, amount, sender_name, sender_email, replaces_session_id, ...written } = input;
  if (sender === receiver_user_id) throw new Problem("cannot_ofuse_yourself");
  const receiver = await context.database
    .selectFrom("users")
    .select("name")
    .where("user_id", "=", receiver_user_id)
    .where("left_at", "is", null)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  if (!receiver) throw new Problem("not_found");
  return beginCheckout(context, {
    kind: "ofuse",
    creator_user_id: receiver_user_id,
    event_id: null,
    amount,
    payer_email: sender === null ? (sender_email ?? null) : null,
    words: {
      title: titleOfLetter(receiver.name, isFanLetter(written)),
      ...written,
      sender_name: sender === null ? sender_name : "",
    },
    replaces_session_id,
    preconditions: [
      ...(sender === null ? [] : [requireNotBlocked(sender, receiver_user_id)]),
      requireCreator(receiver_user_id),
      ...(written.donation_campaign_id === null ? [] : [requireOpenCampaign(context, written.donation_campaign_id)]),
    ],
  });
}

/** The precondition that a person can earn money. */
const requireCreator = (user_id: string): Precondition => ({
  code: "support_not_accepted",
  holds: sql`SELECT is_creator FROM users WHERE user_id = ${user_id}`,
});

/**
 * Begins the payment for a comment. Throws `not_found` for a post that the caller may not read, `cannot_pay_yourself`,
 * `support_not_accepted`, `comments_not_accepted`, `blocked`, and as {@link beginCheckout}.
 */
export async function beginPaidComment(
  context: RequestContext,
  event_id: string,
  { amount, message, replaces_session_id }: CheckedInputOf<typeof createPaidEventComment>["body"],
): Promise<{ checkout_session: OpenedCheckout }> {
  const user_id = memberId(context);
  const event = await findReadableEvent(context, event_id);
  if (!event) throw new Problem("not_found");
  if (event.user_id === user_id) throw new Problem("cannot_pay_yourself");
  return beginCheckout(context, {
    kind: "event_comment",
    creator_user_id: event.user_id,
    event_id,
    amount,
    payer_email: null,
    words: {
      title: `@${event.link_id}の投稿へのコメント`,
      ...NO_CHOICES,
      message,
      is_public: true,
    },
    replaces_session_id,
    preconditions: [
      requireReadableEvent(context, event_id),
      requireNotBlocked(user_id, event.user_id),
      requireCreator(event.user_id),
      {
        code: "comments_not_accepted",
        holds: sql`SELECT comment_filter <> 'none' FROM events WHERE event_id = ${event_id}`,
      },
    ],
  });
}

/**
 * Begins a payment: writes its row, then creates the gateway's session. A repeated request continues where the first one
 * ended, with the same row and the same session.
 *
 * @throws the codes of `order.preconditions`, `too_many_requests`, `idempotency_key_reused`, and as {@link endReplaced} and
 * {@link Gateway.call}.
 */
async function beginCheckout(context: RequestContext, order: Order): Promise<{ checkout_session: OpenedCheckout }> {
  const checkout = (await findByKey(context)) ?? (await addCheckout(context, order, await endReplaced(context, order)));
  if (checkout.status !== "open" || checkout.url !== null) return answerCheckout(context, checkout, checkout.url);
  if (isAttemptOver(checkout.created_at, context.now_ms)) {
    // The request comes again after an outage, before the clock has ended the attempt.
    return answerCheckout(context, await endCheckout(context, checkout), null);
  }
  const { id, url } = await createSession(context, checkout);
  return answerCheckout(context, checkout, url, [openedStatement(context, checkout, { gateway_session_id: id, url })]);
}

const openedStatement = (
  { database }: RequestContext,
  { checkout_id }: Checkout,
  opened: { gateway_session_id: string; url: string },
): CompiledQuery =>
  database
    .updateTable("checkouts")
    .set(opened)
    .where("checkout_id", "=", checkout_id)
    .where("gateway_session_id", "is", null)
    .compile();

/**
 * Ends the payment whose words the payer corrects, so that nobody can pay it any more, and returns its id. Returns null
 * when nothing is corrected, and for another person's payment.
 *
 * @throws `checkout_not_replaceable` when it was paid, is being paid, or is for another creator or of another kind; and as
 * {@link Gateway.call}.
 */
async function endReplaced(context: RequestContext, order: Order): Promise<string | null> {
  const { kind, creator_user_id, replaces_session_id } = order;
  if (replaces_session_id === null) return null;
  const found = await findCheckout(context, replaces_session_id);
  const is_own = found?.payer_user_id === null || found?.payer_user_id === viewerId(context);
  if (!found || !is_own) return null;
  if (found.kind !== kind || found.creator_user_id !== creator_user_id) throw new Problem("checkout_not_replaceable");
  const ended = isWaiting(found) ? await endCheckout(context, found) : found;
  if (ended.status === "open" || ended.status === "processing" || ended.status === "paid") {
    throw new Problem("checkout_not_replaceable");
  }
  return replaces_session_id;
}

/**
 * Ends one of the caller's payments that was not paid, so that nobody can pay it any more; idempotent. Throws `not_found`,
 * `payment_not_cancelable` when it was paid or waits at a shop; and as {@link Gateway.call}.
 */
export async function cancelCheckout(context: RequestContext, checkout_id: string): Promise<null> {
  const found = await findCheckout(context, checkout_id);
  if (found?.payer_user_id !== memberId(context)) throw new Problem("not_found");
  const { status } = found.status === "open" ? await endCheckout(context, found) : found;
  if (status !== "expired" && status !== "failed") throw new Problem("payment_not_cancelable");
  return null;
}

/**
 * Lets the gateway end a payment that was not paid, and returns its row as it is then. A payment without a session gets one
 * first: a request that the gateway still works on would make it later.
 */
async function endCheckout(context: RequestContext, checkout: Checkout): Promise<Checkout> {
  const { d1, database, gateway, now_ms, idempotency, request_id } = context;
  const { checkout_id } = checkout;
  let session_id = checkout.gateway_session_id;
  if (session_id === null && isAttemptOver(checkout.created_at, now_ms)) {
    context.announce(await settleCheckout(context, checkout));
    return (await findCheckout(context, checkout_id)) ?? checkout;
  }
  if (session_id === null) {
    const { id, url } = await createSession(context, checkout);
    const opened = openedStatement(context, checkout, { gateway_session_id: id, url });
    await commit({ d1, database, now_ms, idempotency: null }, { statements: [opened] });
    session_id = id;
  }
  const ending = session_id;
  // The gateway repeats a refusal for the same key, so each request has its own.
  const once = { idempotencyKey: `checkout:${checkout_id}:expire:${idempotency?.key ?? request_id}` };
  try {
    await gateway.call((stripe) => stripe.checkout.sessions.expire(ending, {}, once));
  } catch (error) {
    // It has ended already, or is being paid. Asking says how.
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
  }
  context.announce(await settleCheckout(context, { ...checkout, gateway_session_id: ending }));
  return (await findCheckout(context, checkout_id)) ?? checkout;
}

/** A payment that has ended has no page at the gateway. Ours tells how it ended. */
function answerCheckout(
  context: RequestContext,
  { checkout_id, status }: Checkout,
  url: string | null,
  statements: CompiledQuery[] = [],
) {
  const session = {
    session_id: checkout_id,
    url: (status === "open" && url) || context.gateway.addressOf(checkoutPath(checkout_id)),
  };
  return commitAnswer(context, { statements }, { checkout_session: session });
}

/** Writes the row of a payment. `replaced` is the payment whose place it takes. */
async function addCheckout(
  context: RequestContext,
  { preconditions, words, replaces_session_id: _, ...order }: Order,
  replaced: string | null,
): Promise<Checkout> {
  const { database, d1, now_ms, idempotency, address_hash } = context;
  const payer_user_id = viewerId(context);
  const row: Checkout = {
    checkout_id: newId(now_ms),
    ...order,
    idempotency_scope: idempotency?.scope ?? null,
    idempotency_key: idempotency?.key ?? null,
    body_hash: idempotency?.body_hash ?? null,
    payer_user_id,
    words: JSON.stringify(words),
    gateway_session_id: null,
    url: null,
    voucher_url: null,
    voucher_expires_at: null,
    status: "open",
    cause_id: null,
    created_at: isoTime(now_ms),
    asked_at: isoTime(now_ms),
    paid_at: null,
    expires_at: null,
    replaced_by: null,
  };
  const spendable = payer_user_id === null ? [] : requireSpendable(context, payer_user_id, order.amount);
  const change: Change = {
    preconditions: [
      requireOpen(payer_user_id === null ? "guest_letters" : "payments"),
      requireOpen("payments"),
      ...preconditions,
      ...spendable,
    ],
    statements: [
      database.insertInto("checkouts").values(row).compile(),
      ...(replaced === null
        ? []
        : [
            database
              .updateTable("checkouts")
              .set({ replaced_by: row.checkout_id })
              .where("checkout_id", "=", replaced)
              .compile(),
          ]),
    ],
  };
  const bounds =
    payer_user_id !== null
      ? [countPayment(context, payer_user_id)]
      : address_hash !== null
        ? [countAct(context, guestPayments, address_hash)]
        : [];
  try {
    await commit({ d1, database, now_ms, idempotency: null }, withBounds(change, ...bounds));
    return row;
  } catch (error) {
    // A parallel request with the same key may have written the row, and may be the reason this one failed.
    const twin = await findByKey(context);
    if (twin) return twin;
    throw error;
  }
}

/** Creates the session. Everything that is sent comes from the row, so that a repeated call is the same call. */
async function createSession(context: RequestContext, checkout: Checkout): Promise<{ id: string; url: string }> {
  const { checkout_id, payer_user_id, amount, created_at } = checkout;
  const title = readWords(checkout)?.title ?? "ofuse";
  const customer = payer_user_id === null ? null : await ensureCustomer(context, payer_user_id);
  const page = context.gateway.addressOf(checkoutPath(checkout_id));
  const message = termsOfCheckout({ created_at, transactions_url: context.gateway.addressOf(TRANSACTIONS_PATH) });
  const session = await context.gateway.call((stripe) =>
    stripe.checkout.sessions.create(
      {
        mode: "payment",
        locale: "ja",
        allowed_payment_method_types: ["card", "konbini", "paypay"],
        line_items: [
          { quantity: 1, price_data: { currency: "jpy", unit_amount: amount, product_data: { name: title } } },
        ],
        client_reference_id: checkout_id,
        metadata: { checkout_id },
        payment_intent_data: { description: title, metadata: { checkout_id } },
        payment_method_options: { konbini: { expires_after_days: KONBINI_DAYS } },
        custom_text: { submit: { message } },
        ...(customer && { customer }),
        expires_at: Math.floor(Date.parse(created_at) / 1000) + SESSION_MINUTES * 60,
        success_url: page,
        cancel_url: page,
      },
      { idempotencyKey: `checkout:${checkout_id}` },
    ),
  );
  // A session of another life of the key may have ended already. Our own page then says so.
  return { id: session.id, url: session.url ?? page };
}

/** The text whose signature is the key that claims a guest's letter. Readers of the database cannot make it. */
const claimText = (checkout_id: string): string => `claim ${checkout_id}`;

/** Returns the key with which a guest can claim a paid letter; null for other payments. */
export async function claimKeyOf({ media_key }: RequestContext, checkout: Checkout): Promise<string | null> {
  const is_claimable = checkout.kind === "ofuse" && checkout.status === "paid" && checkout.payer_user_id === null;
  return is_claimable ? signText(claimText(checkout.checkout_id), media_key) : null;
}

/**
 * Makes a guest's paid letter the caller's; repeating it changes nothing. Throws `not_found` for a wrong key and for a letter
 * that somebody else has claimed, `cannot_ofuse_yourself` for the receiver, `blocked`.
 */
export async function claimLetter(
  context: RequestContext,
  checkout_id: string,
  claim_key: string,
): Promise<{ ofuse_id: string }> {
  const { database, media_key } = context;
  const user_id = memberId(context);
  const is_signed = await verifySignature(claimText(checkout_id), claim_key, media_key);
  const row = await database
    .selectFrom("checkouts")
    .selectAll()
    .where("checkout_id", "=", checkout_id)
    .where("kind", "=", "ofuse")
    .executeTakeFirst();
  if (!is_signed || !row?.cause_id) throw new Problem("not_found");
  const { cause_id: ofuse_id, creator_user_id, payer_user_id } = row;
  if (payer_user_id === user_id) return { ofuse_id };
  if (creator_user_id === user_id) throw new Problem("cannot_ofuse_yourself");
  const change: Change = {
    preconditions: [
      requireNotBlocked(user_id, creator_user_id),
      {
        code: "not_found",
        holds: sql`EXISTS (SELECT 1 FROM checkouts WHERE checkout_id = ${checkout_id} AND payer_user_id IS NULL)`,
      },
    ],
    statements: [
      claimStatement(context, ofuse_id, user_id),
      database
        .updateTable("checkouts")
        .set({ payer_user_id: user_id, payer_email: null })
        .where("checkout_id", "=", checkout_id)
        .compile(),
      database
        .updateTable("payments")
        .set({ payer_user_id: user_id })
        .where("kind", "in", ["ofuse_v3", "fan_letter_support"])
        .where("cause_id", "=", ofuse_id)
        .compile(),
    ],
  };
  return commitAnswer(context, change, { ofuse_id });
}

/**
 * How long we keep the address of a guest who claims nothing. The payer's bank can dispute a payment for 120 days, so until
 * then a refund may have to be explained to the guest.
 */
const EMAIL_KEPT_DAYS = 120;

/** Forgets the addresses of guests whose payment is long ago. Unpaid rows are deleted whole before that. The clock runs it. */
export async function forgetEmails({ d1, database, clock }: Services): Promise<void> {
  const now_ms = clock.now();
  const forget = database
    .updateTable("checkouts")
    .set({ payer_email: null })
    .where("payer_email", "is not", null)
    .where("paid_at", "<", daysAgo(now_ms, EMAIL_KEPT_DAYS))
    .compile();
  await commit({ d1, database, now_ms, idempotency: null }, { statements: [forget] });
}
