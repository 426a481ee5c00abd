import { sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { requireNotBlocked } from "../blocks/queries.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Change } from "../storage/commit.ts";
import type { Limit } from "../storage/limits.ts";
import { loadUserSummaries } from "../users/queries.ts";

/** Limits how often one member makes addresses. */
export const PODCAST_FEED_LIMIT: Limit = { act: "podcast_feed", times: 30, window_ms: 60 * 60 * 1000 };

/**
 * Makes the caller's own address of a creator's recordings, in place of an earlier one. Only the answer to the caller has
 * the secret, and no table has it. Throws `not_found`, `blocked`, `too_many_requests`.
 */
export async function createPodcastFeed(context: RequestContext, creator_user_id: string) {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const secret = randomSecret();
  const [users, secret_hash] = await Promise.all([loadUserSummaries(context, [creator_user_id]), sha256Hex(secret)]);
  const user = users.get(creator_user_id);
  if (!user) throw new Problem("not_found");
  const created_at = isoTime(now_ms);
  const change: Change = {
    preconditions: [
      {
        code: "not_found",
        holds: sql`EXISTS (SELECT 1 FROM users
          WHERE user_id = ${creator_user_id} AND left_at IS NULL AND disabled_at IS NULL)`,
      },
      requireNotBlocked(user_id, creator_user_id),
    ],
    statements: [
      deletion(context, user_id, creator_user_id),
      database
        .insertInto("podcast_feeds")
        .values({ feed_id: newId(now_ms), user_id, creator_user_id, secret_hash, created_at })
        .compile(),
    ],
  };
  const feed = { user, created_at };
  await commitLimited(context, PODCAST_FEED_LIMIT, user_id, change, { feed, secret: null });
  return { feed, secret };
}

/** Revokes the caller's address of a creator's recordings. Idempotent. */
export function deletePodcastFeed(context: RequestContext, creator_user_id: string): Promise<null> {
  return commitAnswer(context, { statements: [deletion(context, memberId(context), creator_user_id)] }, null);
}

const deletion = ({ database }: RequestContext, user_id: string, creator_user_id: string) =>
  database
    .deleteFrom("podcast_feeds")
    .where("user_id", "=", user_id)
    .where("creator_user_id", "=", creator_user_id)
    .compile();
