import { type RawBuilder, sql } from "kysely";
import type { JoinedPlan, Membership, OwnMembership, Subscription, subscriber } from "../../contract/memberships.ts";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { isNotBlocked } from "../blocks/queries.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { memberId, type RequestContext, viewerId } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { isMember } from "../storage/members.ts";
import { imageJson, openImage } from "../uploads/queries.ts";
import { readUser, userJson } from "../users/queries.ts";

/** How many plans the list of all creators' plans has. */
const NEWEST_PLANS = 25;

/** The moment a statement counts members at. */
type Moment = Pick<RequestContext, "now_ms">;

/**
 * SQL for how many people hold a place in a plan: those who read it or are billed for it, those who change to it, and those
 * with an open checkout. `plan` is the SQL of the plan's id; `except` does not count.
 */
export function countPlaces(plan: RawBuilder<unknown>, { now_ms }: Moment, except = ""): RawBuilder<number> {
  return sql<number>`(SELECT COUNT(DISTINCT user_id) FROM (
    SELECT user_id FROM subscriptions WHERE subscriptions.membership_id = ${plan}
      AND (paid_until > ${isoTime(now_ms)} OR (status <> 'canceled' AND gateway_id IS NOT NULL))
    UNION ALL SELECT user_id FROM subscriptions WHERE next_membership_id = ${plan} AND status <> 'canceled'
    UNION ALL SELECT user_id FROM joinings WHERE joinings.membership_id = ${plan} AND status = 'open')
    WHERE user_id <> ${except})`;
}

/** Returns how many people hold a place in a plan; see {@link countPlaces}. */
export async function readPlaces(context: RequestContext, membership_id: string): Promise<number> {
  const { rows } = await sql<{
    places: number;
  }>`SELECT ${countPlaces(sql`${membership_id}`, context)} AS places`.execute(context.database);
  return rows[0]?.places ?? 0;
}

/** SQL for a plan as JSON. {@link readMembership} reads the JSON. `plan` is the table's name in the statement. */
export function membershipJson(plan: string, moment: Moment): RawBuilder<string> {
  const column = (name: string) => sql.ref(`${plan}.${name}`);
  return sql<string>`json_object('membership_id', ${column("membership_id")}, 'user_id', ${column("user_id")},
    'title', ${column("title")}, 'description', ${column("description")}, 'amount', ${column("amount")},
    'currency', 'jpy', 'active_state', ${column("active_state")}, 'image', json(${imageJson(`${plan}.image_id`)}),
    'members_limit', ${column("members_limit")}, 'is_full', iif(${column("members_limit")} IS NULL, 0,
      ${countPlaces(column("membership_id"), moment)} >= ${column("members_limit")}))`;
}

/** Reads a plan from the JSON of {@link membershipJson}. */
export function readMembership(json: string): Membership {
  const { image, is_full, ...plan } = JSON.parse(json);
  return { ...plan, image: openImage(image), is_full: is_full === 1 };
}

/**
 * Returns a list that belongs to a plan. Throws `not_found` as {@link findMembership} does, but gives the creator the list
 * of a draft.
 */
export async function listForMembership<List>(
  context: RequestContext,
  membership_id: string,
  list: Promise<List>,
): Promise<List> {
  const membership = context.database
    .selectFrom("memberships")
    .innerJoin("users", "users.user_id", "memberships.user_id")
    .select("membership_id")
    .where("membership_id", "=", membership_id)
    .where((where) =>
      where.or([where("published_at", "is not", null), where("memberships.user_id", "=", viewerId(context))]),
    )
    .where("users.left_at", "is", null)
    .where("users.disabled_at", "is", null)
    .executeTakeFirst();
  const [found, answer] = await Promise.all([membership, list]);
  if (!found) throw new Problem("not_found");
  return answer;
}

/** Lists the plans of a person that can be joined now, in the order that the person chose. */
export async function listUserMemberships(context: RequestContext, user_id: string): Promise<Membership[]> {
  const rows = await context.database
    .selectFrom("memberships")
    .select(membershipJson("memberships", context).as("plan"))
    .where("user_id", "=", user_id)
    .where(isUserEnabled("memberships.user_id"))
    .where("active_state", "=", sql.lit("active"))
    .orderBy("position")
    .orderBy("membership_id")
    .execute();
  return rows.map(({ plan }) => readMembership(plan));
}

/** Lists the plans of all creators that can be joined now, those first that were opened last. */
export async function listNewestMemberships(context: RequestContext): Promise<Membership[]> {
  const rows = await context.database
    .selectFrom("memberships")
    .select(membershipJson("memberships", context).as("plan"))
    .where("active_state", "=", sql.lit("active"))
    .where(isUserEnabled("memberships.user_id"))
    .orderBy("published_at", "desc")
    .orderBy("membership_id", "desc")
    .limit(NEWEST_PLANS)
    .execute();
  return rows.map(({ plan }) => readMembership(plan));
}

/**
 * Returns a plan that can be joined, or could once. Throws `not_found` for drafts, and when its creator has left or is
 * disabled.
 */
