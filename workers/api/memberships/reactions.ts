import { isoTime, japaneseDayText } from "../../kernel/clock.ts";
import type { Broadcast, Reader } from "../domain.ts";
import type { Database } from "../storage/database.ts";
import type { OutboxEvents } from "../storage/outbox.ts";

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
  // A title that is spelt as a gap of the sentence must not be filled.
  const title = plan.title.replace(/\{(?=(?:actors?|event)\})/g, "｛");
  return {
    type: "membership_disabled",
    mail: "membership_disabled",
    actor_user_id: plan.user_id,
    messageOf: ({ at }) =>
      `{actor}さんのプラン「${title}」の募集が終了しました。次回の更新とお支払いはなく、${japaneseDayText(Date.parse(at)).replaceAll("-", "/")}に加入が終了します。それまでは、これまでどおりご覧いただけます。`,
    englishOf: ({ at }) =>
      `{actor} has closed the plan "${title}". It will not be renewed or charged again, and ends on ${englishDay(at)}. Until then you can read everything as before.`,
    path: "/my/subscriptions",
    occasionOf: (user_id) => `membership_closed ${fan_out_id} ${user_id}`,
    findReaders: (after, limit) => findMembers(database, membership_id, { after, limit, now_ms }),
  };
}

/** Writes a day as English mails do: `20 November 2026`. */
const englishDay = (at: string): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Tokyo", dateStyle: "long" }).format(Date.parse(at));

/**
 * Returns the next members of a plan whose paid time has not ended, in the order of an index. Leaves out those who change to
 * another plan: they continue there, or get the notice of `subscription_change_dropped`.
 */
export async function findMembers(
  database: Database,
  membership_id: string,
  { after, limit, now_ms }: { after: Reader | null; limit: number; now_ms: number },
): Promise<Reader[]> {
  return database
    .selectFrom("subscriptions")
    .select(["user_id", "paid_until as at"])
    .where("membership_id", "=", membership_id)
    .where(({ or, eb }) => or([eb("next_membership_id", "is", null), eb("is_ending", "=", 1)]))
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple("paid_until", "user_id"), ">", tuple(after?.at ?? isoTime(now_ms), after?.user_id ?? "~")),
    )
    .orderBy("paid_until")
    .orderBy("user_id")
    .limit(limit)
    .execute();
}
