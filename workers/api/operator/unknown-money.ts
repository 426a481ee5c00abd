import Stripe from "stripe";
import type { UnknownMoney } from "../../contract/operator.ts";
import * as contract from "../../contract/operator.ts";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import type { RequestContext } from "../http/request-context.ts";
import { postTransfer } from "../ledger/commands.ts";
import { hasGatewayFee } from "../ledger/queries.ts";
import { chargeGatewayFee } from "../ledger/rules.ts";
import { CHARGE_FIELDS, readCharge, returnMoney } from "../payments/commands.ts";
import { recordMadePayout } from "../payouts/commands.ts";
import { disputeSyncStatements, refundSyncStatements } from "../refunds/commands.ts";
import { findKnownIds, idOf, type PaymentRow } from "../refunds/queries.ts";
import { isWhole, stateOfDispute, stateOfRefund } from "../refunds/rules.ts";
import { oneOf } from "../storage/database.ts";
import { abandonSubscription, askSoon } from "../subscriptions/queries.ts";
import { commitAct, recordThenAsk } from "./commands.ts";

/**
 * Money that the gateway has moved and the database does not know: a restored database has forgotten what came after its backup.
 * Only objects whose metadata name an id of ours count. Source: docs/decisions/0055.
 */

/** A page is small, because an unknown plan costs three calls of the gateway, and the calls of a worker are limited. */
const PAGE = 20;

type Kind = UnknownMoney["kind"];

/** The differences of the kinds. `pick` returns those of the gateway's objects that the database does not know. */
interface Source<Made> {
  list(
    stripe: Stripe,
    page: { created: { gte: number }; limit: number; starting_after?: string },
  ): Promise<MadePage<Made>>;
  find(stripe: Stripe, id: string): Promise<Made>;
  pick(context: RequestContext, made: Made[]): Promise<UnknownMoney[]>;
  settle(context: RequestContext, made: Made): Promise<unknown>;
}
interface MadePage<Made> {
  data: Made[];
  has_more: boolean;
}

/** Returns the calls of a kind, whatever the gateway's objects are. */
const callsOf = <Made extends { id?: string }>({ list, find, pick, settle }: Source<Made>) => ({
  async list(context: RequestContext, since: string, after: string | undefined) {
    const created = { gte: Math.floor(Date.parse(since) / 1000) };
    const page = { created, limit: PAGE, ...(after !== undefined && { starting_after: after }) };
    const { data, has_more } = await context.gateway.call((stripe) => list(stripe, page));
    return { unknown: await pick(context, data), next: (has_more && data.at(-1)?.id) || null };
  },
  async settle(context: RequestContext, id: string) {
    const made = await context.gateway.call((stripe) => find(stripe, id)).catch(throwUnknownId);
    if ((await pick(context, [made])).length > 0) await settle(context, made);
  },
});

function throwUnknownId(error: unknown): never {
  throw error instanceof Stripe.errors.StripeInvalidRequestError ? new Problem("not_found", { cause: error }) : error;
}

const sources = {
  payout: callsOf<Stripe.Transfer>({
    list: (stripe, page) => stripe.transfers.list(page),
    find: (stripe, id) => stripe.transfers.retrieve(id),
    pick: pickPayouts,
    settle: async (context, { id, metadata, amount, destination }) => {
      const payout_id = metadata.payout_id ?? "";
      const made = { payout_id, transfer_id: id, account_id: idOf(destination) ?? "", transferred_yen: amount };
      await commitAct(context, actOn("payout", id), await recordMadePayout(context, made));
    },
  }),
  payment: callsOf<Stripe.PaymentIntent>({
    list: (stripe, page) => stripe.paymentIntents.list({ ...page, expand: ["data.latest_charge"] }),
    find: (stripe, id) => stripe.paymentIntents.retrieve(id, { expand: [CHARGE_FIELDS] }),
    pick: pickPayments,
    settle: returnPayment,
  }),
  plan: callsOf<Stripe.Invoice>({
    list: (stripe, page) => stripe.invoices.list({ ...page, status: "paid" }),
    find: (stripe, id) => stripe.invoices.retrieve(id),
    pick: pickPlans,
    settle: async (context, invoice) => {
      const { database, now_ms } = context;
      const { gateway_id } = subscriptionOf(invoice);
      const is_known = (await findKnownSubscriptions(context, [gateway_id])).has(gateway_id);
      const statement = (is_known ? askSoon : abandonSubscription)(database, gateway_id, isoTime(now_ms));
      await commitAct(context, actOn("plan", invoice.id ?? ""), { statements: [statement] });
    },
  }),
  refund: callsOf<Stripe.Refund>({
    list: (stripe, page) => stripe.refunds.list(page),
    find: (stripe, id) => stripe.refunds.retrieve(id),
    pick: pickRefunds,
    settle: async (context, { id }) =>
      commitAct(context, actOn("refund", id), { statements: await refundSyncStatements(context, id) }),
  }),
  dispute: callsOf<Stripe.Dispute>({
    list: (stripe, page) => stripe.disputes.list(page),
    find: (stripe, id) => stripe.disputes.retrieve(id),
    pick: pickDisputes,
    settle: async (context, { id }) =>
      commitAct(context, actOn("dispute", id), { statements: await disputeSyncStatements(context, id) }),
  }),
};

