import { type CompiledQuery, sql } from "kysely";
import { SESSION_MINUTES } from "../../contract/limits.ts";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { preconditionStatement } from "../../storage/commit.ts";
import type { Services } from "../http/request-context.ts";
import { type Change, commit } from "../storage/commit.ts";
import type { Database } from "../storage/database.ts";
import type { OutboxEvent, ReactionContext, Reactions } from "../storage/outbox.ts";
import { findMailReceiver } from "../users/queries.ts";
import { isOvertaken } from "./apply-sync.ts";
import { followUsualCard, keepFirstCard } from "./payment-methods.ts";
import { endRenewalOf, endRenewals } from "./queries.ts";
import { itemOf, MINUTE_MS } from "./rules.ts";
import {
  CHANGE_MINUTES,
  cancelSubscription,
  changeUnlessEnded,
  DISPUTED_WAIT_MS,
  returnNewInvoices,
  type SyncContext,
  syncJoining,
  syncSubscription,
} from "./sync.ts";

/** The events after which something of a subscription may be new. The others come with one of these. */
const SUBSCRIPTION_EVENTS = [
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
];
const INVOICE_EVENTS = ["invoice.created", "invoice.paid", "invoice.payment_failed"];
const SESSION_EVENTS = ["checkout.session.completed", "checkout.session.expired"];

/** The gateway says that something has changed: asks how. The event itself says nothing that is used. */
export const reactions: Reactions = {
  gateway_event: async ({ payload: { type, object_id } }, context) => {
    if (type === "customer.updated") {
      await followUsualCard(context, object_id);
      return [];
    }
    if (SUBSCRIPTION_EVENTS.includes(type)) return statementsOf(await syncSubscription(context, object_id), context);
    if (INVOICE_EVENTS.includes(type)) return statementsOf(await syncInvoice(context, object_id), context);
    if (SESSION_EVENTS.includes(type)) return statementsOf(await syncSession(context, object_id), context);
    return [];
  },
  subscription_joined: async ({ payload }, context) => {
    await keepFirstCard(context, payload.user_id, payload.subscription_id);
    return [];
  },
  plan_paid: mailReceipt,
  subscription_left: mailEnd,
  joining_returned: async ({ payload: { joining_id, amount } }, context) => {
    const joining = await context.database
      .selectFrom("joinings")
      .innerJoin("memberships", "memberships.membership_id", "joinings.membership_id")
      .innerJoin("users", "users.user_id", "memberships.user_id")
      .select(["joinings.user_id", "users.name as creator_name"])
      .where("joining_id", "=", joining_id)
      .executeTakeFirst();
    // Nothing is kept of a member who left.
    const receiver = joining && (await findMailReceiver(context, joining.user_id));
    if (!receiver) return [];
    const receipt_link = context.gateway.addressOf(`/my/subscriptions/joining/${joining_id}`);
    const titles = { ja: `${joining.creator_name}さんのプラン`, en: `A plan of ${joining.creator_name}` };
    const gaps = { title: titles[receiver.language], amount, is_undelivered: true, receipt_link };
    await context.mails.handOver([{ mail_id: `return:${joining_id}`, kind: "payment_returned", ...receiver, gaps }]);
    return [];
  },
  // The clock tells the gateway. Nobody is charged for a plan that is closed. A plan that has opened again ends nobody.
  // A member with a scheduled change continues while one of the two plans is open.
  membership_closed: async ({ payload: { membership_id } }, { database }) => [
    endRenewals(database)
      .where(({ or, eb }) =>
        or([eb("membership_id", "=", membership_id), eb("next_membership_id", "=", membership_id)]),
      )
      .where(
        sql<boolean>`NOT EXISTS (SELECT 1 FROM memberships AS plans
          WHERE plans.membership_id IN (subscriptions.membership_id, next_membership_id) AND active_state = 'active')`,
      )
      .compile(),
  ],
  // The payer says that a charge was not theirs. Do not wait for the bank, which decides months and renewals later.
  payment_disputed: async ({ payload: { payment_id } }, { database }) => [endRenewalOf(database, payment_id)],
  // A plan that one of the two has from the other ends with its paid period. A block that has ended already ends nothing.
  person_blocked: async ({ payload: { blocker_id, blocking_id } }, { database }) => [
    endRenewals(database)
      .where("user_id", "in", [blocker_id, blocking_id])
      .where("membership_id", "in", ({ selectFrom }) =>
        selectFrom("memberships").select("membership_id").where("user_id", "in", [blocker_id, blocking_id]),
      )
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("blocks")
            .select("blocker_id")
            .where("blocker_id", "=", blocker_id)
            .where("blocking_id", "=", blocking_id),
        ),
      )
      .compile(),
  ],
};

