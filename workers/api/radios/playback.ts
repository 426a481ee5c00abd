import { sql } from "kysely";
import type { RadioRecording, RadioSound, RecordingFile } from "../../contract/radios.ts";
import { type Page, pageOf, rowsOf } from "../http/pagination.ts";
import { type Caller, type RequestContext, type Services, type Viewing, viewerId } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { imageJson, readImage } from "../uploads/queries.ts";
import { isSigned, type MediaSigner, mediaKey, mediaPath, signedQuery } from "../uploads/rules.ts";
import { askEngine } from "./ask-engine.ts";
import { audience, isHearable, moment } from "./queries.ts";
import { RECORDING_TYPE, recordingKey, recordingName } from "./rules.ts";

/** How long the page of a radio waits for the engine of live sound. */
const ENGINE_MS = 2000;
/**
 * How long the address of a recording is valid: longer than the longest one, with pauses. Each request of a part checks
 * again whether the caller may hear it.
 */
export const RECORDING_URL_MS = 4 * 60 * 60 * 1000;

const soundColumns = [
  "radio_id",
  "user_id",
  "status",
  "recording_publish_target_type",
  "recording_state",
  "duration_ms",
  "bytes",
] as const;
/** SQL: the type of the recording's file. Only an uploaded one may have another than that of broadcasts. */
const fileType = sql<string>`coalesce((SELECT content_type FROM media_files
  WHERE media_files.media_id = radios.recording_media_id), ${sql.lit(RECORDING_TYPE)})`.as("content_type");
/** SQL: whether lists may have a row of `radios`. Those for holders of a key are in none, and neither are private ones. */
const isListed = sql<boolean>`${audience} IN ('public', 'fans', 'memberships')`;

interface SoundRow {
  radio_id: string;
  user_id: string;
  recording_publish_target_type: string;
  duration_ms: number | null;
  bytes: number | null;
  content_type: string;
}

/**
 * Returns the sound of a radio for one listener; null when the caller may not hear the radio. `visit_id` counts a
 * visitor's browser once. Without the engine of live sound, `live` and `listeners_count` are null.
 */
export async function findSound(
  context: RequestContext,
  radio_id: string,
  visit_id: string | undefined,
): Promise<RadioSound | null> {
  const row = await context.database
    .selectFrom("radios")
    .select([...soundColumns, fileType])
    .where("radio_id", "=", radio_id)
    .where(sql<boolean>`${isHearable(context)}`)
    .executeTakeFirst();
  if (!row) return null;
  if (row.status === "on_air") return { ...(await findLive(context, radio_id, visit_id)), recording: null };
  const is_complete = row.status === "finished" && row.recording_state === "completed";
  return {
    live: null,
    recording: is_complete ? toFile(row, await recordingPath(context, row)) : null,
    listeners_count: null,
  };
}

async function findLive(
  context: RequestContext,
  radio_id: string,
  visit_id: string | undefined,
): Promise<Pick<RadioSound, "live" | "listeners_count">> {
  const { sound } = context;
  const viewer = viewerId(context);
  const viewer_id = viewer ? `user ${viewer}` : visit_id === undefined ? null : `visit ${visit_id}`;
  const [live, status] = await Promise.all([
    askEngine(() => sound.playback({ radio_id }, { viewer_id }), ENGINE_MS),
    askEngine(() => sound.status({ radio_id }), ENGINE_MS),
  ]);
  return { live, listeners_count: status?.listeners ?? null };
}

/**
 * Lists the finished recordings of a person that the caller may hear, newest first. Leaves out recordings for holders of
 * a key, also for a caller who has the key.
 */
export function listUserRecordings(context: RequestContext, user_id: string, page: Page) {
  return listRecordings(context, { user_id, page, pathOf: (row) => recordingPath(context, row) });
}

