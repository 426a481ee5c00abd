import { type CompiledQuery, sql } from "kysely";
import Stripe from "stripe";
import type { Joining, Subscription } from "../../contract/memberships.ts";
import { isoTime } from "../../kernel/clock.ts";
import { sha256Hex } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { requireNotBlocked } from "../blocks/queries.ts";
import type { Gateway } from "../gateway/client.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import { findMembership, findSubscription } from "../memberships/queries.ts";
import { countPayment, ensureCustomer } from "../payments/commands.ts";
import { type Change, commit, type Precondition } from "../storage/commit.ts";
import { requireEnabled } from "../storage/disabled.ts";
import { withBounds } from "../storage/limits.ts";
import { findJoining } from "./queries.ts";
import { anniversaryOf, itemOf, nextAskOf } from "./rules.ts";
import { type OpenJoining, syncJoining, syncSubscription } from "./sync.ts";

/**
 * Begins to join a plan. Writes our own row first, then makes the gateway's checkout session, with a key made of the row's
 * id: a request that is repeated after a crash or an outage continues with the same row and the same session. A person who
 * already has an open session for the plan gets that one, so that nobody pays for a plan twice.
 *
 * @throws `membership_not_open`, `cannot_join_own_plan`, `already_joined`, `blocked`, `too_many_requests`,
 * `idempotency_key_reused`, `payments_unavailable`, `gateway_unreachable`.
 */
export async function createSubscription(context: RequestContext, membership_id: string): Promise<Joining> {
  const { database } = context;
  const user_id = memberId(context);
  const joining_id =
    (await findBegun(context)) ??
    (await findOpen(context, user_id, membership_id)) ??
    (await writeJoining(context, user_id, membership_id));
  const row = await database
    .selectFrom("joinings")
    .select(["status", "session_id", "membership_id"])
    .where("joining_id", "=", joining_id)
    .executeTakeFirstOrThrow();
  const statements: CompiledQuery[] = [];
  let checkout_url: string | null = null;
  if (row.status === "open" && row.session_id === null) {
    const session = await openSession(context, { joining_id, user_id, membership_id: row.membership_id });
    checkout_url = session.url;
    const opened = { session_id: session.id, checkout_url, ask_at: isoTime(nextAskOf(context.now_ms, context.now_ms)) };
    statements.push(database.updateTable("joinings").set(opened).where("joining_id", "=", joining_id).compile());
  }
  const joining = await findJoining(context, joining_id);
  const answer = { joining: { ...joining, checkout_url: checkout_url ?? joining.checkout_url } };
  return (await commitAnswer(context, { statements }, answer)).joining;
}

/** Finds the attempt that an earlier request with the same idempotency key has begun. Throws `idempotency_key_reused`. */
async function findBegun({ database, idempotency }: RequestContext): Promise<string | undefined> {
  if (!idempotency) return;
  const begun = await database
    .selectFrom("joinings")
    .select(["joining_id", "body_hash"])
    .where("scope", "=", idempotency.scope)
    .where("idempotency_key", "=", idempotency.key)
    .executeTakeFirst();
  if (begun && begun.body_hash !== idempotency.body_hash) throw new Problem("idempotency_key_reused");
  return begun?.joining_id;
}

/** Finds the person's open attempt for a plan, after asking the gateway whether it still is. Throws `already_joined`. */
async function findOpen(context: RequestContext, user_id: string, membership_id: string): Promise<string | undefined> {
  const open = await selectOpenJoining(context, user_id, membership_id);
  if (!open) return;
  const { change, is_open } = await syncJoining(context, open);
  await commitSync(context, change);
  return is_open ? open.joining_id : undefined;
}

function selectOpenJoining(
  { database }: Pick<RequestContext, "database">,
  user_id: string,
  membership_id: string,
): Promise<OpenJoining | undefined> {
  return database
    .selectFrom("joinings")
    .select(["joining_id", "session_id", "created_at"])
    .where("user_id", "=", user_id)
    .where("membership_id", "=", membership_id)
    .where("status", "=", sql.lit("open"))
    .executeTakeFirst();
}