/** Mails the receipt of a plan to its member. It is handed over again after a failure, under the same id. */
async function mailReceipt(
  { payload: { invoice_id } }: OutboxEvent<"plan_paid">,
  context: ReactionContext,
): Promise<CompiledQuery[]> {
  const invoice = await context.database
    .selectFrom("invoices")
    .innerJoin("users", "users.user_id", "invoices.creator_user_id")
    .select(["invoices.user_id", "subscription_id", "title", "amount", "paid_at", "period_end", "users.name"])
    .where("invoice_id", "=", invoice_id)
    .executeTakeFirstOrThrow();
  const { user_id, subscription_id, title, amount, paid_at, period_end, name } = invoice;
  const receiver = await findMailReceiver(context, user_id);
  if (!receiver) return [];
  const receipt_link = context.gateway.addressOf(`/my/subscriptions/${subscription_id}/invoices/${invoice_id}`);
  const gaps = {
    title: planTitle(name, title)[receiver.language],
    amount,
    paid_at,
    paid_until: period_end,
    receipt_link,
  };
  await context.mails.handOver([{ mail_id: `plan:${invoice_id}`, kind: "plan_receipt", ...receiver, gaps }]);
  return [];
}

/** Mails the end of the paid time to a member who has left a plan, unless the member continues meanwhile. */
async function mailEnd(
  { payload: { subscription_id, revision } }: OutboxEvent<"subscription_left">,
  context: ReactionContext,
): Promise<CompiledQuery[]> {
  const left = await context.database
    .selectFrom("subscriptions")
    .innerJoin("memberships", "memberships.membership_id", "subscriptions.membership_id")
    .innerJoin("users", "users.user_id", "memberships.user_id")
    .select(["subscriptions.user_id", "memberships.title", "paid_until as ends_at", "users.name"])
    .where("subscription_id", "=", subscription_id)
    .where(({ or, eb }) => or([eb("is_ending", "=", 1), eb("must_end", "=", 1)]))
    .executeTakeFirst();
  const receiver = left && (await findMailReceiver(context, left.user_id));
  if (!receiver) return [];
  const { title, name, ends_at } = left;
  const link = context.gateway.addressOf(`/my/subscriptions/${subscription_id}`);
  const gaps = { title: planTitle(name, title)[receiver.language], ends_at, link };
  const mail_id = `left:${subscription_id}:${revision}`;
  await context.mails.handOver([{ mail_id, kind: "plan_left", ...receiver, gaps }]);
  return [];
}

/** Returns what a mail calls a plan. */
const planTitle = (name: string, title: string) => ({
  ja: `${name}さんのプラン「${title}」`,
  en: `The plan “${title}” of ${name}`,
});

const statementsOf = ({ preconditions = [], statements }: Change, { database }: SyncContext): CompiledQuery[] => [
  ...preconditions.map((each) => preconditionStatement(database, each)),
  ...statements,
];

async function syncInvoice(context: SyncContext, invoice_id: string): Promise<Change> {
  const recorded = await context.database
    .selectFrom("invoices")
    .select("invoice_id")
    .where("gateway_id", "=", invoice_id)
    .executeTakeFirst();
  if (recorded) return { statements: [] };
  const { parent } = await context.gateway.call((stripe) => stripe.invoices.retrieve(invoice_id));
  const subscription = parent?.subscription_details?.subscription;
  if (!subscription) return { statements: [] };
  return syncSubscription(context, typeof subscription === "string" ? subscription : subscription.id);
}

async function syncSession(context: SyncContext, session_id: string): Promise<Change> {
  const joining = await context.database
    .selectFrom("joinings")
    .select(["joining_id", "session_id", "created_at", "subscription_id"])
    .where("session_id", "=", session_id)
    .where("status", "=", sql.lit("open"))
    .executeTakeFirst();
  return joining ? (await syncJoining(context, joining)).change : { statements: [] };
}

/** How many of each the clock asks the gateway about in one run. */
const ASKED_AT_ONCE = 50;
/** How many rows without a moment may get no answer before the gateway counts as away. It may fail at one row for good. */
const UNDATED_SILENCES = 3;

/** A piece of the clock's work. */
interface Piece {
  /** Returns the change that the gateway's answer asks for. */
  ask: () => Promise<Change>;
  /** Puts the row behind the others that are due, after it failed. */
  postpone?: () => Promise<unknown>;
}

/**
 * Asks the gateway about everything whose state may have changed without a webhook: open attempts to join, and
 * subscriptions whose paid period is over. Then tells the gateway what must end. The clock runs it.
 */
