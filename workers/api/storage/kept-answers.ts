import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { Problem } from "../../kernel/problem.ts";
import type { Database } from "./database.ts";

/** By what is deleted: the operations whose kept answers hold its words, and where in an answer stands which it is. */
const holders = {
  comment: { operations: ["createEventComment"], id: "$.comment.comment_id" },
  event: { operations: ["createEvent", "updateEvent"], id: "$.event.event_id" },
  draft: { operations: ["saveEventDraft"], id: "$.draft.draft_id" },
} as const;

/**
 * The statements that take the words of what is being deleted out of the answers kept for retries. Their rows stay: a retry makes
 * nothing again, and is answered `not_found`. They come before the deletion, which they look at.
 *
 * @param of the `writers` who may have sent it (user ids), and the `ids` of what is deleted: each as it stands behind IN.
 */
export function forgetAnswers(
  database: Database,
  deleted: keyof typeof holders,
  of: { writers: RawBuilder<unknown>; ids: RawBuilder<unknown> },
): CompiledQuery[] {
  const { operations, id } = holders[deleted];
  const { writers, ids } = of;
  // Source of the scope: http/app.ts.
  return operations.map((operation) =>
    sql`UPDATE idempotency_keys SET status = ${FORGOTTEN}, answer = 'null'
      WHERE scope IN (SELECT identity_id || ${` ${operation}`} FROM users WHERE user_id IN ${writers})
        AND json_extract(answer, ${id}) IN ${ids}`.compile(database),
  );
}

/** The status of such a row: that of `not_found`. */
const FORGOTTEN = 404;

/**
 * What was answered under this key; null where nothing was. Throws `idempotency_key_reused` when it was for another body, and
 * `not_found` when what was made has been deleted since.
 *
 * @param asked `body_hash` may be worked out when it is wanted: there may be no row to compare it with.
 */
export async function findKeptAnswer(
  database: Database,
  asked: { scope: string; key: string; body_hash: string | (() => Promise<string>) },
): Promise<{ status: number; answer: unknown } | null> {
  const { scope, key, body_hash } = asked;
  const row = await database
    .selectFrom("idempotency_keys")
    .select(["body_hash", "status", "answer"])
    .where("scope", "=", scope)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
  if (!row) return null;
  if (row.body_hash !== (typeof body_hash === "string" ? body_hash : await body_hash())) {
    throw new Problem("idempotency_key_reused");
  }
  if (row.status === FORGOTTEN) throw new Problem("not_found");
  return { status: row.status, answer: JSON.parse(row.answer) };
}
