import { type Selectable, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import type { Gateway } from "../gateway/client.ts";
import type { RequestContext } from "../http/request-context.ts";
import { PAYMENT_CAUSES, type PaymentKind } from "../ledger/rules.ts";
import { type Database, oneOf, type Tables } from "../storage/database.ts";

export type PaymentRow = Selectable<Tables["payments"]>;
export type RefundRow = Selectable<Tables["refunds"]>;
const PAYMENT_KINDS = Object.keys(PAYMENT_CAUSES) as PaymentKind[];
type DisputeRow = Selectable<Tables["disputes"]>;

/** The facts by which the gateway's objects name a payment, and our own id of it. */
interface ChargeReference {
  payment_id?: string;
  payment_intent?: string | { id: string } | null;
  charge?: string | { id: string } | null;
}

/** Returns the id of an object of the gateway, expanded or not. */
export const idOf = (reference: string | { id: string } | null | undefined): string | null =>
  typeof reference === "object" ? (reference?.id ?? null) : (reference ?? null);

/** Returns the payment that a refund or a dispute is about; undefined when it is none of ours. */
export function findPaymentOfCharge(
  database: Database,
  { payment_id, payment_intent, charge }: ChargeReference,
): Promise<PaymentRow | undefined> {
  const [column, value] = payment_id
    ? (["payment_id", payment_id] as const)
    : payment_intent
      ? (["payment_intent_id", idOf(payment_intent)] as const)
      : (["charge_id", idOf(charge)] as const);
  return database
    .selectFrom("payments")
    .selectAll()
    .where(column, "=", value ?? "")
    .executeTakeFirst();
}

/**
 * Returns a payment by any of its names: its own id, that of what was paid for, the number of the receipt, or one of the
 * gateway's, also that of its checkout session.
 */
export async function findPaymentByReference(database: Database, reference: string): Promise<PaymentRow | undefined> {
  const payments = database.selectFrom("payments").selectAll();
  const columns = ["payment_id", "payment_intent_id", "charge_id"] as const;
  const found = await Promise.all([
    ...columns.map((column) => payments.where(column, "=", reference).executeTakeFirst()),
    // The kinds come first in the index.
    payments.where("kind", "in", PAYMENT_KINDS).where("cause_id", "=", reference).executeTakeFirst(),
    payments
      .where("kind", "in", PAYMENT_KINDS)
      .where(
        "cause_id",
        "=",
        database
          .selectFrom("checkouts")
          .select("cause_id")
          .where((row) => row.or([row("checkout_id", "=", reference), row("gateway_session_id", "=", reference)])),
      )
      .executeTakeFirst(),
  ]);
  return found.find((row) => row !== undefined);
}

/** Returns a refund by our id or the gateway's, with its payment. */
export async function findRefund(
  database: Database,
  by: string | { gateway_refund_id: string; refund_id: string | undefined },
): Promise<{ refund: RefundRow; payment: PaymentRow } | undefined> {
  const { refund_id, gateway_refund_id } = typeof by === "string" ? { refund_id: by, gateway_refund_id: "" } : by;
  const refund = await database
    .selectFrom("refunds")
    .selectAll()
    .where((row) => row.or([row("refund_id", "=", refund_id ?? ""), row("gateway_refund_id", "=", gateway_refund_id)]))
    .executeTakeFirst();
  if (!refund) return;
  const payment = await findPaymentOfCharge(database, { payment_id: refund.payment_id });
  return payment && { refund, payment };
}

/**
 * Returns the checkout, joining or subscription whose payment could not be delivered and goes back, in the words of the log. Null
 * when the gateway's payment intent is of none.
 */
export async function findUndelivered(
  { database, gateway }: Pick<RequestContext, "database" | "gateway">,
  payment_intent: string,
): Promise<string | null> {
  const { metadata } = await gateway.call((stripe) => stripe.paymentIntents.retrieve(payment_intent));
  const subscription = metadata.checkout_id ? null : await findPaidSubscription(gateway, payment_intent);
  const [checkout_id, joining_id] = [metadata.checkout_id ?? "", subscription?.joining_id ?? ""];
  const { rows } = await sql<{ name: string }>`
    SELECT 'checkout ' || checkout_id AS name FROM checkouts
      WHERE checkout_id = ${checkout_id} AND status IN ('returning', 'returned')
    UNION ALL SELECT 'joining ' || joining_id FROM abandoned_joinings WHERE joining_id = ${joining_id}
    UNION ALL SELECT 'payment of subscription ' || gateway_id FROM abandoned_subscriptions
      WHERE gateway_id = ${subscription?.gateway_id ?? ""}`.execute(database);
  return rows[0]?.name ?? null;
}

/** Returns the subscription of the invoice that a payment intent paid; null when it paid none. */
async function findPaidSubscription(gateway: Gateway, payment_intent: string) {
  return gateway.call(async (stripe) => {
    const payment = { type: "payment_intent", payment_intent } as const;
    const { data } = await stripe.invoicePayments.list({ payment, limit: 1 });
    const invoice_id = idOf(data[0]?.invoice);
    const details = invoice_id && (await stripe.invoices.retrieve(invoice_id)).parent?.subscription_details;
    return details ? { gateway_id: idOf(details.subscription), joining_id: details.metadata?.joining_id } : null;
  });
}

/** Returns the path of the page that shows its payer a payment; null when there is none any more. */
export async function findPayerPath(
  database: Database,
  { kind, cause_id }: Pick<PaymentRow, "kind" | "cause_id">,
): Promise<string | null> {
  if (kind === "membership") {
    const invoice = await database
      .selectFrom("invoices")
      .select("subscription_id")
      .where("invoice_id", "=", cause_id)
      .executeTakeFirst();
    return invoice ? `/my/subscriptions/${invoice.subscription_id}/invoices/${cause_id}` : null;
  }
  const checkout = await database
    .selectFrom("checkouts")
    .select("checkout_id")
    .where("cause_id", "=", cause_id)
    .executeTakeFirst();
  return checkout ? `/checkout/${checkout.checkout_id}` : null;
}

/** Returns the subscription that a payment was for, and whether it renews; null when there is none, and after its end. */
export async function findPaidPlan(
  database: Database,
  { kind, cause_id }: Pick<PaymentRow, "kind" | "cause_id">,
): Promise<{ subscription_id: string; is_renewing: boolean } | null> {
  if (kind !== "membership") return null;
  const row = await database
    .selectFrom("invoices")
    .innerJoin("subscriptions", "subscriptions.subscription_id", "invoices.subscription_id")
    .select(["subscriptions.subscription_id", "is_ending", "must_end"])
    .where("invoice_id", "=", cause_id)
    .where("status", "!=", "canceled")
    .executeTakeFirst();
  return row ? { subscription_id: row.subscription_id, is_renewing: row.is_ending === 0 && row.must_end === 0 } : null;
}

/** Whether the books have taken a payment back whose refund the gateway has not decided. */
export async function hasPendingRefund(database: Database, payment_id: string): Promise<boolean> {
  const refund = await database
    .selectFrom("refunds")
    .select("refund_id")
    .where("payment_id", "=", payment_id)
    .where("status", "=", "pending")
    .executeTakeFirst();
  return refund !== undefined;
}

/** Returns a dispute with its payment. */
export async function findDispute(
  database: Database,
  dispute_id: string,
): Promise<{ dispute: DisputeRow; payment: PaymentRow } | undefined> {
  const dispute = await database
    .selectFrom("disputes")
    .selectAll()
    .where("dispute_id", "=", dispute_id)
    .executeTakeFirst();
  if (!dispute) return;
  const payment = await findPaymentOfCharge(database, { payment_id: dispute.payment_id });
  return payment && { dispute, payment };
}

/** Returns which of these ids of the gateway belong to a dispute or a refund that has a row. */
export async function findKnownIds(database: Database, ids: readonly string[]): Promise<Set<string | null>> {
  const [disputes, refunds] = await Promise.all([
    database.selectFrom("disputes").select("dispute_id as id").where("dispute_id", "in", oneOf(ids)).execute(),
    database
      .selectFrom("refunds")
      .select("gateway_refund_id as id")
      .where("gateway_refund_id", "in", oneOf(ids))
      .execute(),
  ]);
  return new Set([...disputes, ...refunds].map(({ id }) => id));
}

/** Lists what was taken back of a payment, oldest first. */
export async function listWithdrawals(
  database: Database,
  payment_id: string,
): Promise<{ refunds: RefundRow[]; disputes: DisputeRow[] }> {
  const [refunds, disputes] = await Promise.all([
    database.selectFrom("refunds").selectAll().where("payment_id", "=", payment_id).orderBy("refund_id").execute(),
    database.selectFrom("disputes").selectAll().where("payment_id", "=", payment_id).orderBy("opened_at").execute(),
  ]);
  return { refunds, disputes };
}

/** Each table's column with its ids. */
export const ID_COLUMNS = { refunds: "refund_id", disputes: "dispute_id" } as const;

/** A refund or a dispute that the clock continues. */
interface DueWithdrawal {
  table: keyof typeof ID_COLUMNS;
  id: string;
  check_at: string;
}

/** Lists the refunds and disputes that the clock continues now, the longest due first. */
export async function listDueWithdrawals(database: Database, now_ms: number, limit: number): Promise<DueWithdrawal[]> {
  const now = isoTime(now_ms);
  const dueIn = async (table: keyof typeof ID_COLUMNS): Promise<DueWithdrawal[]> => {
    const { rows } = await sql<{ id: string; check_at: string }>`SELECT ${sql.ref(ID_COLUMNS[table])} AS id, check_at
      FROM ${sql.table(table)} WHERE check_at <= ${now} ORDER BY check_at LIMIT ${sql.lit(limit)}`.execute(database);
    return rows.map((row) => ({ table, ...row }));
  };
  const due = (await Promise.all([dueIn("refunds"), dueIn("disputes")])).flat();
  return due.sort((one, other) => one.check_at.localeCompare(other.check_at));
}
