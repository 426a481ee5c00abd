import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { STORAGE_BYTES } from "../../contract/bounds.ts";
import type { Image, MediaFile } from "../../contract/fields.ts";
import {
  ABOUT_PART,
  type EncodedPicture,
  PICTURE_TYPES,
  type PictureRefusal,
  partOf,
} from "../../contract/pictures.ts";
import { askWorker } from "../../kernel/ask-worker.ts";
import { isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { log } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { type ArrivingFile, withDigest } from "../http/receive-file.ts";
import { memberId, type RequestContext, type Services } from "../http/request-context.ts";
import { type Change, commit, IdempotencyRace, type IdempotencyRow, type Precondition } from "../storage/commit.ts";
import type { Database } from "../storage/database.ts";
import { requireEnabled } from "../storage/disabled.ts";
import { findKeptAnswer } from "../storage/kept-answers.ts";
import { adjusted } from "../storage/limits.ts";
import { requireOpen } from "../storage/paused-features.ts";
import { daysAgo } from "../storage/retention.ts";
import { erasePlaces } from "./erase-places.ts";
import { mediaTypeOf, SNIFFED_BYTES } from "./media-type.ts";
import { openImage, openMedia, selectUploadsSince, signImage, signMedia } from "./queries.ts";
import { imageKey, mediaKey, toFileName } from "./rules.ts";

const HOUR_MS = 60 * 60 * 1000;
/** Size of the parts in which files are sent to the bucket. R2 requires the same size for all parts but the last. */
const PART_BYTES = 8 * 1024 * 1024;
/**
 * Time limits of the steps of an upload, far longer than a step that succeeds takes. A bucket whose disk is full may
 * never answer, and without a limit the upload would never end.
 */
const LIMITS_MS = { encode: 60_000, store: 15_000, clean_up: 3_000 };

type Access = "public" | "event";

/**
 * Returns the idempotency row with the answer of an upload. It stores the answer unsigned, because a signature expires
 * before the idempotency key does.
 */
type Keep = (answer: unknown) => Promise<IdempotencyRow | null>;

/** What the batch that completes an upload writes besides, and whether the upload counts towards the hourly limit. */
interface Completion {
  keep: Keep;
  also?: (id: string) => Change;
  is_unlimited?: boolean;
}

/** Where uploads are stored, and who encodes pictures. */
type Stores = Pick<Services, "media" | "pictures">;

/**
 * Processes a file, or returns the stored answer when the same file was uploaded under this idempotency key before.
 * Throws `idempotency_key_reused` for another file, and what `make` throws.
 */
export async function makeOnce<Made>(
  context: RequestContext,
  file: ArrivingFile,
  make: (file: ArrivingFile, keep: Keep) => Promise<Made>,
): Promise<{ made: Made; is_replayed: boolean }> {
  const { database, idempotency } = context;
  if (!idempotency) return { made: await make(file, async () => null), is_replayed: false };
  const digested = withDigest(file);
  const earlier = await findKeptAnswer(database, {
    ...idempotency,
    body_hash: async () => {
      for await (const _ of digested.file.body);
      return digested.digest();
    },
  });
  if (earlier) return { made: earlier.answer as Made, is_replayed: true };
  const keep: Keep = async (answer) => ({ ...idempotency, body_hash: await digested.digest(), answer });
  try {
    return { made: await make(digested.file, keep), is_replayed: false };
  } catch (error) {
    if (!(error instanceof IdempotencyRace)) throw error;
    // A concurrent request with the same key was first.
    const twin = await findKeptAnswer(database, { ...idempotency, body_hash: digested.digest });
    if (!twin) throw new Problem("unavailable", { cause: error });
    return { made: twin.answer as Made, is_replayed: true };
  }
}

/**
 * Takes a picture: another worker encodes it again, and the result is stored in all its sizes. Throws
 * `too_many_requests`, `storage_full`, `file_type_not_allowed`, `file_broken`, `image_too_many_pixels`,
 * `payload_too_large`, `bad_request`, `idempotency_key_reused`.
 */
export async function uploadImage(
  context: RequestContext,
  services: Services,
  file: ArrivingFile,
  access: Access,
): Promise<{ image: Image; is_replayed: boolean }> {
  const { made, is_replayed } = await makeOnce(context, file, (same, keep) =>
    makeImage(context, services, same, access, { keep }),
  );
  return { image: (access === "public" ? made : await signImage(made, context)) as Image, is_replayed };
}

async function makeImage(
  context: RequestContext,
  services: Stores,
  file: Pick<ArrivingFile, "body">,
  access: Access,
  { keep, also, is_unlimited }: Completion,
): Promise<Image> {
  const owner_user_id = memberId(context);
  const bytes = await joinChunks(file.body);
  const image_id = newId(context.now_ms);
  const { database } = context;
  const row = { image_id, owner_user_id, access, alt: "", content_type: "image/webp" as const, width: 1, height: 1 };
  const created_at = isoTime(context.now_ms);
  await beginUpload(
    context,
    [
      database
        .insertInto("images")
        .values({ ...row, created_at, processing_status: "processing", placeholder: null })
        .compile(),
    ],
    is_unlimited,
  );
  let stored_keys: string[] = [];
  let image: Image | undefined;
  try {
    const { about, files } = await withTimeLimit("encode", encodeAgain(services, bytes));
    const objects = files.map(({ width, type, file }) => ({ key: imageKey(image_id, { width, type }), type, file }));
    stored_keys = objects.map(({ key }) => key);
    await withTimeLimit(
      "store",
      Promise.all(
        objects.map(({ key, type, file }) =>
          services.media.put(key, file, { httpMetadata: { contentType: PICTURE_TYPES[type] } }),
        ),
      ),
    );
    const stored_bytes = files.reduce((sum, { file }) => sum + file.byteLength, 0);
    const { sizes, ...stored } = about;
    image = openImage({ image_id, alt: "", ...about }) as Image;
    const { preconditions = [], statements } = also?.(image_id) ?? { statements: [] };
    const change: Change = {
      preconditions: [
        ...requireEnabled(owner_user_id),
        requireRecord("images", image_id),
        requireRoom(owner_user_id, stored_bytes),
        ...preconditions,
      ],
      statements: [
        ...statements,
        database
          .updateTable("images")
          .set({ ...stored, widths: JSON.stringify(sizes), bytes: stored_bytes, processing_status: "completed" })
          .where("image_id", "=", image_id)
          .compile(),
      ],
    };
    await commitChange(context, change, await keep(image));
    return image;
  } catch (error) {
    const outcome = await endUpload(context, "images", image_id);
    if (outcome === "completed" && image) return image;
    if (outcome === "failed") await deleteObjects(services, stored_keys);
    throw error;
  }
}

/**
 * Takes an audio or video file and stores it, in an MP4 without the place where it was recorded. Throws `too_many_requests`, `storage_full`,
 * `file_type_not_allowed`, `payload_too_large`, `bad_request`, `idempotency_key_reused`.
 */
export async function uploadMedia(
  context: RequestContext,
  services: Services,
  file: ArrivingFile,
  as: { kind: "audio" | "video"; access: Access },
): Promise<{ media: MediaFile; is_replayed: boolean }> {
  const { made, is_replayed } = await makeOnce(context, file, (same, keep) =>
    makeMedia(context, services, same, as, { keep }),
  );
  return { media: as.access === "public" ? made : await signMedia(made, context), is_replayed };
}

async function makeMedia(
  context: RequestContext,
  services: Stores,
  file: ArrivingFile,
  { kind, access }: { kind: "audio" | "video"; access: Access },
  { keep, also, is_unlimited }: Completion,
): Promise<MediaFile> {
  const owner_user_id = memberId(context);
  const chunks = file.body[Symbol.asyncIterator]();
  const first = await readFirstBytes(chunks);
  const content_type = mediaTypeOf(kind, first);
  if (content_type === null) throw new Problem("file_type_not_allowed");
  const media_id = newId(context.now_ms);
  const { database } = context;
  const row = { media_id, owner_user_id, kind, access, content_type, file_name: toFileName(file.name) };
  await beginUpload(
    context,
    [
      database
        .insertInto("media_files")
        .values({ ...row, created_at: isoTime(context.now_ms), processing_status: "processing" })
        .compile(),
    ],
    is_unlimited,
  );
  const media = openMedia({ media_id, kind, content_type });
  try {
    const [head, rest] = /mp4$/.test(content_type)
      ? [new Uint8Array(), erasePlaces(kind, first, chunks)]
      : [first, chunks];
    const bytes = await sendToBucket(services.media, mediaKey(media_id), content_type, head, rest);
    const { preconditions = [], statements } = also?.(media_id) ?? { statements: [] };
    const change: Change = {
      preconditions: [
        ...requireEnabled(owner_user_id),
        requireRecord("media_files", media_id),
        requireRoom(owner_user_id, bytes),
        ...preconditions,
      ],
      statements: [
        ...statements,
        database
          .updateTable("media_files")
          .set({ bytes, processing_status: "completed" })
          .where("media_id", "=", media_id)
          .compile(),
      ],
    };
    await commitChange(context, change, await keep(media));
    return media;
  } catch (error) {
    const outcome = await endUpload(context, "media_files", media_id);
    if (outcome === "completed") return media;
    if (outcome === "failed") await deleteObjects(services, [mediaKey(media_id)]);
    throw error;
  }
}

export type ImportedFile = ArrivingFile & { kind: "image" | "audio" | "video"; access: Access };

/**
 * Takes a picture or a file of an import. The batch that completes it also makes the change `also`, which gets
 * the new id. Imports have a limit of their own. Throws what {@link uploadImage} and {@link uploadMedia} throw.
 */
export async function importFile(
  context: RequestContext,
  stores: Stores,
  { kind, access, ...file }: ImportedFile,
  also: (id: string) => Change,
): Promise<void> {
  const completion: Completion = { keep: async () => null, also, is_unlimited: true };
  if (kind === "image") await makeImage(context, stores, file, access, completion);
  else await makeMedia(context, stores, file, { kind, access }, completion);
}

const commitChange = (
  { database, d1, now_ms }: RequestContext,
  change: Change,
  idempotency: IdempotencyRow | null = null,
) => commit({ database, d1, now_ms, idempotency }, change);

/**
 * Waits for a step no longer than its time limit, and then throws `unavailable`. Throws what the step throws. Do not
 * use it for a commit: an abandoned commit may still succeed, and its stored answer would then name a picture that we
 * delete.
 */
async function withTimeLimit<T>(step: keyof typeof LIMITS_MS, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Problem("unavailable", { cause: `${step} took longer than ${LIMITS_MS[step]} ms` })),
    LIMITS_MS[step],
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Deletes at once what a failed upload has stored. Otherwise a person whose storage is full could fill the bucket by
 * repeated uploads, because the cron job deletes failed ones only after a day. If deleting fails now, the cron job does
 * it later.
 */
async function deleteObjects({ media }: Stores, keys: string[]): Promise<void> {
  if (keys.length > 0) await withTimeLimit("clean_up", media.delete(keys)).catch(() => {});
}

/**
 * Records that an upload begins, if its owner may begin another one. The cron job finds the record of an upload that
 * never ends.
 */
async function beginUpload(
  context: RequestContext,
  statements: Change["statements"],
  is_unlimited = false,
): Promise<void> {
  const user_id = memberId(context);
  const begun = selectUploadsSince(user_id, isoTime(context.now_ms - HOUR_MS));
  try {
    await commitChange(context, {
      preconditions: [
        ...requireEnabled(user_id),
        ...(is_unlimited
          ? []
          : [
              requireOpen("uploads"),
              { code: "too_many_requests", holds: sql`${begun.count} < ${adjusted("uploads")}` } as const,
            ]),
        requireRoom(user_id, 1),
      ],
      statements,
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "too_many_requests") throw error;
    const { rows } = await sql<{ first: string | null }>`SELECT ${begun.first} AS first`.execute(context.database);
    const first_ms = Date.parse(rows[0]?.first ?? isoTime(context.now_ms));
    const retry_after_s = Math.max(1, Math.ceil((first_ms + HOUR_MS - context.now_ms) / 1000));
    throw new Problem(error.code, { retry_after_s, cause: error });
  }
}

function requireRoom(user_id: string, bytes: number): Precondition {
  return {
    code: "storage_full",
    holds: sql`coalesce((SELECT bytes FROM storage_used WHERE user_id = ${user_id}), 0) + ${bytes} <= ${STORAGE_BYTES}`,
  };
}

/** By table of uploads: the column of the id, and the folder of the objects in the bucket. */
const RECORDS = {
  images: { id_column: "image_id", folder: "images" },
  media_files: { id_column: "media_id", folder: "files" },
} as const;

/**
 * The precondition that the record of an upload is still there. It is deleted with the account of its owner, who may
 * leave while the file arrives.
 */
function requireRecord(table: keyof typeof RECORDS, id: string): Precondition {
  return {
    code: "unavailable",
    holds: sql`EXISTS (SELECT 1 FROM ${sql.table(table)}
      WHERE ${sql.ref(RECORDS[table].id_column)} = ${id} AND processing_status = 'processing')`,
  };
}

/**
 * Marks an upload as failed, unless it was completed and only D1's answer was lost. Returns which of the two it is; null when D1
 * does not answer. Then nothing may be deleted, and the cron job collects the row with its objects if it stays `processing`.
 * The row of a failed upload counts towards the hourly limit until the cron job deletes it.
 */
async function endUpload(
  context: RequestContext,
  table: keyof typeof RECORDS,
  id: string,
): Promise<"failed" | "completed" | null> {
  const { database, now_ms } = context;
  const is_it = sql<boolean>`${sql.ref(RECORDS[table].id_column)} = ${id}`;
  const isGone = sql`NOT EXISTS (SELECT 1 FROM ${sql.table(table)} WHERE ${is_it})`;
  const failed = database
    .updateTable(table)
    .set({ processing_status: "failed" })
    .where(is_it)
    .where("processing_status", "=", "processing")
    .compile();
  try {
    const removed = removeObjects(database, `${RECORDS[table].folder}/${id}/`, now_ms, isGone);
    await commitChange(context, { statements: [failed, removed] });
    const row = await database.selectFrom(table).select("processing_status").where(is_it).executeTakeFirst();
    return row?.processing_status === "completed" ? "completed" : "failed";
  } catch (error) {
    log("error", { message: "a failed upload was not noted", id, error: String(error) });
    return null;
  }
}

async function encodeAgain({ pictures }: Stores, file: Uint8Array<ArrayBuffer>) {
  const answer = await askWorker(pictures, "https://pictures.internal/", { method: "POST", body: file });
  if (answer.status === 422) throw new Problem(((await answer.json()) as { code: PictureRefusal }).code);
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new Problem("unavailable", { cause: `pictures answered ${answer.status}` });
  }
  const form = await answer.formData();
  const about = JSON.parse(String(form.get(ABOUT_PART))) as EncodedPicture;
  const files = about.sizes.flatMap(({ width, types }) =>
    types.map(async (type) => {
      const part = form.get(partOf(width, type)) as unknown as Blob;
      return { width, type, file: await part.arrayBuffer() };
    }),
  );
  return { about, files: await Promise.all(files) };
}

async function joinChunks(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

/** Reads enough of a file to detect its type. A shorter file is read whole. */
export async function readFirstBytes(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const held: Uint8Array<ArrayBuffer>[] = [];
  for (let length = 0; length < SNIFFED_BYTES; ) {
    const { done, value } = await chunks.next();
    if (done) break;
    held.push(value as Uint8Array<ArrayBuffer>);
    length += value.byteLength;
  }
  return new Uint8Array(await new Blob(held).arrayBuffer());
}

/**
 * Sends a file to the bucket part by part as it arrives. An upload that is aborted leaves nothing there. Returns the
 * size of the file in bytes.
 */
export async function sendToBucket(
  bucket: R2Bucket,
  key: string,
  contentType: string,
  first: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
): Promise<number> {
  const upload = await withTimeLimit("store", bucket.createMultipartUpload(key, { httpMetadata: { contentType } }));
  try {
    const parts: R2UploadedPart[] = [];
    let bytes = 0;
    let part = new Uint8Array(PART_BYTES);
    let filled = 0;
    const sendPart = async () => {
      parts.push(await withTimeLimit("store", upload.uploadPart(parts.length + 1, part.subarray(0, filled))));
      part = new Uint8Array(PART_BYTES);
      filled = 0;
    };
    for (let chunk: Uint8Array | undefined = first; chunk; ) {
      for (let at = 0; at < chunk.byteLength; ) {
        const taken: Uint8Array = chunk.subarray(at, at + PART_BYTES - filled);
        part.set(taken, filled);
        filled += taken.byteLength;
        at += taken.byteLength;
        if (filled === PART_BYTES) await sendPart();
      }
      bytes += chunk.byteLength;
      const next: IteratorResult<Uint8Array> = await chunks.next();
      chunk = next.done ? undefined : next.value;
    }
    if (filled > 0 || parts.length === 0) await sendPart();
    await withTimeLimit("store", upload.complete(parts));
    return bytes;
  } catch (error) {
    // When aborting fails, the bucket discards the parts after a week.
    await withTimeLimit("clean_up", upload.abort()).catch(() => {});
    throw error;
  }
}

const UNFINISHED_DAYS = 1;
/** How long an unused upload is kept: long enough to return to a post that was begun and not saved. */
const UNUSED_DAYS = 7;
/** How many uploads one run of the cron job checks. */
const SWEEP_BATCH_SIZE = 500;
const REMOVAL_BATCH_SIZE = 50;

/** SQL: whether no import that is at work has made an upload. */
const isNotOfOpenImport = (table: string, id: string) =>
  sql<boolean>`NOT EXISTS (SELECT 1 FROM imports JOIN import_items USING (import_id)
    WHERE imports.user_id = ${sql.ref(`${table}.owner_user_id`)} AND imports.status = 'importing'
      AND import_items.result_id = ${sql.ref(`${table}.${id}`)})`;

/**
 * SQL by table: whether nothing uses an upload. Posts and their writers' drafts use pictures and files, newsletters
 * use pictures, profiles use icons and covers, plans and radios have a picture, and a radio's recording may be uploaded.
 * An import that was interrupted still needs the files that it has made: its posts come after them.
 */
const isUnused = {
  images: sql<boolean>`NOT EXISTS (SELECT 1 FROM event_images shown WHERE shown.image_id = images.image_id)
    AND NOT EXISTS (SELECT 1 FROM events WHERE events.image_id = images.image_id)
    AND NOT EXISTS (SELECT 1 FROM users WHERE users.icon_image_id = images.image_id)
    AND NOT EXISTS (SELECT 1 FROM users WHERE users.cover_image_id = images.image_id)
    AND NOT EXISTS (SELECT 1 FROM memberships WHERE memberships.image_id = images.image_id)
    AND NOT EXISTS (SELECT 1 FROM radios WHERE radios.image_id = images.image_id)
    AND NOT EXISTS (SELECT 1 FROM event_drafts, json_each(event_drafts.upload_ids) used
      WHERE event_drafts.user_id = images.owner_user_id AND used.value = images.image_id)
    AND NOT EXISTS (SELECT 1 FROM newsletters, json_each(newsletters.pictures) used
      WHERE newsletters.user_id = images.owner_user_id AND used.value ->> 'image_id' = images.image_id)
    AND ${isNotOfOpenImport("images", "image_id")}`,
  media_files: sql<boolean>`NOT EXISTS (SELECT 1 FROM event_media shown WHERE shown.media_id = media_files.media_id)
    AND NOT EXISTS (SELECT 1 FROM radios WHERE radios.recording_media_id = media_files.media_id)
    AND NOT EXISTS (SELECT 1 FROM event_drafts, json_each(event_drafts.upload_ids) used
      WHERE event_drafts.user_id = media_files.owner_user_id AND used.value = media_files.media_id)
    AND ${isNotOfOpenImport("media_files", "media_id")}`,
};

/**
 * Returns the statement that lets the cron job delete the objects whose keys begin with `key_prefix`. Idempotent.
 *
 * A row that is deleted leaves its key to the cron job by a trigger. Code that stores objects for a row must do so itself
 * when it finds the row gone: the cron job may have looked before the objects were there.
 */
export function removeObjects(
  database: Database,
  key_prefix: string,
  now_ms: number,
  only_if: RawBuilder<unknown> = sql`TRUE`,
): CompiledQuery {
  return sql`INSERT OR IGNORE INTO removed_media (key_prefix, removed_at)
    SELECT ${key_prefix}, ${isoTime(now_ms)} WHERE (${only_if})`.compile(database);
}

/**
 * Deletes uploads that failed or that nothing uses any more, a limited number at a time. It deletes rows first, which
 * leave their keys in `removed_media`, then the objects in the bucket, then the keys. After an interruption the next
 * run continues. It is safe to run at any moment. Objects that the bucket does not delete do not delay the others; at
 * the end it throws what failed.
 */
export async function collectUploads({ database, d1, media, clock }: Services): Promise<void> {
  const now_ms = clock.now();
  const commitChange = (statements: Change["statements"]) =>
    commit({ database, d1, now_ms, idempotency: null }, { statements });
  const swept = await database.selectFrom("swept_uploads").selectAll().execute();
  for (const kind of ["images", "media_files"] as const) {
    const [table, id] = [sql.table(kind), sql.ref(kind === "images" ? "image_id" : "media_id")];
    const from = swept.find((each) => each.kind === kind)?.as_far_as ?? "";
    const { rows } = await sql<{ to: string | null; count: number }>`SELECT MAX(id) AS "to", COUNT(*) AS count
      FROM (SELECT ${id} AS id FROM ${table} WHERE ${id} > ${from} ORDER BY ${id} LIMIT ${SWEEP_BATCH_SIZE})`.execute(
      database,
    );
    const to = rows[0]?.to ?? from;
    const next = rows[0]?.count === SWEEP_BATCH_SIZE ? to : "";
    await commitChange([
      sql`DELETE FROM ${table} WHERE ${id} IN (SELECT ${id} FROM ${table} WHERE processing_status <> 'completed'
        AND created_at < ${daysAgo(now_ms, UNFINISHED_DAYS)} ORDER BY created_at LIMIT ${SWEEP_BATCH_SIZE})`.compile(
        database,
      ),
      sql`DELETE FROM ${table} WHERE ${id} > ${from} AND ${id} <= ${to}
        AND created_at < ${daysAgo(now_ms, UNUSED_DAYS)} AND ${isUnused[kind]}`.compile(database),
      sql`INSERT INTO swept_uploads VALUES (${kind}, ${next})
        ON CONFLICT (kind) DO UPDATE SET as_far_as = excluded.as_far_as`.compile(database),
    ]);
  }
  const removed = await database.selectFrom("removed_media").select("key_prefix").limit(REMOVAL_BATCH_SIZE).execute();
  const failures: unknown[] = [];
  for (const { key_prefix } of removed) {
    try {
      const { objects } = await media.list({ prefix: key_prefix });
      if (objects.length > 0) await media.delete(objects.map(({ key }) => key));
      await commitChange([database.deleteFrom("removed_media").where("key_prefix", "=", key_prefix).compile()]);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.join("; "));
}
