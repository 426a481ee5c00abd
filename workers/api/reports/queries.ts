import { memberId, type RequestContext } from "../http/request-context.ts";
import type { Tables } from "../storage/database.ts";

export type Subject = Pick<Tables["reports"], "subject_type" | "subject_id">;

/** Whether the person has reported this post, comment or letter. */
export async function isReported(
  { database }: RequestContext,
  reporter_user_id: string,
  { subject_type, subject_id }: Subject,
): Promise<boolean> {
  const row = await database
    .selectFrom("reports")
    .select("report_id")
    .where("reporter_user_id", "=", reporter_user_id)
    .where("subject_type", "=", subject_type)
    .where("subject_id", "=", subject_id)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the owner of a post; null when the caller cannot see it. Callers see the titles of locked posts, and their
 * own posts in every status.
 */
export async function findVisibleEvent(context: RequestContext, event_id: string) {
  const row = await context.database
    .selectFrom("events")
    .select("user_id")
    .where("event_id", "=", event_id)
    .where((event) => event.or([event("status", "=", "published"), event("user_id", "=", memberId(context))]))
    .executeTakeFirst();
  return row ?? null;
}
