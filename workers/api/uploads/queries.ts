import { type RawBuilder, sql } from "kysely";
import type { Image, MediaFile } from "../../contract/fields.ts";
import { PICTURE_TYPES, type PictureSize } from "../../contract/pictures.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { isUserEnabled } from "../storage/disabled.ts";
import { imageKey, type MediaSigner, mediaKey, mediaPath, signedQuery, widestFile } from "./rules.ts";

/** SQL for a row of `images` as JSON. */
const imageFields = sql`json_object('image_id', images.image_id, 'alt', images.alt, 'width', images.width,
  'height', images.height, 'placeholder', images.placeholder, 'sizes', json(images.widths))`;

/**
 * SQL for the picture in a column as JSON (null when there is none), so that a list and its pictures are one statement.
 * {@link readImage} reads the JSON.
 */
export function imageJson(column: string): RawBuilder<string | null> {
  return sql<string | null>`(SELECT ${imageFields} FROM images WHERE images.image_id = ${sql.ref(column)})`;
}

/**
 * SQL for the pictures that a column lists as [{image_id, alt}], in that order and with those descriptions, as JSON. It
 * leaves out pictures that not everybody may see. {@link readListedImages} reads the JSON.
 */
export function listedImagesJson(column: string): RawBuilder<string> {
  // CROSS JOIN makes SQLite read the list first, and look each picture up.
  return sql<string>`(
    SELECT json_group_array(json_set(${imageFields}, '$.alt', json_each.value ->> 'alt') ORDER BY json_each.key)
    FROM json_each(${sql.ref(column)}) CROSS JOIN images ON images.image_id = json_each.value ->> 'image_id'
    WHERE images.access = 'public' AND images.processing_status = 'completed')`;
}

export type StoredImage = Omit<Image, "medium_url" | "srcset"> & { sizes: PictureSize[] };

/** Converts a picture that everybody may see to the form in which the API answers. */
export function openImage(image: StoredImage | null): Image | null {
  if (!image) return null;
  const { sizes, ...shown } = image;
  const path = mediaPath(image.image_id);
  const srcset = sizes.map(({ width }) => `${path}/${width} ${width}w`).join(", ");
  return { ...shown, medium_url: `${path}/medium`, srcset: sizes.length > 1 ? srcset : null };
}

/**
 * Converts a picture that everybody may see from the JSON of {@link imageJson} to the form in which the API answers.
 */
export function readImage(json: string | null): Image | null {
  return json === null ? null : openImage(JSON.parse(json) as StoredImage);
}

/** Converts pictures from the JSON of {@link listedImagesJson} to the form in which the API answers. */
export function readListedImages(json: string): Image[] {
  return (JSON.parse(json) as StoredImage[]).flatMap((image) => openImage(image) ?? []);
}

/** Signs the addresses of a picture that not everybody may see. Check first that the caller may see it. */
export async function signImage(image: Image | null, signer: MediaSigner): Promise<Image | null> {
  if (!image) return null;
  const query = await signedQuery(mediaPath(image.image_id), signer);
  return {
    ...image,
    medium_url: image.medium_url + query,
    srcset: image.srcset?.replace(/(\/media\/\S+)/g, `$1${query}`) ?? null,
  };
}

/**
 * Returns, by id, those of these pictures that belong to the person, are fully processed, and may be seen by everybody.
 */
export async function findOwnPictures(
  { database }: { database: Database },
  owner_user_id: string,
  image_ids: readonly string[],
): Promise<Map<string, Image>> {
  if (image_ids.length === 0) return new Map();
  const rows = await database
    .selectFrom("images as own")
    .select(["image_id", imageJson("own.image_id").as("image")])
    .where("image_id", "in", oneOf(image_ids))
    .where("owner_user_id", "=", owner_user_id)
    .where("access", "=", "public")
    .where("processing_status", "=", "completed")
    .execute();
  return new Map(rows.flatMap(({ image_id, image }) => [[image_id, readImage(image)] as [string, Image]]));
}

