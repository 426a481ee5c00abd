import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import type { RequestContext } from "../http/request-context.ts";
import { deleteByKey, type Erasure, type ExportItem, isAfter, whereLeaver } from "../storage/personal-data.ts";
import { mediaPath, signedQuery } from "./rules.ts";

export const erasures: Erasure[] = [
  deleteByKey("images", ["image_id"], whereLeaver("owner_user_id")),
  deleteByKey("media_files", ["media_id"], whereLeaver("owner_user_id")),
  // Deletes the sum of a person's files only at zero. Triggers lower it while the files are deleted.
  deleteByKey("storage_used", ["user_id"], ({ user_id }) => sql`user_id = ${user_id} AND bytes <= 0`),
];

/** Adds to an exported item the signed address of its file, which is valid for an hour. */
async function addPath(context: RequestContext, item: ExportItem, id: unknown, size: string): Promise<ExportItem> {
  const path = mediaPath(String(id));
  return { ...item, path: `${path}/${size}${await signedQuery(path, context)}` };
}

export const exports: Domain["exports"] = {
  images: {
    select: (me, after, limit) => sql`SELECT created_at || ' ' || image_id AS key, json_object('image_id', image_id,
        'alt', alt, 'width', width, 'height', height, 'bytes', bytes, 'created_at', created_at) AS item
      FROM images WHERE owner_user_id = ${me} AND processing_status = 'completed'
        AND ${isAfter("created_at", "image_id", after)}
      ORDER BY created_at, image_id ${limit}`,
    complete: (context, item) => addPath(context, item, item.image_id, "medium"),
  },
  media_files: {
    select: (me, after, limit) => sql`SELECT created_at || ' ' || media_id AS key, json_object('media_id', media_id,
        'kind', kind, 'content_type', content_type, 'file_name', file_name, 'bytes', bytes, 'created_at', created_at)
        AS item
      FROM media_files WHERE owner_user_id = ${me} AND processing_status = 'completed'
        AND ${isAfter("created_at", "media_id", after)}
      ORDER BY created_at, media_id ${limit}`,
    complete: (context, item) => addPath(context, item, item.media_id, "file"),
  },
};
