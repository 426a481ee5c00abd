import Stripe from "stripe";
import { CARD_PAGES_A_DAY } from "../../contract/limits.ts";
import type { PaymentMethod } from "../../contract/payments.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Gateway } from "../gateway/client.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import { ensureCustomer } from "../payments/commands.ts";
import { commit } from "../storage/commit.ts";
import { countAct, type Limit, withBounds } from "../storage/limits.ts";
import { mayRenew } from "./queries.ts";
import { cancelSubscription, changeUnlessEnded, nextPlanOf, payInvoice, type SyncContext } from "./sync.ts";

/** The page to which the gateway's pages return. */
const PAYMENTS_PATH = "/my/settings/payments";

const idOf = (object: string | { id: string } | null): string | null =>
  typeof object === "string" ? object : (object?.id ?? null);

async function findCustomer({ database }: SyncContext, user_id: string): Promise<string | undefined> {
  const row = await database
    .selectFrom("customers")
    .select("customer_id")
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  return row?.customer_id;
}

/**
 * Lists a person's saved cards, as the gateway has them now. A plan is paid with the card with which it was joined or that was
 * chosen since, so two plans may have two cards. The customer's usual card pays only where a plan has none of its own.
 */
export async function listPaymentMethods(context: RequestContext, user_id: string): Promise<PaymentMethod[]> {
  const { database, gateway } = context;
  const customer = await findCustomer(context, user_id);
  // Asks also where there is no customer, so that a site without a gateway says so.
  if (customer === undefined) return gateway.call(async () => []);
  const [{ data }, kept, live, joined] = await Promise.all([
    gateway.call((stripe) => stripe.paymentMethods.list({ customer, type: "card", limit: 100 })),
    gateway.call((stripe) => stripe.customers.retrieve(customer)),
    gateway.call((stripe) => stripe.subscriptions.list({ customer, limit: 100 }).autoPagingToArray({ limit: 1000 })),
    database
      .selectFrom("subscriptions")
      .innerJoin("memberships", "memberships.membership_id", "subscriptions.membership_id")
      .select(["gateway_id", "subscription_id", "title"])
      .where("subscriptions.user_id", "=", user_id)
      .where("status", "!=", "canceled")
      .orderBy("subscription_id")
      .execute(),
  ]);
  const noted = kept.deleted ? null : idOf(kept.invoice_settings.default_payment_method);
  // The only card pays, also before the gateway has noted it as the usual one.
  const usual = noted ?? (data.length === 1 ? data[0]?.id : null);
  const cards = new Map(live.map((each) => [each.id, idOf(each.default_payment_method) ?? usual]));
  const paid = joined.flatMap(({ gateway_id, ...plan }) => {
    const card = gateway_id && cards.get(gateway_id);
    return card ? [{ card, plan }] : [];
  });
  return data.flatMap(({ id, card }) => {
    if (!card) return [];
    const { brand, last4, exp_month, exp_year } = card;
    const plans = paid.filter((each) => each.card === id).map(({ plan }) => plan);
    const is_default = paid.length === 0 ? id === usual : plans.length > 0;
    return [{ payment_method_id: id, brand, last4, exp_month, exp_year, is_default, plans }];
  });
}

/** See CARD_PAGES_A_DAY. */
export const CARD_PAGE_LIMIT: Limit = {
  act: "card_page",
  times: CARD_PAGES_A_DAY,
  adjustable: "card_pages",
  window_ms: 24 * 60 * 60 * 1000,
};

/** How often a person may try again to pay what failed. Each press is an attempt at the card's bank. */
export const RETRY_LIMIT: Limit = { act: "retry_payment", times: 10, window_ms: 24 * 60 * 60 * 1000 };

/** Counts a visit of the gateway's pages for cards before the gateway is called. Throws `too_many_requests`. */
async function countCardPage(context: RequestContext): Promise<void> {
  const bound = countAct(context, CARD_PAGE_LIMIT, memberId(context));
  await commit({ ...context, idempotency: null }, withBounds({ statements: [] }, bound));
}

