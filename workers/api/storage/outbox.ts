import { type CompiledQuery, sql } from "kysely";
import type { ChatRooms } from "../../contract/chat-engine.ts";
import type { LiveEngine } from "../../contract/live-engine.ts";
import type { HandedMail } from "../../contract/mails.ts";
import type { OverlayRooms } from "../../contract/overlay-engine.ts";
import { isBucketOutage } from "../../kernel/bucket-outage.ts";
import { isoTime } from "../../kernel/clock.ts";
import { isDatabaseOutage, isDatabaseReset } from "../../kernel/database-outage.ts";
import { causesOf, log, messagesOf } from "../../kernel/log.ts";
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
  /** The outbox row. A reaction that adds something up stores it, so that a row that is dispatched twice counts once. */
  outbox_id: string;
  /** For a reaction that commits by itself. Others return statements. */
  d1: D1Database;
  database: Database;
  search: SearchDatabase;
  gateway: Gateway;
  mails: Mails;
  push: Push;
  sound: LiveEngine;
  chat: ChatRooms;
  overlays: OverlayRooms;
  /** Signs the links of mails. */
  media_key: string;
  /** For a reaction that acts as a member, as in `RequestContext`. */
  media: R2Bucket;
  pictures: { fetch(url: string, init?: RequestInit): Promise<Response> };
  bank_keys: string;
  issuer_number: string | null;
  now_ms: number;
  /** When it happened: the outbox row's own time, however late the row is dispatched. */
  happened_ms: number;
  /** How often the outbox row has failed before. */
  attempts: number;
  /** Whether the dispatch must end. A step of long work ends then, and enqueues the next one. */
  isOver: () => boolean;
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

export interface Dispatcher extends Omit<ReactionContext, "outbox_id" | "tell" | "happened_ms" | "attempts"> {
  /** Tells the open pages of these members that they have a new notification. Never throws. */
  tellPages(user_ids: readonly string[]): Promise<void>;
  reactions: readonly Reactions[];
  /** The kinds that triggers write. No commit knows the ids of such rows, so every dispatch looks for them. */
  kinds_of_triggers: readonly OutboxKind[];
  /**
   * The kinds whose rows react at the same time and are written in one batch. Their reactions only return statements
   * without preconditions, and hand mails over.
   */
  kinds_at_once: readonly OutboxKind[];
  /** The kinds whose rows are steps of long work, such as an import. They wait for all other rows. */
  kinds_of_long_work: readonly OutboxKind[];
}

const DISPATCH_BATCH_SIZE = 100;
/** How often a reaction runs at once when other changes come between its reads and its batch. */
const TRIES_AT_ONCE = 4;
/** The attempts that are counted for a row whose handling kills the worker, for example by using too much time or memory. */
const ATTEMPTS_OF_A_DEATH = 5;
/**
 * A row of the outbox that has failed this often waits for an operator. It stays in the table and in the log. One that was given
 * up without an error is tried again by {@link retryEndedRows}.
 */
export const MAX_ATTEMPTS = 20;

/**
 * Runs the domains' reactions to the outbox rows with these ids and to new rows that triggers wrote. One batch writes a
 * reaction's statements and marks the row as processed. A failure is counted on the row and logged, and the next run of
 * the cron job retries it: a retry after every commit would use up all attempts during an outage of one minute. The cron
 * job also takes the rows that are left when it is over.
 */
export async function dispatchNew(dispatcher: Dispatcher, outbox_ids: readonly string[]): Promise<void> {
  const rows = await selectWaitingRows(dispatcher)
    .where("attempts", "=", sql.lit(0))
    .where((row) =>
      row.or([
        row("outbox_id", "in", oneOf(outbox_ids)),
        ...dispatcher.kinds_of_triggers.map((kind) => row("kind", "=", sql.lit(kind))),
      ]),
    )
    .execute();
  await dispatchRows(dispatcher, rows);
}

/**
 * Dispatches every waiting row once, those that were never tried first, until it is over. Rows that the reactions write
 * meanwhile are left to {@link dispatchUntried}, and long work to {@link dispatchLongWork}.
 */