export async function findMembership(context: RequestContext, membership_id: string): Promise<Membership> {
  const row = await context.database
    .selectFrom("memberships")
    .innerJoin("users", "users.user_id", "memberships.user_id")
    .select(membershipJson("memberships", context).as("plan"))
    .where("membership_id", "=", membership_id)
    .where("published_at", "is not", null)
    .where("users.left_at", "is", null)
    .where("users.disabled_at", "is", null)
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  return readMembership(row.plan);
}

/** SQL: whether nobody has ever joined a plan, and no post, newsletter or radio is for its members. `plan` is the SQL of its id. */
export const isUnused = (plan: RawBuilder<unknown>): RawBuilder<0 | 1> =>
  sql<0 | 1>`(NOT EXISTS (SELECT 1 FROM subscriptions WHERE subscriptions.membership_id = ${plan})
    AND NOT EXISTS (SELECT 1 FROM joinings WHERE joinings.membership_id = ${plan})
    AND NOT EXISTS (SELECT 1 FROM events WHERE publish_target_membership_id = ${plan})
    AND NOT EXISTS (SELECT 1 FROM newsletters WHERE newsletters.membership_id = ${plan})
    AND NOT EXISTS (SELECT 1 FROM radios WHERE radios.publish_target_membership_id = ${plan}))`;

/** Lists a creator's own plans in every state, in the order that the creator chose. */
export async function listOwnMemberships(context: RequestContext, user_id: string): Promise<OwnMembership[]> {
  const rows = await context.database
    .selectFrom("memberships")
    .select(["published_at", membershipJson("memberships", context).as("plan")])
    .select(
      sql<number>`(SELECT COUNT(DISTINCT subscriptions.user_id) FROM subscriptions WHERE subscriptions.membership_id = memberships.membership_id
        AND ${isMember(context.now_ms)} AND ${isUserEnabled("subscriptions.user_id")})`.as("members_count"),
    )
    .select(isUnused(sql.ref("memberships.membership_id")).as("is_unused"))
    .where("user_id", "=", user_id)
    .orderBy("position")
    .orderBy("membership_id")
    .execute();
  return rows.map(({ plan, is_unused, ...row }) => ({
    ...readMembership(plan),
    ...row,
    is_deletable: is_unused === 1,
  }));
}

/** SQL for when a subscription began to be one to its plan: after the last period of another plan, or when it was joined. */
const memberSince = sql<string>`coalesce((SELECT MIN(period_start) FROM invoices
    WHERE invoices.subscription_id = subscriptions.subscription_id AND period_start > (SELECT MAX(other.period_start)
      FROM invoices AS other WHERE other.subscription_id = subscriptions.subscription_id
        AND other.membership_id <> subscriptions.membership_id)), subscriptions.created_at)`;

/** Lists those who have joined one of the caller's plans, latest first. Throws `not_found` for other people's plans. */
export async function listSubscribers(context: RequestContext, membership_id: string, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const [own, fetched] = await Promise.all([
    context.database
      .selectFrom("memberships")
      .select("membership_id")
      .where("membership_id", "=", membership_id)
      .where("user_id", "=", memberId(context))
      .executeTakeFirst(),
    context.database
      .selectFrom("subscriptions")
      .select(["subscription_id", "status", "paid_until", "created_at", "is_ending", "must_end"])
      .select(memberSince.as("member_since"))
      .select(userJson("subscriptions.user_id").as("person"))
      .where("membership_id", "=", membership_id)
      .where(isUserEnabled("subscriptions.user_id"))
      .orderBy("created_at", "desc")
      .orderBy("subscription_id", "desc")
      .limit(limit)
      .offset(offset)
      .execute(),
  ]);
  if (!own) throw new Problem("not_found");
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  const subscriptions = rows.map(({ person, is_ending, must_end, ...row }) => ({
    ...row,
    is_ending: isEnding({ status: row.status, is_ending, must_end }),
    user: readUser(person),
  }));
  return { subscriptions: subscriptions satisfies (typeof subscriber)["_output"][], ...closing };
}

/** A person who has joined a plan, as an archive of its creator lists them. */
export interface ArchivedMember {
  subscription_id: string;
  name: string;
  link_id: string;
  status: "active" | "canceled" | "past_due";
  paid_until: string;
  created_at: string;
  member_since: string;
}

/** Lists some of the people who have joined a plan, after the given one. Begins with the latest. */
export async function listArchivedMembers(
  database: Database,
  membership_id: string,
  { after, limit }: { after: ArchivedMember | null; limit: number },
): Promise<ArchivedMember[]> {
  const { rows } = await sql<ArchivedMember>`SELECT subscription_id, name, link_id, status, paid_until,
      subscriptions.created_at, ${memberSince} AS member_since
    FROM subscriptions CROSS JOIN users ON users.user_id = subscriptions.user_id
    WHERE membership_id = ${membership_id} AND ${isUserEnabled("subscriptions.user_id")}
      AND ${after ? sql`(subscriptions.created_at, subscription_id) < (${after.created_at}, ${after.subscription_id})` : sql`TRUE`}
    ORDER BY subscriptions.created_at DESC, subscription_id DESC LIMIT ${limit}`.execute(database);
  return rows;
}

