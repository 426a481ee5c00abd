import { type CompiledQuery, type Selectable, sql } from "kysely";
import type { createPaidEventComment } from "../../contract/comments.ts";
import { GUEST_PAYMENTS_OF_AN_ADDRESS } from "../../contract/limits.ts";
import type { sendOfuse } from "../../contract/ofuses.ts";
import type { CheckedInputOf } from "../../contract/operation.ts";
import type { OpenedCheckout } from "../../contract/support.ts";
import { isoTime } from "../../kernel/clock.ts";
import { signText, verifySignature } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { requireNotBlocked } from "../blocks/queries.ts";
import { publishStatements } from "../comments/commands.ts";
import { findReadableEvent, requireReadableEvent } from "../comments/queries.ts";
import { commitAnswer, memberId, type RequestContext, type Services, viewerId } from "../http/request-context.ts";
import { postTransfer } from "../ledger/commands.ts";
import { chargeGatewayFee, type PaymentKind, splitPayment } from "../ledger/rules.ts";
import { claimStatement, deliverStatements } from "../ofuses/commands.ts";
import { CHARGE_FIELDS, countPayment, ensureCustomer, readCharge, recordPayment } from "../payments/commands.ts";
import { type Change, commit, type Precondition } from "../storage/commit.ts";
import type { Tables } from "../storage/database.ts";
import { countAct, type Limit, withBounds } from "../storage/limits.ts";
import { continuationStatement } from "../storage/outbox.ts";
import { readSession } from "./rules.ts";

export type Checkout = Selectable<Tables["checkouts"]>;

/** What `checkouts.words` has. The choices of a letter mean nothing for a comment. */
export interface PaidWords {
  /** What the gateway's page calls it. Our own pages make it of the creator's present name. */
  title: string;
  message: string;
  is_public: boolean;
  is_anonymous: boolean;
  sender_name: string;
}

/** Returns what the payer wrote; null once it was delivered, or forgotten because the payer left. */
export const readWords = ({ words }: Pick<Checkout, "words">): PaidWords | null => words && JSON.parse(words);

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long the words of a payment that failed or expired wait for another attempt. */
const KEPT_UNPAID_DAYS = 30;

/** The limit for visitors; see GUEST_PAYMENTS_OF_AN_ADDRESS. */
export const guestPayments: Limit = {
  act: "guest_payment",
  times: GUEST_PAYMENTS_OF_AN_ADDRESS,
  window_ms: DAY_MS,
};

/** What a checkout pays for. */
interface Order {
  kind: Checkout["kind"];
  creator_user_id: string;
  event_id: string | null;
  amount: number;
  words: PaidWords;
  preconditions: Precondition[];
}

/**
 * Begins the payment for a letter, by a member or a guest. Throws `cannot_ofuse_yourself`, `not_found` (no such person),
 * `support_not_accepted` (no creator), `blocked`, and as {@link beginCheckout}.
 */
