import { type CompiledQuery, sql } from "kysely";
import { isoTime } from "../../kernel/clock.ts";
import { type Database, oneOf } from "./database.ts";

/** What happened, for other domains to react to. Written in the batch of the change itself, so it is never lost. */
export type OutboxEvent =
  | { kind: "followed"; payload: { follower_id: string; following_id: string } }
  | { kind: "ofuse_sent"; payload: { ofuse_id: string; sender_user_id: string; receiver_user_id: string } }
  | { kind: "ofuse_replied"; payload: { ofuse_id: string; sender_user_id: string; receiver_user_id: string } }
  /**
   * A post was published. Its readers are told some at a time: `after` is where the last of the rows with this
   * `fan_out_id` left off.
   */
  | {
      kind: "event_published";
      payload: { event_id: string; fan_out_id: string; after: { at: string; user_id: string } | null };
    }
  | { kind: "event_commented"; payload: EventCommented }
  /** An operator decided a report. */
  | { kind: "report_decided"; payload: ReportDecided }
  /** Something that search finds or orders a creator by. Written by triggers alone (0008_creators_to_search.sql). */
  | { kind: "creator_changed"; payload: { user_id: string } }
  /** Somebody left, and more was theirs than one batch takes. `round` counts the batches. */
  | { kind: "account_left"; payload: { user_id: string; identity_id: string; round: number } }
  /** An operator wants the index of creators made again. */
  | { kind: "search_rebuild_wanted"; payload: Record<string, never> };

interface EventCommented {
  comment_id: string;
  writer_user_id: string;
  event_id: string;
  /** Whose post it is. */
  event_user_id: string;
  event_link_id: string;
  /** Who wrote the comment it answers; null where it answers none. */
  answered_user_id: string | null;
}

interface ReportDecided {
  report_id: string;
  reporter_user_id: string;
  subject_type: "event" | "event_comment" | "ofuse";
  subject_id: string;
  subject_user_id: string;
  decision: "removed" | "kept";
  /** The operator's own words; null where there are none. */
  note: string | null;
}

/**
 * A domain's answer to an event: the statements it wants written. It may be asked again for the same event (a crash
 * between two steps), so what it writes must be the same the second time.
 */
export type Reaction = (event: OutboxEvent, database: Database) => Promise<CompiledQuery[]>;

export interface Dispatcher {
  d1: D1Database;
  database: Database;
  now_ms: number;
  reactions: readonly Reaction[];
}

const DISPATCH_AT_ONCE = 100;
/** After so many failures a row waits for an operator; it stays in the table and in the log. */
export const MAX_ATTEMPTS = 20;

/**
 * Lets every domain react to the rows given, or to all that wait. With those given go the ones that triggers wrote, whose
 * ids nobody was told: a commit that announces nothing may still have written some. A reaction's statements and the row's
 * mark are one batch. A failure is counted on the row, logged and left for the next tick of the clock: were it tried again
 * after every commit, a minute's outage would use up a row's attempts.
 */
export async function dispatchOutbox(dispatcher: Dispatcher, outbox_ids?: readonly string[]): Promise<void> {
  let waiting = waitingRows(dispatcher).where("attempts", "<", MAX_ATTEMPTS);
  if (outbox_ids) {
    waiting = waiting
      .where("attempts", "=", sql.lit(0))
      .where((row) =>
        row.or([row("outbox_id", "in", oneOf(outbox_ids)), row("kind", "=", sql.lit("creator_changed"))]),
      );
  }
  for (const row of await waiting.execute()) {
    await dispatchRow(dispatcher, row);
  }
}

/**
 * Goes on with rows that nobody has tried yet: what a reaction leaves to be done after it, or more than fit into one go.
 * Those that fail wait for the next tick. Returns whether there were any.
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
  { d1, database, now_ms, reactions }: Dispatcher,
  row: { outbox_id: string; kind: string; payload: string; attempts: number },
): Promise<void> {
  try {
    const event = { kind: row.kind, payload: JSON.parse(row.payload) } as OutboxEvent;
    const statements = (await Promise.all(reactions.map((react) => react(event, database)))).flat();
    const done = database
      .updateTable("outbox")
      .set({ processed_at: isoTime(now_ms) })
      .where("outbox_id", "=", row.outbox_id)
      .compile();
    await d1.batch([...statements, done].map((query) => d1.prepare(query.sql).bind(...query.parameters)));
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
