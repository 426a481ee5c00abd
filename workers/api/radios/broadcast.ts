import { sql } from "kysely";
import type { Ingest, LiveEngine, OpenedRadio, Recording } from "../../contract/live-engine.ts";
import type { RadioBroadcast } from "../../contract/radios.ts";
import { isoTime } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { commitAnswer, memberId, type RequestContext, type Services } from "../http/request-context.ts";
import { type Change, type Committer, commit } from "../storage/commit.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { mediaPath, signedQuery } from "../uploads/rules.ts";
import { askEngine } from "./ask-engine.ts";
import { requireOwn } from "./commands.ts";
import { LONGEST_MINUTES, SIGNAL_CHECK_MS, SILENCE_MINUTES } from "./rules.ts";

/** How long a read waits for the engine of the sound. */
const STATUS_MS = 5000;
/** How many radios one run of the cron job asks after. The others wait for the next run. */
const CHECKED_AT_ONCE = 200;

/**
 * Opens the sound of a radio of the caller's for one page of the broadcaster. The page replaces an earlier one. Throws
 * `not_found`, `radio_transition_refused` unless the radio is on air, and `unavailable` while the engine fails.
 *
 * The answer has a token, so it is not stored for retries: a retry opens the sound again.
 */
export async function openRadioSound(
  context: RequestContext,
  radio_id: string,
): Promise<{ ingest: Pick<Ingest, "path" | "epoch" | "expires_at"> }> {
  const { database, now_ms } = context;
  const user_id = memberId(context);
  const radio = await findOwnState(database, user_id, radio_id);
  if (!radio) throw new Problem("not_found");
  if (radio.status !== "on_air") throw new Problem("radio_transition_refused");
  const ingest = await openSound(context.sound, { radio_id, started_at: radio.started_at ?? undefined });
  if (!ingest) throw new Problem("radio_transition_refused");
  // Later than the start: this is how the end knows that there may be sound.
  const signal_ms = Math.max(now_ms, Date.parse(radio.started_at ?? "") + 1);
  const change: Change = {
    preconditions: requireOwn(user_id, radio_id, sql`status = 'on_air'`),
    statements: [signalStatement(database, radio_id, signal_ms)],
  };
  const { path, epoch, expires_at } = ingest;
  return commitAnswer({ ...context, idempotency: null }, change, { ingest: { path, epoch, expires_at } });
}

async function openSound(sound: LiveEngine, radio: OpenedRadio): Promise<Ingest | null> {
  try {
    return await sound.open(radio);
  } catch (cause) {
    throw new Problem("unavailable", { cause });
  }
}

