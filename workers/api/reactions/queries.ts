import type { Reactions } from "../../contract/reactions.ts";
import type { RequestContext } from "../http/request-context.ts";

/**
 * Returns the messages that answer a person's letters and new subscribers automatically. A message is null until the
 * person writes it.
 */
export async function findReactions({ database }: RequestContext, user_id: string): Promise<Reactions> {
  const row = await database
    .selectFrom("reaction_settings")
    .select(["free_ofuse_message", "paid_ofuse_message", "subscription_message"])
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  return row ?? { free_ofuse_message: null, paid_ofuse_message: null, subscription_message: null };
}
