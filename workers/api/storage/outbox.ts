import { type CompiledQuery, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { runBatch } from "../../storage/commit.ts";
import { type Database, oneOf } from "./database.ts";
import type { SearchDatabase } from "./search-database.ts";

/**
 * The kinds of outbox rows with their payloads. Empty here: the domain that writes a kind adds it in its `domain.ts` by
 * declaration merging, so that this file names no domain.
 */
// biome-ignore lint/suspicious/noEmptyInterface: domains add their kinds to it.
export interface OutboxEvents {}
export type OutboxKind = keyof OutboxEvents;

/** What happened, for other domains to react to. Written in the batch of the change itself, so it is never lost. */
export type OutboxEvent<K extends OutboxKind = OutboxKind> = {
  [Kind in K]: { kind: Kind; payload: OutboxEvents[Kind] };
}[K];

/** What a reaction works with. */
export interface Reacting {
  database: Database;
  search: SearchDatabase;
}

/**
 * A domain's answer to one kind of row: the statements it wants written. A crash between two steps repeats it, so it must
 * write the same rows the second time.
 */
export type Reaction<K extends OutboxKind = OutboxKind> = (
  event: OutboxEvent<K>,
  reacting: Reacting,
) => Promise<CompiledQuery[]>;

/** Reactions by the kind they answer. */
export type Reactions = { readonly [K in OutboxKind]?: Reaction<K> };

export interface Dispatcher extends Reacting {
  d1: D1Database;
  now_ms: number;
  reactions: readonly Reactions[];
  /** Kinds that triggers write: no commit knows the ids of such rows, so every dispatch looks for them. */
  kinds_of_triggers: readonly OutboxKind[];
}

const DISPATCH_AT_ONCE = 100;
/** After so many failures a row waits for an operator; it stays in the table and in the log. */
export const MAX_ATTEMPTS = 20;

/**
 * Lets every domain react to the rows with these ids, or to all rows that wait. The rows that triggers wrote go along with
 * the given ones. A reaction's statements and the row's mark are one batch. A failure is counted on the row and logged, and
 * the next tick of the clock retries it: a retry after every commit would use up the attempts in a minute's outage.
 */
export async function dispatchOutbox(dispatcher: Dispatcher, outbox_ids?: readonly string[]): Promise<void> {
  let waiting = waitingRows(dispatcher).where("attempts", "<", MAX_ATTEMPTS);
  if (outbox_ids) {
    waiting = waiting
      .where("attempts", "=", sql.lit(0))
      .where((row) =>
        row.or([
          row("outbox_id", "in", oneOf(outbox_ids)),
          ...dispatcher.kinds_of_triggers.map((kind) => row("kind", "=", sql.lit(kind))),
        ]),
      );
  }
  for (const row of await waiting.execute()) {
    await dispatchRow(dispatcher, row);
  }
}

/**
 * Dispatches the rows that nobody has tried yet: those that a reaction wrote, and those beyond the limit of one run. A row
 * that fails waits for the next tick. Returns whether there were any.
 */
export async function dispatchUntried(dispatcher: Dispatcher): Promise<boolean> {
  const rows = await waitingRows(dispatcher).where("attempts", "=", sql.lit(0)).execute();
  for (const row of rows) await dispatchRow(dispatcher, row);
  return rows.length > 0;
}

function waitingRows({ database }: Dispatcher) {
  return database
    .selectFrom("outbox")
    .select(["outbox_id", "kind", "payload", "attempts"])
    .where("processed_at", "is", null)
    .orderBy("attempts")
    .orderBy("outbox_id")
    .limit(DISPATCH_AT_ONCE);
}

async function dispatchRow(
  dispatcher: Dispatcher,
  row: { outbox_id: string; kind: string; payload: string; attempts: number },
): Promise<void> {
  const { d1, database, now_ms, reactions } = dispatcher;
  try {
    const event = { kind: row.kind, payload: JSON.parse(row.payload) } as OutboxEvent;
    const statements = await Promise.all(
      reactions.map((byKind) => (byKind[event.kind] as Reaction | undefined)?.(event, dispatcher) ?? []),
    );
    const done = database
      .updateTable("outbox")
      .set({ processed_at: isoTime(now_ms) })
      .where("outbox_id", "=", row.outbox_id)
      .compile();
    await runBatch(d1, [...statements.flat(), done]);
  } catch (error) {
    const last_error = error instanceof Error ? error.message : String(error);
    console.error(
      JSON.stringify({ message: "outbox row failed", outbox_id: row.outbox_id, kind: row.kind, last_error }),
    );
    await database
      .updateTable("outbox")
      .set({ attempts: row.attempts + 1, last_error })
      .where("outbox_id", "=", row.outbox_id)
      .execute();
  }
}

/**
 * The statement that writes a row for a reaction to continue with. The caller chooses the id: writing the same id twice
 * writes one row.
 */
export function continuation(
  database: Database,
  outbox_id: string,
  { kind, payload }: OutboxEvent,
  now_ms: number,
): CompiledQuery {
  return database
    .insertInto("outbox")
    .values({
      outbox_id,
      kind,
      payload: JSON.stringify(payload),
      created_at: isoTime(now_ms),
      processed_at: null,
      attempts: 0,
      last_error: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .compile();
}