export async function dispatchOutbox(dispatcher: Dispatcher): Promise<void> {
  const failed = new Set<string>();
  for (let after = { attempts: -1, outbox_id: "" }; ; ) {
    const rows = await selectShortWork(dispatcher)
      .where("attempts", "<", MAX_ATTEMPTS)
      .where(sql<boolean>`(attempts, outbox_id) > (${after.attempts}, ${after.outbox_id})`)
      .execute();
    // A row that fails moves on in this order, and would be met again.
    const unmet = rows.filter(({ outbox_id }) => !failed.has(outbox_id));
    for (const outbox_id of await dispatchRows(dispatcher, unmet, true)) failed.add(outbox_id);
    const last = rows.at(-1);
    if (!last || rows.length < DISPATCH_BATCH_SIZE || dispatcher.isOver()) return;
    after = last;
  }
}

/**
 * Dispatches the outbox rows that were never tried, except long work: rows that reactions wrote, and rows beyond the
 * limit of one dispatch. A row that fails waits for the next run of the cron job. Returns whether there were any rows.
 */
export async function dispatchUntried(dispatcher: Dispatcher): Promise<boolean> {
  const rows = await selectShortWork(dispatcher).where("attempts", "=", sql.lit(0)).execute();
  await dispatchRows(dispatcher, rows, true);
  return rows.length > 0;
}

/**
 * Dispatches the rows of long work and the next steps that they write, until it is over. The step that has waited longest
 * comes first, so that each work gets its turn. A row that fails waits for the next run of the cron job.
 */
export async function dispatchLongWork(dispatcher: Dispatcher): Promise<void> {
  const failed = new Set<string>();
  while (!dispatcher.isOver()) {
    const rows = await selectRows(dispatcher)
      .where("kind", "in", oneOf(dispatcher.kinds_of_long_work))
      .where("attempts", "<", MAX_ATTEMPTS)
      .orderBy("attempts")
      .orderBy("created_at")
      .orderBy("outbox_id")
      .execute();
    const unmet = rows.filter(({ outbox_id }) => !failed.has(outbox_id));
    if (unmet.length === 0) return;
    for (const outbox_id of await dispatchRows(dispatcher, unmet, true)) failed.add(outbox_id);
  }
}

/**
 * Gives one more try to each row that was given up because the worker ended. An outage of the database looks the same:
 * the worker lives, but can write no outcome. A row that does end its worker costs one run of the cron job an hour.
 */
export async function retryEndedRows(database: Database): Promise<void> {
  await database
    .updateTable("outbox")
    .set({ attempts: MAX_ATTEMPTS - ATTEMPTS_OF_A_DEATH })
    .where("processed_at", "is", null)
    .where("attempts", ">=", sql.lit(MAX_ATTEMPTS))
    .where("last_error", "is", null)
    .execute();
}

/**
 * Selects waiting rows of the kinds that have a reaction. Any other kind is of a later version: its triggers exist before its worker
 * runs, and its rows remain after a rollback. They wait for that version.
 */
const selectRows = ({ database, reactions }: Dispatcher) =>
  database
    .selectFrom("outbox")
    .select(["outbox_id", "kind", "payload", "created_at", "attempts"])
    .where("processed_at", "is", null)
    .where("kind", "in", oneOf(reactions.flatMap((byKind) => Object.keys(byKind))))
    .limit(DISPATCH_BATCH_SIZE);

const selectWaitingRows = (dispatcher: Dispatcher) => selectRows(dispatcher).orderBy("attempts").orderBy("outbox_id");

const selectShortWork = (dispatcher: Dispatcher) =>
  selectWaitingRows(dispatcher).where("kind", "not in", oneOf(dispatcher.kinds_of_long_work));

type WaitingRow = Awaited<ReturnType<ReturnType<typeof selectRows>["execute"]>>[number];

/**
 * Dispatches rows, at once where their kinds allow it, and the others one by one until it is over: each may wait for another
 * server. Returns the ids of those that failed. The cron job is cautious: it counts the death of its worker before it begins a row, so that
 * no row ends each worker after the other.
 */
async function dispatchRows(
  dispatcher: Dispatcher,
  rows: readonly WaitingRow[],
  is_cautious = false,
): Promise<string[]> {
  const isAtOnce = ({ kind }: WaitingRow) => dispatcher.kinds_at_once.some((each) => each === kind);
  const at_once = rows.filter(isAtOnce);
  const are_done = at_once.length > 1 && (await dispatchAtOnce(dispatcher, at_once));
  const failed: string[] = [];
  for (const row of are_done ? rows.filter((each) => !isAtOnce(each)) : rows) {
    if (dispatcher.isOver()) break;
    if (is_cautious) await setAttempts(dispatcher, row, row.attempts + ATTEMPTS_OF_A_DEATH, null);
    if (!(await dispatchRow(dispatcher, row))) failed.push(row.outbox_id);
  }
  return failed;
}

