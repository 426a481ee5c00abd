import { type CompiledQuery, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { runBatch } from "../../storage/commit.ts";
import type { Gateway } from "../gateway/client.ts";
import type { Mails } from "../mails/client.ts";
import type { Push } from "../push/client.ts";
import { type Database, oneOf } from "./database.ts";
import type { SearchDatabase } from "./search-database.ts";

/**
 * The payloads of outbox rows by kind. This interface is empty: each domain adds its kinds in its `domain.ts` by
 * declaration merging, so that this file names no domain.
 */
// biome-ignore lint/suspicious/noEmptyInterface: domains add their kinds to it.
export interface OutboxEvents {}
export type OutboxKind = keyof OutboxEvents;

/**
 * Something that happened, for other domains to react to. The batch of the change itself writes it to the outbox, so it
 * is never lost.
 */
export type OutboxEvent<K extends OutboxKind = OutboxKind> = {
  [Kind in K]: { kind: Kind; payload: OutboxEvents[Kind] };
}[K];

/** What a reaction works with. */
export interface ReactionContext {
  /** For a reaction that commits by itself. Others return statements. */
  d1: D1Database;
  database: Database;
  search: SearchDatabase;
  gateway: Gateway;
  mails: Mails;
  push: Push;
  /** Signs the links of mails. */
  media_key: string;
  now_ms: number;
  /** Tells the open pages of these members, after the commit, that they have a new notification. */
  tell(user_ids: readonly string[]): void;
}

/**
 * A domain's reaction to one kind of outbox row: it returns the statements to write. It runs again after a crash, so it
 * must write the same rows the second time.
 */
export type Reaction<K extends OutboxKind = OutboxKind> = (
  event: OutboxEvent<K>,
  reacting: ReactionContext,
) => Promise<CompiledQuery[]>;

/** Reactions by the kind of outbox row to which they react. */
export type Reactions = { readonly [K in OutboxKind]?: Reaction<K> };

export interface Dispatcher extends Omit<ReactionContext, "tell"> {
  /** Tells the open pages of these members that they have a new notification. Never throws. */
  tellPages(user_ids: readonly string[]): Promise<void>;
  reactions: readonly Reactions[];
  /** The kinds that triggers write. No commit knows the ids of such rows, so every dispatch looks for them. */
  kinds_of_triggers: readonly OutboxKind[];
}

const DISPATCH_BATCH_SIZE = 100;
/** How often a reaction runs at once when other changes come between its reads and its batch. */
const TRIES_AT_ONCE = 4;
/** A row of the outbox that has failed this often waits for an operator. It stays in the table and in the log. */
export const MAX_ATTEMPTS = 20;

/**
 * Runs the domains' reactions to the outbox rows with these ids and to new rows that triggers wrote; without ids, to
 * all waiting rows. One batch writes a reaction's statements and marks the row as processed. A failure is counted on
 * the row and logged, and the next run of the cron job retries it: a retry after every commit would use up all attempts
 * during an outage of one minute.
 */
export async function dispatchOutbox(dispatcher: Dispatcher, outbox_ids?: readonly string[]): Promise<void> {
  let waiting = selectWaitingRows(dispatcher).where("attempts", "<", MAX_ATTEMPTS);
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
 * Dispatches the outbox rows that were never tried: rows that reactions wrote, and rows beyond the limit of one
 * dispatch. A row that fails waits for the next run of the cron job. Returns whether there were any rows.
 */
export async function dispatchUntried(dispatcher: Dispatcher): Promise<boolean> {
  const rows = await selectWaitingRows(dispatcher).where("attempts", "=", sql.lit(0)).execute();
  for (const row of rows) await dispatchRow(dispatcher, row);
  return rows.length > 0;
}

function selectWaitingRows({ database }: Dispatcher) {
  return database
    .selectFrom("outbox")
    .select(["outbox_id", "kind", "payload", "attempts"])
    .where("processed_at", "is", null)
    .orderBy("attempts")
    .orderBy("outbox_id")
    .limit(DISPATCH_BATCH_SIZE);
}

async function dispatchRow(
  dispatcher: Dispatcher,
  row: { outbox_id: string; kind: string; payload: string; attempts: number },
  tries = 1,
): Promise<void> {
  const { d1, database, now_ms, reactions, tellPages } = dispatcher;
  const told = new Set<string>();
  const tell = (user_ids: readonly string[]) => {
    for (const user_id of user_ids) told.add(user_id);
  };
  try {
    const event = { kind: row.kind, payload: JSON.parse(row.payload) } as OutboxEvent;
    const statements = await Promise.all(
      reactions.map((byKind) => (byKind[event.kind] as Reaction | undefined)?.(event, { ...dispatcher, tell }) ?? []),
    );
    const done = database
      .updateTable("outbox")
      .set({ processed_at: isoTime(now_ms) })
      .where("outbox_id", "=", row.outbox_id)
      .compile();
    await runBatch(d1, [...statements.flat(), done]);
    await tellPages([...told]);
  } catch (error) {
    const last_error = error instanceof Error ? error.message : String(error);
    // A reaction's precondition: another change came between. The reaction reads that change now.
    if (tries < TRIES_AT_ONCE && last_error.includes("precondition unavailable failed")) {
      return dispatchRow(dispatcher, row, tries + 1);
    }
    console.error(
      JSON.stringify({ message: "outbox row failed", outbox_id: row.outbox_id, kind: row.kind, last_error }),
    );
    // An outage of the gateway lasts as long as it lasts. The row must not be given up for it.
    const is_outage = error instanceof Problem && error.code === "gateway_unreachable";
    await database
      .updateTable("outbox")
      .set({ attempts: is_outage ? Math.max(row.attempts, 1) : row.attempts + 1, last_error })
      .where("outbox_id", "=", row.outbox_id)
      .execute();
  }
}

/**
 * Returns the statement that enqueues an outbox row for a reaction to continue with. The caller chooses the id: writing
 * the same id twice writes one row.
 */
export function continuationStatement(
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
