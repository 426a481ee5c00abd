import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import {
  type Departure,
  deleteByKey,
  type Erasure,
  type ExportProfile,
  type Leaver,
  ownList,
  whereLeaver,
} from "../storage/personal-data.ts";

/** Returns the precondition that nobody subscribes to a plan of the leaver. It throws `account_has_subscribers`. */
export function departCreator({ user_id }: Leaver, now_ms: number): Departure {
  return {
    preconditions: [
      {
        code: "account_has_subscribers",
        holds: sql`NOT EXISTS (SELECT 1 FROM memberships JOIN subscriptions USING (membership_id)
          WHERE memberships.user_id = ${user_id} AND subscriptions.user_id <> ${user_id}
            AND (subscriptions.paid_until > ${isoTime(now_ms)} OR subscriptions.status = 'active'))`,
      },
    ],
  };
}

export const erasures: Erasure[] = [
  deleteByKey("subscriptions", ["subscription_id"], whereLeaver("user_id")),
  deleteByKey(
    "subscriptions",
    ["subscription_id"],
    ({ user_id }) => sql`membership_id IN (SELECT membership_id FROM memberships WHERE user_id = ${user_id})`,
  ),
  deleteByKey(
    "memberships",
    ["membership_id"],
    whereLeaver("user_id"),
    () => sql`
      NOT EXISTS (SELECT 1 FROM events WHERE publish_target_membership_id = memberships.membership_id)
      AND NOT EXISTS (SELECT 1 FROM newsletters WHERE newsletters.membership_id = memberships.membership_id)
      AND NOT EXISTS (SELECT 1 FROM radios WHERE radios.publish_target_membership_id = memberships.membership_id)
      AND NOT EXISTS (SELECT 1 FROM subscriptions WHERE subscriptions.membership_id = memberships.membership_id)`,
  ),
];

export const exportProfile: ExportProfile = (me) => {
  const plan = sql`json_object('membership_id', membership_id, 'title', title, 'description', description,
    'amount', amount, 'active_state', active_state, 'published_at', published_at, 'members_limit', members_limit,
    'image_id', image_id, 'created_at', created_at)`;
  const subscription = sql`json_object('membership_id', membership_id, 'status', status, 'paid_until', paid_until,
    'is_ending', is_ending, 'created_at', created_at)`;
  return sql`SELECT json_object('plans', ${ownList("memberships", me, plan)},
    'subscriptions', ${ownList("subscriptions", me, subscription)}) AS item`;
};
