import { sql } from "kysely";
import type { MadePayment, OperatedCheckout, OperatedPayout, OperatedSubscription } from "../../contract/operator.ts";
import { Problem } from "../../kernel/problem.ts";
import { rowsOf } from "../http/pagination.ts";
import type { RequestContext } from "../http/request-context.ts";
import { endOfSession } from "../payments/rules.ts";
import type { Database } from "../storage/database.ts";
import { isReturning } from "../subscriptions/queries.ts";
import { linkIdOf, selectPayouts, toOperatedPayout } from "./queries.ts";

/** Operators' reads of what a person paid, began to pay and was paid out. Support answers "I paid and nothing came" by them. */

/** How many rows a list has at once. */
const NEWEST = 20;

function selectCheckouts(database: Database) {
  return database
    .selectFrom("checkouts")
    .select(["checkout_id as session_id", "kind", "status", "amount", "payer_email", "gateway_session_id"])
    .select(["created_at", "asked_at", "voucher_expires_at"])
    .select([
      linkIdOf("checkouts.payer_user_id").as("payer_link_id"),
      linkIdOf("checkouts.creator_user_id").as("creator_link_id"),
      sql<string | null>`(SELECT payment_id FROM payments
        WHERE kind IN ('ofuse_v3', 'fan_letter_support', 'comment_support')
          AND payments.cause_id = checkouts.cause_id)`.as("payment_id"),
    ]);
}

type CheckoutRow = Awaited<ReturnType<ReturnType<typeof selectCheckouts>["execute"]>>[number];

function toOperatedCheckout({ asked_at, voucher_expires_at, ...row }: CheckoutRow): OperatedCheckout {
  const { status, created_at } = row;
  const expires_at = status === "open" ? endOfSession(created_at) : status === "processing" ? voucher_expires_at : null;
  return { ...row, expires_at, returned_at: status === "returned" ? asked_at : null };
}

/** Attempts to join a plan. A change of plan is charged to the card at once, and has no page. */
function selectJoinings(database: Database) {
  return database
    .selectFrom("joinings")
    .innerJoin("memberships", "memberships.membership_id", "joinings.membership_id")
    .select([
      "joining_id",
      "status",
      "joinings.amount",
      "session_id",
      "change_key",
      "joinings.created_at",
      "returned_at",
    ])
    .select([
      linkIdOf("joinings.user_id").as("payer_link_id"),
      linkIdOf("memberships.user_id").as("creator_link_id"),
      isReturning.as("is_returning"),
      sql<string | null>`iif(change_key IS NULL, (SELECT payment_id FROM invoices
        JOIN payments ON payments.kind = 'membership' AND payments.cause_id = invoices.invoice_id
        WHERE invoices.subscription_id = joinings.subscription_id
        ORDER BY invoices.paid_at, invoices.number LIMIT 1), NULL)`.as("payment_id"),
    ]);
}

type JoiningRow = Awaited<ReturnType<ReturnType<typeof selectJoinings>["execute"]>>[number];

function toCheckoutOfPlan(joining: JoiningRow): OperatedCheckout {
  const { joining_id, session_id, change_key, status, is_returning, returned_at, ...row } = joining;
  const known = status === "joined" ? "paid" : status;
  const late = is_returning === 1 ? "returning" : "returned";
  return {
    ...row,
    session_id: joining_id,
    kind: "membership",
    status: returned_at === null ? known : late,
    returned_at: is_returning === 1 ? null : returned_at,
    payer_email: null,
    gateway_session_id: session_id,
    expires_at: status === "open" && change_key === null ? endOfSession(row.created_at) : null,
  };
}

const newestFirst = (checkouts: OperatedCheckout[]) =>
  checkouts.sort((one, other) => other.created_at.localeCompare(one.created_at));

