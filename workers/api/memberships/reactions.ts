import { sql } from "kysely";
import { UNSEEN_RENEWAL_MS } from "../../contract/limits.ts";
import { isoTime } from "../../kernel/clock.ts";
import { isNotBlocked } from "../blocks/queries.ts";
import type { Broadcast, Reader } from "../domain.ts";
import type { Database } from "../storage/database.ts";
import type { OutboxEvents } from "../storage/outbox.ts";
import { dayInEnglish, dayInJapanese, titleInSentence } from "./rules.ts";

/**
 * Tells the members of a plan that its creator has closed it, and when their time ends. Returns null when the plan is open again or was deleted
 * meanwhile.
 */
export async function broadcastClosing(
  { membership_id, fan_out_id }: OutboxEvents["membership_closed"],
  database: Database,
  now_ms: number,
): Promise<Broadcast | null> {
  const plan = await database
    .selectFrom("memberships")
    .select(["user_id", "title", "active_state"])
    .where("membership_id", "=", membership_id)
    .executeTakeFirst();
  if (plan?.active_state !== "inactive") return null;
  const title = titleInSentence(plan.title);
  return {
    type: "membership_disabled",
    mail: "membership_disabled",
    actor_user_id: plan.user_id,
    messageOf: ({ at }) =>
      `{actor}さんのプラン「${title}」の募集が終了しました。次回の更新とお支払いはなく、${dayInJapanese(at)}に加入が終了します。それまでは、これまでどおりご覧いただけます。`,
    englishOf: ({ at }) =>
      `{actor} has closed the plan "${title}". It will not be renewed or charged again, and ends on ${dayInEnglish(at)}. Until then you can read everything as before.`,
    path: "/my/subscriptions",
    occasionOf: (user_id) => `membership_closed ${fan_out_id} ${user_id}`,
    findReaders: (after, limit) => findMembers(database, membership_id, { after, limit, now_ms }),
  };
}

/**
 * Tells the members of a plan whose time is running out that its creator has opened it again, and what to do to stay: nobody
 * is brought back. Nothing stores who ended a subscription, so it also reaches members who had left before the closing. Returns
 * null when the plan is closed again or was deleted meanwhile.
 */
export async function broadcastReopening(
  { membership_id, fan_out_id }: OutboxEvents["membership_reopened"],
  database: Database,
  now_ms: number,
): Promise<Broadcast | null> {
  const plan = await database
    .selectFrom("memberships")
    .select(["user_id", "title", "active_state"])
    .where("membership_id", "=", membership_id)
    .executeTakeFirst();
  if (plan?.active_state !== "active") return null;
  const title = titleInSentence(plan.title);
  return {
    type: "custom",
    topic: null,
    mail: "membership_reopened",
    actor_user_id: plan.user_id,
    messageOf: ({ at }) =>
      `{actor}さんのプラン「${title}」の募集が再開されました。あなたの加入は、このままでは${dayInJapanese(at)}に終了します。続ける場合は、「更新を続ける」を押してください。`,
    englishOf: ({ at }) =>
      `{actor} has opened the plan "${title}" again. Yours still ends on ${dayInEnglish(at)}. If you want to stay, please choose to continue it.`,
    path: "/my/subscriptions",
    occasionOf: (user_id) => `membership_reopened ${fan_out_id} ${user_id}`,
    findReaders: (after, limit) =>
      selectMembers(database, membership_id, { after, limit, from_ms: now_ms })
        .where(({ or, eb }) => or([eb("is_ending", "=", 1), eb("must_end", "=", 1)]))
        .where("status", "=", sql.lit("active"))
        .where(isNotBlocked(sql.ref("subscriptions.user_id"), plan.user_id))
        .execute(),
  };
}

/**
 * Returns the next members of a plan whose paid time has not ended, or whose renewal the clock has yet to see, in the order of an
 * index. Leaves out those who change to another plan: they continue there, or get the notice of `subscription_change_dropped`.
 */
export async function findMembers(
  database: Database,
  membership_id: string,
  { after, limit, now_ms }: { after: Reader | null; limit: number; now_ms: number },
): Promise<Reader[]> {
  return selectMembers(database, membership_id, { after, limit, from_ms: now_ms - UNSEEN_RENEWAL_MS })
    .where(({ or, and, eb }) =>
      or([
        eb("paid_until", ">", isoTime(now_ms)),
        and([eb("status", "=", "active"), eb("gateway_id", "is not", null), eb("is_ending", "=", 0)]),
      ]),
    )
    .where(({ or, eb }) => or([eb("next_membership_id", "is", null), eb("is_ending", "=", 1)]))
    .execute();
}

/** Selects the next members of a plan whose paid time ends after a moment. */
const selectMembers = (
  database: Database,
  membership_id: string,
  { after, limit, from_ms }: { after: Reader | null; limit: number; from_ms: number },
) =>
  database
    .selectFrom("subscriptions")
    .select(["user_id", "paid_until as at"])
    .where("membership_id", "=", membership_id)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple("paid_until", "user_id"), ">", tuple(after?.at ?? isoTime(from_ms), after?.user_id ?? "~")),
    )
    .orderBy("paid_until")
    .orderBy("user_id")
    .limit(limit);
