import { type CompiledQuery, sql } from "kysely";
import type { Removal } from "../../contract/reports.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { runBatch } from "../../storage/commit.ts";
import { findComment, findReadableEvent } from "../comments/queries.ts";
import { commitAnswer, memberId, type RequestContext, type Services } from "../http/request-context.ts";
import { hideStatement } from "../ofuses/commands.ts";
import { findLetterOnPage, findOfuseRow } from "../ofuses/queries.ts";
import { findHearableRadio, findRadioComment } from "../radios/queries.ts";
import type { Tables } from "../storage/database.ts";
import { countDailyAct, withBounds } from "../storage/limits.ts";
import { daysAgo } from "../storage/retention.ts";
import { findOwnRemoval, findVisibleEvent, isReported, removalInForce, type Subject } from "./queries.ts";

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
 * Reports a letter that the caller received or reads on its receiver's page. The report of its receiver hides a public letter
 * from everybody. The letter's sender gets `cannot_report_yourself`, and a caller who cannot see it `not_found`.
 */
export function reportOfuse(context: RequestContext, ofuse_id: string, complaint: Complaint) {
  return createReport(
    context,
    { subject_type: "ofuse", subject_id: ofuse_id },
    complaint,
    async () => {
      const own = await findOfuseRow(context, memberId(context), ofuse_id);
      const ofuse = own ?? (await findLetterOnPage(context, ofuse_id));
      return ofuse && { user_id: ofuse.sender_user_id };
    },
    [hideStatement(context, ofuse_id, true)],
  );
}

/**
 * Stores the owner's appeal against a removal. Throws `not_found` for other people's removals, and `appeal_closed` when
 * there is one already, or when the subject was given back.
 */
