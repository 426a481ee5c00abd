import { type RawBuilder, sql } from "kysely";
import type { Image, MediaFile } from "../../contract/fields.ts";
import type { PictureSize } from "../../contract/pictures.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { isOfEnabled } from "../storage/disabled.ts";
import { type MediaSigner, mediaPath, signedQuery } from "./rules.ts";

/**
 * The picture a column names, as JSON in the row that shows it (null where there is none): a list and its pictures are
 * one statement, and one way to the database. {@link readImage} reads it.
 */
export function imageJson(column: string): RawBuilder<string | null> {
  return sql<string | null>`(
    SELECT json_object('image_id', images.image_id, 'alt', images.alt, 'width', images.width, 'height', images.height,
      'placeholder', images.placeholder, 'sizes', json(images.widths))
    FROM images WHERE images.image_id = ${sql.ref(column)})`;
}

export type StoredImage = Omit<Image, "medium_url" | "srcset"> & { sizes: PictureSize[] };

/** A picture that anybody may see, as the contract shows it. */
export function openImage(image: StoredImage | null): Image | null {
  if (!image) return null;
  const { sizes, ...shown } = image;
  const path = mediaPath(image.image_id);
  const srcset = sizes.map(({ width }) => `${path}/${width} ${width}w`).join(", ");
  return { ...shown, medium_url: `${path}/medium`, srcset: sizes.length > 1 ? srcset : null };
}

/** The same, from the JSON of its row. */
export function readImage(json: string | null): Image | null {
  return json === null ? null : openImage(JSON.parse(json) as StoredImage);
}

/** A picture that not everybody may see, for somebody who was found to have the right: its addresses are signed. */
export async function signImage(image: Image | null, signer: MediaSigner): Promise<Image | null> {
  if (!image) return null;
  const query = await signedQuery(mediaPath(image.image_id), signer);
  return {
    ...image,
    medium_url: image.medium_url + query,
    srcset: image.srcset?.replace(/(\/media\/\S+)/g, `$1${query}`) ?? null,
  };
}

/** Those of these pictures that are this person's own, done, and for everybody to see: by id, as the contract shows them. */
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

/** Sound or film that a column names, as JSON in the row that shows it. {@link openMedia} shows it. */
export function mediaJson(column: string): RawBuilder<string | null> {
  return sql<string | null>`(
    SELECT json_object('media_id', media_files.media_id, 'kind', media_files.kind,
      'content_type', media_files.content_type)
    FROM media_files WHERE media_files.media_id = ${sql.ref(column)})`;
}

/** Sound or film that anybody may play, as the contract shows it. */
export function openMedia(media: Omit<MediaFile, "url">): MediaFile {
  return { ...media, url: `${mediaPath(media.media_id)}/file` };
}

/** The same for somebody who was found to have the right: its address is signed. */
export async function signMedia(media: MediaFile, signer: MediaSigner): Promise<MediaFile> {
  return { ...media, url: media.url + (await signedQuery(mediaPath(media.media_id), signer)) };
}

/** Who sees a picture or a file, as far as its rows say: the rest is whether they may read the post. */
export interface Visibility {
  owner_user_id: string;
  access: "public" | "event";
  /** The post that shows it; null while none does. */
  event_id: string | null;
  /** Whether anybody may see it now: an icon or a cover, of a public post, or before the paywall line of any. */
  is_open: boolean;
}

const isOpen = (table: "images" | "media_files", shown: "event_images" | "event_media") =>
  sql<number>`(${sql.ref(`${table}.access`)} = 'public' OR (events.status IS 'published'
    AND (events.publish_target_type = 'public' OR ${sql.ref(`${shown}.is_free`)} = 1)))`.as("is_open");

/** A picture that is there to be served, or null: one of a disabled account is not. */
export async function findServableImage(
  database: Database,
  image_id: string,
): Promise<(Visibility & { content_type: string; sizes: PictureSize[] }) | null> {
  const row = await database
    .selectFrom("images")
    .leftJoin("event_images", "event_images.image_id", "images.image_id")
    .leftJoin("events", "events.event_id", "event_images.event_id")
    .select(["images.owner_user_id", "images.access", "images.content_type", "images.widths", "events.event_id"])
    .select(isOpen("images", "event_images"))
    .where("images.image_id", "=", image_id)
    .where("images.processing_status", "=", "completed")
    .where(isOfEnabled("images.owner_user_id"))
    .executeTakeFirst();
  if (!row) return null;
  const { widths, is_open, ...found } = row;
  return { ...found, is_open: is_open === 1, sizes: JSON.parse(widths) };
}

/** The same of sound or film. */
export async function findServableMedia(
  database: Database,
  media_id: string,
): Promise<(Visibility & { content_type: string; bytes: number }) | null> {
  const row = await database
    .selectFrom("media_files")
    .leftJoin("event_media", "event_media.media_id", "media_files.media_id")
    .leftJoin("events", "events.event_id", "event_media.event_id")
    .select(["media_files.owner_user_id", "media_files.access", "media_files.content_type", "media_files.bytes"])
    .select(["events.event_id", isOpen("media_files", "event_media")])
    .where("media_files.media_id", "=", media_id)
    .where("media_files.processing_status", "=", "completed")
    .where(isOfEnabled("media_files.owner_user_id"))
    .executeTakeFirst();
  return row ? { ...row, is_open: row.is_open === 1 } : null;
}

/** How many uploads somebody began since, and when the first of them was; for the limit on them. */
export function uploadsSince(user_id: string, since: string) {
  const begun = sql`SELECT created_at FROM images WHERE owner_user_id = ${user_id} AND created_at > ${since}
    UNION ALL SELECT created_at FROM media_files WHERE owner_user_id = ${user_id} AND created_at > ${since}`;
  return {
    count: sql<number>`(SELECT COUNT(*) FROM (${begun}))`,
    first: sql<string | null>`(SELECT MIN(created_at) FROM (${begun}))`,
  };
}
