import type { CompiledQuery } from "kysely";
import Stripe from "stripe";
import { SESSION_MINUTES } from "../../contract/limits.ts";
import type { Joining } from "../../contract/memberships.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import { findMembership } from "../memberships/queries.ts";
import { countPayment, ensureCustomer } from "../payments/commands.ts";
import { isAttemptOver, type TermsOf, TRANSACTIONS_PATH, withCommonTerms } from "../payments/rules.ts";
import { type Change, commit } from "../storage/commit.ts";
import { requireEnabled } from "../storage/disabled.ts";
import { countAct, type Limit, withBounds } from "../storage/limits.ts";
import { commitSync } from "./apply-sync.ts";
import { ensurePrice } from "./prices.ts";
import { checkJoinable, findJoining, requireJoinable, selectOpenJoining } from "./queries.ts";
import { anniversaryOf, nextAskOf } from "./rules.ts";
import { syncJoining } from "./sync.ts";

/**
 * How often a day one person may begin to join one plan with a limit of members. Each attempt holds a place for
 * {@link SESSION_MINUTES}, also when it is never paid.
 */
export const PLACE_LIMIT: Limit = { act: "place", times: 3, window_ms: 24 * 60 * 60 * 1000 };

/**
 * Begins to join a plan. Writes our own row first, then makes the gateway's checkout session, with a key made of the row's
 * id: a request that is repeated after a crash or an outage continues with the same row and the same session. A person who
 * already has an open session for the plan gets that one, so that nobody pays for a plan twice.
 *
 * @throws `membership_not_open`, `membership_full`, `cannot_join_own_plan`, `already_joined`, `blocked`, `too_many_requests`,
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
    .select(["status", "session_id", "membership_id", "created_at", "subscription_id"])
    .where("joining_id", "=", joining_id)
    .executeTakeFirstOrThrow();
  const statements: CompiledQuery[] = [];
  let checkout_url: string | null = null;
  const has_no_session = row.status === "open" && row.session_id === null;
  if (has_no_session && isAttemptOver(row.created_at, context.now_ms)) {
    // The request comes again after an outage, before the clock has ended the attempt.
    await commitSync(context, (await syncJoining(context, { joining_id, ...row })).change);
  } else if (has_no_session) {
    const session = await openSession(context, { joining_id, user_id, ...row });
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

/**
 * Finds the person's open attempt for a plan, after asking the gateway whether it still is. Ends it when the person may not
 * join any more. Throws `already_joined`, and as {@link checkJoinable}.
 */
async function findOpen(context: RequestContext, user_id: string, membership_id: string): Promise<string | undefined> {
  const open = await selectOpenJoining(context, user_id, membership_id);
  if (!open) return;
  // A change of plan is under way on another page.
  if (open.subscription_id) throw new Problem("already_joined");
  try {
    await checkJoinable(context, user_id, await findMembership(context, membership_id));
  } catch (error) {
    await endOpenJoining(context, user_id, membership_id);
    throw error;
  }
  const { change, is_open } = await syncJoining(context, open);
  await commitSync(context, change);
  return is_open ? open.joining_id : undefined;
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
    amount: plan.amount,
  };
  const change: Change = {
    preconditions: [...requireEnabled(user_id), ...requireJoinable(context, user_id, plan, plan.amount)],
    statements: [database.insertInto("joinings").values(row).compile()],
  };
  const bounds = [countPayment(context, user_id)];
  if (plan.members_limit !== null) bounds.push(countAct(context, PLACE_LIMIT, `${user_id} ${membership_id}`));
  try {
    await commit({ d1, database, now_ms, idempotency: null }, withBounds(change, ...bounds));
    return joining_id;
  } catch (error) {
    // A parallel request was first: continue with its row. With the same key, it may be why this one was refused.
    const begun = await findBegun(context);
    if (begun !== undefined) return begun;
    if (!(error instanceof Error && error.message.includes("UNIQUE constraint failed: joinings."))) throw error;
    const open = await selectOpenJoining(context, user_id, membership_id);
    if (!open) throw new Problem("unavailable", { cause: error });
    return open.joining_id;
  }
}