/** SQL for the audio or video file in a column as JSON. {@link openMedia} reads the JSON. */
export function mediaJson(column: string): RawBuilder<string | null> {
  return sql<string | null>`(
    SELECT json_object('media_id', media_files.media_id, 'kind', media_files.kind,
      'content_type', media_files.content_type)
    FROM media_files WHERE media_files.media_id = ${sql.ref(column)})`;
}

/** Converts an audio or video file that everybody may play to the form in which the API answers. */
export function openMedia(media: Omit<MediaFile, "url">): MediaFile {
  return { ...media, url: `${mediaPath(media.media_id)}/file` };
}

/** Signs the address of an audio or video file that not everybody may play. Check first that the caller may play it. */
export async function signMedia(media: MediaFile, signer: MediaSigner): Promise<MediaFile> {
  return { ...media, url: media.url + (await signedQuery(mediaPath(media.media_id), signer)) };
}

/**
 * The audience of a picture or a file, as far as its rows say. Whether a person may read the post that shows it is another
 * check.
 */
export interface Visibility {
  owner_user_id: string;
  access: "public" | "event";
  /** The post that shows the picture or file; null while no post does. */
  event_id: string | null;
  /**
   * Whether everybody may see the picture or file now: it is public, in a public post, or before the paywall line of a
   * published post.
   */
  is_open: boolean;
}

const selectIsOpen = (table: "images" | "media_files", shown: "event_images" | "event_media") =>
  sql<number>`(${sql.ref(`${table}.access`)} = 'public' OR (events.status IS 'published'
    AND (events.publish_target_type = 'public' OR ${sql.ref(`${shown}.is_free`)} = 1)))`.as("is_open");

/** Returns a picture that can be served; null for unfinished pictures and those of disabled accounts. */
export async function findServableImage(
  database: Database,
  image_id: string,
): Promise<(Visibility & { content_type: string; sizes: PictureSize[] }) | null> {
  const row = await database
    .selectFrom("images")
    .leftJoin("event_images", "event_images.image_id", "images.image_id")
    .leftJoin("events", "events.event_id", "event_images.event_id")
    .select(["images.owner_user_id", "images.access", "images.content_type", "images.widths", "events.event_id"])
    .select(selectIsOpen("images", "event_images"))
    .where("images.image_id", "=", image_id)
    .where("images.processing_status", "=", "completed")
    .where(isUserEnabled("images.owner_user_id"))
    .executeTakeFirst();
  if (!row) return null;
  const { widths, is_open, ...found } = row;
  return { ...found, is_open: is_open === 1, sizes: JSON.parse(widths) };
}

/** Returns an audio or video file that can be served; null for unfinished files and those of disabled accounts. */
export async function findServableMedia(
  database: Database,
  media_id: string,
): Promise<(Visibility & { content_type: string; bytes: number }) | null> {
  const row = await database
    .selectFrom("media_files")
    .leftJoin("event_media", "event_media.media_id", "media_files.media_id")
    .leftJoin("events", "events.event_id", "event_media.event_id")
    .select(["media_files.owner_user_id", "media_files.access", "media_files.content_type", "media_files.bytes"])
    .select(["events.event_id", selectIsOpen("media_files", "event_media")])
    .where("media_files.media_id", "=", media_id)
    .where("media_files.processing_status", "=", "completed")
    .where(isUserEnabled("media_files.owner_user_id"))
    .executeTakeFirst();
  return row ? { ...row, is_open: row.is_open === 1 } : null;
}

/**
 * SQL for how many uploads a person began since a moment, and when the first of them began. The hourly limit on uploads
 * uses both.
 */
export function selectUploadsSince(user_id: string, since: string) {
  const begun = sql`SELECT created_at FROM images WHERE owner_user_id = ${user_id} AND created_at > ${since}
    UNION ALL SELECT created_at FROM media_files WHERE owner_user_id = ${user_id} AND created_at > ${since}`;
  return {
    count: sql<number>`(SELECT COUNT(*) FROM (${begun}))`,
    first: sql<string | null>`(SELECT MIN(created_at) FROM (${begun}))`,
  };
}

