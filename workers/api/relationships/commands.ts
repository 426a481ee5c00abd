import { type CompiledQuery, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { requireNotBlocked } from "../blocks/queries.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import type { Change } from "../storage/commit.ts";
import { countDailyAct, withBounds } from "../storage/limits.ts";

/**
 * Returns the change that makes one person follow another. Following again changes nothing and notifies nobody. Throws
 * `cannot_follow_yourself`, `not_found` when there is no such person, `blocked`, `daily_follow_limit_reached`.
 */
export function followChange(context: RequestContext, follower_id: string, following_id: string): Change {
  if (follower_id === following_id) throw new Problem("cannot_follow_yourself");
  const { database, now_ms } = context;
  const isNew = sql`NOT EXISTS (
    SELECT 1 FROM relationships WHERE follower_id = ${follower_id} AND following_id = ${following_id})`;
  const change: Change = {
    preconditions: [
      {
        code: "not_found",
        holds: sql`EXISTS (SELECT 1 FROM users WHERE user_id = ${following_id} AND left_at IS NULL AND disabled_at IS NULL)`,
      },
      requireNotBlocked(follower_id, following_id),
    ],
    announcements: [{ event: { kind: "followed", payload: { follower_id, following_id } }, only_if: isNew }],
    statements: [
      database
        .insertInto("relationships")
        .values({ follower_id, following_id, created_at: isoTime(now_ms), receives_notifications: 1 })
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
    ],
  };
  return withBounds(change, countDailyAct(context, "follow", follower_id, isNew));
}

/** Makes the caller follow a person; idempotent. */
export function follow(context: RequestContext, following_id: string): Promise<{ is_followed: true }> {
  return commitAnswer(context, followChange(context, memberId(context), following_id), { is_followed: true });
}

/** Ends a follow; idempotent, also when the person does not exist. */
export function unfollow(context: RequestContext, following_id: string): Promise<{ is_followed: false }> {
  const statements = [endStatement(context, memberId(context), following_id)];
  return commitAnswer(context, { statements }, { is_followed: false });
}

/** Ends the follow of one of the caller's followers, without notifying them; idempotent. */
export function removeFollower(context: RequestContext, follower_id: string): Promise<{ is_follower: false }> {
  const statements = [endStatement(context, follower_id, memberId(context))];
  return commitAnswer(context, { statements }, { is_follower: false });
}

const endStatement = ({ database }: RequestContext, follower_id: string, following_id: string): CompiledQuery =>
  database
    .deleteFrom("relationships")
    .where("follower_id", "=", follower_id)
    .where("following_id", "=", following_id)
    .compile();

/**
 * Turns notifications about a followed person on or off. Throws `not_found` when the caller does not follow the person.
 */
export function updateRelationship(
  context: RequestContext,
  { following_id, receives_notifications }: { following_id: string; receives_notifications: boolean },
): Promise<{ receives_notifications: boolean }> {
  const follower_id = memberId(context);
  const change: Change = {
    preconditions: [
      {
        code: "not_found",
        holds: sql`EXISTS (
          SELECT 1 FROM relationships WHERE follower_id = ${follower_id} AND following_id = ${following_id})`,
      },
    ],
    statements: [
      context.database
        .updateTable("relationships")
        .set({ receives_notifications: receives_notifications ? 1 : 0 })
        .where("follower_id", "=", follower_id)
        .where("following_id", "=", following_id)
        .compile(),
    ],
  };
  return commitAnswer(context, change, { receives_notifications });
}
