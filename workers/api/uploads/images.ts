import type { Image } from "../../contract/fields.ts";
import { isoTime } from "../../kernel/clock.ts";
import { sign, verify } from "../../kernel/digest.ts";
import type { Database } from "../storage/database.ts";

/** How long a signed picture URL works: longer than anybody looks at one page, shorter than a link is worth passing on. */
const SIGNED_URL_MS = 60 * 60 * 1000;
/** Signed URLs change only this often, so that a browser's cache still helps. */
const SIGNED_URL_STEP_MS = 10 * 60 * 1000;

export interface ImageSigner {
  media_key: string;
  now_ms: number;
}

/** The object's key in the bucket. */
export function imageKey(image_id: string): string {
  return `images/${image_id}/medium`;
}

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
      const medium_url = access === "public" ? path : `${path}?${await signedQuery(path, signer)}`;
      return { image_id, alt, width, height, medium_url };
    }),
  );
  return new Map(images.map((image) => [image.image_id, image]));
}

async function signedQuery(path: string, { media_key, now_ms }: ImageSigner): Promise<string> {
  const step = Math.floor(now_ms / SIGNED_URL_STEP_MS) * SIGNED_URL_STEP_MS;
  const expires = String(step + SIGNED_URL_MS);
  return new URLSearchParams({ expires, signature: await sign(`${path} ${expires}`, media_key) }).toString();
}

/** Whether the URL was signed by us and has not run out. */
export async function isSigned(url: URL, { media_key, now_ms }: ImageSigner): Promise<boolean> {
  const expires = url.searchParams.get("expires") ?? "";
  const signature = url.searchParams.get("signature") ?? "";
  if (!/^\d{13}$/.test(expires) || Number(expires) < now_ms) return false;
  return verify(`${url.pathname} ${expires}`, signature, media_key);
}

/**
 * The picture as anybody may fetch it, or null: icons and covers always, a post's picture while the post is public.
 * Whoever holds a signed URL (`is_signed`) may fetch a post's picture whatever its state.
 */
export async function findServableImage(database: Database, image_id: string, is_signed: boolean) {
  const row = await database
    .selectFrom("images")
    .leftJoin("events", "events.image_id", "images.image_id")
    .select(["images.image_id", "images.access", "images.content_type", "images.created_at"])
    .select(["events.status", "events.publish_target_type"])
    .where("images.image_id", "=", image_id)
    .executeTakeFirst();
  if (!row) return null;
  const is_open = row.access === "public" || (row.status === "published" && row.publish_target_type === "public");
  if (!is_open && !is_signed) return null;
  return { key: imageKey(row.image_id), content_type: row.content_type, is_open };
}

/** A row for a picture whose bytes are already stored under {@link imageKey}. */
export function insertImage(
  database: Database,
  image: {
    image_id: string;
    owner_user_id: string;
    access: "public" | "event";
    alt: string;
    content_type: "image/png";
    width: number;
    height: number;
    created_at_ms: number;
  },
) {
  const { created_at_ms, ...columns } = image;
  return database
    .insertInto("images")
    .values({ ...columns, created_at: isoTime(created_at_ms) })
    .compile();
}
