import type { Selectable } from "kysely";
import type { Notification } from "../../contract/notifications.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Tables } from "../storage/database.ts";
import { loadUserSummaries } from "../users/queries.ts";

const NOTIFICATIONS_SHOWN = 100;

async function present(context: RequestContext, rows: Selectable<Tables["notifications"]>[]): Promise<Notification[]> {
  const actors = await loadUserSummaries(
    context,
    rows.map((row) => row.actor_user_id).filter((id) => id !== null),
  );
  return rows.map((row) => ({
    notification_id: row.notification_id,
    type: row.type as Notification["type"],
    is_opened: row.is_opened === 1,
    message: row.message,
    path: row.path,
    actor: actors.get(row.actor_user_id ?? "") ?? null,
    created_at: row.created_at,
  }));
}

/** A person's latest notifications, newest first. */
export async function listNotifications(context: RequestContext, user_id: string): Promise<Notification[]> {
  const rows = await context.database
    .selectFrom("notifications")
    .selectAll()
    .where("user_id", "=", user_id)
    .orderBy("notification_id", "desc")
    .limit(NOTIFICATIONS_SHOWN)
    .execute();
  return present(context, rows);
}

/** One of the person's own notifications, or null. */
export async function findNotification(
  context: RequestContext,
  user_id: string,
  notification_id: string,
): Promise<Notification | null> {
  const row = await context.database
    .selectFrom("notifications")
    .selectAll()
    .where("notification_id", "=", notification_id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  return row ? ((await present(context, [row]))[0] ?? null) : null;
}
