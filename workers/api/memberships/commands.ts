import { sql } from "kysely";
import { PLANS_OF_A_CREATOR } from "../../contract/bounds.ts";
import { errorCatalogue } from "../../contract/errors.ts";
import type { Image } from "../../contract/fields.ts";
import type {
  createMembership as create,
  OwnMembership,
  updateMembership as update,
} from "../../contract/memberships.ts";
import type { CheckedInputOf } from "../../contract/operation.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { moveItem } from "../../kernel/order.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Change, Precondition } from "../storage/commit.ts";
import type { Limit } from "../storage/limits.ts";
import { findOwnPictures } from "../uploads/queries.ts";
import { requireCreator } from "../users/commands.ts";
import { isUnused, listOwnMemberships, readPlaces } from "./queries.ts";

/**
 * How often a plan opens again. Each time its members get a mail that they cannot turn off. A closing has no limit of its
 * own, so that nobody is stuck with an open plan.
 */
export const REOPENING_LIMIT: Limit = { act: "plan_reopening", times: 3, window_ms: 24 * 60 * 60 * 1000 };

/**
 * Creates a plan after the caller's other plans: a draft, or a plan that can be joined at once. Throws
 * `creator_required`, `membership_limit_reached`.
 */
export async function createMembership(
  context: RequestContext,
  { active_state, ...written }: CheckedInputOf<typeof create>["body"],
): Promise<OwnMembership> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const membership_id = newId(now_ms);
  const created_at = isoTime(now_ms);
  const published_at = active_state === "active" ? created_at : null;
  const row = { membership_id, user_id, ...written, active_state, published_at };
  const change: Change = {
    preconditions: [
      requireCreator(user_id),
      {
        code: "membership_limit_reached",
        holds: sql`SELECT COUNT(*) < ${PLANS_OF_A_CREATOR} FROM memberships WHERE user_id = ${user_id}`,
      },
    ],
    statements: [
      database
        .insertInto("memberships")
        .values({
          ...row,
          created_at,
          position: sql<number>`(SELECT COALESCE(MAX(position), -1) + 1 FROM memberships WHERE user_id = ${user_id})`,
        })
        .compile(),
    ],
  };
  const membership: OwnMembership = {
    ...row,
    currency: "jpy",
    image: null,
    is_full: false,
    members_count: 0,
    is_deletable: true,
  };
  return (await commitAnswer(context, change, { membership })).membership;
}

/**
 * Changes a plan, opens or closes it, or moves it among the caller's plans. Closing, and opening again, tells its members. Throws
 * `not_found`, `creator_required` (to open a plan), `membership_price_fixed`, `image_not_usable`, `too_many_requests` (to open a
 * plan again). A smaller limit of members than there are keeps everybody.
 */
export async function updateMembership(
  context: RequestContext,
  membership_id: string,
  { position, ...written }: CheckedInputOf<typeof update>["body"],
): Promise<OwnMembership> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const all = await listOwnMemberships(context, user_id);
  const before = all.find((each) => each.membership_id === membership_id);
  if (!before) throw new Problem("not_found");
  const opens = written.active_state === "active" && before.active_state === "inactive";
  const closes = written.active_state === "inactive" && before.active_state === "active";
  const reopens = opens && before.published_at !== null;
  // Only one of several calls at the same moment tells the members.
  const isStill = (state: OwnMembership["active_state"]) =>
    sql`EXISTS (SELECT 1 FROM memberships WHERE membership_id = ${membership_id} AND active_state = ${state})`;
  const payload = { membership_id, fan_out_id: newId(now_ms), after: null };
  const published_at = before.published_at ?? (opens ? isoTime(now_ms) : null);
  const order = position === undefined ? [] : moveItem(all, before, position);
  const { image_id, ...shown } = written;
  const image = await findPicture(context, user_id, image_id);
  const change: Change = {
    preconditions: [
      requireOwnMembership(user_id, membership_id),
      ...(opens ? [requireCreator(user_id)] : []),
      ...(written.amount === undefined ? [] : [requireFreePrice(membership_id, written.amount)]),
      ...(image ? [requireOwnPicture(user_id, image.image_id)] : []),
    ],
    announcements: [
      ...(closes ? [{ event: { kind: "membership_closed" as const, payload }, only_if: isStill("active") }] : []),
      ...(reopens ? [{ event: { kind: "membership_reopened" as const, payload }, only_if: isStill("inactive") }] : []),
    ],
    statements: [
      database
        .updateTable("memberships")
        .set({ ...written, published_at: sql<string | null>`coalesce(published_at, ${published_at})` })
        .where("membership_id", "=", membership_id)
        .compile(),
      ...(order.length === 0
        ? []
        : [
            sql`UPDATE memberships SET position = wanted.key
              FROM json_each(${JSON.stringify(order.map((each) => each.membership_id))}) AS wanted
              WHERE membership_id = wanted.value AND user_id = ${user_id} AND position <> wanted.key`.compile(database),
          ]),
    ],
  };
  const { members_limit = before.members_limit } = written;
  const is_full = members_limit !== null && members_limit <= (await readPlaces(context, membership_id));
  const membership = { ...before, ...shown, ...(image !== undefined && { image }), published_at, is_full };
  const limited = reopens ? membership_id : null;
  return (await commitLimited(context, REOPENING_LIMIT, limited, change, { membership })).membership;
}

/** Returns the picture that a plan shall show; null for none, undefined for no change. Throws `image_not_usable`. */
async function findPicture(
  context: RequestContext,
  user_id: string,
  image_id: string | null | undefined,
): Promise<Image | null | undefined> {
  if (image_id === null || image_id === undefined) return image_id;
  const picture = (await findOwnPictures(context, user_id, [image_id])).get(image_id);
  if (picture) return picture;
  throw new Problem("image_not_usable", { fields: { image_id: [errorCatalogue.image_not_usable.detail] } });
}

const requireOwnPicture = (user_id: string, image_id: string): Precondition => ({
  code: "image_not_usable",
  holds: sql`EXISTS (SELECT 1 FROM images WHERE image_id = ${image_id} AND owner_user_id = ${user_id})`,
});

/** Deletes a plan that nobody has joined or begun to join, and that nothing is limited to. Throws `not_found`, `membership_in_use`. */
export function deleteMembership(context: RequestContext, membership_id: string): Promise<null> {
  const change: Change = {
    preconditions: [
      requireOwnMembership(memberId(context), membership_id),
      {
        code: "membership_in_use",
        holds: isUnused(sql`${membership_id}`),
      },
    ],
    statements: [context.database.deleteFrom("memberships").where("membership_id", "=", membership_id).compile()],
  };
  return commitAnswer(context, change, null);
}

const requireOwnMembership = (user_id: string, membership_id: string): Precondition => ({
  code: "not_found",
  holds: sql`EXISTS (SELECT 1 FROM memberships WHERE membership_id = ${membership_id} AND user_id = ${user_id})`,
});

/** The price of a plan is fixed once the plan has been open. Source: product decisions, "Money". */
const requireFreePrice = (membership_id: string, amount: number): Precondition => ({
  code: "membership_price_fixed",
  holds: sql`EXISTS (SELECT 1 FROM memberships
    WHERE membership_id = ${membership_id} AND (published_at IS NULL OR amount = ${amount}))`,
});