/** Lists what the gateway has made of a kind since a moment, and the database does not know, a page of the gateway's objects at a time. */
export const listUnknownMoney = (
  context: RequestContext,
  { kind, since, after }: { kind: Kind; since: string; after?: string | undefined },
): Promise<{ unknown: UnknownMoney[]; next: string | null }> => sources[kind].list(context, since, after);

/**
 * Settles one of {@link listUnknownMoney} in the direction that leaves nobody charged for nothing and pays nobody twice. Does nothing when
 * it is known by now. Throws `not_found`, `payment_withdrawn` when the gateway refuses to give the payment back, and as
 * {@link recordMadePayout}.
 */
export async function settleUnknownMoney(context: RequestContext, kind: Kind, gateway_id: string): Promise<null> {
  await sources[kind].settle(context, gateway_id);
  return null;
}

const actOn = (kind: Kind, subject: string) => ({ operation: contract.settleUnknownMoney, subject, input: { kind } });

const timeOf = ({ created }: { created: number }) => isoTime(created * 1000);

/** The transfers of payouts whose row is missing, or does not know of them. A reversed transfer has moved nothing. */
async function pickPayouts({ database }: RequestContext, made: Stripe.Transfer[]): Promise<UnknownMoney[]> {
  const ours = made.filter(({ metadata, reversed }) => metadata.payout_id !== undefined && !reversed);
  const ids = ours.map(({ id }) => id);
  const [known, people] = await Promise.all([
    database.selectFrom("payouts").select("transfer_id").where("transfer_id", "in", oneOf(ids)).execute(),
    database
      .selectFrom("creator_accounts")
      .innerJoin("users", "users.user_id", "creator_accounts.user_id")
      .select(["account_id", "link_id"])
      .where("account_id", "in", oneOf(ours.map(({ destination }) => idOf(destination) ?? "")))
      .execute(),
  ]);
  return ours
    .filter(({ id }) => !known.some(({ transfer_id }) => transfer_id === id))
    .map((transfer) => {
      const reference = idOf(transfer.destination) ?? "";
      const person = people.find(({ account_id }) => account_id === reference);
      return {
        kind: "payout",
        gateway_id: transfer.id,
        created_at: timeOf(transfer),
        amount: transfer.amount,
        person_link_id: person?.link_id ?? null,
        reference,
      };
    });
}