export async function askGateway(services: Services, isOver = () => false): Promise<void> {
  const { database, gateway, clock } = services;
  const context: SyncContext = { database, gateway, now_ms: clock.now() };
  const must_end = await database
    .selectFrom("subscriptions")
    .select("gateway_id")
    .where("must_end", "=", sql.lit(1))
    .limit(ASKED_AT_ONCE)
    .execute();
  const dropped = await selectChangesToClosed(database).limit(ASKED_AT_ONCE).execute();
  const undated: Piece[] = [
    ...must_end.map(({ gateway_id }) => ({ ask: () => endAtGateway(context, gateway_id ?? "") })),
    ...dropped.map((row) => ({ ask: () => dropChange(context, row) })),
  ];
  const failures: unknown[] = [];
  await askEach(services, context, { pieces: await findDuePieces(context), silences: 1, failures, isOver });
  await askEach(services, context, { pieces: undated, silences: UNDATED_SILENCES, failures, isOver });
  if (failures.length > 0) throw new AggregateError(failures, failures.join("; "));
}

/** Returns the work that has a moment of its own, the longest due first. */
async function findDuePieces(context: SyncContext): Promise<Piece[]> {
  const { database, now_ms } = context;
  const now = isoTime(now_ms);
  const due = await database
    .selectFrom("subscriptions")
    .select(["gateway_id", "ask_at"])
    .where("ask_at", "<=", now)
    .orderBy("ask_at")
    .limit(ASKED_AT_ONCE)
    .execute();
  const joinings = await database
    .selectFrom("joinings")
    .select(["joining_id", "session_id", "created_at", "subscription_id", "ask_at"])
    .where("ask_at", "<=", now)
    .orderBy("ask_at")
    .limit(ASKED_AT_ONCE)
    .execute();
  const abandoned = await database
    .selectFrom("abandoned_subscriptions")
    .select(["created_at", "gateway_id", "is_ended"])
    .where("created_at", "<=", now)
    .orderBy("created_at")
    .limit(ASKED_AT_ONCE)
    .execute();
  const left = await database
    .selectFrom("abandoned_joinings")
    .selectAll()
    .where("created_at", "<=", now)
    .orderBy("created_at")
    .limit(ASKED_AT_ONCE)
    .execute();
  // Each moves its row only from the moment that was read: a webhook may have brought the row up to date meanwhile.
  const pieces: (Piece & { due_at: string | null })[] = [
    ...due.map(({ gateway_id, ask_at }) => ({
      due_at: ask_at,
      ask: () => syncSubscription(context, gateway_id ?? ""),
      postpone: () =>
        database
          .updateTable("subscriptions")
          .set({ ask_at: now })
          .where("gateway_id", "=", gateway_id)
          .where("ask_at", "=", ask_at)
          .execute(),
    })),
    ...joinings.map(({ ask_at, ...joining }) => ({
      due_at: ask_at,
      ask: async () => (await syncJoining(context, joining)).change,
      postpone: () =>
        database
          .updateTable("joinings")
          .set({ ask_at: now })
          .where("joining_id", "=", joining.joining_id)
          .where("ask_at", "=", ask_at)
          .execute(),
    })),
    ...abandoned.map((row) => ({
      due_at: row.created_at,
      ask: () => endAbandoned(context, row),
      postpone: () =>
        database
          .updateTable("abandoned_subscriptions")
          .set({ created_at: now })
          .where("created_at", "=", row.created_at)
          .where("gateway_id", "=", row.gateway_id)
          .execute(),
    })),
    ...left.map((row) => ({
      due_at: row.created_at,
      ask: () => endAbandonedJoining(context, row),
      postpone: () =>
        database
          .updateTable("abandoned_joinings")
          .set({ created_at: now })
          .where("joining_id", "=", row.joining_id)
          .where("created_at", "=", row.created_at)
          .execute(),
    })),
  ];
  return pieces.sort((one, other) => (one.due_at ?? "").localeCompare(other.due_at ?? ""));
}

/**
 * Does pieces of work in order, and adds what fails to `failures`. One that fails delays no other. While the gateway is away
 * nothing has a chance: after so many `silences` the next run continues. Those that are dated need one, as a row without an
 * answer goes behind the others.
 */
async function askEach(
  services: Services,
  context: SyncContext,
  {
    pieces,
    silences,
    failures,
    isOver,
  }: { pieces: readonly Piece[]; silences: number; failures: unknown[]; isOver: () => boolean },
): Promise<void> {
  let silent = 0;
  for (const { ask, postpone } of pieces) {
    if (isOver()) return;
    try {
      await commitFresh(services, context, await ask());
    } catch (error) {
      if (error instanceof Problem && error.code === "payments_unavailable") return;
      failures.push(error);
      await postpone?.();
      if (error instanceof Problem && error.code === "gateway_unreachable" && ++silent === silences) return;
    }
  }
}

async function commitFresh({ d1 }: Services, { database, now_ms }: SyncContext, change: Change): Promise<void> {
  if (change.statements.length === 0) return;
  try {
    await commit({ d1, database, now_ms, idempotency: null }, change);
  } catch (error) {
    if (!isOvertaken(error)) throw error;
  }
}

