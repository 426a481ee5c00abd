import { type CompiledQuery, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { findComment, findReadableEvent } from "../comments/queries.ts";
import { commitAnswer, memberId, type RequestContext } from "../http/request-context.ts";
import { hideStatement } from "../ofuses/commands.ts";
import { findOfuseRow } from "../ofuses/queries.ts";
import { findHearableRadio, findRadioComment } from "../radios/queries.ts";
import type { Tables } from "../storage/database.ts";
import { countDailyAct, withBounds } from "../storage/limits.ts";
import { findVisibleEvent, isReported, type Subject } from "./queries.ts";

interface Complaint {
  reason: Tables["reports"]["reason"];
  detail: string;
}

/** Reports a published post, also one that is locked for the caller. Throws `not_found`, `cannot_report_yourself`. */
export function reportEvent(context: RequestContext, event_id: string, complaint: Complaint) {
  return createReport(context, { subject_type: "event", subject_id: event_id }, complaint, async () => {
    const event = await findVisibleEvent(context, event_id);
    return event ?? null;
  });
}

/** Reports a visible comment under a post that the caller may read. Throws `not_found`, `cannot_report_yourself`. */
export function reportEventComment(
  context: RequestContext,
  { event_id, comment_id }: { event_id: string; comment_id: string },
  complaint: Complaint,
) {
  return createReport(context, { subject_type: "event_comment", subject_id: comment_id }, complaint, async () => {
    const event = await findReadableEvent(context, event_id);
    const comment = event && (await findComment(context, event_id, comment_id));
    return comment ?? null;
  });
}

/** Reports a visible comment on a radio that the caller may hear. Throws `not_found`, `cannot_report_yourself`. */
export function reportRadioComment(
  context: RequestContext,
  { radio_id, comment_id }: { radio_id: string; comment_id: string },
  complaint: Complaint,
) {
  return createReport(context, { subject_type: "radio_comment", subject_id: comment_id }, complaint, async () => {
    const radio = await findHearableRadio(context, radio_id);
    return radio && findRadioComment(context, radio_id, comment_id);
  });
}

/**
 * Reports a letter that the caller received, and hides it from the caller's page when it is public. The letter's sender
 * gets `cannot_report_yourself`, everybody else `not_found`.
 */
export function reportOfuse(context: RequestContext, ofuse_id: string, complaint: Complaint) {
  return createReport(
    context,
    { subject_type: "ofuse", subject_id: ofuse_id },
    complaint,
    async () => {
      const ofuse = await findOfuseRow(context, memberId(context), ofuse_id);
      return ofuse && { user_id: ofuse.sender_user_id };
    },
    [hideStatement(context, ofuse_id, true)],
  );
}

/**
 * Stores a report once; reporting again changes nothing. `findOwner` returns the owner of what is reported, or null
 * when the caller cannot see it. `alsoWrite` adds statements to the batch. Throws `daily_report_limit_reached`.
 */
async function createReport(
  context: RequestContext,
  subject: Subject,
  { reason, detail }: Complaint,
  findOwner: () => Promise<{ user_id: string | null } | null>,
  alsoWrite: CompiledQuery[] = [],
): Promise<{ is_reported: true }> {
  const { database, now_ms } = context;
  const reporter_user_id = memberId(context);
  const answer = { is_reported: true } as const;
  const owner = await findOwner();
  // The caller no longer sees what they have reported, so no owner may mean that. Looking for the report afterwards
  // also finds one that another request stored meanwhile.
  if (await isReported(context, reporter_user_id, subject)) return commitAnswer(context, { statements: [] }, answer);
  if (owner === null) throw new Problem("not_found");
  const { user_id: subject_user_id } = owner;
  if (subject_user_id === reporter_user_id) throw new Problem("cannot_report_yourself");
  const statement = database
    .insertInto("reports")
    .values({
      report_id: newId(now_ms),
      reporter_user_id,
      ...subject,
      subject_user_id,
      reason,
      detail,
      processing_status: "processing",
      decision: null,
      decision_note: null,
      decided_at: null,
      created_at: isoTime(now_ms),
    })
    .onConflict((conflict) => conflict.doNothing())
    .compile();
  // The owner of the reported thing may have left since.
  const exists = {
    code: "not_found" as const,
    holds: sql`${subject_user_id} IS NULL OR EXISTS (SELECT 1 FROM users WHERE user_id = ${subject_user_id})`,
  };
  const isNew = sql`NOT EXISTS (SELECT 1 FROM reports WHERE reporter_user_id = ${reporter_user_id}
    AND subject_type = ${subject.subject_type} AND subject_id = ${subject.subject_id})`;
  const change = { preconditions: [exists], statements: [statement, ...alsoWrite] };
  return commitAnswer(context, withBounds(change, countDailyAct(context, "report", reporter_user_id, isNew)), answer);
}
