import { newId } from "../../../workers/kernel/ids.ts";
import { database, type Member } from "../../support/network.ts";

interface Post {
  title?: string;
  status?: "published" | "private";
  publish_target_type?: "public" | "fans";
  comment_filter?: "all" | "paid_only" | "none";
}

/** Adds a post without comments or likes. Returns its id. */
export async function insertPost(author: Member, post: Post = {}): Promise<string> {
  const { title = "題", status = "published", publish_target_type = "public", comment_filter = "all" } = post;
  const event_id = newId(Date.now());
  const now = new Date().toISOString();
  await (await database())
    .prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, comment_filter,
         published_at, created_at)
       VALUES (?, ?, 'text', ?, '書き出し', '本文', ?, ?, ?, ?, ?)`,
    )
    .bind(event_id, author.user.user_id, title, status, publish_target_type, comment_filter, now, now)
    .run();
  return event_id;
}
