import type { Image } from "../../contract/fields.ts";
import { type Database, oneOf } from "../storage/database.ts";
import { type ImageSigner, imageKey, signedPath } from "./rules.ts";

/** A picture somebody is to see. `is_open`: anybody may, so its URL needs no signature. */
export interface Shown {
  image_id: string | null;
  is_open: boolean;
}

const pathOf = (image_id: string) => `/media/${image_id}/medium`;

/** A picture that anybody may see, from its row. */
export function openImage({ image_id, alt, width, height }: Omit<Image, "medium_url">): Image {
  return { image_id, alt, width, height, medium_url: pathOf(image_id) };
}

/**
 * Pictures by id, as the contract shows them. One that is not open gets a signed URL: ask only for what the caller was
 * already found to have the right to see.
 */
export async function loadImages(
  database: Database,
  shown: readonly Shown[],
  signer: ImageSigner,
): Promise<Map<string, Image>> {
  const is_open = new Map(shown.flatMap((one) => (one.image_id ? [[one.image_id, one.is_open] as const] : [])));
  if (is_open.size === 0) return new Map();
  const rows = await database
    .selectFrom("images")
    .select(["image_id", "alt", "width", "height"])
    .where("image_id", "in", oneOf([...is_open.keys()]))
    .execute();
  const images = await Promise.all(
    rows.map(async (row) => {
      const image = openImage(row);
      return is_open.get(row.image_id)
        ? image
        : { ...image, medium_url: await signedPath(pathOf(row.image_id), signer) };
    }),
  );
  return new Map(images.map((image) => [image.image_id, image]));
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