/** Writes the reactions to all of these rows in one batch. Returns false when one fails: nothing is written then. */
async function dispatchAtOnce(dispatcher: Dispatcher, rows: readonly WaitingRow[]): Promise<boolean> {
  const told = new Set<string>();
  const handed: HandedMail[][] = rows.map(() => []);
  try {
    const statements = await Promise.all(
      rows.map((row, index) => {
        const handOver = async (mails: readonly HandedMail[]) => void handed[index]?.push(...mails);
        return reactTo(row, { ...dispatcher, mails: { ...dispatcher.mails, handOver } }, told);
      }),
    );
    const mails = handed.flat();
    if (mails.length > 0) await dispatcher.mails.handOver(mails);
    await runBatch(dispatcher.d1, [...statements.flat(), doneStatement(dispatcher, rows)]);
  } catch {
    // The caller dispatches each row by itself, which finds the one that fails.
    return false;
  }
  await dispatcher.tellPages([...told]);
  return true;
}

/** Runs all reactions to a row. Returns their statements, and adds the people whose pages are to be told to `told`. */
async function reactTo(row: WaitingRow, dispatcher: Dispatcher, told: Set<string>): Promise<CompiledQuery[]> {
  const event = { kind: row.kind, payload: JSON.parse(row.payload) } as OutboxEvent;
  const tell = (user_ids: readonly string[]) => {
    for (const user_id of user_ids) told.add(user_id);
  };
  const { outbox_id, created_at, attempts } = row;
  const reacting = { ...dispatcher, outbox_id, happened_ms: Date.parse(created_at), attempts, tell };
  const statements = await Promise.all(
    dispatcher.reactions.map((byKind) => (byKind[event.kind] as Reaction | undefined)?.(event, reacting) ?? []),
  );
  return statements.flat();
}

const doneStatement = (
  { database, now_ms }: Dispatcher,
  rows: readonly WaitingRow[],
  counted: { attempts?: number } = {},
): CompiledQuery =>
  database
    .updateTable("outbox")
    .set({ processed_at: isoTime(now_ms), ...counted })
    .where("outbox_id", "in", oneOf(rows.map(({ outbox_id }) => outbox_id)))
    .compile();

/** Returns whether the row is processed. */
async function dispatchRow(dispatcher: Dispatcher, row: WaitingRow, tries = 1): Promise<boolean> {
  const { d1, tellPages } = dispatcher;
  const told = new Set<string>();
  try {
    const statements = await reactTo(row, dispatcher, told);
    await runBatch(d1, [...statements, doneStatement(dispatcher, [row], { attempts: row.attempts })]);
    await tellPages([...told]);
    return true;
  } catch (error) {
    const last_error = messagesOf(error);
    // A reaction's precondition: another change came between. The reaction reads that change now.
    if (tries < TRIES_AT_ONCE && last_error.includes("precondition unavailable failed")) {
      return dispatchRow(dispatcher, row, tries + 1);
    }
    const { outbox_id, kind } = row;
    const stack = error instanceof Error ? error.stack : undefined;
    log("error", { message: "outbox row failed", outbox_id, kind, last_error, stack, causes: causesOf(error) });
    // An outage lasts as long as it lasts. No row is given up for it, and each goes behind those that have waited for less.
    const attempts = isOutage(error) ? Math.min(row.attempts + 1, MAX_ATTEMPTS - 1) : row.attempts + 1;
    await setAttempts(dispatcher, row, attempts, last_error);
    return false;
  }
}

/**
 * Whether a database, the bucket, the gateway or another worker is away. A reset for too much work is none: the row's own
 * statement may need that much each time.
 */
function isOutage(error: unknown): boolean {
  if (error instanceof Problem) return ["gateway_unreachable", "unavailable"].includes(error.code);
  return isBucketOutage(error) || (isDatabaseOutage(error) && !isDatabaseReset(error));
}

async function setAttempts(
  { database }: Pick<Dispatcher, "database">,
  { outbox_id }: WaitingRow,
  attempts: number,
  last_error: string | null,
): Promise<void> {
  await database
    .updateTable("outbox")
    .set({ attempts, last_error })
    .where("outbox_id", "=", outbox_id)
    .where("processed_at", "is", null)
    .execute();
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