/** Opens the gateway's page that takes a card's number. Throws `too_many_requests`. */
export async function createPaymentMethod(context: RequestContext): Promise<{ setup_url: string }> {
  const { gateway } = context;
  await countCardPage(context);
  const customer = await ensureCustomer(context, memberId(context));
  const back = gateway.addressOf(PAYMENTS_PATH);
  const session = await gateway.call((stripe) =>
    stripe.checkout.sessions.create(
      { mode: "setup", currency: "jpy", locale: "ja", customer, success_url: `${back}?added=1`, cancel_url: back },
      { idempotencyKey: memberKeyOf(context, "setup") },
    ),
  );
  return commitAnswer(context, { statements: [] }, { setup_url: session.url ?? back });
}

/** Opens the gateway's page on which a person looks after cards and payments. Throws `too_many_requests`. */
export async function createCustomerPortal(context: RequestContext): Promise<{ portal_url: string }> {
  const { gateway } = context;
  await countCardPage(context);
  const customer = await ensureCustomer(context, memberId(context));
  const portal = await gateway.call((stripe) =>
    stripe.billingPortal.sessions.create(
      { customer, locale: "ja", return_url: gateway.addressOf(PAYMENTS_PATH) },
      { idempotencyKey: memberKeyOf(context, "portal") },
    ),
  );
  return commitAnswer(context, { statements: [] }, { portal_url: portal.url });
}

/** Returns a key for the gateway that names a step of this member's request: the caller's own key, or a new one. */
const memberKeyOf = (context: RequestContext, step: string) =>
  `${step}:${memberId(context)}:${context.idempotency?.key ?? context.request_id}`;

/**
 * Makes a saved card the one that pays for a person's plans, and tries at once to pay what failed. Throws `not_found` for a card
 * of somebody else, and `too_many_requests` while something is unpaid and was tried too often.
 */
export async function chooseCard(
  context: RequestContext,
  payment_method_id: string,
): Promise<{ payment_methods: PaymentMethod[] }> {
  const { gateway } = context;
  const user_id = memberId(context);
  const customer = await findCustomer(context, user_id);
  if (customer === undefined) throw new Problem("not_found");
  const billed = await listBilled(context, user_id);
  if (billed.some(({ open_invoice_id }) => open_invoice_id !== null)) {
    const bound = countAct(context, RETRY_LIMIT, user_id);
    await commit({ ...context, idempotency: null }, withBounds({ statements: [] }, bound));
  }
  try {
    // First, because the webhook of the customer's change may come before we have paid. It passes over subscriptions that
    // have the card, so that the card is not tried twice.
    for (const each of billed) await setCard(gateway, each, payment_method_id);
    await gateway.call((stripe) =>
      stripe.customers.update(
        customer,
        { invoice_settings: { default_payment_method: payment_method_id } },
        { idempotencyKey: memberKeyOf(context, "usual-card") },
      ),
    );
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) throw new Problem("not_found", { cause: error });
    throw error;
  }
  for (const each of billed)
    await payOrCancel(context, each, payment_method_id, memberKeyOf(context, payment_method_id));
  const answer = { payment_methods: await listPaymentMethods(context, user_id) };
  return commitAnswer(context, { statements: [] }, answer);
}

/** A live subscription as the gateway has it. */
interface Billed {
  gateway_id: string;
  /** The card that pays for it. */
  card: string | null;
  open_invoice_id: string | null;
  /** Whether it must end, which the gateway may not know yet. */
  must_end: boolean;
  next_plan: ReturnType<typeof nextPlanOf>;
}

