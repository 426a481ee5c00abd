import { sql } from "kysely";
import type { OperatedRemoval } from "../../contract/operator.ts";
import type { Removal } from "../../contract/reports.ts";
import { Problem } from "../../kernel/problem.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import type { Tables } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";

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
    .where(isUserEnabled("events.user_id"))
    .executeTakeFirst();
  return row ?? null;
}

/** The columns of a removal that its owner and operators see. */
const removalColumns = [
  ...(["removal_id", "subject_type", "note", "removed_at", "given_back_at"] as const),
  ...(["appeal", "appealed_at", "appeal_decision", "appeal_note", "answered_at"] as const),
] as const;

/** Returns a removal with its appeal as an object, or null if there is none. */
function presentRemoval<Row extends Pick<Tables["removals"], (typeof removalColumns)[number]>>({
  appeal: message,
  appealed_at: sent_at,
  appeal_decision: decision,
  appeal_note: note,
  answered_at,
  ...removal
}: Row) {
  const appeal = message !== null && sent_at !== null ? { message, sent_at, decision, note, answered_at } : null;
  return { ...removal, appeal };
}

/** A removal of something that the caller owns. Throws `not_found`. */
export async function findOwnRemoval(context: RequestContext, removal_id: string): Promise<Removal> {
  const row = await context.database
    .selectFrom("removals")
    .select(removalColumns)
    .select(
      sql<string | null>`CASE subject_type
        WHEN 'event' THEN (SELECT title FROM events WHERE event_id = subject_id)
        WHEN 'event_comment' THEN (SELECT nullif(message, '') FROM event_comments WHERE comment_id = subject_id)
        WHEN 'ofuse' THEN (SELECT message FROM ofuses WHERE ofuse_id = subject_id)
        ELSE (SELECT message FROM radio_comments WHERE comment_id = subject_id) END`.as("subject_text"),
    )
    .where("removal_id", "=", removal_id)
    .where("owner_user_id", "=", memberId(context))
    .executeTakeFirst();
  if (!row) throw new Problem("not_found");
  return presentRemoval(row);
}

/** SQL: whether a removal of the subject is in force. */
const isInForce = ({ subject_type, subject_id }: Subject) =>
  sql<boolean>`subject_type = ${subject_type} AND subject_id = ${subject_id} AND given_back_at IS NULL`;

/** SQL for the id of the removal that is in force, or null. */
export const removalInForce = (subject: Subject) =>
  sql<string | null>`(SELECT removal_id FROM removals WHERE ${isInForce(subject)})`;

function selectRemovals({ database }: RequestContext) {
  return database
    .selectFrom("removals")
    .select(removalColumns)
    .select(["subject_id", "owner_user_id"])
    .select(
      sql<string | null>`(SELECT link_id FROM users WHERE users.user_id = removals.owner_user_id)`.as("owner_link_id"),
    );
}

/** A removal with its owner. Throws `not_found`. */
export async function findRemoval(context: RequestContext, removal_id: string) {
  const row = await selectRemovals(context).where("removal_id", "=", removal_id).executeTakeFirst();
  if (!row) throw new Problem("not_found");
  const { owner_user_id, ...removal } = row;
  return { owner_user_id, removal: presentRemoval(removal) satisfies OperatedRemoval };
}

/** The removal of a subject that is in force; null if it is not taken down. */
export async function findRemovalInForce(context: RequestContext, subject: Subject): Promise<OperatedRemoval | null> {
  const row = await selectRemovals(context).where(isInForce(subject)).executeTakeFirst();
  if (!row) return null;
  const { owner_user_id: _, ...removal } = row;
  return presentRemoval(removal);
}

type Appealed = OperatedRemoval & { appeal: NonNullable<OperatedRemoval["appeal"]> };
const isAppealed = (removal: OperatedRemoval): removal is Appealed => removal.appeal !== null;

/** Lists appeals in the order of their removals: those that wait for an answer, or all. */
export async function listAppeals(
  context: RequestContext,
  { is_all, after, limit }: { is_all: boolean; after?: string | undefined; limit: number },
) {
  let appeals = selectRemovals(context)
    .where("appealed_at", "is not", null)
    .orderBy("removal_id")
    .limit(limit + 1);
  if (!is_all) appeals = appeals.where("answered_at", "is", null);
  if (after) appeals = appeals.where("removal_id", ">", after);
  const rows = await appeals.execute();
  const shown = rows.slice(0, limit).map(({ owner_user_id: _, ...removal }) => presentRemoval(removal));
  return { appeals: shown.filter(isAppealed), has_next: rows.length > limit };
}

/** A removal that its owner has appealed against. Throws `not_found`. */
export async function findAppeal(context: RequestContext, removal_id: string): Promise<Appealed> {
  const { removal } = await findRemoval(context, removal_id);
  if (!isAppealed(removal)) throw new Problem("not_found");
  return removal;
}
