import { memberId, type RequestContext } from "../http/request-context.ts";
import type { Tables } from "../storage/database.ts";

export type Subject = Pick<Tables["reports"], "subject_type" | "subject_id">;

/** Whether this person has reported it. */
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

/** Whose post it is; null where the caller does not see it: a locked one is seen by its title, one's own in every state. */
export async function findSeenEvent(context: RequestContext, event_id: string) {
  const row = await context.database
    .selectFrom("events")
    .select("user_id")
    .where("event_id", "=", event_id)
    .where((event) => event.or([event("status", "=", "published"), event("user_id", "=", memberId(context))]))
    .executeTakeFirst();
  return row ?? null;
}