/** Lists a person's live subscriptions, as the gateway has them now. */
async function listBilled({ database, gateway }: SyncContext, user_id: string): Promise<Billed[]> {
  const rows = await database
    .selectFrom("subscriptions")
    .select(["gateway_id", "user_id", "membership_id", "next_membership_id", "must_end"])
    .where("user_id", "=", user_id)
    .where("gateway_id", "is not", null)
    .where("status", "!=", "canceled")
    .execute();
  const billed: Billed[] = [];
  for (const { gateway_id, ...known } of rows) {
    if (gateway_id === null) continue;
    const { status, latest_invoice, default_payment_method } = await gateway.call((stripe) =>
      stripe.subscriptions.retrieve(gateway_id, { expand: ["latest_invoice"] }),
    );
    // Our row is behind.
    if (status === "canceled") continue;
    const is_open = typeof latest_invoice === "object" && latest_invoice?.status === "open";
    const open_invoice_id = is_open ? (latest_invoice.id ?? null) : null;
    const [card, must_end] = [idOf(default_payment_method), known.must_end === 1];
    billed.push({ gateway_id, card, open_invoice_id, must_end, next_plan: nextPlanOf(known) });
  }
  return billed;
}

async function setCard(gateway: Gateway, { gateway_id, card }: Billed, chosen: string): Promise<void> {
  if (card === chosen) return;
  await changeUnlessEnded(gateway, gateway_id, (stripe) =>
    stripe.subscriptions.update(gateway_id, { default_payment_method: chosen }),
  );
}

/**
 * Pays the open invoice of a subscription, if it has one, or cancels the subscription if it may not renew. Returns whether it
 * continues. The webhooks bring our rows to the outcome. `occasion` names the attempt ({@link payInvoice}).
 */
async function payOrCancel(
  context: SyncContext,
  { gateway_id, open_invoice_id, must_end, next_plan }: Billed,
  card: string,
  occasion: string,
): Promise<boolean> {
  const { gateway } = context;
  if (open_invoice_id === null) return true;
  if (must_end || !(await mayRenew(context, next_plan))) {
    await cancelSubscription(gateway, gateway_id);
    return false;
  }
  await payInvoice(gateway, open_invoice_id, occasion, card);
  return true;
}

/**
 * Follows a choice of card that a person made on the gateway's own page. The same webhook comes after {@link chooseCard}, so
 * this passes over subscriptions that have the card already, and tries the card once for each invoice.
 */
export async function followUsualCard(context: SyncContext, customer_id: string): Promise<void> {
  const row = await context.database
    .selectFrom("customers")
    .select("user_id")
    .where("customer_id", "=", customer_id)
    .executeTakeFirst();
  if (!row) return;
  const customer = await context.gateway.call((stripe) => stripe.customers.retrieve(customer_id));
  const usual = customer.deleted ? null : idOf(customer.invoice_settings.default_payment_method);
  if (usual === null) return;
  for (const each of await listBilled(context, row.user_id)) {
    if (each.card === usual) continue;
    const continues = await payOrCancel(context, each, usual, usual);
    // Last, so that a webhook whose run died is not passed over when it runs again.
    if (continues) await setCard(context.gateway, each, usual);
  }
}

/** Keeps the first card with which a person joins a plan as the usual one. */
export async function keepFirstCard(context: SyncContext, user_id: string, subscription_id: string): Promise<void> {
  const { database, gateway } = context;
  const customer = await findCustomer(context, user_id);
  const row = await database
    .selectFrom("subscriptions")
    .select("gateway_id")
    .where("subscription_id", "=", subscription_id)
    .executeTakeFirst();
  const gateway_id = row?.gateway_id;
  if (customer === undefined || !gateway_id) return;
  const [kept, subscription] = await Promise.all([
    gateway.call((stripe) => stripe.customers.retrieve(customer)),
    gateway.call((stripe) => stripe.subscriptions.retrieve(gateway_id)),
  ]);
  const card = idOf(subscription.default_payment_method);
  if (kept.deleted || kept.invoice_settings.default_payment_method !== null || card === null) return;
  await gateway.call((stripe) =>
    stripe.customers.update(
      customer,
      { invoice_settings: { default_payment_method: card } },
      { idempotencyKey: `first-card:${customer}:${card}` },
    ),
  );
}
