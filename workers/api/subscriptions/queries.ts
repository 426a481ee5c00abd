import { sql } from "kysely";
import type { Invoice, Joining, Membership } from "../../contract/memberships.ts";
import type { OwnPayment } from "../../contract/payments.ts";
import { Problem } from "../../kernel/problem.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import type { Precondition } from "../storage/commit.ts";
import { readUser, userJson } from "../users/queries.ts";
import { includedTax, TAX_PERCENT } from "./rules.ts";

/** Returns one of the caller's attempts to join. Throws `not_found` for other people's. */
export async function findJoining(context: RequestContext, joining_id: string): Promise<Joining> {
  const row = await context.database
    .selectFrom("joinings")
    .innerJoin("memberships", "memberships.membership_id", "joinings.membership_id")
    .leftJoin("reaction_settings", "reaction_settings.user_id", "memberships.user_id")
    .select(["joining_id", "status", "checkout_url", "subscription_id", "subscription_message"])
    .select(["memberships.membership_id", "memberships.user_id", "title", "description", "amount", "active_state"])
    .select(userJson("memberships.user_id").as("creator"))
    .where("joining_id", "=", joining_id)
    .where("joinings.user_id", "=", memberId(context))
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  const { creator, status, checkout_url, subscription_id, subscription_message, joining_id: id, ...plan } = row;
  const membership: Membership = { ...plan, currency: "jpy" };
  const thanks = status === "joined" ? subscription_message : null;
  return { joining_id: id, membership, creator: readUser(creator), status, checkout_url, subscription_id, thanks };
}

/**
 * Lists the paid invoices of one of the caller's subscriptions, latest first, or the one named. Throws `not_found` for
 * other people's.
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
    .select(["invoices.paid_at", "withdrawn_at", userJson("invoices.creator_user_id").as("creator")])
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
      .executeTakeFirst(),
    query.execute(),
  ]);
  if (!own) throw new Problem("not_found");
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { invoices: rows.map(presentInvoice), ...closing };
}

/** Lists what a person has paid, latest first, with the invoices of plans. */
export async function listPayments(context: RequestContext, user_id: string, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const fetched = await context.database
    .selectFrom("payments")
    .leftJoin("invoices", (join) =>
      join.onRef("invoices.invoice_id", "=", "payments.cause_id").on("payments.kind", "=", sql.lit("membership")),
    )
    .select(["payment_id", "kind", "payments.amount", "payments.paid_at", "withdrawn_at as refunded_at"])
    .select(["subscription_id", "invoice_id", userJson("payments.creator_user_id").as("creator")])
    .where("payer_user_id", "=", user_id)
    .orderBy("payment_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  const payments: OwnPayment[] = rows.map(({ creator, ...row }) => ({ ...row, creator: readUser(creator) }));
  return { payments, ...closing };
}

interface InvoiceRow
  extends Pick<
    Invoice,
    "invoice_id" | "subscription_id" | "number" | "title" | "amount" | "period_start" | "period_end" | "paid_at"
  > {
  withdrawn_at: string | null;
  creator: string;
}

function presentInvoice({ creator, withdrawn_at, ...row }: InvoiceRow): Invoice {
  return {
    ...row,
    creator: readUser(creator),
    tax_percent: TAX_PERCENT,
    tax_amount: includedTax(row.amount),
    refunded_at: withdrawn_at,
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
      AND NOT EXISTS (SELECT 1 FROM blocks WHERE (blocker_id = ${user_id} AND blocking_id = memberships.user_id)
        OR (blocker_id = memberships.user_id AND blocking_id = ${user_id}))) AS may`.execute(database);
  return rows[0]?.may === 1;
}

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