export async function appealRemoval(
  context: RequestContext,
  removal_id: string,
  message: string,
): Promise<{ removal: Removal }> {
  const { database, now_ms } = context;
  const removal = await findOwnRemoval(context, removal_id);
  const now = isoTime(now_ms);
  const isOpen = sql<boolean>`removal_id = ${removal_id} AND appeal IS NULL AND given_back_at IS NULL`;
  const change = {
    preconditions: [{ code: "appeal_closed" as const, holds: sql`EXISTS (SELECT 1 FROM removals WHERE ${isOpen})` }],
    statements: [database.updateTable("removals").set({ appeal: message, appealed_at: now }).where(isOpen).compile()],
  };
  const appeal = { message, sent_at: now, decision: null, note: null, answered_at: null };
  return commitAnswer(context, change, { removal: { ...removal, appeal } });
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

const WORDS_KEPT_DAYS = 365;
/** Takes the place of an appeal's words: an appeal without words would look like none. */
export const APPEAL_WITHOUT_WORDS = "（保存期間を過ぎたため、本文を削除しました）";

/**
 * Deletes the words of reports and appeals a year after the operator's decision. The clock runs it. The rows stay: a person
 * reports a thing once, and appeals once. Source: the privacy policy, "保存する期間".
 */
export async function deleteOldWords({ database, d1, clock }: Services): Promise<void> {
  const a_year_ago = daysAgo(clock.now(), WORDS_KEPT_DAYS);
  await runBatch(d1, [
    sql`UPDATE reports SET detail = '' WHERE decided_at < ${a_year_ago} AND detail <> ''`.compile(database),
    // The index repeats the words, so they are no parameter.
    sql`UPDATE removals SET appeal = ${APPEAL_WITHOUT_WORDS}
      WHERE answered_at < ${a_year_ago} AND appeal <> ${sql.lit(APPEAL_WITHOUT_WORDS)}`.compile(database),
  ]);
}

interface Removed {
  removal_id: string;
  note: string | null;
}

/**
 * Takes a post, comment or letter down, and keeps the state that it had. A reply that is hidden with its comment gets a
 * removal of its own, so that it stays down when the comment is given back. Changes nothing for what is down already, and
 * for what does not exist. Source: docs/operations.md, "Reports".
 */
export function takeDownStatements(
  { database, now_ms }: RequestContext,
  { subject_type, subject_id }: Subject,
  { removal_id, note }: Removed,
): CompiledQuery[] {
  const now = isoTime(now_ms);
  const keep = (former: ReturnType<typeof sql>, owner: ReturnType<typeof sql>, from: ReturnType<typeof sql>) =>
    sql`INSERT INTO removals (removal_id, subject_type, subject_id, owner_user_id, former, note, removed_at)
      SELECT ${removal_id}, ${subject_type}, ${subject_id}, ${owner}, ${former}, ${note}, ${now} FROM ${from}`.compile(
      database,
    );
  switch (subject_type) {
    case "event":
      return [
        keep(sql`status`, sql`user_id`, sql`events WHERE event_id = ${subject_id} AND removed_at IS NULL`),
        sql`UPDATE events SET status = 'private', removed_at = ${now}
          WHERE event_id = ${subject_id} AND removed_at IS NULL`.compile(database),
      ];
    case "event_comment":
      return [
        keep(
          sql`''`,
          sql`user_id`,
          sql`event_comments WHERE comment_id = ${subject_id} AND deleted_at IS NULL
            AND ${removalInForce({ subject_type, subject_id })} IS NULL`,
        ),
        sql`UPDATE event_comments SET hidden_at = ${now}
          WHERE (comment_id = ${subject_id} OR parent_comment_id = ${subject_id}) AND hidden_at IS NULL`.compile(
          database,
        ),
      ];
    case "ofuse":
      return [
        keep(
          sql`CAST(is_public AS TEXT)`,
          sql`sender_user_id`,
          sql`ofuses WHERE ofuse_id = ${subject_id} AND removed_at IS NULL`,
        ),
        sql`UPDATE ofuses SET removed_at = ${now}, is_public = 0
          WHERE ofuse_id = ${subject_id} AND removed_at IS NULL`.compile(database),
      ];
    case "radio_comment":
      return [
        keep(sql`''`, sql`user_id`, sql`radio_comments WHERE comment_id = ${subject_id} AND hidden_at IS NULL`),
        sql`UPDATE radio_comments SET hidden_at = ${now}
          WHERE comment_id = ${subject_id} AND hidden_at IS NULL`.compile(database),
      ];
  }
}

/**
 * Gives back what a removal took down, in the state that it had. A comment that its owner or the creator hid or deleted
 * otherwise stays hidden, and so does one while another removal of it or of its parent is in force.
 */
export function giveBackStatements(
  { database, now_ms }: RequestContext,
  { removal_id, subject_type, subject_id }: Subject & { removal_id: string },
): CompiledQuery[] {
  const removal = sql`(SELECT * FROM removals WHERE removal_id = ${removal_id} AND given_back_at IS NULL) AS removal`;
  const restored = {
    // The owner may have changed the dates since.
    event: sql`UPDATE events SET removed_at = NULL, status = CASE
          WHEN former = 'published' AND published_at IS NOT NULL THEN former
          WHEN former = 'publish_pending' AND publish_at IS NOT NULL THEN former ELSE 'private' END
        FROM ${removal} WHERE event_id = ${subject_id} AND events.removed_at IS NOT NULL`,
    // The moment of the other removal, so that giving back that one finds the comment.
    event_comment: sql`UPDATE event_comments SET hidden_at = (SELECT max(other.removed_at) FROM removals AS other
          WHERE other.subject_type = 'event_comment' AND other.subject_id IN (comment_id, parent_comment_id)
            AND other.given_back_at IS NULL AND other.removal_id <> removal.removal_id)
        FROM ${removal}
        WHERE (comment_id = ${subject_id} OR parent_comment_id = ${subject_id}) AND hidden_at = removal.removed_at`,
    ofuse: sql`UPDATE ofuses SET removed_at = NULL, is_public = (former = '1') FROM ${removal}
        WHERE ofuse_id = ${subject_id} AND ofuses.removed_at IS NOT NULL`,
    radio_comment: sql`UPDATE radio_comments SET hidden_at = NULL FROM ${removal}
        WHERE comment_id = ${subject_id} AND hidden_at = removal.removed_at`,
  }[subject_type];
  return [
    restored.compile(database),
    database
      .updateTable("removals")
      .set({ given_back_at: isoTime(now_ms) })
      .where("removal_id", "=", removal_id)
      .where("given_back_at", "is", null)
      .compile(),
  ];
}
