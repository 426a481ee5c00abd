import { type CompiledQuery, type Expression, type RawBuilder, sql } from "kysely";
import type { ErrorCode } from "../../contract/errors.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Database } from "./database.ts";
import type { OutboxEvent } from "./outbox.ts";

/** Something that must hold at the moment of the write; when it does not, nothing is written and `code` is thrown. */
export interface Precondition {
  code: ErrorCode;
  holds: Expression<unknown> | RawBuilder<unknown>;
  /** In how many seconds it may hold again; the caller hears it as Retry-After. Asked only when it did not hold. */
  retryAfter?: () => number | Promise<number>;
}

/** One change of the product, whole: what must hold, what is written, what others will hear of. */
export interface Change {
  preconditions?: Precondition[];
  statements: CompiledQuery[];
  /** Rows for the outbox; `only_if` is evaluated in the same batch, before `statements`. */
  announcements?: { event: OutboxEvent; only_if?: RawBuilder<unknown> }[];
}

/** The answer given once under an idempotency key, to be given again. */
export interface IdempotencyRow {
  /** Person and operation. */
  scope: string;
  key: string;
  body_hash: string;
  status: number;
  answer: unknown;
}

/** Another request with this scope and key was written first: its answer is the answer. */
export class IdempotencyRace extends Error {
  override name = "IdempotencyRace";
}

export interface Committer {
  d1: D1Database;
  database: Database;
  now_ms: number;
  idempotency: IdempotencyRow | null;
}

/**
 * Writes a change in exactly one D1 `batch()`, which is one transaction: idempotency row, preconditions, outbox rows,
 * statements. Returns the ids of the outbox rows (some may not exist, where `only_if` was false).
 * Throws {@link Problem} with a precondition's code, {@link IdempotencyRace}, or D1's own error.
 */
export async function commit(committer: Committer, change: Change): Promise<string[]> {
  const { database, d1, now_ms, idempotency } = committer;
  const created_at = isoTime(now_ms);
  const queries: CompiledQuery[] = [];
  if (idempotency) {
    const { scope, key, body_hash, status, answer } = idempotency;
    queries.push(
      database
        .insertInto("idempotency_keys")
        .values({ scope, idempotency_key: key, body_hash, status, answer: JSON.stringify(answer), created_at })
        .compile(),
    );
  }
  for (const { code, holds } of change.preconditions ?? []) {
    queries.push(sql`INSERT INTO preconditions (code, holds) SELECT ${code}, (${holds})`.compile(database));
  }
  const outbox_ids: string[] = [];
  for (const { event, only_if = sql`1` } of change.announcements ?? []) {
    const outbox_id = newId(now_ms);
    outbox_ids.push(outbox_id);
    queries.push(
      sql`INSERT INTO outbox (outbox_id, kind, payload, created_at)
        SELECT ${outbox_id}, ${event.kind}, ${JSON.stringify(event.payload)}, ${created_at} WHERE (${only_if})`.compile(
        database,
      ),
    );
  }
  queries.push(...change.statements);
  if (queries.length === 0) return outbox_ids;
  try {
    await d1.batch(queries.map((query) => d1.prepare(query.sql).bind(...query.parameters)));
  } catch (error) {
    throw await named(error, change.preconditions ?? []);
  }
  return outbox_ids;
}

async function named(error: unknown, preconditions: readonly Precondition[]): Promise<unknown> {
  const message = error instanceof Error ? error.message : "";
  const code = /precondition (\w+) failed/.exec(message)?.[1];
  if (code) {
    // Two bounds may have one code: the longer wait is true of both.
    const waits = preconditions.filter((each) => each.code === code).map(({ retryAfter }) => retryAfter?.() ?? 0);
    const retry_after_s = Math.max(0, ...(await Promise.all(waits)));
    return new Problem(code, { cause: error, ...(retry_after_s > 0 && { retry_after_s }) });
  }
  if (message.includes("UNIQUE constraint failed: idempotency_keys.")) return new IdempotencyRace();
  return error;
}