/** A picture or a file of a person, with the one object of the bucket that an archive holds of it. */
export interface StoredFile {
  id: string;
  kind: "image" | "audio" | "video";
  key: string;
  content_type: string;
  file_name: string;
  alt: string;
  width: number | null;
  height: number | null;
  created_at: string;
}

/** A row of a post's pictures and files. `position` is its place among those of its kind. */
export interface StoredPart extends StoredFile {
  event_id: string;
  position: number;
}

const imageColumns = sql`images.image_id AS id, 'image' AS kind, images.content_type, '' AS file_name, images.alt,
  images.width, images.height, images.created_at, images.widths`;
const mediaColumns = sql`media_files.media_id AS id, media_files.kind, media_files.content_type, media_files.file_name,
  '' AS alt, NULL AS width, NULL AS height, media_files.created_at, NULL AS widths`;

type StoredRow = Omit<StoredFile, "key"> & { widths: string | null };

function toStoredFile<Row extends StoredRow>({ widths, ...row }: Row) {
  if (row.kind !== "image") return { ...row, key: mediaKey(row.id) };
  const size = widestFile(JSON.parse(widths ?? "[]"));
  return { ...row, key: imageKey(row.id, size), content_type: size ? PICTURE_TYPES[size.type] : row.content_type };
}

/** Lists the pictures and files of these posts that the person owns, in the order of each post. */
export async function listFilesOfPosts(
  database: Database,
  owner_user_id: string,
  event_ids: readonly string[],
): Promise<StoredPart[]> {
  const { rows } = await sql<StoredRow & { event_id: string; position: number }>`
    SELECT event_id, position, ${imageColumns} FROM event_images CROSS JOIN images USING (image_id)
      WHERE event_id IN ${oneOf(event_ids)} AND owner_user_id = ${owner_user_id} AND processing_status = 'completed'
    UNION ALL SELECT event_id, position, ${mediaColumns} FROM event_media CROSS JOIN media_files USING (media_id)
      WHERE event_id IN ${oneOf(event_ids)} AND owner_user_id = ${owner_user_id} AND processing_status = 'completed'
    ORDER BY event_id, position`.execute(database);
  return rows.map(toStoredFile);
}

/** Lists some pictures, or some files, of a person, after the given key. Begins with the oldest. */
export async function listStoredFiles(
  database: Database,
  owner_user_id: string,
  { table, after, limit }: { table: "images" | "media_files"; after: StoredFile | null; limit: number },
): Promise<StoredFile[]> {
  const id = sql.ref(table === "images" ? "image_id" : "media_id");
  const { rows } = await sql<StoredRow>`SELECT ${table === "images" ? imageColumns : mediaColumns}
    FROM ${sql.table(table)} WHERE owner_user_id = ${owner_user_id} AND processing_status = 'completed'
      AND (created_at, ${id}) > (${after?.created_at ?? ""}, ${after?.id ?? ""})
    ORDER BY created_at, ${id} LIMIT ${limit}`.execute(database);
  return rows.map(toStoredFile);
}

/** Returns, by id, those of these pictures, or of these files, that the person owns. */
export async function findStoredFiles(
  database: Database,
  owner_user_id: string,
  table: "images" | "media_files",
  ids: readonly string[],
): Promise<Map<string, StoredFile>> {
  const id = sql.ref(table === "images" ? "image_id" : "media_id");
  const { rows } = await sql<StoredRow>`SELECT ${table === "images" ? imageColumns : mediaColumns}
    FROM ${sql.table(table)} WHERE ${id} IN ${oneOf(ids)} AND owner_user_id = ${owner_user_id}
      AND processing_status = 'completed'`.execute(database);
  return new Map(rows.map((row) => [row.id, toStoredFile(row)]));
}
