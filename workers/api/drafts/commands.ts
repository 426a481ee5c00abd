import { sql } from "kysely";
import { DRAFTS_OF_A_PERSON } from "../../contract/bounds.ts";
import type { Draft } from "../../contract/drafts.ts";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { requireUnpublishedDraft } from "../events/queries.ts";
import { KEPT_DRAFTS } from "../events/rules.ts";
import { commitAnswer, commitLimited, memberId, type RequestContext } from "../http/request-context.ts";
import type { Change } from "../storage/commit.ts";
import { oneOf } from "../storage/database.ts";
import { forgetAnswers } from "../storage/kept-answers.ts";
import type { Limit } from "../storage/limits.ts";
import { findDraft } from "./queries.ts";

/**
 * At most 600 saves by one person in ten minutes. The form saves two seconds after the last keystroke, and a person may
 * have several forms open.
 */
export const DRAFT_SAVE_LIMIT: Limit = { act: "draft", times: 600, window_ms: 10 * 60 * 1000 };

interface DraftInput {
  event_id: string | null;
  kind: Draft["kind"];
  fields: Draft["fields"];
  upload_ids: string[];
  revision: number;
}

/**
 * Saves a draft. `revision` is the revision that the form has loaded, or 0 for a new draft. Throws `draft_conflict`
 * when another browser tab saved the draft meanwhile or when the post has another draft, `not_found` when the draft or
 * the post belongs to somebody else, `draft_published`, `draft_limit_reached`, `too_many_requests`.
 */
export async function saveDraft(context: RequestContext, draft_id: string, given: DraftInput): Promise<Draft> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const now = isoTime(now_ms);
  const { event_id, kind, revision } = given;
  const before = revision > 0 ? await findDraft(context, user_id, draft_id) : null;
  if (revision > 0 && !before) throw new Problem("not_found");
  const draft: Draft = {
    draft_id,
    event_id,
    kind,
    fields: given.fields,
    revision: revision + 1,
    created_at: before?.created_at ?? now,
    updated_at: now,
  };
  const row = {
    ...draft,
    user_id,
    fields: JSON.stringify(given.fields),
    upload_ids: JSON.stringify(given.upload_ids),
  };
  const change: Change = {
    preconditions: [
      {
        code: "not_found",
        holds: sql`NOT EXISTS (SELECT 1 FROM event_drafts WHERE draft_id = ${draft_id} AND user_id <> ${user_id})
          AND (${event_id} IS NULL OR EXISTS (
            SELECT 1 FROM events WHERE event_id = ${event_id} AND user_id = ${user_id}))`,
      },
      requireUnpublishedDraft(user_id, draft_id),
      {
        code: "draft_conflict",
        holds: sql`COALESCE((SELECT revision FROM event_drafts WHERE draft_id = ${draft_id}), 0) = ${revision}
          AND NOT EXISTS (SELECT 1 FROM event_drafts WHERE event_id = ${event_id} AND draft_id <> ${draft_id})`,
      },
      {
        code: "draft_limit_reached",
        holds: sql`${revision} > 0
          OR (SELECT COUNT(*) FROM event_drafts WHERE user_id = ${user_id}) < ${DRAFTS_OF_A_PERSON}`,
      },
    ],
    statements: [
      database
        .insertInto("event_drafts")
        .values(row)
        .onConflict((conflict) =>
          conflict.column("draft_id").doUpdateSet({
            event_id,
            kind,
            fields: row.fields,
            upload_ids: row.upload_ids,
            revision: row.revision,
            updated_at: now,
          }),
        )
        .compile(),
    ],
  };
  return (await commitLimited(context, DRAFT_SAVE_LIMIT, user_id, change, { draft })).draft;
}

/** Deletes a draft. Throws `not_found` for other people's drafts. */
export function deleteDraft(context: RequestContext, draft_id: string): Promise<null> {
  const user_id = memberId(context);
  const change: Change = {
    preconditions: [
      {
        code: "not_found",
        holds: sql`EXISTS (SELECT 1 FROM event_drafts WHERE draft_id = ${draft_id} AND user_id = ${user_id})`,
      },
    ],
    statements: [
      ...forgetAnswers(context.database, KEPT_DRAFTS, { writers: oneOf([user_id]), ids: oneOf([draft_id]) }),
      context.database.deleteFrom("event_drafts").where("draft_id", "=", draft_id).compile(),
    ],
  };
  return commitAnswer(context, change, null);
}