/** The payments of letters and comments without a checkout, unless their money is back. The clock settles those with one. */
async function pickPayments(context: RequestContext, made: Stripe.PaymentIntent[]): Promise<UnknownMoney[]> {
  const { database } = context;
  const kept = made.filter(
    ({ status, metadata, latest_charge }) =>
      status === "succeeded" &&
      metadata.checkout_id !== undefined &&
      typeof latest_charge === "object" &&
      latest_charge !== null &&
      latest_charge.amount_refunded < latest_charge.amount,
  );
  const [checkouts, payments] = await Promise.all([
    database
      .selectFrom("checkouts")
      .select("checkout_id")
      .where("checkout_id", "in", oneOf(kept.map(({ metadata }) => metadata.checkout_id ?? "")))
      .execute(),
    database
      .selectFrom("payments")
      .select("payment_intent_id")
      .where("payment_intent_id", "in", oneOf(kept.map(({ id }) => id)))
      .execute(),
  ]);
  const unknown = kept.filter(
    ({ id, metadata }) =>
      !checkouts.some(({ checkout_id }) => checkout_id === metadata.checkout_id) &&
      !payments.some(({ payment_intent_id }) => payment_intent_id === id),
  );
  return Promise.all(
    unknown.map(async (intent) => ({
      kind: "payment" as const,
      gateway_id: intent.id,
      created_at: timeOf(intent),
      amount: intent.amount,
      person_link_id: await findPayer(context, intent.customer),
      reference: intent.description ?? intent.metadata.checkout_id ?? "",
    })),
  );
}

/** Gives a payment back. The gateway keeps its fee, so the books get that first: the payment is known to nobody afterwards. */
async function returnPayment(context: RequestContext, intent: Stripe.PaymentIntent): Promise<void> {
  const { id, metadata } = intent;
  const { charge_id: cause_id, gateway_fee_yen: fee_yen } = readCharge(intent);
  const is_booked = fee_yen === 0 || (await hasGatewayFee(context.database, cause_id));
  const statements = is_booked ? [] : postTransfer(context, chargeGatewayFee({ cause_id, fee_yen }));
  const refund = { payment_intent: id, metadata: { checkout_id: metadata.checkout_id ?? "" } };
  const giveBack = async () => {
    const is_back = await returnMoney(context.gateway, refund, `unknown-return:${id}`);
    if (!is_back) throw new Problem("payment_withdrawn");
  };
  await recordThenAsk(context, actOn("payment", id), giveBack, { statements });
}

/**
 * Returns the subscription of an invoice, and the attempt to join by which we made it. The id is empty if the invoice belongs to
 * no plan.
 */
const subscriptionOf = ({ parent }: Stripe.Invoice) => ({
  gateway_id: idOf(parent?.subscription_details?.subscription) ?? "",
  joining_id: parent?.subscription_details?.metadata?.joining_id,
});

async function findKnownSubscriptions({ database }: RequestContext, ids: string[]): Promise<Set<string | null>> {
  const rows = await database
    .selectFrom("subscriptions")
    .select("gateway_id")
    .where("gateway_id", "in", oneOf(ids))
    .execute();
  return new Set(rows.map(({ gateway_id }) => gateway_id));
}

/**
 * The paid invoices of plans that are in no book. The clock ends already what is abandoned, and asks about open attempts. Leaves out
 * what has ended and whose money is back.
 */
async function pickPlans(context: RequestContext, made: Stripe.Invoice[]): Promise<UnknownMoney[]> {
  const { database } = context;
  const ours = made.flatMap((invoice) => {
    const { gateway_id, joining_id } = subscriptionOf(invoice);
    return joining_id !== undefined && invoice.amount_paid > 0 ? [{ invoice, gateway_id, joining_id }] : [];
  });
  const joinings = oneOf(ours.map(({ joining_id }) => joining_id));
  const subscriptions = ours.map(({ gateway_id }) => gateway_id);
  const [booked, known, ...followed] = await Promise.all([
    database
      .selectFrom("invoices")
      .select("gateway_id as id")
      .where("gateway_id", "in", oneOf(ours.map(({ invoice: { id = "" } }) => id)))
      .execute(),
    findKnownSubscriptions(context, subscriptions),
    database
      .selectFrom("abandoned_subscriptions")
      .select("gateway_id as id")
      .where("gateway_id", "in", oneOf(subscriptions))
      .execute(),
    database.selectFrom("abandoned_joinings").select("joining_id as id").where("joining_id", "in", joinings).execute(),
    database
      .selectFrom("joinings")
      .select("joining_id as id")
      .where("joining_id", "in", joinings)
      .where("status", "=", "open")
      .execute(),
  ]);
  const settled = new Set([...booked, ...followed.flat()].map(({ id }) => id));
  const unknown: UnknownMoney[] = [];
  for (const { invoice, gateway_id, joining_id } of ours) {
    const { id = "", amount_paid: amount, customer } = invoice;
    if ([id, gateway_id, joining_id].some((each) => settled.has(each))) continue;
    if (!known.has(gateway_id) && (await isOverAndReturned(context, id, gateway_id))) continue;
    unknown.push({
      kind: "plan",
      gateway_id: id,
      created_at: timeOf(invoice),
      amount,
      person_link_id: await findPayer(context, customer),
      reference: gateway_id,
    });
  }
  return unknown;
}