/** Writes the attempt, if the person may join the plan. */
async function writeJoining(context: RequestContext, user_id: string, membership_id: string): Promise<string> {
  const { d1, database, now_ms, idempotency } = context;
  const plan = await findMembership(context, membership_id);
  if (plan.user_id === user_id) throw new Problem("cannot_join_own_plan");
  const joining_id = newId(now_ms);
  const row = {
    joining_id,
    user_id,
    membership_id,
    scope: idempotency?.scope ?? user_id,
    idempotency_key: idempotency?.key ?? joining_id,
    body_hash: idempotency?.body_hash ?? "",
    status: "open" as const,
    session_id: null,
    checkout_url: null,
    subscription_id: null,
    ask_at: isoTime(nextAskOf(now_ms, now_ms)),
    created_at: isoTime(now_ms),
  };
  const change: Change = {
    preconditions: [...requireEnabled(user_id), ...requireJoinable(context, user_id, plan)],
    statements: [database.insertInto("joinings").values(row).compile()],
  };
  try {
    await commit({ d1, database, now_ms, idempotency: null }, withBounds(change, countPayment(context, user_id)));
    return joining_id;
  } catch (error) {
    // A parallel request of the same person was first: continue with its row.
    if (!(error instanceof Error && error.message.includes("UNIQUE constraint failed: joinings."))) throw error;
    const first = (await findBegun(context)) ?? (await selectOpenJoining(context, user_id, membership_id))?.joining_id;
    if (first === undefined) throw new Problem("unavailable", { cause: error });
    return first;
  }
}

/** The conditions under which somebody may join a plan, or change to it. */
function requireJoinable(
  { now_ms }: Pick<RequestContext, "now_ms">,
  user_id: string,
  plan: { membership_id: string; user_id: string },
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
  ];
}

/** Throws the first of {@link requireJoinable} that does not hold, without writing anything. */
async function checkJoinable(
  context: RequestContext,
  user_id: string,
  plan: { membership_id: string; user_id: string },
): Promise<void> {
  if (plan.user_id === user_id) throw new Problem("cannot_join_own_plan");
  const conditions = requireJoinable(context, user_id, plan);
  const columns = conditions.map(({ code, holds }) => sql`(${holds}) AS ${sql.ref(code)}`);
  const { rows } = await sql<Record<string, number>>`SELECT ${sql.join(columns)}`.execute(context.database);
  const failed = conditions.find(({ code }) => rows[0]?.[code] !== 1);
  if (failed) throw new Problem(failed.code);
}

async function openSession(
  context: RequestContext,
  { joining_id, user_id, membership_id }: { joining_id: string; user_id: string; membership_id: string },
): Promise<Stripe.Checkout.Session> {
  const { gateway } = context;
  const customer = await ensureCustomer(context, user_id);
  const price = await ensurePrice(context, membership_id);
  const back = gateway.addressOf(`/my/subscriptions/joining/${joining_id}`);
  return gateway.call((stripe) =>
    stripe.checkout.sessions.create(
      {
        mode: "subscription",
        locale: "ja",
        customer,
        client_reference_id: joining_id,
        line_items: [{ price, quantity: 1 }],
        subscription_data: { metadata: { joining_id } },
        success_url: back,
        cancel_url: back,
      },
      { idempotencyKey: `joining:${joining_id}` },
    ),
  );
}

/**
 * Returns the gateway's price of a plan. Makes it, and the product that it belongs to, when there is none. Gives the product
 * the plan's name of today, so that the gateway's page shows the name that the fan has just read.
 */
async function ensurePrice({ database, gateway, request_id }: RequestContext, membership_id: string): Promise<string> {
  const { title, amount, price_id, product_id, product_name } = await database
    .selectFrom("memberships")
    .leftJoin("plan_prices", "plan_prices.membership_id", "memberships.membership_id")
    .select(["title", "amount", "price_id", "product_id", "product_name"])
    .where("memberships.membership_id", "=", membership_id)
    .executeTakeFirstOrThrow();
  if (price_id !== null && product_id !== null) {
    if (product_name === title) return price_id;
    const once = { idempotencyKey: `product:${product_id}:${request_id}` };
    await gateway.call((stripe) => stripe.products.update(product_id, { name: title }, once));
    await database
      .updateTable("plan_prices")
      .set({ product_name: title })
      .where("membership_id", "=", membership_id)
      .execute();
    return price_id;
  }
  // The name is part of the key: the gateway refuses a key that comes again with another name.
  const once = { idempotencyKey: `price:${membership_id}:${(await sha256Hex(title)).slice(0, 16)}` };
  const price = await gateway.call((stripe) =>
    stripe.prices.create(
      {
        currency: "jpy",
        unit_amount: amount,
        recurring: { interval: "month" },
        tax_behavior: "inclusive",
        product_data: { name: title, metadata: { membership_id } },
      },
      once,
    ),
  );
  const made = typeof price.product === "string" ? price.product : price.product.id;
  await database
    .insertInto("plan_prices")
    .values({ membership_id, price_id: price.id, product_id: made, product_name: title })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return price.id;
}