/** Lists attempts to pay by their id or the gateway's session, or by the address of a guest, newest first. */
export async function listCheckouts({ database }: RequestContext, reference: string): Promise<OperatedCheckout[]> {
  if (reference.includes("@")) {
    // Named, because no index has the address: SQLite would read every checkout instead of those of guests.
    const ofGuest = sql<string>`(SELECT checkout_id FROM checkouts INDEXED BY checkouts_with_email
      WHERE payer_email IS NOT NULL AND lower(payer_email) = ${reference.toLowerCase()})`;
    const rows = await selectCheckouts(database)
      .where("checkout_id", "in", ofGuest)
      .orderBy("checkout_id", "desc")
      .limit(NEWEST)
      .execute();
    return rows.map(toOperatedCheckout);
  }
  const [checkouts, joinings] = await Promise.all([
    selectCheckouts(database)
      .where((row) => row.or([row("checkout_id", "=", reference), row("gateway_session_id", "=", reference)]))
      .execute(),
    selectJoinings(database)
      .where((row) => row.or([row("joining_id", "=", reference), row("session_id", "=", reference)]))
      .execute(),
  ]);
  return newestFirst([...checkouts.map(toOperatedCheckout), ...joinings.map(toCheckoutOfPlan)]).slice(0, NEWEST);
}

interface MoneyOfPerson {
  payments: MadePayment[];
  checkouts: OperatedCheckout[];
  subscriptions: OperatedSubscription[];
  payouts: OperatedPayout[];
  has_next: boolean;
}

/** Returns a page of what a person paid, began to pay and joined, and of their payouts. Throws `not_found`. */
export async function findMoneyOf(
  { database }: RequestContext,
  user_id: string,
  page_number = 1,
): Promise<MoneyOfPerson> {
  const { limit, offset } = rowsOf({ page_number, page_size: NEWEST }, false);
  const [person, payments, checkouts, joinings, subscriptions, payouts] = await Promise.all([
    database.selectFrom("users").select("user_id").where("user_id", "=", user_id).executeTakeFirst(),
    database
      .selectFrom("payments")
      .select(["payment_id", "kind", "amount", "paid_at", "withdrawn_at"])
      .select(linkIdOf("payments.creator_user_id").as("creator_link_id"))
      .where("payer_user_id", "=", user_id)
      .orderBy("paid_at", "desc")
      .orderBy("payment_id", "desc")
      .limit(limit)
      .offset(offset)
      .execute(),
    // From the first on, because attempts of both kinds are merged.
    selectCheckouts(database)
      .where("payer_user_id", "=", user_id)
      .where("status", "<>", "paid")
      .orderBy("checkout_id", "desc")
      .limit(offset + limit)
      .execute(),
    // All of them: no index has their order, and attempts are deleted after ninety days.
    selectJoinings(database)
      .where("joinings.user_id", "=", user_id)
      .where(({ or, eb }) => or([eb("status", "<>", "joined"), eb("returned_at", "is not", null)]))
      .execute(),
    database
      .selectFrom("subscriptions")
      .innerJoin("memberships", "memberships.membership_id", "subscriptions.membership_id")
      .select(["subscription_id", "title", "amount", "status", "is_ending", "paid_until", "subscriptions.created_at"])
      .select(linkIdOf("memberships.user_id").as("creator_link_id"))
      .where("subscriptions.user_id", "=", user_id)
      .orderBy("subscriptions.created_at", "desc")
      .orderBy("subscription_id", "desc")
      .limit(limit)
      .offset(offset)
      .execute(),
    selectPayouts(database)
      .where("user_id", "=", user_id)
      .orderBy("payout_id", "desc")
      .limit(limit)
      .offset(offset)
      .execute(),
  ]);
  if (!person) throw new Problem("not_found");
  const begun = newestFirst([...checkouts.map(toOperatedCheckout), ...joinings.map(toCheckoutOfPlan)]).slice(offset);
  return {
    payments: payments.slice(0, NEWEST),
    checkouts: begun.slice(0, NEWEST),
    subscriptions: subscriptions
      .slice(0, NEWEST)
      .map(({ is_ending, ...row }) => ({ ...row, is_ending: is_ending === 1 })),
    payouts: payouts.slice(0, NEWEST).map(toOperatedPayout),
    has_next: [payments, begun, subscriptions, payouts].some((rows) => rows.length > NEWEST),
  };
}
