import type { Image } from "../../contract/fields.ts";
import type { Database } from "../storage/database.ts";
import { type ImageSigner, imageKey, signedPath } from "./rules.ts";

/**
 * Pictures by id, as the contract shows them. A picture that is not public gets a signed URL: call this only for a
 * caller already found to have the right to see it.
 */
export async function loadImages(
  database: Database,
  image_ids: readonly (string | null)[],
  signer: ImageSigner,
): Promise<Map<string, Image>> {
  const ids = [...new Set(image_ids.filter((id) => id !== null))];
  if (ids.length === 0) return new Map();
  const rows = await database
    .selectFrom("images")
    .select(["image_id", "access", "alt", "width", "height"])
    .where("image_id", "in", ids)
    .execute();
  const images = await Promise.all(
    rows.map(async ({ image_id, access, alt, width, height }) => {
      const path = `/media/${image_id}/medium`;
      const medium_url = access === "public" ? path : await signedPath(path, signer);
      return { image_id, alt, width, height, medium_url };
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
  return { key: imageKey(row.image_id), content_type: row.content_type, is_open };
}
