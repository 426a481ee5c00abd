/** Uploads as the upload domains store them, without the bytes. */
import { newId } from "../../../workers/kernel/ids.ts";
import { database } from "../../support/network.ts";

const now = () => new Date().toISOString();

/** Adds a picture of a member, by default one for a post. */
export async function addImage(
  owner_user_id: string,
  { access = "event", processing_status = "completed", placeholder = "data:image/png;base64,AAAA" } = {},
): Promise<string> {
  const image_id = newId(Date.now());
  await (await database())
    .prepare(
      `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, placeholder, processing_status, created_at)
       VALUES (?, ?, ?, '', 'image/png', 640, 360, ?, ?, ?)`,
    )
    .bind(image_id, owner_user_id, access, placeholder, processing_status, now())
    .run();
  return image_id;
}

/** Adds a sound or a film of a member. */
export async function addMedia(owner_user_id: string, kind: "audio" | "video"): Promise<string> {
  const media_id = newId(Date.now());
  await (await database())
    .prepare(
      `INSERT INTO media_files (media_id, owner_user_id, kind, access, content_type, processing_status, created_at)
       VALUES (?, ?, ?, 'event', ?, 'completed', ?)`,
    )
    .bind(media_id, owner_user_id, kind, kind === "audio" ? "audio/mpeg" : "video/mp4", now())
    .run();
  return media_id;
}