function findOwnState(database: Database, user_id: string, radio_id: string) {
  return database
    .selectFrom("radios")
    .select(["status", "started_at", "last_signal_at", "recording_state", "duration_ms", "bytes"])
    .where("radio_id", "=", radio_id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
}

/**
 * Returns what the broadcaster's own page shows of the sound: listeners and the latest signal while the radio is on air,
 * and the recording afterwards. Returns null when the radio is not the caller's. Notes a recording that came late.
 */
export async function findBroadcast(context: RequestContext, radio_id: string): Promise<RadioBroadcast | null> {
  const { database, sound } = context;
  const radio = await findOwnState(database, memberId(context), radio_id);
  if (!radio) return null;
  const late = radio.recording_state === "failed" ? await takeLateRecording(context, radio_id) : null;
  const { recording_state, duration_ms, bytes } = late ? { recording_state: "completed" as const, ...late } : radio;
  const live = radio.status === "on_air" ? await askEngine(() => sound.status({ radio_id }), STATUS_MS) : null;
  const is_complete = recording_state === "completed" && duration_ms !== null && bytes !== null;
  return {
    status: radio.status,
    listeners_count: live?.listeners ?? null,
    last_signal_at: live?.last_signal_at ?? radio.last_signal_at,
    recording_state,
    recording: is_complete ? { path: await recordingPath(radio_id, context), duration_ms, bytes } : null,
  };
}

/**
 * Asks the engine for a recording that counts as failed, and notes it when it is complete. The engine keeps the sound and
 * tries to write it for as long as it takes, but nothing else asks for it after the outbox has given it up.
 */
async function takeLateRecording(context: RequestContext, radio_id: string): Promise<Recording | null> {
  const finished = await askEngine(() => context.sound.finish({ radio_id }), STATUS_MS);
  if (!finished?.recording) return null;
  const { recording } = finished;
  const statement = completedStatement(context.database, radio_id, recording, "failed");
  await commit({ ...context, idempotency: null }, { statements: [statement] });
  return recording;
}

/** Returns the statement that notes a written recording, unless the radio has left the state `from` meanwhile. */
export const completedStatement = (
  database: Database,
  radio_id: string,
  { duration_ms, bytes, packets }: Recording,
  from: "processing" | "failed",
) =>
  database
    .updateTable("radios")
    .set({ recording_state: "completed", duration_ms, bytes, packets })
    .where("radio_id", "=", radio_id)
    // The owner may have deleted or replaced the recording.
    .where("recording_state", "=", from)
    .compile();

/** Returns the address of a recording for the caller, who may hear it for an hour. */
async function recordingPath(radio_id: string, context: RequestContext): Promise<string> {
  const path = mediaPath(radio_id);
  return `${path}/recording${await signedQuery(path, context)}`;
}

/**
 * Deletes the recording of a finished radio of the caller's. Nobody hears it from then on; a reaction deletes the file.
 * Idempotent. Throws `not_found`, and `radio_transition_refused` for a radio that is not finished.
 */
export function deleteRadioRecording(context: RequestContext, radio_id: string): Promise<null> {
  const { database } = context;
  const change: Change = {
    preconditions: requireOwn(memberId(context), radio_id, sql`status = 'finished'`),
    announcements: [{ event: { kind: "radio_recording_deleted", payload: { radio_id } } }],
    statements: [
      database
        .updateTable("radios")
        .set({ recording_state: "none", recording_media_id: null, duration_ms: null, bytes: null, packets: null })
        .where("radio_id", "=", radio_id)
        .compile(),
    ],
  };
  return commitAnswer(context, change, null);
}

/** When the broadcaster of a radio was last heard. */
export interface Signal {
  radio_id: string;
  last_signal_ms: number;
}

/**
 * Notes when broadcasters were last heard. Changes nothing unless the radio is on air, and never goes back. A moment to
 * come counts as now, so that a wrong clock keeps no silent radio on air.
 */
export async function recordSignals(
  { database, d1, now_ms }: Omit<Committer, "idempotency">,
  signals: readonly Signal[],
): Promise<void> {
  if (signals.length === 0) return;
  const statements = signals.map(({ radio_id, last_signal_ms }) =>
    signalStatement(database, radio_id, Math.min(last_signal_ms, now_ms)),
  );
  await commit({ database, d1, now_ms, idempotency: null }, { statements });
}

const signalStatement = (database: Database, radio_id: string, signal_ms: number) =>
  database
    .updateTable("radios")
    .set({ last_signal_at: sql<string>`max(last_signal_at, ${isoTime(signal_ms)})` })
    .where("radio_id", "=", radio_id)
    .where("status", "=", sql.lit("on_air"))
    .compile();

/**
 * Reads the latest signals of the radios on air from the engine, and ends the radios that are due. A radio whose signal
 * cannot be read stays on air in this run.
 */
export async function endBroadcasts({ d1, database, sound, clock }: Services): Promise<void> {
  const now_ms = clock.now();
  const unheard = await listUnheardRadios(database, now_ms);
  const read = await Promise.all(
    unheard.map(async (radio_id) => ({
      radio_id,
      status: await askEngine(() => sound.status({ radio_id }), STATUS_MS),
    })),
  );
  const signals = read.flatMap(({ radio_id, status }) =>
    status?.last_signal_at ? [{ radio_id, last_signal_ms: Date.parse(status.last_signal_at) }] : [],
  );
  await recordSignals({ d1, database, now_ms }, signals);
  const checked = read.filter(({ status }) => status !== null).map(({ radio_id }) => radio_id);
  const unread = read.filter(({ status }) => status === null).map(({ radio_id }) => radio_id);
  await finishDue({ d1, database, now_ms }, { checked, unread });
}

/** Lists the radios on air of which no signal of the last minute is known, those with the oldest signal first. */
export async function listUnheardRadios(database: Database, now_ms: number): Promise<string[]> {
  const rows = await database
    .selectFrom("radios")
    .select("radio_id")
    .where("status", "=", sql.lit("on_air"))
    .where("last_signal_at", "<=", isoTime(now_ms - SIGNAL_CHECK_MS))
    .orderBy("last_signal_at")
    .limit(CHECKED_AT_ONCE)
    .execute();
  return rows.map(({ radio_id }) => radio_id);
}

/**
 * Ends the radios whose broadcaster was silent for five minutes, and those that are 180 minutes long. A radio ends at its
 * own moment, however late the cron job runs. Repeating it changes nothing.
 *
 * A radio is due only when the worker's clock and the database's clock both say so, because nobody can continue a radio
 * that has ended.
 *
 * @param checked only these radios can end by silence: their signals have just been read.
 * @param unread these radios stay on air: their signals could not be read.
 */
export async function finishDue(
  { database, d1, now_ms }: Omit<Committer, "idempotency">,
  { checked, unread }: { checked: readonly string[]; unread: readonly string[] },
): Promise<void> {
  const now = sql<string>`min(${isoTime(now_ms)}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`;
  const later = (moment: "last_signal_at" | "started_at", minutes: number) =>
    sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', ${sql.ref(moment)}, ${`+${minutes} minutes`})`;
  const silent_at = later("last_signal_at", SILENCE_MINUTES);
  const longest_at = later("started_at", LONGEST_MINUTES);
  const statement = database
    .updateTable("radios")
    .set({ status: "finished", finished_at: sql<string>`min(${silent_at}, ${longest_at})` })
    .where("status", "=", sql.lit("on_air"))
    .where("last_signal_at", "<=", now)
    .where("radio_id", "not in", oneOf(unread))
    .where((radio) =>
      radio.or([
        radio(longest_at, "<=", now),
        radio.and([radio(silent_at, "<=", now), radio("radio_id", "in", oneOf(checked))]),
      ]),
    )
    .compile();
  await commit({ database, d1, now_ms, idempotency: null }, { statements: [statement] });
}