/** As {@link listUserRecordings}, for a listener who is not the caller. `pathOf` returns the address of a recording. */
export async function listRecordings(
  viewing: Viewing & { database: Database },
  { user_id, page, pathOf }: { user_id: string; page: Page; pathOf(row: SoundRow): Promise<string> },
) {
  const { limit, offset, page_size } = rowsOf(page, viewing.caller === null);
  const fetched = await viewing.database
    .selectFrom("radios")
    .select([...soundColumns, fileType, "title", "description", "started_at", "finished_at"])
    .select(imageJson("radios.image_id").as("picture"))
    .where("radios.user_id", "=", user_id)
    .where("status", "=", sql.lit("finished"))
    .where("recording_state", "=", sql.lit("completed"))
    .where(isListed)
    .where(sql<boolean>`${isHearable(viewing)}`)
    .orderBy(moment, "desc")
    .orderBy("radios.radio_id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { rows, closing } = pageOf(fetched, page.page_number, page_size);
  const recordings = await Promise.all(
    rows.map(
      async (row): Promise<RadioRecording> => ({
        radio_id: row.radio_id,
        title: row.title,
        description: row.description,
        image: readImage(row.picture),
        publish_target_type: row.recording_publish_target_type as RadioRecording["publish_target_type"],
        started_at: row.started_at ?? "",
        finished_at: row.finished_at ?? "",
        file: toFile(row, await pathOf(row)),
      }),
    ),
  );
  return { recordings, ...closing };
}

function toFile({ bytes, duration_ms, content_type }: SoundRow, path: string): RecordingFile {
  return { path, content_type, bytes: bytes ?? 0, duration_ms: duration_ms ?? 0 };
}

/**
 * Returns the address of a recording for a caller who may hear it. That of a recording for everybody never changes, so
 * that podcast apps can store it. Any other is signed for the caller: an account, or the key that the caller sent.
 */
async function recordingPath(context: RequestContext, row: SoundRow): Promise<string> {
  const { radio_id, user_id, recording_publish_target_type } = row;
  const path = `${mediaPath(radio_id)}/recording`;
  if (recording_publish_target_type === "public") return path;
  const is_by_key = recording_publish_target_type === "url" && viewerId(context) !== user_id;
  const signer = is_by_key ? keyHolder(context, context.url_key_hash ?? "") : context;
  return path + (await signedQuery(mediaPath(radio_id), signer, RECORDING_URL_MS));
}

/** Signs for the holders of a radio's key. No user_id looks like this, and a new key ends the addresses. */
const keyHolder = ({ media_key, now_ms }: Pick<MediaSigner, "media_key" | "now_ms">, url_key_hash: string) => ({
  media_key,
  now_ms,
  caller: { user_id: `key ${url_key_hash}` },
});

/**
 * Returns the file of a recording that the caller of an address may hear, as `serveMedia` serves it; null when there is
 * none for them. An address without a signature is that of a recording for everybody.
 */
export async function findServableRecording(
  radio_id: string,
  search: URLSearchParams,
  {
    database,
    media_key,
    now_ms,
    callerOf,
  }: ReturnType<typeof listenerServices> & { callerOf(): Promise<Caller | null> },
) {
  const radio = await findCompleted(database, radio_id);
  if (!radio) return null;
  const hearer = search.has("signature")
    ? await findHearer(radio_id, search, { media_key, now_ms, callerOf, url_key_hash: radio.url_key_hash })
    : { caller: null, now_ms };
  return hearer && (await mayHear(database, radio_id, hearer)) ? toServed(radio) : null;
}

/** Returns the file of a recording of a person for a listener, as lists have it; null when there is none for them. */
export async function findListedRecording(
  database: Database,
  radio_id: string,
  { user_id, hearer }: { user_id: string; hearer: Viewing },
) {
  const radio = await findCompleted(database, radio_id);
  if (radio?.user_id !== user_id || !(await mayHear(database, radio_id, hearer, isListed))) return null;
  return { ...toServed(radio), is_open: false };
}

async function findCompleted(database: Database, radio_id: string) {
  const radio = await database
    .selectFrom("radios")
    .select(["radio_id", "user_id", "title", "bytes", "url_key_hash", "recording_publish_target_type"])
    .select(["recording_media_id", fileType])
    .where("radio_id", "=", radio_id)
    .where("status", "=", sql.lit("finished"))
    .where("recording_state", "=", sql.lit("completed"))
    .executeTakeFirst();
  return radio && radio.bytes !== null ? { ...radio, bytes: radio.bytes } : null;
}

function toServed(radio: NonNullable<Awaited<ReturnType<typeof findCompleted>>>) {
  const { radio_id, recording_media_id, title, content_type, bytes, user_id } = radio;
  return {
    key: recording_media_id === null ? recordingKey(radio_id) : mediaKey(recording_media_id),
    content_type,
    etag: `"${recording_media_id ?? radio_id}"`,
    bytes,
    is_negotiated: false,
    file_name: recordingName(title, content_type),
    owner_user_id: user_id,
    access: "event" as const,
    is_open: radio.recording_publish_target_type === "public",
    is_checked: true as const,
    event_id: null,
  };
}

/** The services that {@link findServableRecording} needs. */
export const listenerServices = ({ database, media_key, clock }: Services) => ({
  database,
  media_key,
  now_ms: clock.now(),
});

/** Returns for whom an address was signed: a holder of the present key, or the caller; null for a wrong or expired one. */
async function findHearer(
  radio_id: string,
  search: URLSearchParams,
  asked: Omit<MediaSigner, "caller"> & { callerOf(): Promise<Caller | null>; url_key_hash: string | null },
): Promise<Viewing | null> {
  const { now_ms, media_key, url_key_hash } = asked;
  const path = mediaPath(radio_id);
  if (url_key_hash !== null && (await isSigned(path, search, keyHolder(asked, url_key_hash)))) {
    return { caller: null, url_key_hash, now_ms };
  }
  const caller = await asked.callerOf();
  return caller && (await isSigned(path, search, { media_key, now_ms, caller })) ? { caller, now_ms } : null;
}

async function mayHear(
  database: Database,
  radio_id: string,
  hearer: Viewing,
  isAllowed = sql<boolean>`TRUE`,
): Promise<boolean> {
  const row = await database
    .selectFrom("radios")
    .select("radio_id")
    .where("radio_id", "=", radio_id)
    .where(sql<boolean>`${isHearable(hearer)}`)
    .where(isAllowed)
    .executeTakeFirst();
  return row !== undefined;
}
