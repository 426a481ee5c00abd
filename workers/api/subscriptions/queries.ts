import { type CompiledQuery, sql } from "kysely";
import type { Invoice, Joining } from "../../contract/memberships.ts";
import type { OwnPayment, PendingPayment } from "../../contract/payments.ts";
import { includedTax, TAX_PERCENT } from "../../contract/tax.ts";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { isNotBlocked, requireNotBlocked } from "../blocks/queries.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import { refundState } from "../ledger/queries.ts";
import { countPlaces, membershipJson, readMembership } from "../memberships/queries.ts";
import { requireSpendable, returnedAt } from "../payments/queries.ts";
import { endOfSession } from "../payments/rules.ts";
import type { Precondition } from "../storage/commit.ts";
import type { Database } from "../storage/database.ts";
import { requireOpen } from "../storage/paused-features.ts";
import { readUser, userJson } from "../users/queries.ts";

/** Returns one of the caller's attempts to join. Throws `not_found` for other people's. */
export async function findJoining(context: RequestContext, joining_id: string): Promise<Joining> {
  const row = await context.database
    .selectFrom("joinings")
    .innerJoin("memberships", "memberships.membership_id", "joinings.membership_id")
    .leftJoin("reaction_settings", "reaction_settings.user_id", "memberships.user_id")
    .select(["joining_id", "status", "returned_at", "checkout_url", "subscription_id", "subscription_message"])
    .select([membershipJson("memberships", context).as("plan"), userJson("memberships.user_id").as("creator")])
    .where("joining_id", "=", joining_id)
    .where("joinings.user_id", "=", memberId(context))
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  const { creator, returned_at, checkout_url, subscription_id, subscription_message, joining_id: id, plan } = row;
  const status = returned_at === null ? row.status : "returned";
  const membership = readMembership(plan);
  const thanks = status === "joined" ? subscription_message : null;
  return { joining_id: id, membership, creator: readUser(creator), status, checkout_url, subscription_id, thanks };
}

/**
 * Lists the paid invoices of one of the caller's subscriptions, latest first, or the one named. Throws `not_found` for
 * other people's. Invoices outlive the subscription, which ends with the account of its creator.
 */
export async function listInvoices(
  context: RequestContext,
  subscription_id: string,
  { invoice_id, ...page }: Page & { invoice_id?: string | undefined },
) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const user_id = memberId(context);
  let query = context.database
    .selectFrom("invoices")
    .leftJoin("payments", (join) =>
      join.onRef("payments.cause_id", "=", "invoices.invoice_id").on("payments.kind", "=", sql.lit("membership")),
    )
    .select(["invoice_id", "subscription_id", "number", "title", "invoices.amount", "period_start", "period_end"])
    .select([
      "invoices.paid_at",
      returnedAt.as("refunded_at"),
      refundState.as("refund_state"),
      "seller_number",
      userJson("invoices.creator_user_id").as("creator"),
    ])
    .where("subscription_id", "=", subscription_id)
    .where("invoices.user_id", "=", user_id)
    .orderBy("invoices.paid_at", "desc")
    .orderBy("number", "desc")
    .limit(limit)
    .offset(offset);
  if (invoice_id !== undefined) query = query.where("invoice_id", "=", invoice_id);
  const [own, fetched] = await Promise.all([
    context.database
      .selectFrom("subscriptions")
      .select("subscription_id")
      .where("subscription_id", "=", subscription_id)
      .where("user_id", "=", user_id)
      .union(
        context.database
          .selectFrom("invoices")
          .select("subscription_id")
          .where("subscription_id", "=", subscription_id)
          .where("user_id", "=", user_id),
      )
      .executeTakeFirst(),
    query.execute(),
  ]);
  if (!own) throw new Problem("not_found");
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { invoices: rows.map(presentInvoice), ...closing };
}

/**
 * Lists what a person has paid, latest first, with its invoices and receipts, and what was begun. What went back without having
 * been delivered is on the page of its date. `session_id` keeps only the payment of that checkout.
 */