export async function beginPaidLetter(
  context: RequestContext,
  input: CheckedInputOf<typeof sendOfuse>["body"],
): Promise<{ checkout_session: OpenedCheckout }> {
  // A member without a profile must register first, and does not count as a guest.
  const sender = context.caller ? memberId(context) : null;
  const { receiver_user_id, amount, message, is_public, is_anonymous, sender_name } = input;
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
    words: {
      title: `${receiver.name}さんへのofuse`,
      message,
      is_public,
      is_anonymous,
      sender_name: sender === null ? sender_name : "",
    },
    preconditions: [
      ...(sender === null ? [] : [requireNotBlocked(sender, receiver_user_id)]),
      requireCreator(receiver_user_id),
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
  { amount, message }: CheckedInputOf<typeof createPaidEventComment>["body"],
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
    words: {
      title: `@${event.link_id}の投稿へのコメント`,
      message,
      is_public: true,
      is_anonymous: false,
      sender_name: "",
    },
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
 * @throws the codes of `order.preconditions`, `too_many_requests`, `idempotency_key_reused`, and as
 * {@link Gateway.call}.
 */
async function beginCheckout(context: RequestContext, order: Order): Promise<{ checkout_session: OpenedCheckout }> {
  const checkout = (await findByKey(context)) ?? (await addCheckout(context, order));
  if (checkout.status !== "open" || checkout.url !== null) return answerCheckout(context, checkout, checkout.url);
  const { id, url } = await createSession(context, checkout);
  return answerCheckout(context, checkout, url, [
    context.database
      .updateTable("checkouts")
      .set({ gateway_session_id: id, url })
      .where("checkout_id", "=", checkout.checkout_id)
      .where("gateway_session_id", "is", null)
      .compile(),
  ]);
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

/** The page of a payment. */
const checkoutPath = (checkout_id: string): string => `/checkout/${checkout_id}`;

/** Returns the row of an earlier request with this key, or null. Throws `idempotency_key_reused`. */
async function findByKey({ database, idempotency }: RequestContext): Promise<Checkout | null> {
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

async function addCheckout(context: RequestContext, { preconditions, words, ...order }: Order): Promise<Checkout> {
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
  };
  const change: Change = { preconditions, statements: [database.insertInto("checkouts").values(row).compile()] };
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
  const { checkout_id, payer_user_id, amount } = checkout;
  const title = readWords(checkout)?.title ?? "ofuse";
  const customer = payer_user_id === null ? null : await ensureCustomer(context, payer_user_id);
  const page = context.gateway.addressOf(checkoutPath(checkout_id));
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
        ...(customer && { customer }),
        success_url: page,
        cancel_url: page,
      },
      { idempotencyKey: `checkout:${checkout_id}` },
    ),
  );
  // A session of another life of the key may have ended already. Our own page then says so.
  return { id: session.id, url: session.url ?? page };
}

/** What {@link settleCheckout} needs. */
type Settling = Pick<RequestContext, "d1" | "database" | "gateway" | "now_ms">;

/** Whether sender and receiver are still there, and have not blocked each other. */
async function isDeliverable({ database }: Settling, checkout: Checkout): Promise<boolean> {
  const { payer_user_id, creator_user_id } = checkout;
  const { rows } = await sql<{ holds: number }>`SELECT NOT EXISTS (SELECT 1 FROM users
      WHERE user_id IN (${payer_user_id}, ${creator_user_id}) AND (left_at IS NOT NULL OR disabled_at IS NOT NULL))
    AND NOT EXISTS (SELECT 1 FROM blocks WHERE (blocker_id = ${payer_user_id} AND blocking_id = ${creator_user_id})
      OR (blocker_id = ${creator_user_id} AND blocking_id = ${payer_user_id})) AS holds`.execute(database);
  return rows[0]?.holds === 1;
}

/** The outbox rows that tell the receiver and the payer. Their ids are made of the checkout's, so that each exists once. */
const noticeId = (checkout_id: string): string => `checkout:${checkout_id}`;
const receiptId = (checkout_id: string): string => `receipt:${checkout_id}`;

/**
 * Asks the gateway about a payment, and returns the statements that bring its row up to date: the letter, the payment and
 * the ledger's transfer when it was paid. The batch throws `transfer_already_posted` if another run was first. A payment that
 * cannot be delivered goes back whole, in two steps: the row says so first.
 *
 * @throws as {@link Gateway.call}.
 */
