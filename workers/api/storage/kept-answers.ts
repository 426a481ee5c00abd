import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { Problem } from "../../kernel/problem.ts";
import type { Database } from "./database.ts";

/** The answers kept for retries that hold the words of one kind of thing. */
export interface KeptWords {
  /** The operations whose answers hold them. */
  operations: readonly string[];
  /** The JSON path of the thing's id in an answer. */
  id: string;
}

/**
 * The statements that take the words of something about to be deleted out of the answers kept for retries. The rows stay: a
 * retry writes nothing again and gets `not_found`. They go before the deletion, because they select from what it deletes.
 *
 * @param of the `writers` who may have sent the words (user ids) and the `ids` of what is deleted, each as SQL behind IN.
 */
export function forgetAnswers(
  database: Database,
  { operations, id }: KeptWords,
  of: { writers: RawBuilder<unknown>; ids: RawBuilder<unknown> },
): CompiledQuery[] {
  const { writers, ids } = of;
  // Source of the scope: http/app.ts.
  return operations.map((operation) =>
    sql`UPDATE idempotency_keys SET status = ${FORGOTTEN}, answer = 'null'
      WHERE scope IN (SELECT identity_id || ${` ${operation}`} FROM users WHERE user_id IN ${writers})
        AND json_extract(answer, ${id}) IN ${ids}`.compile(database),
  );
}

/** The status of a row whose words were taken out: that of `not_found`. */
const FORGOTTEN = 404;

/**
 * Returns the answer given under this key, or null. Throws `idempotency_key_reused` when it answered another body, and
 * `not_found` when the thing it made has been deleted since.
 *
 * @param asked `body_hash` may be a function, called only when there is a row to compare it with.
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