export async function listPayments(
  context: RequestContext,
  user_id: string,
  { session_id, ...page }: Page & { session_id?: string | undefined },
) {
  const { limit, offset, page_size } = rowsOf(page, false);
  let query = context.database
    .selectFrom("payments")
    .leftJoin("invoices", (join) =>
      join.onRef("invoices.invoice_id", "=", "payments.cause_id").on("payments.kind", "=", sql.lit("membership")),
    )
    .leftJoin("checkouts", (join) =>
      join.onRef("checkouts.cause_id", "=", "payments.cause_id").on("checkouts.payer_user_id", "=", user_id),
    )
    .select(["payment_id", "payments.kind", "payments.amount", "payments.paid_at", returnedAt.as("refunded_at")])
    .select([refundState.as("refund_state"), "subscription_id", "invoice_id", "checkout_id as session_id"])
    .select(userJson("payments.creator_user_id").as("creator"))
    .where("payments.payer_user_id", "=", user_id)
    .orderBy("payments.paid_at", "desc")
    .orderBy("payment_id", "desc")
    .limit(limit)
    .offset(offset);
  if (session_id !== undefined) query = query.where("checkout_id", "=", session_id);
  const fetched = await query.execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  const payments: OwnPayment[] = rows.map(({ creator, ...row }) => ({ ...row, creator: readUser(creator) }));
  // What came between two pages is on the earlier one.
  const newest = page.page_number === 1 ? undefined : rows[0]?.paid_at;
  const next = closing.has_next ? fetched[page_size]?.paid_at : undefined;
  const pending = (await listPending(context, user_id)).filter(
    ({ returned_at, ...each }) =>
      (session_id === undefined || each.session_id === session_id) &&
      (returned_at === null ||
        ((newest === undefined || returned_at <= newest) && (next === undefined || returned_at > next))),
  );
  return { payments, pending, ...closing };
}

/** SQL for whether the money of an attempt of `joinings` that came too late has not gone back yet. */
export const isReturning = sql<number>`EXISTS (SELECT 1 FROM abandoned_joinings
  WHERE abandoned_joinings.joining_id = joinings.joining_id)`;

/** Lists the payments of a person that were begun and not made, and those that go or went back because they came too late. */
async function listPending({ database }: RequestContext, user_id: string): Promise<PendingPayment[]> {
  const letters = database
    .selectFrom("checkouts")
    .select(["checkout_id as session_id", "kind", "status", "amount", "created_at", "voucher_expires_at"])
    .select(["asked_at as returned_at", userJson("checkouts.creator_user_id").as("creator")])
    .where("payer_user_id", "=", user_id)
    .where("status", "in", ["open", "processing", "returning", "returned"])
    .$narrowType<{ status: PendingPayment["status"] }>()
    .orderBy("checkout_id");
  const plans = database
    .selectFrom("joinings")
    .innerJoin("memberships", "memberships.membership_id", "joinings.membership_id")
    .select(["joining_id as session_id", "joinings.amount", "joinings.created_at", "returned_at"])
    .select([isReturning.as("is_returning"), userJson("memberships.user_id").as("creator")])
    .where("joinings.user_id", "=", user_id)
    // A change of plan has no page: the clock ends one that was interrupted.
    .where("subscription_id", "is", null)
    .where(({ or, eb }) => or([eb("status", "=", "open"), eb("returned_at", "is not", null)]));
  const [checkouts, joinings] = await Promise.all([letters.execute(), plans.execute()]);
  return [
    ...checkouts.map(({ creator, status, created_at, voucher_expires_at, returned_at, ...row }) => ({
      ...row,
      status,
      expires_at: status === "open" ? endOfSession(created_at) : status === "processing" ? voucher_expires_at : null,
      returned_at: status === "returned" ? returned_at : null,
      creator: readUser(creator),
    })),
    ...joinings.map(({ creator, created_at, returned_at, is_returning, ...row }) => {
      const came_late = is_returning === 1 ? "returning" : "returned";
      const status: PendingPayment["status"] = returned_at === null ? "open" : came_late;
      return {
        ...row,
        kind: "membership" as const,
        status,
        expires_at: status === "open" ? endOfSession(created_at) : null,
        returned_at: status === "returned" ? returned_at : null,
        creator: readUser(creator),
      };
    }),
  ];
}