/** Commits what the gateway said. Nothing is lost when another change came between: the clock asks again. */
async function commitSync(context: RequestContext, change: Change): Promise<void> {
  const { d1, database, now_ms } = context;
  if (change.statements.length === 0) return;
  try {
    context.announce(await commit({ d1, database, now_ms, idempotency: null }, change));
  } catch (error) {
    if (!isOvertaken(error)) throw error;
  }
}

/** Whether another request or the clock wrote the same news first. */
export function isOvertaken(error: unknown): boolean {
  if (error instanceof Problem) return error.code === "unavailable" || /^transfer_already_/.test(error.code);
  return error instanceof Error && /UNIQUE constraint failed: (subscriptions|invoices|payments)\./.test(error.message);
}

/** Returns one of the caller's attempts to join. While it is open, asks the gateway first. */
export async function readJoining(context: RequestContext, joining_id: string): Promise<Joining> {
  const joining = await findJoining(context, joining_id);
  if (joining.status !== "open") return joining;
  const open = await context.database
    .selectFrom("joinings")
    .select(["joining_id", "session_id", "created_at"])
    .where("joining_id", "=", joining_id)
    .executeTakeFirstOrThrow();
  try {
    await commitSync(context, (await syncJoining(context, open)).change);
  } catch (error) {
    // The page says that the payment is being checked. The clock asks again.
    if (!(error instanceof Problem && error.code === "gateway_unreachable")) throw error;
  }
  return findJoining(context, joining_id);
}

interface LiveRow {
  subscription_id: string;
  membership_id: string;
  status: "active" | "canceled" | "past_due";
  paid_until: string;
  gateway_id: string | null;
}

