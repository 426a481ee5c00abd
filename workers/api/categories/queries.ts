import { sql } from "kysely";
import type { EventCategory } from "../../contract/events.ts";
import type { RequestContext } from "../http/request-context.ts";
import { isUserEnabled } from "../storage/disabled.ts";

function categoryQuery(context: RequestContext, with_count: boolean) {
  const query = context.database.selectFrom("event_categories").select(["event_category_id", "user_id", "title"]);
  if (!with_count) return query;
  return query.select(
    sql<number>`(SELECT COUNT(*) FROM events WHERE events.event_category_id = event_categories.event_category_id
      AND events.status = 'published')`.as("events_count"),
  );
}

/** Lists a person's categories in the order that the person chose. */
export function listCategories(
  context: RequestContext,
  user_id: string,
  with_count: boolean,
): Promise<EventCategory[]> {
  return categoryQuery(context, with_count)
    .where("user_id", "=", user_id)
    .where(isUserEnabled("event_categories.user_id"))
    .orderBy("position")
    .orderBy("event_category_id")
    .execute();
}

export async function findCategory(
  context: RequestContext,
  user_id: string,
  event_category_id: string,
): Promise<EventCategory | null> {
  const row = await categoryQuery(context, true)
    .where("event_category_id", "=", event_category_id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  return row ?? null;
}