interface InvoiceRow
  extends Pick<
    Invoice,
    "invoice_id" | "subscription_id" | "number" | "title" | "amount" | "period_start" | "period_end" | "paid_at"
  > {
  refunded_at: string | null;
  refund_state: Invoice["refund_state"];
  seller_number: string | null;
  creator: string;
}

function presentInvoice({ creator, ...row }: InvoiceRow): Invoice {
  return {
    ...row,
    creator: readUser(creator),
    tax_percent: TAX_PERCENT,
    tax_amount: includedTax(row.amount),
  };
}

/** Whether nothing forbids another period: the plan is open, its creator is there, and neither has blocked the other. */
export async function mayRenew(
  { database }: Pick<RequestContext, "database">,
  { user_id, membership_id }: { user_id: string; membership_id: string },
): Promise<boolean> {
  const { rows } = await sql<{ may: number }>`SELECT EXISTS (
    SELECT 1 FROM memberships JOIN users USING (user_id)
    WHERE membership_id = ${membership_id} AND active_state = 'active'
      AND users.left_at IS NULL AND users.disabled_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM users WHERE user_id = ${user_id} AND disabled_at IS NOT NULL)
      AND ${isNotBlocked(user_id, sql.ref("memberships.user_id"))}) AS may`.execute(database);
  return rows[0]?.may === 1;
}

/** Returns the statement by which the clock ends an attempt to join at the gateway, and gives back what was paid. */
export const abandonStatement = (database: Database, joining_id: string, now: string): CompiledQuery =>
  sql`INSERT OR IGNORE INTO abandoned_joinings (joining_id, session_id, created_at)
    SELECT joining_id, session_id, ${now} FROM joinings WHERE joining_id = ${joining_id}`.compile(database);

/** Returns the statement by which the clock ends a subscription that has no row, and gives back its payments that are in no book. */
export const abandonSubscription = (database: Database, gateway_id: string, now: string): CompiledQuery =>
  sql`INSERT INTO abandoned_subscriptions (gateway_id, created_at) SELECT ${gateway_id}, ${now}
    WHERE NOT EXISTS (SELECT 1 FROM abandoned_subscriptions WHERE gateway_id = ${gateway_id})`.compile(database);

/** Returns the statement by which the clock asks the gateway about a subscription in its next run. */
export const askSoon = (database: Database, gateway_id: string, now: string): CompiledQuery =>
  database.updateTable("subscriptions").set({ ask_at: now }).where("gateway_id", "=", gateway_id).compile();

/** Begins the update after which the clock ends subscriptions with their paid period, or at once what is unpaid. */
export const endRenewals = (database: Database) =>
  database
    .updateTable("subscriptions")
    .set({ must_end: 1 })
    .where("gateway_id", "is not", null)
    .where("status", "!=", "canceled")
    .where("is_ending", "=", 0);

/** Returns the statement after which nothing more is charged for the plan that a payment was for. Another payment has none. */
export const endRenewalOf = (database: Database, payment_id: string): CompiledQuery =>
  endRenewals(database)
    .where("subscription_id", "in", ({ selectFrom }) =>
      selectFrom("payments")
        .innerJoin("invoices", "invoices.invoice_id", "payments.cause_id")
        .select("subscription_id")
        .where("payment_id", "=", payment_id)
        .where("payments.kind", "=", sql.lit("membership")),
    )
    .compile();

/** The precondition that no other change came since the gateway was asked. `revision` is null where there was no row. */
export function requireRevision(
  { subscription_id, revision }: { subscription_id: string; revision: number | null },
  gateway_id: string,
): Precondition {
  const holds =
    revision === null
      ? sql`NOT EXISTS (SELECT 1 FROM subscriptions WHERE gateway_id = ${gateway_id})`
      : sql`EXISTS (SELECT 1 FROM subscriptions WHERE subscription_id = ${subscription_id} AND revision = ${revision})`;
  return { code: "unavailable", holds };
}

