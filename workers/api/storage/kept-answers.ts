import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { Problem } from "../../kernel/problem.ts";
import type { Database } from "./database.ts";

/**
 * Where the answers stored for idempotent retries contain words that people wrote, for one kind of thing (a post, a
 * comment).
 */
export interface KeptWords {
  /** The operations whose stored answers contain the words. */
  operations: readonly string[];
  /** The JSON path of the id of the post or comment in a stored answer. */
  id: string;
}

/**
 * Returns statements that remove the words of a deleted post, draft or comment from the answers stored for idempotent
 * retries. The rows stay, so that a retry writes nothing again and gets `not_found`. Run these statements before the
 * deletion itself, because they select from what it deletes.
 *
 * @param of `writers` are the users who may have sent the words, and `ids` the things to delete; each is SQL for IN.
 */
export function forgetAnswers(
  database: Database,
  { operations, id }: KeptWords,
  of: { writers: RawBuilder<unknown>; ids: RawBuilder<unknown> },
): CompiledQuery[] {
  const { writers, ids } = of;
  // http/app.ts defines the format of `scope`.
  return operations.map((operation) =>
    sql`UPDATE idempotency_keys SET status = ${FORGOTTEN_STATUS}, answer = 'null'
      WHERE scope IN (SELECT identity_id || ${` ${operation}`} FROM users WHERE user_id IN ${writers})
        AND json_extract(answer, ${id}) IN ${ids}`.compile(database),
  );
}

/** The status of a stored answer whose words were removed: the one of `not_found`. */
const FORGOTTEN_STATUS = 404;

/**
 * Returns the answer stored under this idempotency key, or null. Throws `idempotency_key_reused` when the key was used
 * with another body, and `not_found` when what the first call created has been deleted.
 *
 * @param asked `body_hash` may be a function, which is called only when there is a row to compare with.
 */
export async function findKeptAnswer(
  database: Database,
  asked: { scope: string; key: string; counts_from?: string; body_hash: string | (() => Promise<string>) },
): Promise<{ status: number; answer: unknown } | null> {
  const { scope, key, counts_from, body_hash } = asked;
  const row = await database
    .selectFrom("idempotency_keys")
    .select(["body_hash", "status", "answer"])
    .where("scope", "=", scope)
    .where("idempotency_key", "=", key)
    .where("created_at", ">=", counts_from ?? "")
    .executeTakeFirst();
  if (!row) return null;
  if (row.body_hash !== (typeof body_hash === "string" ? body_hash : await body_hash())) {
    throw new Problem("idempotency_key_reused");
  }
  if (row.status === FORGOTTEN_STATUS) throw new Problem("not_found");
  return { status: row.status, answer: JSON.parse(row.answer) };
}