async function findLive({ database }: RequestContext, user_id: string, subscription_id: string): Promise<LiveRow> {
  const row = await database
    .selectFrom("subscriptions")
    .select(["subscription_id", "membership_id", "status", "paid_until", "gateway_id"])
    .where("subscription_id", "=", subscription_id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  if (row.status === "canceled") throw new Problem("subscription_transition_refused");
  return row;
}

/** Brings a subscription to the gateway's present state, then answers with it. */
async function answerSynced(context: RequestContext, gateway_id: string, subscription_id: string) {
  await commitSync(context, await syncSubscription(context, gateway_id));
  const subscription = await findSubscription(context, memberId(context), subscription_id);
  return (await commitAnswer(context, { statements: [] }, { subscription })).subscription;
}

/**
 * Ends one of the caller's subscriptions with its paid period, or continues it after all. One that is past due ends at
 * once: nothing is paid, and nothing more shall be charged. So does one without a gateway's subscription (of the demo).
 *
 * @throws `not_found`, `subscription_transition_refused` (it has ended), and to continue `membership_not_open`, `blocked`.
 */
export async function setEnding(
  context: RequestContext,
  subscription_id: string,
  is_ending: boolean,
): Promise<Subscription> {
  const user_id = memberId(context);
  const row = await findLive(context, user_id, subscription_id);
  const { gateway_id } = row;
  if (gateway_id === null) return endUnbilled(context, row, is_ending);
  if (!is_ending) {
    const plan = await findMembership(context, row.membership_id);
    const [open, unblocked] = requireJoinable(context, user_id, plan);
    await commitChecks(context, open, unblocked);
  }
  const once = keyOf(context, subscription_id);
  const is_unpaid = row.status === "past_due";
  await context.gateway.call((stripe) =>
    is_ending && is_unpaid
      ? stripe.subscriptions.cancel(gateway_id, {}, { idempotencyKey: `${once}:cancel` })
      : stripe.subscriptions.update(gateway_id, { cancel_at_period_end: is_ending }, { idempotencyKey: once }),
  );
  return answerSynced(context, gateway_id, subscription_id);
}

/** Checks conditions now. What they guard happens at the gateway, so no batch of ours can hold them. */
async function commitChecks(context: RequestContext, ...preconditions: (Precondition | undefined)[]): Promise<void> {
  const { d1, database, now_ms } = context;
  const checks = preconditions.filter((each) => each !== undefined);
  await commit({ d1, database, now_ms, idempotency: null }, { preconditions: checks, statements: [] });
}

/** Returns a key for the gateway that names this request: the caller's own key, or a new one. */
const keyOf = ({ idempotency, request_id }: RequestContext, subscription_id: string) =>
  `subscription:${subscription_id}:${idempotency?.key ?? request_id}`;

async function endUnbilled(context: RequestContext, row: LiveRow, is_ending: boolean): Promise<Subscription> {
  if (!is_ending) throw new Problem("subscription_transition_refused");
  const { database } = context;
  const { subscription_id } = row;
  const subscription = await findSubscription(context, memberId(context), subscription_id);
  const statement = database
    .updateTable("subscriptions")
    .set({ status: "canceled" })
    .where("subscription_id", "=", subscription_id)
    .compile();
  const answer = { subscription: { ...subscription, status: "canceled" as const } };
  return (await commitAnswer(context, { statements: [statement] }, answer)).subscription;
}

/**
 * Says what joining a plan costs: a month now, and the same each month after. Throws as {@link createSubscription}, also
 * where the site takes no payments.
 */
export async function previewJoining(context: RequestContext, membership_id: string): Promise<Preview> {
  const { now_ms } = context;
  const plan = await findMembership(context, membership_id);
  await checkJoinable(context, memberId(context), plan);
  // Makes no call: it throws where there is no gateway.
  await context.gateway.call(async () => {});
  const now = isoTime(now_ms);
  const next_charge_at = isoTime(anniversaryOf(now_ms, 1));
  return { amount_now: plan.amount, next_amount: plan.amount, next_charge_at, begins_at: now, priced_at: now };
}

/** What joining a plan, or changing to it, costs now and next. */
export interface Preview {
  amount_now: number;
  next_amount: number;
  next_charge_at: string;
  begins_at: string;
  priced_at: string;
}

/** A live subscription that may change to another plan of the same creator. */
async function findChange(context: RequestContext, subscription_id: string, membership_id: string) {
  const user_id = memberId(context);
  const row = await findLive(context, user_id, subscription_id);
  const [from, to] = await Promise.all([
    findMembership(context, row.membership_id),
    findMembership(context, membership_id),
  ]);
  const { gateway_id } = row;
  const { is_ending } = await findSubscription(context, user_id, subscription_id);
  if (gateway_id === null || row.status !== "active" || is_ending || from.user_id !== to.user_id) {
    throw new Problem("subscription_transition_refused");
  }
  return { user_id, row, from, to, gateway_id };
}

/** A dearer plan begins at once. A cheaper one begins with the next period, so that nobody holds a credit with us. */
const isUpgrade = (from: { amount: number }, to: { amount: number }) => to.amount > from.amount;

/** Returns the gateway's item and the change of its price that both a preview and the change itself ask for. */
async function readItem(context: RequestContext, gateway_id: string, membership_id: string) {
  const { gateway } = context;
  const [subscription, price] = await Promise.all([
    gateway.call((stripe) => stripe.subscriptions.retrieve(gateway_id)),
    ensurePrice(context, membership_id),
  ]);
  const item = itemOf(subscription);
  return { items: [{ id: item.id, price }], period: item };
}

/** Says what a change to another plan of the same creator would cost: the difference to the yen, and what follows. */
export async function previewChange(
  context: RequestContext,
  subscription_id: string,
  membership_id: string,
): Promise<Preview> {
  const { gateway } = context;
  const { user_id, row, from, to, gateway_id } = await findChange(context, subscription_id, membership_id);
  const is_back = from.membership_id === membership_id;
  if (!is_back) await checkJoinable(context, user_id, to);
  const { items, period } = await readItem(context, gateway_id, membership_id);
  const next_charge_at = isoTime(period.current_period_end * 1000);
  if (!isUpgrade(from, to)) {
    const later = { amount_now: 0, next_amount: to.amount, next_charge_at, priced_at: isoTime(context.now_ms) };
    return { ...later, begins_at: is_back ? later.priced_at : row.paid_until };
  }
  const invoice = await gateway.call((stripe) =>
    stripe.invoices.createPreview({
      subscription: gateway_id,
      subscription_details: { items, proration_behavior: "always_invoice" },
    }),
  );
  const priced_s = invoice.lines.data.at(-1)?.period.start ?? invoice.created;
  const priced_at = isoTime(priced_s * 1000);
  return { amount_now: invoice.amount_due, next_amount: to.amount, next_charge_at, begins_at: priced_at, priced_at };
}

/**
 * Changes one of the caller's subscriptions to another plan of the same creator. Charges the difference that the preview
 * showed, or nothing.
 *
 * @throws `not_found`, `membership_not_open`, `already_joined`, `blocked`, `subscription_transition_refused`,
 * `subscription_price_moved`, `card_declined`, `too_many_requests`, `idempotency_key_reused`.
 */
export async function changePlan(
  context: RequestContext,
  subscription_id: string,
  wanted: { membership_id: string; priced_at: string; amount_now: number },
): Promise<Subscription> {
  const { gateway } = context;
  const { membership_id } = wanted;
  const { user_id, from, to, gateway_id } = await findChange(context, subscription_id, membership_id);
  const is_back = from.membership_id === membership_id;
  const is_charged = isUpgrade(from, to);
  if (!is_charged && wanted.amount_now > 0) throw new Problem("subscription_price_moved");
  await endOpenJoining(context, user_id, membership_id);
  const { items } = await readItem(context, gateway_id, membership_id);
  const proration_date = Math.floor(Date.parse(wanted.priced_at) / 1000);
  if (is_charged) await requirePrice(gateway, gateway_id, { items, proration_date }, wanted.amount_now);
  const change: Change = { preconditions: is_back ? [] : requireJoinable(context, user_id, to), statements: [] };
  await commit(
    { ...context, idempotency: null },
    is_charged ? withBounds(change, countPayment(context, user_id)) : change,
  );
  try {
    await gateway.call((stripe) =>
      stripe.subscriptions.update(
        gateway_id,
        is_charged
          ? { items, proration_date, proration_behavior: "always_invoice", payment_behavior: "error_if_incomplete" }
          : { items, proration_behavior: "none" },
        { idempotencyKey: keyOf(context, subscription_id) },
      ),
    );
  } catch (error) {
    if (error instanceof Stripe.errors.StripeIdempotencyError) throw new Problem("idempotency_key_reused");
    if (error instanceof Stripe.errors.StripeCardError) throw new Problem("card_declined", { cause: error });
    throw error;
  }
  return answerSynced(context, gateway_id, subscription_id);
}

/** Throws `subscription_price_moved` unless the change costs what the person has read. */
async function requirePrice(
  gateway: Gateway,
  subscription: string,
  { items, proration_date }: { items: { id: string; price: string }[]; proration_date: number },
  amount_now: number,
): Promise<void> {
  try {
    const { amount_due } = await gateway.call((stripe) =>
      stripe.invoices.createPreview({
        subscription,
        subscription_details: { items, proration_date, proration_behavior: "always_invoice" },
      }),
    );
    if (amount_due === amount_now) return;
  } catch (error) {
    // The subscription was renewed since the page was opened.
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
  }
  throw new Problem("subscription_price_moved");
}

/** Ends an open checkout for a plan, so that it cannot be paid any more. */
async function endOpenJoining(context: RequestContext, user_id: string, membership_id: string): Promise<void> {
  const open = await selectOpenJoining(context, user_id, membership_id);
  if (!open) return;
  const { session_id, joining_id } = open;
  const once = { idempotencyKey: `joining-expire:${joining_id}` };
  if (session_id !== null) {
    try {
      await context.gateway.call((stripe) => stripe.checkout.sessions.expire(session_id, {}, once));
    } catch (error) {
      // It has ended already: asking says how.
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    }
  }
  await commitSync(context, (await syncJoining(context, open)).change);
}
