import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";

/**
 * Blocks a person; idempotent. The block ends the follows in both directions and hides the blocked person's public
 * letters from the caller's page. Ending the block restores neither: the caller can only show each hidden letter again
 * (docs/decisions/0021). Throws `cannot_block_yourself`, or `not_found` when the person does not exist.
 */
export async function createBlock(context: RequestContext, blocking_id: string): Promise<{ is_blocked: true }> {
  const { database, now_ms } = context;
  const blocker_id = memberId(context);
  if (blocker_id === blocking_id) throw new Problem("cannot_block_yourself");
  const deleteFollow = (follower_id: string, following_id: string) =>
    database
      .deleteFrom("relationships")
      .where("follower_id", "=", follower_id)
      .where("following_id", "=", following_id)
      .compile();
  return commitAnswer(
    context,
    {
      preconditions: [
        {
          code: "not_found",
          holds: sql`EXISTS (SELECT 1 FROM users WHERE user_id = ${blocking_id} AND left_at IS NULL)`,
        },
      ],
      announcements: [{ event: { kind: "person_blocked", payload: { blocker_id, blocking_id } } }],
      statements: [
        database
          .insertInto("blocks")
          .values({ blocker_id, blocking_id, created_at: isoTime(now_ms) })
          .onConflict((conflict) => conflict.doNothing())
          .compile(),
        deleteFollow(blocker_id, blocking_id),
        deleteFollow(blocking_id, blocker_id),
        database
          .updateTable("ofuses")
          .set({ hidden_at: isoTime(now_ms) })
          .where("receiver_user_id", "=", blocker_id)
          .where("sender_user_id", "=", blocking_id)
          // Hiding an anonymous letter would tell who sent it.
          .where("is_anonymous", "=", sql.lit(0))
          .where("is_public", "=", sql.lit(1))
          .where("hidden_at", "is", null)
          .compile(),
      ],
    },
    { is_blocked: true },
  );
}

/** Ends a block; idempotent. The follows that the block ended stay ended. */
export async function deleteBlock(context: RequestContext, blocking_id: string): Promise<null> {
  const statement = context.database
    .deleteFrom("blocks")
    .where("blocker_id", "=", memberId(context))
    .where("blocking_id", "=", blocking_id)
    .compile();
  return commitAnswer(context, { statements: [statement] }, null);
}
