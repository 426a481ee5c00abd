import type { Reactions } from "../../contract/reactions.ts";
import { isoTime } from "../../kernel/clock.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";

/** Replaces all of the caller's automatic reactions. An empty message becomes null. */
export function updateReactions(context: RequestContext, wanted: Reactions): Promise<{ reactions: Reactions }> {
  const { database, now_ms } = context;
  const reactions: Reactions = {
    free_ofuse_message: wanted.free_ofuse_message || null,
    paid_ofuse_message: wanted.paid_ofuse_message || null,
    subscription_message: wanted.subscription_message || null,
  };
  const written = { ...reactions, updated_at: isoTime(now_ms) };
  const statement = database
    .insertInto("reaction_settings")
    .values({ user_id: memberId(context), ...written })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(written))
    .compile();
  return commitAnswer(context, { statements: [statement] }, { reactions });
}
