import { type RawBuilder, sql } from "kysely";
import type { Image, MediaFile } from "../../contract/fields.ts";
import type { Database } from "../storage/database.ts";
import { type ImageSigner, imageKey, signedPath } from "./rules.ts";

const pathOf = (image_id: string) => `/media/${image_id}/medium`;

/**
 * The picture a column names, as JSON in the row that shows it (null where there is none): a list and its pictures are
 * one statement, and one way to the database. {@link readImage} reads it.
 */
export function imageJson(column: string): RawBuilder<string | null> {
  return sql<string | null>`(
    SELECT json_object('image_id', images.image_id, 'alt', images.alt, 'width', images.width, 'height', images.height,
      'srcset', NULL, 'placeholder', images.placeholder)
    FROM images WHERE images.image_id = ${sql.ref(column)})`;
}

export type StoredImage = Omit<Image, "medium_url">;

/** A picture that anybody may see, as the contract shows it. */
export function openImage(image: StoredImage | null): Image | null {
  return image && { ...image, medium_url: pathOf(image.image_id) };
}

/** The same, from the JSON of its row. */
export function readImage(json: string | null): Image | null {
  return json === null ? null : openImage(JSON.parse(json) as StoredImage);
}

/** A picture that not everybody may see, for somebody who was found to have the right: its address is signed. */
export async function signImage(image: Image | null, signer: ImageSigner): Promise<Image | null> {
  return image && { ...image, medium_url: await signedPath(pathOf(image.image_id), signer) };
}

/**
 * The picture as anybody may fetch it, or null: icons and covers always, a post's picture while the post is public.
 * Whoever holds a signed URL (`is_signed`) may fetch a post's picture whatever its state.
 */
export async function findServableImage(database: Database, image_id: string, is_signed: boolean) {
  const row = await database
    .selectFrom("images")
    .leftJoin("events", "events.image_id", "images.image_id")
    .select(["images.image_id", "images.access", "images.content_type"])
    .select(["events.status", "events.publish_target_type"])
    .where("images.image_id", "=", image_id)
    .executeTakeFirst();
  if (!row) return null;
  const is_open = row.access === "public" || (row.status === "published" && row.publish_target_type === "public");
  if (!is_open && !is_signed) return null;
  const { content_type } = row;
  return { key: imageKey(row.image_id), content_type, is_open, is_always_open: row.access === "public" };
}

/** Sound or film that a column names, as JSON in the row that shows it. {@link openMedia} shows it. */
export function mediaJson(column: string): RawBuilder<string | null> {
  return sql<string | null>`(
    SELECT json_object('media_id', media_files.media_id, 'kind', media_files.kind,
      'content_type', media_files.content_type)
    FROM media_files WHERE media_files.media_id = ${sql.ref(column)})`;
}

const fileOf = (media_id: string) => `/media/${media_id}/file`;

/** Sound or film that anybody may play, as the contract shows it. */
export function openMedia(media: Omit<MediaFile, "url">): MediaFile {
  return { ...media, url: fileOf(media.media_id) };
}

/** The same for somebody who was found to have the right: its address is signed. */
export async function signMedia(media: MediaFile, signer: ImageSigner): Promise<MediaFile> {
  return { ...media, url: await signedPath(fileOf(media.media_id), signer) };
}