/** Whether a subscription has ended, and the money of its invoice was given back or is disputed. */
const isOverAndReturned = ({ gateway }: RequestContext, invoice: string, subscription: string): Promise<boolean> =>
  gateway.call(async (stripe) => {
    const [{ status }, { data }] = await Promise.all([
      stripe.subscriptions.retrieve(subscription),
      stripe.invoicePayments.list({ invoice, limit: 10 }),
    ]);
    const intent_id = idOf(data.find((payment) => payment.status === "paid")?.payment.payment_intent);
    if (status !== "canceled" || intent_id === null) return false;
    return readCharge(await stripe.paymentIntents.retrieve(intent_id, { expand: [CHARGE_FIELDS] })).is_contested;
  });

/** The refunds of whole payments that our books still have. A partial refund is in no book (decisions/0033). */
async function pickRefunds({ database }: RequestContext, made: Stripe.Refund[]): Promise<UnknownMoney[]> {
  const payments = await findPaymentsOf(database, made);
  return made.flatMap((refund) => {
    const payment = payments.get(idOf(refund.payment_intent));
    if (!payment || payment.withdrawn_at !== null) return [];
    return stateOfRefund(refund) !== "failed" && isWhole(payment, refund) ? [toUnknown("refund", refund, payment)] : [];
  });
}

/** The disputes of payments in our books that these do not know. An inquiry moves no money. */
async function pickDisputes({ database }: RequestContext, made: Stripe.Dispute[]): Promise<UnknownMoney[]> {
  const [known, payments] = await Promise.all([
    findKnownIds(
      database,
      made.map(({ id }) => id),
    ),
    findPaymentsOf(database, made),
  ]);
  return made.flatMap((dispute) => {
    const payment = payments.get(idOf(dispute.payment_intent));
    if (!payment || known.has(dispute.id) || stateOfDispute(dispute) === null) return [];
    return [toUnknown("dispute", dispute, payment)];
  });
}

type BookedPayment = Pick<PaymentRow, "payment_id" | "payment_intent_id" | "amount" | "withdrawn_at"> & {
  link_id: string | null;
};

/** Returns the payments that refunds or disputes are about, by the gateway's id. */
async function findPaymentsOf(
  database: RequestContext["database"],
  made: { payment_intent: string | { id: string } | null }[],
): Promise<Map<string | null, BookedPayment>> {
  const rows = await database
    .selectFrom("payments")
    .leftJoin("users", "users.user_id", "payer_user_id")
    .select(["payment_id", "payment_intent_id", "amount", "withdrawn_at", "link_id"])
    .where("payment_intent_id", "in", oneOf(made.map(({ payment_intent }) => idOf(payment_intent) ?? "")))
    .execute();
  return new Map(rows.map((row) => [row.payment_intent_id, row]));
}

const toUnknown = (
  kind: Kind,
  { id, created, amount }: { id: string; created: number; amount: number },
  { payment_id, link_id }: BookedPayment,
): UnknownMoney => ({
  kind,
  gateway_id: id,
  created_at: timeOf({ created }),
  amount,
  person_link_id: link_id,
  reference: payment_id,
});

/** Returns the link_id of a gateway's customer, whose metadata name our user; null for a guest and for an account that is gone. */
async function findPayer(
  { database, gateway }: RequestContext,
  customer: string | { id: string } | null,
): Promise<string | null> {
  const customer_id = idOf(customer);
  if (customer_id === null) return null;
  const found = await gateway.call((stripe) => stripe.customers.retrieve(customer_id));
  const user = await database
    .selectFrom("users")
    .select("link_id")
    .where("user_id", "=", (!found.deleted && found.metadata.user_id) || "")
    .executeTakeFirst();
  return user?.link_id ?? null;
}