/** Returns the conditions of joining a plan, for the gateway's page. See {@link withCommonTerms}. */
const termsOfJoining = (terms: TermsOf): string =>
  withCommonTerms(terms, [
    "【料金】このお支払いが1回目です。以後は1か月ごとに自動で更新し、解約されるまで、毎月同じ金額をお支払いいただきます。回数の定めはありません。金額は消費税込みです。お支払いは毎月同じ日ごろ（その日がない月は、月末または翌月1日）で、次回の日時は「加入中のプラン」に表示します。",
    "【解約】「加入中のプラン」から、次回のお支払いの日時（「読める期間」の終わり）の前なら、いつでも解約できます。解約しても、お支払い済みの期間の終わりまで読めます。日割りの返金はありません。",
    "【読めるようになる時期】お支払いの完了後、すぐに読めます。",
    "【キャンセルと返金】デジタルコンテンツのため、お支払い後のキャンセルと返金はできません。加入できなかったときは、全額をお返しします。",
  ]);

async function openSession(
  context: RequestContext,
  order: { joining_id: string; user_id: string; membership_id: string; created_at: string },
): Promise<Stripe.Checkout.Session> {
  const { gateway } = context;
  const { joining_id, user_id, membership_id, created_at } = order;
  const customer = await ensureCustomer(context, user_id);
  const price = await ensurePrice(context, membership_id);
  const back = gateway.addressOf(`/my/subscriptions/joining/${joining_id}`);
  const message = termsOfJoining({ created_at, transactions_url: gateway.addressOf(TRANSACTIONS_PATH) });
  return gateway.call((stripe) =>
    stripe.checkout.sessions.create(
      {
        mode: "subscription",
        locale: "ja",
        customer,
        client_reference_id: joining_id,
        line_items: [{ price, quantity: 1 }],
        subscription_data: { metadata: { joining_id } },
        custom_text: { submit: { message } },
        expires_at: Math.floor(Date.parse(created_at) / 1000) + SESSION_MINUTES * 60,
        success_url: back,
        cancel_url: back,
      },
      { idempotencyKey: `joining:${joining_id}` },
    ),
  );
}

/** Returns one of the caller's attempts to join. While it is open, asks the gateway first. */
export async function readJoining(context: RequestContext, joining_id: string): Promise<Joining> {
  const joining = await findJoining(context, joining_id);
  if (joining.status !== "open") return joining;
  const open = await context.database
    .selectFrom("joinings")
    .select(["joining_id", "session_id", "created_at", "subscription_id"])
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

/**
 * Says what joining a plan costs: a month now, and the same each month after. Throws as {@link createSubscription}, also
 * where the site takes no payments.
 */
export async function previewJoining(context: RequestContext, membership_id: string): Promise<Preview> {
  const { now_ms } = context;
  const user_id = memberId(context);
  const plan = await findMembership(context, membership_id);
  await checkJoinable(context, user_id, plan, plan.amount);
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

/**
 * Ends one of the caller's attempts to join that was not paid; idempotent. Throws `not_found`, `payment_not_cancelable` when
 * it was paid; and as {@link Gateway.call}.
 */
export async function cancelJoining(context: RequestContext, joining_id: string): Promise<null> {
  const { status } = await findJoining(context, joining_id);
  if (status === "open") {
    const { user_id, membership_id, session_id, created_at } = await context.database
      .selectFrom("joinings")
      .select(["user_id", "membership_id", "session_id", "created_at"])
      .where("joining_id", "=", joining_id)
      .executeTakeFirstOrThrow();
    // A request that the gateway still works on would make the session later.
    if (session_id === null && !isAttemptOver(created_at, context.now_ms)) {
      const { id } = await openSession(context, { joining_id, user_id, membership_id, created_at });
      await context.database
        .updateTable("joinings")
        .set({ session_id: id })
        .where("joining_id", "=", joining_id)
        .execute();
    }
    await endOpenJoining(context, user_id, membership_id);
  }
  const ended = await findJoining(context, joining_id);
  if (ended.status !== "expired") throw new Problem("payment_not_cancelable");
  return null;
}

/** Ends an open checkout for a plan, so that it cannot be paid any more. */
export async function endOpenJoining(context: RequestContext, user_id: string, membership_id: string): Promise<void> {
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