async function settleStatements(context: Settling, checkout: Checkout): Promise<CompiledQuery[]> {
  const { database, gateway, now_ms } = context;
  const { checkout_id, gateway_session_id } = checkout;
  const update = (values: Partial<Checkout>) =>
    database
      .updateTable("checkouts")
      .set({ asked_at: isoTime(now_ms), ...values })
      .where("checkout_id", "=", checkout_id)
      .compile();
  // Undoes the batch when another run has settled the payment since the row was read.
  const change = (values: Partial<Checkout>) => [
    sql`INSERT INTO preconditions (code, holds) SELECT 'transfer_already_posted',
      (SELECT status = ${checkout.status} FROM checkouts WHERE checkout_id = ${checkout_id})`.compile(database),
    update(values),
  ];
  const unpaid = { url: null, voucher_url: null, expires_at: isoTime(now_ms + KEPT_UNPAID_DAYS * DAY_MS) };
  if (!isWaiting(checkout)) return [];
  if (gateway_session_id === null) {
    // Nobody got a page to pay on. The gateway forgets the key of the session after a day.
    const is_over = Date.parse(checkout.created_at) < now_ms - DAY_MS;
    return is_over ? change({ ...unpaid, status: "expired" }) : [update({})];
  }
  const session = await gateway.call((stripe) =>
    stripe.checkout.sessions.retrieve(gateway_session_id, { expand: [`payment_intent.${CHARGE_FIELDS}`] }),
  );
  const state = readSession(session);
  if (state.status === "open") return [update({})];
  if (state.status === "processing") {
    const { voucher_url, voucher_expires_at_ms } = state;
    const voucher_expires_at = voucher_expires_at_ms === null ? null : isoTime(voucher_expires_at_ms);
    return change({ status: "processing", url: null, voucher_url, voucher_expires_at });
  }
  if (state.status !== "paid") return change({ ...unpaid, status: state.status });
  const charge = readCharge(state.intent);
  const paid_at = isoTime(charge.paid_at_ms);
  if (checkout.status === "returning") {
    await gateway.call((stripe) =>
      stripe.refunds.create(
        { payment_intent: charge.payment_intent_id, metadata: { checkout_id } },
        { idempotencyKey: `checkout:${checkout_id}:return` },
      ),
    );
    const { charge_id: cause_id, gateway_fee_yen: fee_yen } = charge;
    return [
      ...change({ ...unpaid, status: "returned", paid_at }),
      ...(fee_yen > 0 ? postTransfer(context, chargeGatewayFee({ cause_id, fee_yen })) : []),
    ];
  }
  const delivery = await deliveryOf(context, checkout);
  if (!delivery) return change({ status: "returning", url: null, paid_at });
  const { cause_id, kind, statements } = delivery;
  const { payer_user_id, creator_user_id, amount } = checkout;
  return [
    ...change({ status: "paid", cause_id, words: null, url: null, voucher_url: null, paid_at }),
    ...statements,
    continuationStatement(
      database,
      receiptId(checkout_id),
      { kind: "checkout_paid", payload: { checkout_id } },
      now_ms,
    ),
    ...recordPayment(context, {
      kind,
      cause_id,
      payer_user_id,
      creator_id: creator_user_id,
      campaign_id: null,
      ...splitPayment(amount),
      charge,
    }),
  ];
}

interface Delivery {
  cause_id: string;
  kind: PaymentKind;
  statements: CompiledQuery[];
}

/** Returns what delivers a paid letter or comment; null when it cannot be delivered. */
async function deliveryOf(context: Settling, checkout: Checkout): Promise<Delivery | null> {
  const { checkout_id, payer_user_id, creator_user_id, event_id, amount } = checkout;
  const words = readWords(checkout);
  if (!words || !(await isDeliverable(context, checkout))) return null;
  const cause_id = newId(context.now_ms);
  const { message, is_public, is_anonymous, sender_name } = words;
  if (event_id === null) {
    const letter = {
      ofuse_id: cause_id,
      sender_user_id: payer_user_id,
      receiver_user_id: creator_user_id,
      amount,
      message,
      is_public,
      is_anonymous,
      guest_name: payer_user_id === null ? sender_name || null : null,
    };
    return { cause_id, kind: "ofuse_v3", statements: deliverStatements(context, letter, noticeId(checkout_id)) };
  }
  const event = await context.database
    .selectFrom("events")
    .innerJoin("users", "users.user_id", "events.user_id")
    .select(["event_id", "events.user_id", "link_id"])
    .where("event_id", "=", event_id)
    .where("status", "=", "published")
    .executeTakeFirst();
  if (!event || payer_user_id === null) return null;
  const comment = { comment_id: cause_id, event, user_id: payer_user_id, amount, message };
  return { cause_id, kind: "comment_support", statements: publishStatements(context, comment, noticeId(checkout_id)) };
}

