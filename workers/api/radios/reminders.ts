import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { isNotBlocked, requireNotBlocked } from "../blocks/queries.ts";
import type { Broadcast, Reader } from "../domain.ts";
import { commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Change } from "../storage/commit.ts";
import type { Database } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import type { Limit } from "../storage/limits.ts";
import { isMember } from "../storage/members.ts";
import { continuationStatement, type OutboxEvents, type Reaction } from "../storage/outbox.ts";
import { findHearableRadio, requireHearableRadio } from "./queries.ts";
import { noticeOfStart } from "./rules.ts";

/** Limits how often one person asks for reminders and takes them back. */
export const REMINDER_LIMIT: Limit = { act: "radio_reminder", times: 200, window_ms: 60 * 60 * 1000 };

/**
 * Asks to be told when a radio starts, or takes it back. Idempotent. Throws `not_found` for a radio that the caller may
 * not hear, `blocked`, `too_many_requests`, and `radio_transition_refused` for a reminder of a radio that has started.
 */
export async function remindOfRadio(
  context: RequestContext,
  radio_id: string,
  is_reminded: boolean,
): Promise<{ is_reminded: boolean }> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const radio = await findHearableRadio(context, radio_id);
  if (!radio) throw new Problem("not_found");
  const change: Change = is_reminded
    ? {
        preconditions: [
          requireHearableRadio(context, radio_id),
          requireNotBlocked(user_id, radio.user_id),
          {
            code: "radio_transition_refused",
            holds: sql`EXISTS (SELECT 1 FROM radios WHERE radio_id = ${radio_id} AND status = 'scheduled')`,
          },
        ],
        statements: [
          database
            .insertInto("radio_reminders")
            .values({ radio_id, user_id, created_at: isoTime(now_ms) })
            .onConflict((conflict) => conflict.doNothing())
            .compile(),
        ],
      }
    : {
        statements: [
          database
            .deleteFrom("radio_reminders")
            .where("radio_id", "=", radio_id)
            .where("user_id", "=", user_id)
            .compile(),
        ],
      };
  return commitLimited(context, REMINDER_LIMIT, user_id, change, { is_reminded });
}

/** Enqueues the notifications of those who asked for them. A radio that goes on air enqueues them once. */
export const announceReminders: Reaction<"radio_started"> = async ({ payload }, { database, happened_ms }) => {
  const { radio_id, fan_out_id, after } = payload;
  if (after !== null) return [];
  const reminders = { kind: "radio_reminded" as const, payload: { radio_id, fan_out_id, after: null } };
  return [continuationStatement(database, `reminders-${radio_id}`, reminders, happened_ms)];
};

/**
 * Notifies the people who asked to be told of a start and may hear the radio now, whatever their settings say of starts.
 * The occasion is that of the notification to followers, so nobody gets both. Returns null when the radio has ended.
 */
export async function broadcastReminders(
  { radio_id }: OutboxEvents["radio_reminded"],
  database: Database,
  now_ms: number,
): Promise<Broadcast | null> {
  const radio = await database
    .selectFrom("radios")
    .innerJoin("users", "users.user_id", "radios.user_id")
    .select(["radio_id", "radios.user_id", "users.link_id"])
    .where("radio_id", "=", radio_id)
    .where("status", "=", sql.lit("on_air"))
    .where(isUserEnabled("radios.user_id"))
    .executeTakeFirst();
  if (!radio) return null;
  return {
    ...noticeOfStart(radio),
    type: "radio_started",
    topic: null,
    actor_user_id: radio.user_id,
    findReaders: (after, limit) => findReminded(database, radio_id, { after, limit, now_ms }),
  };
}

/**
 * Returns the next people who asked to be told of a start and may hear the radio. Those of a radio for key holders have the
 * present key: the trigger `radios_forget_reminders` has deleted all other reminders.
 */
export async function findReminded(
  database: Database,
  radio_id: string,
  { after, limit, now_ms }: { after: Reader | null; limit: number; now_ms: number },
): Promise<Reader[]> {
  const { rows } = await sql<Reader>`
    SELECT reminded.user_id, reminded.user_id AS at FROM radio_reminders reminded CROSS JOIN radios USING (radio_id)
    WHERE reminded.radio_id = ${radio_id} AND reminded.user_id > ${after?.user_id ?? ""}
      AND reminded.user_id <> radios.user_id AND ${isUserEnabled("reminded.user_id")}
      AND CASE radios.publish_target_type
        WHEN 'public' THEN 1
        WHEN 'fans' THEN EXISTS (SELECT 1 FROM relationships
          WHERE follower_id = reminded.user_id AND following_id = radios.user_id)
        WHEN 'memberships' THEN EXISTS (SELECT 1 FROM subscriptions
          WHERE subscriptions.user_id = reminded.user_id AND ${isMember(now_ms)}
            AND membership_id = radios.publish_target_membership_id)
        WHEN 'url' THEN 1
        ELSE 0 END
      AND ${isNotBlocked(sql.ref("radios.user_id"), sql.ref("reminded.user_id"))}
    ORDER BY reminded.user_id LIMIT ${limit}`.execute(database);
  return rows;
}
