import { type RawBuilder, sql } from "kysely";
import { LEFT_NAME } from "../../contract/bounds.ts";
import type { Notification } from "../../contract/notifications.ts";
import type { Domain } from "../domain.ts";
import { eventLabel } from "../events/queries.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import type { RequestContext } from "../http/request-context.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { firstLineOf } from "../storage/excerpts.ts";
import { readUser, userJson } from "../users/queries.ts";
import { fillGaps } from "./rules.ts";

/** SQL for the beginning of the letter or comment that a notification is about, by type of notification. */
export type Excerpts = NonNullable<Domain["excerpts"]>;

/**
 * SQL for the beginning of the letter or comment that a notification is about; null when the reader may no longer see
 * it or when the type has none.
 */
function excerptSql(context: RequestContext, excerpts: Excerpts, user_id: string): RawBuilder<string | null> {
  const typesByExcerpt = Map.groupBy(Object.entries(excerpts), ([, excerpt]) => excerpt);
  const cases = [...typesByExcerpt].map(
    ([excerpt, types]) =>
      sql`WHEN type IN (${sql.join(types.map(([type]) => sql.lit(type)))}) THEN ${excerpt(context, user_id)}`,
  );
  return cases.length === 0 ? sql`NULL` : sql`CASE ${sql.join(cases, sql` `)} END`;
}

/** Selects a person's notifications, except those about the acts of disabled accounts. */
function ownNotifications({ database }: RequestContext, user_id: string) {
  return database
    .selectFrom("notifications")
    .where("user_id", "=", user_id)
    .where(isUserEnabled("notifications.actor_user_id"));
}

/**
 * Selects notifications with the title of the post and the beginning of the letter or comment, as far as the person may
 * see them.
 */
function notificationQuery(context: RequestContext, excerpts: Excerpts, user_id: string) {
  return ownNotifications(context, user_id)
    .selectAll()
    .select(sql<string | null>`${userJson("notifications.actor_user_id")}`.as("actor"))
    .select(eventLabel("notifications.event_id", user_id).as("event_words"))
    .select(excerptSql(context, excerpts, user_id).as("excerpt"));
}
type NotificationRow = Awaited<ReturnType<ReturnType<typeof notificationQuery>["executeTakeFirstOrThrow"]>>;

function presentNotification(row: NotificationRow): Notification {
  const actor = row.actor === null ? null : readUser(row.actor);
  return {
    notification_id: row.notification_id,
    type: row.type as Notification["type"],
    is_opened: row.is_opened === 1,
    message: fillGaps(row.message, { actor: actor?.name ?? LEFT_NAME, event: row.event_words }),
    excerpt: row.excerpt === null ? null : firstLineOf(row.excerpt),
    path: row.path,
    actor,
    created_at: row.created_at,
  };
}

/** Lists a page of a person's notifications, newest first, and whether any is unread, also on other pages. */
export async function listNotifications(context: RequestContext, excerpts: Excerpts, user_id: string, page: Page) {
  const { limit, offset, page_size } = rowsOf(page, false);
  const [fetched, unopened] = await Promise.all([
    notificationQuery(context, excerpts, user_id)
      .orderBy("notification_id", "desc")
      .limit(limit)
      .offset(offset)
      .execute(),
    ownNotifications(context, user_id)
      .select("notification_id")
      .where("is_opened", "=", sql.lit(0))
      .limit(1)
      .executeTakeFirst(),
  ]);
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  return { notifications: rows.map(presentNotification), has_unopened: unopened !== undefined, ...closing };
}

export async function findNotification(
  context: RequestContext,
  excerpts: Excerpts,
  user_id: string,
  notification_id: string,
): Promise<Notification | null> {
  const row = await notificationQuery(context, excerpts, user_id)
    .where("notification_id", "=", notification_id)
    .executeTakeFirst();
  return row ? presentNotification(row) : null;
}