/** Whether the gateway may know more of a payment than its row. */
export const isWaiting = ({ status }: Pick<Checkout, "status">): boolean =>
  status === "open" || status === "processing" || status === "returning";

/**
 * Brings a payment up to date. Returns the ids of outbox rows to dispatch. Another run may do the same at this moment: one
 * of them wins, and the other changes nothing.
 *
 * @throws as {@link settleStatements}.
 */
export async function settleCheckout(context: Settling, checkout: Checkout): Promise<string[]> {
  const statements = await settleStatements(context, checkout);
  try {
    await commit({ ...context, idempotency: null }, { statements });
    return [noticeId(checkout.checkout_id), receiptId(checkout.checkout_id)];
  } catch (error) {
    if (!(error instanceof Problem && error.code === "transfer_already_posted")) throw error;
    return [];
  }
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
        .set({ payer_user_id: user_id })
        .where("checkout_id", "=", checkout_id)
        .compile(),
      database
        .updateTable("payments")
        .set({ payer_user_id: user_id })
        .where("kind", "=", "ofuse_v3")
        .where("cause_id", "=", ofuse_id)
        .compile(),
    ],
  };
  return commitAnswer(context, change, { ofuse_id });
}

/** Finds the payment of a gateway's session; null for a session of something else. */
export async function findBySession({ database }: Settling, session_id: string): Promise<Checkout | null> {
  const row = await database
    .selectFrom("checkouts")
    .selectAll()
    .where("gateway_session_id", "=", session_id)
    .executeTakeFirst();
  return row ?? null;
}

/** How many payments one run of the clock asks the gateway about, and how many at the same time. */
const ASKED_AT_ONCE = 100;
const ASKED_TOGETHER = 5;
/** A little less than the minute between two runs, so that each run asks about each payment. */
const REST_MS = 45 * 1000;

/**
 * Asks the gateway about the payments that wait, those first that were asked about longest ago. So a lost webhook costs a
 * minute, and an outage is made up for in the first minute after it. The clock runs it.
 */
export async function askAgain({ d1, database, gateway, clock }: Services): Promise<void> {
  const now_ms = clock.now();
  const waiting = await database
    .selectFrom("checkouts")
    .selectAll()
    .where("status", "in", sql<Checkout["status"]>`('open', 'processing', 'returning')`)
    .where("asked_at", "<=", isoTime(now_ms - REST_MS))
    .orderBy("asked_at")
    .limit(ASKED_AT_ONCE)
    .execute();
  const failures: unknown[] = [];
  for (let first = 0; first < waiting.length; first += ASKED_TOGETHER) {
    const asked = waiting.slice(first, first + ASKED_TOGETHER);
    // Before the calls, so that a payment that always fails does not keep the others waiting.
    const ids = asked.map(({ checkout_id }) => checkout_id);
    const mark = database
      .updateTable("checkouts")
      .set({ asked_at: isoTime(now_ms) })
      .where("checkout_id", "in", ids)
      .compile();
    await commit({ d1, database, now_ms, idempotency: null }, { statements: [mark] });
    await Promise.all(
      asked.map((checkout) =>
        settleCheckout({ d1, database, gateway, now_ms }, checkout).catch((error) => failures.push(error)),
      ),
    );
    // The gateway is down. The next run tries again.
    if (failures.length >= ASKED_TOGETHER) break;
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.join("; "));
}
