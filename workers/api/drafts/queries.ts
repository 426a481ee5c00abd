import { sql } from "kysely";
import type { Draft, DraftSummary } from "../../contract/drafts.ts";
import type { RequestContext } from "../http/request-context.ts";

const columns = ["draft_id", "event_id", "kind", "revision", "created_at", "updated_at"] as const;

/** A person's drafts, last saved first; with `event_id` the one of that post. */
export function listDrafts(
  context: RequestContext,
  user_id: string,
  { event_id }: { event_id?: string },
): Promise<DraftSummary[]> {
  let query = context.database
    .selectFrom("event_drafts")
    .select(columns)
    .select(sql<string>`COALESCE(fields ->> '$.title', '')`.as("title"))
    .where("user_id", "=", user_id)
    .orderBy("updated_at", "desc")
    .orderBy("draft_id", "desc");
  if (event_id) query = query.where("event_id", "=", event_id);
  return query.execute();
}

/** One of the person's own drafts, or null. */
export async function findDraft(context: RequestContext, user_id: string, draft_id: string): Promise<Draft | null> {
  const row = await context.database
    .selectFrom("event_drafts")
    .select([...columns, "fields"])
    .where("draft_id", "=", draft_id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  return row ? { ...row, fields: JSON.parse(row.fields) } : null;
}