/** An open attempt to join, as `syncJoining` needs it. */
export interface OpenJoining {
  joining_id: string;
  session_id: string | null;
  created_at: string;
  /** The subscription of a change of plan; null for an attempt to join. */
  subscription_id: string | null;
}

/** Returns the person's open attempt to join a plan. */
export function selectOpenJoining(
  { database }: Pick<RequestContext, "database">,
  user_id: string,
  membership_id: string,
): Promise<OpenJoining | undefined> {
  return database
    .selectFrom("joinings")
    .select(["joining_id", "session_id", "created_at", "subscription_id"])
    .where("user_id", "=", user_id)
    .where("membership_id", "=", membership_id)
    .where("status", "=", sql.lit("open"))
    .executeTakeFirst();
}

/** The precondition that a subscription has no change of plan under way. It comes first: the held place also counts as a payment. */
export const requireNoChange = (subscription_id: string): Precondition => ({
  code: "unavailable",
  holds: sql`NOT EXISTS (SELECT 1 FROM joinings WHERE subscription_id = ${subscription_id} AND status = 'open')`,
});

/** Returns the open row of a change of plan that the same request has begun. */
export function selectOpenChange(
  { database }: Pick<RequestContext, "database">,
  {
    subscription_id,
    change_key,
    membership_id,
  }: { subscription_id: string; change_key: string; membership_id: string },
): Promise<Pick<OpenJoining, "joining_id"> | undefined> {
  return database
    .selectFrom("joinings")
    .select("joining_id")
    .where("subscription_id", "=", subscription_id)
    .where("status", "=", sql.lit("open"))
    .where("change_key", "=", change_key)
    .where("membership_id", "=", membership_id)
    .executeTakeFirst();
}

/**
 * The conditions under which somebody may join a plan, or change to it: `membership_not_open`, `blocked`, `already_joined`,
 * `membership_full`, and for a payment `spending_limit_reached`, `minor_limit_reached`.
 */
export function requireJoinable(
  { now_ms }: Pick<RequestContext, "now_ms">,
  user_id: string,
  plan: { membership_id: string; user_id: string },
  amount = 0,
): Precondition[] {
  const { membership_id } = plan;
  return [
    {
      code: "membership_not_open",
      holds: sql`EXISTS (SELECT 1 FROM memberships JOIN users USING (user_id) WHERE membership_id = ${membership_id}
        AND active_state = 'active' AND users.left_at IS NULL AND users.disabled_at IS NULL)`,
    },
    requireNotBlocked(user_id, plan.user_id),
    {
      code: "already_joined",
      holds: sql`NOT EXISTS (SELECT 1 FROM subscriptions WHERE user_id = ${user_id} AND status <> 'canceled'
        AND (membership_id = ${membership_id} OR next_membership_id = ${membership_id})
        AND (gateway_id IS NOT NULL OR paid_until > ${isoTime(now_ms)}))`,
    },
    {
      code: "membership_full",
      holds: sql`SELECT members_limit IS NULL OR members_limit > ${countPlaces(sql`${membership_id}`, { now_ms }, user_id)}
        FROM memberships WHERE membership_id = ${membership_id}`,
    },
    ...(amount > 0 ? [requireOpen("payments"), ...requireSpendable({ now_ms }, user_id, amount)] : []),
  ];
}

/** Throws the first of {@link requireJoinable} that does not hold, without writing anything. */
export async function checkJoinable(
  context: RequestContext,
  user_id: string,
  plan: { membership_id: string; user_id: string },
  amount = 0,
): Promise<void> {
  if (plan.user_id === user_id) throw new Problem("cannot_join_own_plan");
  const conditions = requireJoinable(context, user_id, plan, amount);
  const columns = conditions.map(({ code, holds }) => sql`(${holds}) AS ${sql.ref(code)}`);
  const { rows } = await sql<Record<string, number>>`SELECT ${sql.join(columns)}`.execute(context.database);
  const failed = conditions.find(({ code }) => rows[0]?.[code] !== 1);
  if (failed) throw new Problem(failed.code);
}
