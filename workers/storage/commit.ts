import { type Compilable, type CompiledQuery, type Expression, type RawBuilder, sql } from "kysely";
import { isoTime } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";

/** A statement, compiled or not yet. */
export type Statement = Compilable | CompiledQuery;

type RowOf<S> = S extends Compilable<infer Row> ? Row : S extends CompiledQuery<infer Row> ? Row : never;
/** The rows that each statement returned. */
export type RowsOf<S extends readonly Statement[]> = { -readonly [K in keyof S]: RowOf<S[K]>[] };

/**
 * Runs all of the statements in order, or none: a D1 `batch()` is one transaction. Returns the rows of each. No other
 * code of the workers runs a batch.
 */
export async function runBatch<const S extends readonly Statement[]>(
  d1: D1Database,
  statements: S,
): Promise<RowsOf<S>> {
  if (statements.length === 0) return [] as RowsOf<S>;
  const prepared = statements.map((statement) => {
    const query = "compile" in statement ? statement.compile() : statement;
    return d1.prepare(query.sql).bind(...query.parameters);
  });
  return (await d1.batch(prepared)).map(({ results }) => results) as RowsOf<S>;
}

/** A condition that must hold when the write runs. Otherwise nothing is written and `code` is thrown. */
export interface Precondition<Code extends string = string> {
  code: Code;
  holds: Expression<unknown> | RawBuilder<unknown>;
  /** Returns the seconds until the condition may hold again, sent as Retry-After. Called only after it failed. */
  retryAfter?: () => number | Promise<number>;
}

/** An event that other parts of the product react to. */
export interface Announced {
  kind: string;
  payload: object;
}

/** One whole change: its preconditions, its statements and the events it announces. */
export interface Change<
  Event extends Announced,
  Code extends string,
  S extends readonly Statement[] = CompiledQuery[],
> {
  preconditions?: Precondition<Code>[];
  statements: S;
  /** Outbox rows. `only_if` is evaluated in the same batch, before `statements`. */
  announcements?: { event: Event; only_if?: RawBuilder<unknown> }[];
}

/** A worker's database. It has the view `preconditions`, and the table `outbox` if its changes announce events. */
export interface Store {
  d1: D1Database;
  /** Any Kysely: compiles the SQL. */
  database: Parameters<RawBuilder<unknown>["compile"]>[0];
  now_ms: number;
}

/**
 * Writes a change in exactly one batch: `first`, preconditions, outbox rows, statements. Returns the rows of each
 * statement and the ids of the outbox rows. An id whose `only_if` was false has no row.
 * Throws {@link Problem} with the code of a precondition that failed, or D1's own error.
 *
 * @param first statements that must fail before a precondition does.
 */
export async function commitChange<Event extends Announced, Code extends string, const S extends readonly Statement[]>(
  { d1, database, now_ms }: Store,
  { preconditions = [], announcements = [], statements }: Change<Event, Code, S>,
  first: readonly Statement[] = [],
): Promise<{ rows: RowsOf<S>; outbox_ids: string[] }> {
  const conditions = preconditions.map((each) => preconditionStatement(database, each));
  const outbox = announcements.map(({ event, only_if = sql`1` }) => {
    const outbox_id = newId(now_ms);
    const row = sql`INSERT INTO outbox (outbox_id, kind, payload, created_at)
      SELECT ${outbox_id}, ${event.kind}, ${JSON.stringify(event.payload)}, ${isoTime(now_ms)} WHERE (${only_if})`;
    return { outbox_id, statement: row.compile(database) };
  });
  const before = [...first, ...conditions, ...outbox.map(({ statement }) => statement)];
  try {
    const rows = await runBatch(d1, [...before, ...statements]);
    return { rows: rows.slice(before.length) as RowsOf<S>, outbox_ids: outbox.map(({ outbox_id }) => outbox_id) };
  } catch (error) {
    throw (await problemOf(error, preconditions)) ?? error;
  }
}

/** Returns the statement that undoes its batch when a precondition does not hold. */
export function preconditionStatement(
  database: Store["database"],
  { code, holds }: Pick<Precondition, "code" | "holds">,
): CompiledQuery {
  return sql`INSERT INTO preconditions (code, holds) SELECT ${code}, (${holds})`.compile(database);
}

/** Returns the problem of the precondition that failed; null for any other error. */
async function problemOf(error: unknown, preconditions: readonly Precondition[]): Promise<Problem | null> {
  const message = error instanceof Error ? error.message : "";
  const code = /precondition (\w+) failed/.exec(message)?.[1];
  if (!code) return null;
  // Several limits may share a code. The longest wait satisfies all of them.
  const waits = preconditions.filter((each) => each.code === code).map(({ retryAfter }) => retryAfter?.() ?? 0);
  const retry_after_s = Math.max(0, ...(await Promise.all(waits)));
  return new Problem(code, { cause: error, ...(retry_after_s > 0 && { retry_after_s }) });
}