/** Selects the plans that a person has joined, with the plans and their creators. */
const subscriptionQuery = (context: RequestContext, user_id: string) =>
  context.database
    .selectFrom("subscriptions")
    .innerJoin("memberships", "memberships.membership_id", "subscriptions.membership_id")
    .leftJoin("memberships as next", "next.membership_id", "subscriptions.next_membership_id")
    .select(["subscription_id", "subscriptions.status", "paid_until", "subscriptions.created_at"])
    .select(["gateway_id", "is_ending", "must_end", "retry_at"])
    .select(membershipJson("memberships", context).as("plan"))
    .select(sql<string | null>`iif(next.membership_id IS NULL, NULL, ${membershipJson("next", context)})`.as("next"))
    .select(userJson("memberships.user_id").as("creator"))
    .select(
      sql<number>`'active' IN (memberships.active_state, coalesce(next.active_state, ''))
        AND ${isNotBlocked(user_id, sql.ref("memberships.user_id"))} AND ${isUserEnabled("memberships.user_id")}`.as(
        "may_continue",
      ),
    )
    .select(sql<number>`NOT ${isUserEnabled("memberships.user_id")}`.as("is_creator_disabled"))
    .where("subscriptions.user_id", "=", user_id);
type SubscriptionRow = Awaited<ReturnType<ReturnType<typeof subscriptionQuery>["executeTakeFirstOrThrow"]>>;

/** Whether a subscription ends with its paid period. The clock has yet to tell the gateway of one that must end. */
const isEnding = ({ status, is_ending, must_end }: Pick<SubscriptionRow, "status" | "is_ending" | "must_end">) =>
  status !== "canceled" && (is_ending === 1 || must_end === 1);

function presentSubscription(row: SubscriptionRow): Subscription {
  const { subscription_id, status, paid_until, created_at, retry_at, gateway_id, plan, next, creator } = row;
  const membership = readMembership(plan);
  const is_ending = isEnding(row);
  const may_continue = row.may_continue === 1;
  // The plan of a disabled creator is not ending: it renews if the creator is back by then, and can be left before.
  const renews = gateway_id !== null && status === "active" && !is_ending && may_continue;
  const scheduled = next === null ? null : readMembership(next);
  // The clock takes back a change to a plan that has closed.
  const next_membership = scheduled?.active_state === "active" ? scheduled : membership;
  return {
    subscription_id,
    membership,
    creator: readUser(creator),
    status,
    paid_until,
    created_at,
    is_ending,
    may_continue,
    is_creator_disabled: row.is_creator_disabled === 1,
    next_charge: renews
      ? { charged_at: paid_until, amount: next_membership.amount, membership: next_membership }
      : null,
    retry_at: status === "past_due" ? retry_at : null,
    is_billed: gateway_id !== null,
  };
}

/** Lists the plans that a person has joined, latest first; also those that have ended, unless a `state` is asked for. */
export async function listSubscriptions(
  context: RequestContext,
  user_id: string,
  { state, ...page }: Page & { state?: "running" | "unpaid" },
) {
  const { limit, offset, page_size } = rowsOf(page, false);
  let query = subscriptionQuery(context, user_id);
  if (state === "running") {
    query = query.where(({ or, eb }) =>
      or([eb("subscriptions.status", "<>", "canceled"), eb("paid_until", ">", isoTime(context.now_ms))]),
    );
  }
  if (state === "unpaid") {
    query = query.where("subscriptions.status", "=", "past_due").where("gateway_id", "is not", null);
  }
  const fetched = await query
    .orderBy("subscriptions.created_at", "desc")
    .orderBy("subscription_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { subscriptions: rows.map(presentSubscription), ...closing };
}

/** Lists the plans of a creator that a person has joined and that have not ended. */
export async function listJoinedPlans(
  context: RequestContext,
  user_id: string,
  creator: RawBuilder<string>,
): Promise<JoinedPlan[]> {
  const rows = await subscriptionQuery(context, user_id)
    .where("subscriptions.status", "<>", sql.lit("canceled"))
    .where("memberships.user_id", "=", creator)
    .orderBy("memberships.position")
    .execute();
  return rows.map((row) => {
    const { membership, subscription_id, paid_until, ...shown } = presentSubscription(row);
    const { status, is_ending, may_continue, is_billed } = shown;
    const { membership_id, title, active_state } = membership;
    const plan = { membership_id, title, active_state, subscription_id, paid_until };
    return { ...plan, status, is_ending, may_continue, is_billed };
  });
}

/** Returns one of the plans that a person has joined. Throws `not_found` for other people's. */
export async function findSubscription(
  context: RequestContext,
  user_id: string,
  subscription_id: string,
): Promise<Subscription> {
  const row = await subscriptionQuery(context, user_id)
    .where("subscription_id", "=", subscription_id)
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  return presentSubscription(row);
}