/** Ends a subscription that may not be renewed: with its paid period, or at once when that is over and unpaid. */
async function endAtGateway(context: SyncContext, gateway_id: string): Promise<Change> {
  const { database, gateway } = context;
  // Its member may have paid or continued it since the run began.
  const subscription = await database
    .selectFrom("subscriptions")
    .select("status")
    .where("gateway_id", "=", gateway_id)
    .where("must_end", "=", sql.lit(1))
    .executeTakeFirst();
  if (!subscription) return { statements: [] };
  if (subscription.status === "past_due") await cancelSubscription(gateway, gateway_id);
  else {
    await changeUnlessEnded(gateway, gateway_id, (stripe) =>
      stripe.subscriptions.update(gateway_id, { cancel_at_period_end: true }),
    );
  }
  return syncSubscription(context, gateway_id);
}

/** Selects the scheduled changes to plans that have closed, of subscriptions whose present plan is open. */
function selectChangesToClosed(database: Database) {
  const stateOf = (plan: "membership_id" | "next_membership_id") =>
    sql`(SELECT active_state FROM memberships WHERE membership_id = ${sql.ref(`subscriptions.${plan}`)})`;
  const priceOf = (plan: "membership_id" | "next_membership_id") =>
    sql<string>`(SELECT price_id FROM plan_prices WHERE membership_id = ${sql.ref(`subscriptions.${plan}`)})`;
  return database
    .selectFrom("subscriptions")
    .select(["gateway_id", priceOf("membership_id").as("price"), priceOf("next_membership_id").as("closed_price")])
    .where("next_membership_id", ">", "")
    .where("status", "=", sql.lit("active"))
    .where("is_ending", "=", sql.lit(0))
    .where(sql<boolean>`${stateOf("next_membership_id")} = 'inactive' AND ${stateOf("membership_id")} = 'active'`);
}

/** Takes back a scheduled change whose plan has closed. The member may have chosen a third plan meanwhile. */
async function dropChange(
  context: SyncContext,
  { gateway_id, price, closed_price }: { gateway_id: string | null; price: string; closed_price: string },
): Promise<Change> {
  const { gateway } = context;
  const id = gateway_id ?? "";
  const item = itemOf(await gateway.call((stripe) => stripe.subscriptions.retrieve(id)));
  if (item.price.id === closed_price) {
    await changeUnlessEnded(gateway, id, (stripe) =>
      stripe.subscriptions.update(id, { items: [{ id: item.id, price }], proration_behavior: "none" }),
    );
  }
  return syncSubscription(context, id);
}

/**
 * Ends the subscription of somebody who left, and refunds its payments that are not in the books: a request that was under way
 * may have charged it after its row was erased. Looks again when none can be under way any more.
 */
async function endAbandoned(
  context: SyncContext,
  { created_at, gateway_id, is_ended }: { created_at: string; gateway_id: string; is_ended: number },
): Promise<Change> {
  const { database, gateway, now_ms } = context;
  await cancelSubscription(gateway, gateway_id);
  const returned = await returnNewInvoices(context, gateway_id, {});
  const wait_ms = returned === null ? DISPUTED_WAIT_MS : CHANGE_MINUTES * MINUTE_MS;
  const again = isoTime(now_ms + wait_ms);
  const row = sql`created_at = ${created_at} AND gateway_id = ${gateway_id}`;
  const seen =
    returned !== null && is_ended === 1
      ? sql`DELETE FROM abandoned_subscriptions WHERE ${row}`
      : sql`UPDATE abandoned_subscriptions SET created_at = ${again}, is_ended = 1 WHERE ${row}`;
  return { statements: [...(returned?.statements ?? []), seen.compile(database)] };
}

/** Ends the checkout of somebody who left, or who may not join any more. What was paid there goes back. */
async function endAbandonedJoining(
  context: SyncContext,
  { joining_id, session_id, created_at }: { joining_id: string; session_id: string | null; created_at: string },
): Promise<Change> {
  const { database, gateway, now_ms } = context;
  const ended = database.deleteFrom("abandoned_joinings").where("joining_id", "=", joining_id).compile();
  if (session_id === null) {
    // The person never saw its page. A webhook would bring a payment.
    const is_over = Date.parse(created_at) < now_ms - 2 * SESSION_MINUTES * 60_000;
    return { statements: is_over ? [ended] : [] };
  }
  const session = await gateway.call(async (stripe) => {
    const found = await stripe.checkout.sessions.retrieve(session_id);
    const once = { idempotencyKey: `joining-expire:${joining_id}` };
    return found.status === "open" ? stripe.checkout.sessions.expire(session_id, {}, once) : found;
  });
  const { subscription } = session;
  if (subscription === null) return { statements: [ended] };
  return syncSubscription(context, typeof subscription === "string" ? subscription : subscription.id);
}
