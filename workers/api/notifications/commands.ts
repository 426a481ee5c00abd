import { sql } from "kysely";
import type { Notification } from "../../contract/notifications.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import { type Excerpts, findNotification } from "./queries.ts";

export function openAllNotifications(context: RequestContext): Promise<{ is_opened: true }> {
  const statement = context.database
    .updateTable("notifications")
    .set({ is_opened: 1 })
    .where("user_id", "=", memberId(context))
    .where("is_opened", "=", sql.lit(0))
    .compile();
  return commitAnswer(context, { statements: [statement] }, { is_opened: true });
}

/** Marks one of the caller's notifications as opened. Throws `not_found` for other people's notifications. */
export async function openNotification(
  context: RequestContext,
  excerpts: Excerpts,
  notification_id: string,
): Promise<Notification> {
  const user_id = memberId(context);
  const notification = await findNotification(context, excerpts, user_id, notification_id);
  if (!notification) throw new Problem("not_found");
  const statement = context.database
    .updateTable("notifications")
    .set({ is_opened: 1 })
    .where("notification_id", "=", notification_id)
    .where("user_id", "=", user_id)
    .compile();
  // Stores no answer for retries: opening is idempotent anyway, and a stored answer would keep the title of a post.
  await commitAnswer({ ...context, idempotency: null }, { statements: [statement] }, null);
  return { ...notification, is_opened: true };
}
